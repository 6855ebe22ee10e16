"""Take duplicates out, and bring them back: deleted, once all of each is in a file, or marked and hidden."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from esdedup.batching import batched
from esdedup.engine.asking import ask_documents
from esdedup.engine.bulk import Outcome, write
from esdedup.engine.mapping import Collection
from esdedup.engine.paging import read_all
from esdedup.engine.prune import Doomed
from esdedup.engine.repair import repair
from esdedup.engine.succession import just_before
from esdedup.errors import InputError

__all__ = ["MARKED", "mark", "remove", "restore", "sources_of", "unmark"]

_BATCH = 500
#: The query for documents that are hidden: marked, and not leading a group meanwhile.
MARKED: dict[str, Any] = {"bool": {"filter": [{"term": {"esdedup.pruned": True}}, {"term": {"esdedup.leader": False}}]}}


def sources_of(collection: Collection, doomed: Sequence[Doomed]) -> list[tuple[Doomed, str]]:
    """Those that have not changed since they were found, each with the line of JSON that brings it back."""
    docs = ask_documents(collection.client, collection.name, [one.member.key for one in doomed])
    unchanged = [
        one for one in doomed if docs.get(one.member.key, {}).get("_seq_no") == one.member.version["if_seq_no"]
    ]
    return [(one, _line(docs[one.member.key])) for one in unchanged]


def remove(collection: Collection, doomed: Sequence[Doomed]) -> int:
    """Delete documents that have not changed since they were found, and put their groups right; how many were."""
    actions = [{"_op_type": "delete", "_id": one.member.key, **one.member.version} for one in doomed]
    gone = {outcome.key for outcome in write(collection, actions) if outcome.reason is None}
    if leaders := [one.member.key for one in doomed if one.member.place.leader and one.member.key in gone]:
        repair(collection, leaders)
    return len(gone)


def restore(collection: Collection, lines: Iterable[str]) -> tuple[int, int, list[Outcome]]:
    """Write back what `sources_of` gave: how many were, how many are there again already, and what failed.

    Raises InputError, with the number of the line, for one that is something else.
    """
    restored = present = 0
    failed: list[Outcome] = []
    for batch in batched(({"_op_type": "create", **action} for action in _actions(lines)), _BATCH):
        for outcome in write(collection, batch):
            restored += outcome.reason is None
            present += outcome.conflict
            if outcome.reason is not None and not outcome.conflict:
                failed.append(outcome)
    collection.client.indices.refresh(index=collection.name)
    return restored, present, failed


def mark(collection: Collection, doomed: Sequence[Doomed]) -> int:
    """Hide documents from `search`, and let those that are kept lead; how many are hidden."""
    _ensure_field(collection)
    elected = {one.kept.key: just_before(one.first_seen) for one in doomed if not one.kept.place.leader}
    marks = {one.member.key: {"pruned": True} for one in doomed}
    outcomes = list(_update(collection, marks | {key: {"first_seen": moment} for key, moment in elected.items()}))
    if elected:
        repair(collection, elected)
    return sum(done for key, done in outcomes if key in marks)


def _ensure_field(collection: Collection) -> None:
    """Add the field once: that takes a right that no other writing needs."""
    found = collection.client.indices.get_mapping(index=collection.name).body
    if any("pruned" not in index["mappings"]["properties"]["esdedup"]["properties"] for index in found.values()):
        collection.client.indices.put_mapping(
            index=collection.name, properties={"esdedup": {"properties": {"pruned": {"type": "boolean"}}}}
        )


def unmark(collection: Collection) -> int:
    """Show again all that was marked; how many were."""
    hits = read_all(collection.client, collection.name, {"term": {"esdedup.pruned": True}}, source=False)
    shown = 0
    for batch in batched((hit["_id"] for hit in hits), _BATCH):
        shown += sum(done for _, done in _update(collection, {key: {"pruned": False} for key in batch}))
    collection.client.indices.refresh(index=collection.name)
    return shown


def _update(collection: Collection, own: dict[str, dict[str, Any]]) -> Iterator[tuple[str, bool]]:
    """Change fields of `esdedup` objects, by key: whether each was."""
    actions = [{"_op_type": "update", "_id": key, "doc": {"esdedup": fields}} for key, fields in own.items()]
    for outcome in write(collection, actions):
        yield outcome.key, outcome.reason is None


def _line(doc: Mapping[str, Any]) -> str:
    return json.dumps({"_id": doc["_id"], "_source": doc["_source"]}, ensure_ascii=False)


def _actions(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _read_line(line, number)


def _read_line(line: str, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
        return {"_id": str(record["_id"]), "_source": dict(record["_source"])}
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"line {number} is not of a file that prune wrote: {error}") from error
