"""Take documents in: compare with what is stored, find each one's group, write."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from esdedup.document import Document
from esdedup.engine.asking import ask_count, ask_documents
from esdedup.engine.bulk import write
from esdedup.engine.candidates import find_leaders
from esdedup.engine.confirm import Confirmer
from esdedup.engine.decisions import Decision, Fate, IngestOptions, OnDuplicate
from esdedup.engine.mapping import Collection, index_exists
from esdedup.engine.paging import refresh_if_allowed
from esdedup.engine.patience import patiently
from esdedup.engine.records import MOMENT, Record, entry_for, entry_of, key_of, place_of, source_of
from esdedup.engine.repair import repair
from esdedup.engine.succession import Succession
from esdedup.fingerprinter import Sketch
from esdedup.grouping import Entry, Leaders, Place, place_batch

__all__ = ["Ingest"]

_WINDOW = 10_000  # leaders kept in memory between refreshes
_WINDOW_ALONE = 200_000  # the same while memory knows every leader there is, and no look-up is needed
_ROUNDS = 3  # in which duplicates of rejected documents are left out; then all are kept, or it would have no end
_REPAIR_EVERY = 30.0  # seconds after which groups are put right during a run
_LOOK_EVERY = 3.0  # seconds between looks for other writers


@dataclass(frozen=True, slots=True)
class _Item:
    record: Record
    source: Mapping[str, Any]  # the `_source` to be
    stored: Mapping[str, Any] | None  # the `_source` in the index
    moved: bool  # stored with another fingerprint, or before others in the order: others depend on it
    left_out: bool = False


class Ingest:
    """One run of writing into a collection. Batches go through `take` in order; `finish` ends the run."""

    def __init__(self, collection: Collection, options: IngestOptions | None = None) -> None:
        self._collection = collection
        self._options = options or IngestOptions()
        # Only a dry run does without an index.
        self._exists = not self._options.dry_run or index_exists(collection.client, collection.name)
        self._leaders = Leaders(collection.k)
        self._succession = Succession(collection, self._options.keep)
        self._confirmer = Confirmer(collection, keep_texts=self._options.dry_run)
        self._all_in_memory = not self._exists or self._is_empty()
        self._now = _clock()
        self._written = 0
        self._next_look = time.monotonic() + _LOOK_EVERY
        self._repaired = time.monotonic()
        self._to_repair: set[str] = set()
        self._moved: dict[str, Entry] = {}
        self._moved_leaders = Leaders(collection.k)
        self._dry: dict[str, dict[str, Any]] = {}  # what a dry run would have stored, without the texts

    def take(self, documents: Sequence[Document], sketches: Sequence[Sketch]) -> Iterator[Decision]:
        """Decide and write a batch: one decision a document, in order."""
        part: dict[str, tuple[Document, Sketch]] = {}
        for document, sketch in zip(documents, sketches, strict=True):
            key = key_of(document.id)
            if key in part:  # an id for the second time is an update of the first
                yield from self._take(part)
                part = {}
            part[key] = document, sketch
        yield from self._take(part)

    def finish(self) -> None:
        """Make everything searchable, and put right the groups of documents that changed."""
        if self._options.dry_run:
            return
        self._refresh()
        self._repair()

    def _repair(self) -> None:
        """Put right the groups of documents that changed or took over."""
        if self._to_repair:
            repair(self._collection, self._to_repair)
            self._to_repair.clear()
        self._moved.clear()
        self._moved_leaders.clear()
        self._succession.forget()
        self._repaired = time.monotonic()

    def _take(self, part: Mapping[str, tuple[Document, Sketch]], rounds: int = _ROUNDS) -> list[Decision]:
        items = self._placed(part, leave_out=rounds > 0)
        failed = self._write([item for item in items if self._must_write(item)])
        self._settle_failed(items, failed)
        self._remember(items, failed)
        decisions = {item.record.entry.key: self._decide(item, failed) for item in items}
        orphans = [i for i in items if i.left_out and i.record.place.group in failed]
        if orphans:  # their twin is not stored: they are decided anew
            again = {i.record.entry.key: part[i.record.entry.key] for i in orphans}
            decisions |= {key_of(d.document.id): d for d in self._take(again, rounds - 1)}
        return list(decisions.values())

    def _placed(self, part: Mapping[str, tuple[Document, Sketch]], leave_out: bool) -> list[_Item]:
        stored = self._stored(list(part))
        entries = {k: self._entry(d, s, stored.get(k)) for k, (d, s) in part.items()}
        order = {key: at for at, key in enumerate(part)}
        moving = {k: entries[k] for k, old in stored.items() if entry_of(k, old["esdedup"]) != entries[k]}
        new = [entry for key, entry in entries.items() if key not in stored]
        self._confirmer.take({key: document.text for key, (document, _) in part.items()})
        places = dict(zip((e.key for e in new), self._places(new, moving, order), strict=True))
        self._moved |= moving
        kept = self._kept_places({key: source["esdedup"] for key, source in stored.items()})
        came = [Record(part[key][0], entries[key], place) for key, place in places.items()]
        records = {record.entry.key: record for record in self._succession.settle(came)}
        return [
            self._again(Record(document, entries[key], kept[key]), stored[key])
            if key in stored
            else self._new(records[key], leave_out)
            for key, (document, _) in part.items()
        ]

    def _new(self, record: Record, leave_out: bool) -> _Item:
        skip = leave_out and self._options.on_duplicate is OnDuplicate.SKIP and not record.place.leader
        source = source_of(record, self._collection.features.stamp)
        return _Item(record, source, None, record.instead_of is not None, skip)

    def _again(self, record: Record, stored: Mapping[str, Any]) -> _Item:
        """A document that is stored: what it does not say itself stays as it is."""
        key, own = record.entry.key, stored["esdedup"]
        moved = entry_of(key, own) != record.entry
        if moved:
            record = replace(record, place=Place(key, leader=True))
        if record.document.date is None:
            record = replace(record, document=replace(record.document, date=stored.get("@timestamp")))
        source = source_of(record, self._collection.features.stamp)
        if "pruned" in own and not moved:
            source["esdedup"]["pruned"] = own["pruned"]
        return _Item(record, source, stored, moved)

    def _kept_places(self, stored: Mapping[str, Mapping[str, Any]]) -> dict[str, Place]:
        """The places that stored documents have. Not stored is whether they are exact: their leaders' digests tell."""
        places = {key: place_of(own) for key, own in stored.items()}
        may_be_exact = {p.group for p in places.values() if not p.leader and p.distance == 0}
        leaders = {key: source["esdedup"]["digest"] for key, source in self._stored(list(may_be_exact)).items()}
        return {
            key: replace(place, exact=not place.leader and leaders.get(place.group) == stored[key]["digest"])
            for key, place in places.items()
        }

    def _places(self, new: Sequence[Entry], moving: Mapping[str, Entry], order: Mapping[str, int]) -> list[Place]:
        """moving: documents of the batch with another fingerprint than is stored; order: where in it each stands."""
        near = self._near(new)
        if moving or self._moved:
            for entry in moving.values():
                self._moved_leaders.add(entry)
            both = zip(new, near, self._moved_leaders.near(new), strict=True)
            near = [
                [one for one in (*some, *more) if self._is_as_it_is(one, entry, moving, order)]
                for entry, some, more in both
            ]
        near = self._confirmer.only(new, [_distinct(some) for some in near])
        return place_batch(new, near, self._collection.k, self._confirmer.confirms)

    def _is_as_it_is(self, one: Entry, entry: Entry, moving: Mapping[str, Entry], order: Mapping[str, int]) -> bool:
        """Whether a candidate is what is stored under its key when the turn of `entry` has come."""
        has_moved = one.key in moving and order[one.key] < order[entry.key]
        return (moving if has_moved else self._moved).get(one.key, one) == one and (
            has_moved or moving.get(one.key) != one or self._moved.get(one.key) == one
        )

    def _entry(self, document: Document, sketch: Sketch, stored: Mapping[str, Any] | None) -> Entry:
        return entry_for(document, sketch, stored["esdedup"]["first_seen"] if stored else next(self._now))

    def _near(self, entries: Sequence[Entry]) -> list[list[Entry]]:
        near = self._leaders.near(entries)
        if self._all_in_memory:
            return near
        return [a + b for a, b in zip(near, find_leaders(self._collection, entries), strict=True)]

    def _stored(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """What is stored under these keys, searchable or not."""
        dry = {key: self._dry[key] for key in keys if key in self._dry}
        if not keys or not self._exists:
            return dry
        found = ask_documents(self._collection.client, self._collection.name, keys)
        return {key: dict(doc["_source"]) for key, doc in found.items() if "esdedup" in doc["_source"]} | dry

    def _must_write(self, item: _Item) -> bool:
        return not item.left_out and item.source != item.stored

    def _write(self, items: Sequence[_Item]) -> dict[str, str]:
        """Write, and say which keys failed and why."""
        if self._options.dry_run:
            self._dry |= {i.record.entry.key: {"esdedup": i.source["esdedup"]} for i in items}
            return {}
        actions = [{"_op_type": "index", "_id": i.record.entry.key, "_source": i.source} for i in items]
        return {outcome.key: outcome.reason for outcome in write(self._collection, actions) if outcome.reason}

    def _settle_failed(self, items: Sequence[_Item], failed: Mapping[str, str]) -> None:
        for key in failed:
            self._moved.pop(key, None)
        for item in items:
            key, place = item.record.entry.key, item.record.place
            if key not in failed and (item.moved or (place.group in failed and not item.left_out)):
                self._to_repair.add(key)

    def _remember(self, items: Sequence[_Item], failed: Mapping[str, str]) -> None:
        for item in items:
            entry = item.record.entry
            if item.record.place.leader and item.stored is None and entry.key not in failed:
                self._leaders.add(entry)
        new = (item for item in items if item.stored is None and not item.left_out)
        self._written += sum(item.record.entry.key not in failed for item in new)
        is_due = bool(self._to_repair) and time.monotonic() - self._repaired > _REPAIR_EVERY
        if self._options.dry_run or not (self._window_is_full() or self._others_write() or is_due):
            return
        self._refresh()
        if is_due:  # a crawler's gate may stay open for days
            self._repair()
        self._leaders.clear()
        self._all_in_memory = False

    def _refresh(self) -> None:
        patiently(lambda: self._collection.client.indices.refresh(index=self._collection.name))

    def _window_is_full(self) -> bool:
        return len(self._leaders) >= (_WINDOW_ALONE if self._all_in_memory else _WINDOW)

    def _others_write(self) -> bool:
        """Whether documents have come into the index that are not of this run; asked now and then."""
        if not self._all_in_memory or time.monotonic() < self._next_look:
            return False
        self._refresh()
        self._next_look = time.monotonic() + _LOOK_EVERY
        return ask_count(self._collection.client, index=self._collection.name) > self._written

    def _decide(self, item: _Item, failed: Mapping[str, str]) -> Decision:
        record = item.record
        reason = failed.get(record.entry.key, "")
        fate = self._fate(item, reason)
        return Decision(record.document, fate, record.place, record.entry.status, reason, record.instead_of)

    def _fate(self, item: _Item, reason: str) -> Fate:
        if reason:
            return Fate.FAILED
        if item.left_out:
            return Fate.LEFT_OUT
        if item.stored is None:
            return Fate.INDEXED
        return Fate.UPDATED if self._must_write(item) else Fate.UNCHANGED

    def _is_empty(self) -> bool:
        client, name = self._collection.client, self._collection.name
        if self._options.dry_run:
            refresh_if_allowed(client, name)
        else:
            self._refresh()
        return not ask_count(client, index=name)


def _distinct(entries: Sequence[Entry]) -> list[Entry]:
    return list({entry.key: entry for entry in entries}.values())


def _clock() -> Iterator[str]:
    """The time in microseconds as text, later at each call."""
    last = datetime.min.replace(tzinfo=UTC)
    while True:
        last = max(datetime.now(UTC), last + timedelta(microseconds=1))
        yield last.strftime(MOMENT)
