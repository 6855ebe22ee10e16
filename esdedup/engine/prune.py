"""Remove duplicates for good, after everything that goes has been written to a file; and bring them back from it."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from esdedup.engine.bulk import write
from esdedup.engine.candidates import all_of
from esdedup.engine.mapping import Collection
from esdedup.engine.paging import read_all
from esdedup.errors import InputError

__all__ = ["Doomed", "PruneOptions", "find_doomed", "remove", "restore"]

_BATCH = 500


@dataclass(frozen=True, slots=True)
class PruneOptions:
    """What may go: members of groups within `distance` of their leader; exact: only those that read the same."""

    distance: int = 64
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Doomed:
    """A document that may go. key: its `_id`; leader: the id of the one that stays; source: all that is stored."""

    key: str
    id: str
    leader: str
    distance: int
    exact: bool
    title: str
    source: dict[str, Any]
    version: dict[str, int]

    def as_line(self) -> str:
        """What brings it back, as one line of JSON."""
        return json.dumps({"_id": self.key, "_source": self.source}, ensure_ascii=False)


def find_doomed(collection: Collection, options: PruneOptions) -> Iterator[Doomed]:
    """The documents that are not leaders and that the options let go, in no order."""
    query = all_of({"term": {"esdedup.leader": False}}, {"range": {"esdedup.distance": {"lte": options.distance}}})
    batch: list[dict[str, Any]] = []
    for hit in read_all(collection.client, collection.name, query, seq_no_primary_term=True):
        batch.append(hit)
        if len(batch) == _BATCH:
            yield from _with_leaders(collection, batch, options)
            batch = []
    yield from _with_leaders(collection, batch, options)


def remove(collection: Collection, doomed: Iterable[Doomed]) -> int:
    """Delete documents that have not changed since they were found; how many were."""
    actions = [{"_op_type": "delete", "_id": one.key, **one.version} for one in doomed]
    return sum(outcome.reason is None for outcome in write(collection, actions))


def restore(collection: Collection, lines: Iterable[str]) -> tuple[int, int]:
    """Write back what `Doomed.as_line` wrote: how many were, and how many are there again already.

    Raises InputError, with the number of the line, for one that is something else.
    """
    restored = present = 0
    batch: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        batch.append({"_op_type": "create", **_read_line(line, number)})
        if len(batch) == _BATCH:
            restored, present = _create(collection, batch, restored, present)
            batch = []
    restored, present = _create(collection, batch, restored, present)
    collection.client.indices.refresh(index=collection.name)
    return restored, present


def _with_leaders(collection: Collection, hits: list[dict[str, Any]], options: PruneOptions) -> Iterator[Doomed]:
    """Documents whose leader is there: without it nothing would be kept."""
    keys = sorted({hit["_source"]["esdedup"]["group"] for hit in hits})
    if not keys:
        return
    found = collection.client.mget(
        index=collection.name, ids=keys, source_includes=["doc_id", "esdedup.digest", "esdedup.leader"]
    )["docs"]
    leaders = {doc["_id"]: doc["_source"] for doc in found if doc.get("found")}
    for hit in hits:
        source, own = hit["_source"], hit["_source"]["esdedup"]
        leader = leaders.get(own["group"])
        if leader is None or not leader["esdedup"]["leader"]:
            continue
        exact = own["digest"] == leader["esdedup"]["digest"]
        if exact or not options.exact:
            yield Doomed(
                key=hit["_id"],
                id=source["doc_id"],
                leader=leader["doc_id"],
                distance=own["distance"],
                exact=exact,
                title=source.get("title", ""),
                source=source,
                version={"if_seq_no": hit["_seq_no"], "if_primary_term": hit["_primary_term"]},
            )


def _read_line(line: str, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
        return {"_id": str(record["_id"]), "_source": dict(record["_source"])}
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"line {number} is not of a file that prune wrote: {error}") from error


def _create(collection: Collection, batch: list[dict[str, Any]], restored: int, present: int) -> tuple[int, int]:
    outcomes = list(write(collection, batch)) if batch else []
    done = sum(outcome.reason is None for outcome in outcomes)
    return restored + done, present + len(outcomes) - done
