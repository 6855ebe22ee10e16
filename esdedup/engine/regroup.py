"""Make all groups anew, in place: what one writer would have made of the same documents, in (first seen, key) order.

Two writers at once can each keep a twin, or put a document into the second-nearest group. This heals it, and writes
only documents whose place is another, unless they have changed in the meantime.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from esdedup.batching import batched
from esdedup.engine.bulk import write
from esdedup.engine.confirm import Confirmer
from esdedup.engine.fingerprints import read_fingerprints
from esdedup.engine.mapping import Collection
from esdedup.engine.paging import read_from, refresh_if_allowed, snapshot
from esdedup.engine.patience import Unsettled, patiently
from esdedup.engine.records import entry_of, place_fields
from esdedup.foreseen import ForeseenLeaders
from esdedup.grouping import Entry, Place, place_batch

__all__ = ["Regrouped", "regroup"]

_BATCH = 500
_PASSES = 10
_MICROSECONDS = "uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'"
_FIELDS = ["simhash", "digest", "status", "group", "leader", "distance"]


@dataclass(frozen=True, slots=True)
class Regrouped:
    """What a pass over the index has found so far. changed: documents with another place; conflicts: of these, those

    that another program changed in the meantime, which are left for the next pass.
    """

    documents: int
    groups: int
    changed: int
    conflicts: int


@dataclass(frozen=True, slots=True)
class _Stored:
    entry: Entry
    place: Place
    version: dict[str, int]


def regroup(collection: Collection, *, dry_run: bool = False) -> Iterator[Regrouped]:
    """Regroup, and say after every batch how far it is; pass after pass until nothing changed under its hands.

    The last value sums up the run: documents and groups of the last pass, and all changes. Doing it again changes
    nothing, so a run that was ended can just be started again. Keeps all fingerprints in memory, and an entry of
    each leader that has another document near it.
    """
    changed = 0
    for further in reversed(range(_PASSES)):
        _refresh(collection, dry_run)
        found = Regrouped(0, 0, 0, 0)
        try:
            for found in _one_pass(collection, dry_run):
                yield Regrouped(found.documents, found.groups, changed + found.changed, found.conflicts)
        except Unsettled:
            if not further:
                raise
            continue
        finally:
            changed += found.changed - found.conflicts
        if not found.conflicts:
            break
    _refresh(collection, dry_run)
    yield Regrouped(found.documents, found.groups, changed, found.conflicts)


def _refresh(collection: Collection, dry_run: bool) -> None:
    if dry_run:
        refresh_if_allowed(collection.client, collection.name)
    else:
        patiently(lambda: collection.client.indices.refresh(index=collection.name))


def _one_pass(collection: Collection, dry_run: bool) -> Iterator[Regrouped]:
    with snapshot(collection.client, collection.name) as point:
        leaders = ForeseenLeaders(read_fingerprints(collection.client, point), collection.k)
        yield from _place_all(collection, leaders, _read(collection, point), dry_run)


def _place_all(
    collection: Collection, leaders: ForeseenLeaders, found: Iterable[_Stored], dry_run: bool
) -> Iterator[Regrouped]:
    confirmer = Confirmer(collection)
    documents = groups = changed = conflicts = 0
    for batch in batched(_in_order(found), _BATCH):
        entries = [one.entry for one in batch]
        near = confirmer.only(entries, leaders.near(entries))
        places = place_batch(entries, near, collection.k, confirmer.confirms)
        for one, place in zip(batch, places, strict=True):
            if place.leader:
                leaders.add(one.entry)
        moved = [(one, place) for one, place in zip(batch, places, strict=True) if place.moves_from(one.place)]
        documents += len(batch)
        groups += sum(place.leader for place in places)
        changed += len(moved)
        conflicts += 0 if dry_run else _write(collection, moved)
        yield Regrouped(documents, groups, changed, conflicts)


def _read(collection: Collection, point: str) -> Iterator[_Stored]:
    """All documents with a fingerprint, by the time when they were first seen."""
    fields: list[Any] = [f"esdedup.{name}" for name in _FIELDS]
    hits = read_from(
        collection.client,
        point,
        {"exists": {"field": "esdedup.simhash"}},
        sort=[{"esdedup.first_seen": "asc"}, {"_shard_doc": "asc"}],
        source=False,
        docvalue_fields=[*fields, {"field": "esdedup.first_seen", "format": _MICROSECONDS}],
        seq_no_primary_term=True,
    )
    for hit in hits:
        own = {name.removeprefix("esdedup."): values[0] for name, values in hit["fields"].items()}
        version = {"if_seq_no": hit["_seq_no"], "if_primary_term": hit["_primary_term"]}
        yield _Stored(entry_of(hit["_id"], own), Place(own["group"], own["leader"], own["distance"]), version)


def _in_order(found: Iterable[_Stored]) -> Iterator[_Stored]:
    """The same, those of one moment by their keys."""
    moment: list[_Stored] = []
    for one in found:
        if moment and one.entry.first_seen != moment[0].entry.first_seen:
            yield from sorted(moment, key=lambda stored: stored.entry.key)
            moment = []
        moment.append(one)
    yield from sorted(moment, key=lambda stored: stored.entry.key)


def _write(collection: Collection, moved: Sequence[tuple[_Stored, Place]]) -> int:
    """Give documents their places; how many have changed or gone since they were read."""
    actions = [
        {"_op_type": "update", "_id": one.entry.key, **one.version, "doc": {"esdedup": place_fields(place)}}
        for one, place in moved
    ]
    return sum(outcome.reason is not None for outcome in write(collection, actions))
