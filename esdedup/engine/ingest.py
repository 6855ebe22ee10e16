"""Take documents in: compare with what is stored, find each one's group, write."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from esdedup.document import Document, Status
from esdedup.engine.bulk import write
from esdedup.engine.candidates import find_leaders
from esdedup.engine.confirm import Confirmer
from esdedup.engine.mapping import Collection, index_exists
from esdedup.engine.paging import refresh_if_allowed
from esdedup.engine.patience import check_items, patiently
from esdedup.engine.records import Record, entry_for, entry_of, key_of, place_of, source_of
from esdedup.engine.repair import repair
from esdedup.fingerprinter import Sketch
from esdedup.grouping import Entry, Leaders, Place, place_batch

__all__ = ["Decision", "Fate", "Ingest", "IngestOptions", "OnDuplicate"]

_WINDOW = 10_000  # leaders kept in memory between refreshes
_WINDOW_ALONE = 200_000  # the same while memory knows every leader there is, and no look-up is needed
_LOOK_EVERY = 3.0  # seconds between looks for other writers


class OnDuplicate(StrEnum):
    """What happens to a new document that joins a group."""

    MARK = "mark"  # stored with its group, collapsed at search
    SKIP = "skip"  # left out


class Fate(StrEnum):
    """What became of a document that was read."""

    INDEXED = "indexed"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    LEFT_OUT = "left_out"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """on_duplicate: keep duplicates or leave them out; dry_run: decide, but write nothing."""

    on_duplicate: OnDuplicate = OnDuplicate.MARK
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of one document. `reason` says why it failed."""

    document: Document
    fate: Fate
    place: Place
    status: Status
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Item:
    record: Record
    source: Mapping[str, Any]  # the `_source` to be
    stored: Mapping[str, Any] | None  # the `_source` in the index
    moved: bool  # stored with another fingerprint


class Ingest:
    """One run of writing into a collection. Batches go through `take` in order; `finish` ends the run."""

    def __init__(self, collection: Collection, options: IngestOptions | None = None) -> None:
        self._collection = collection
        self._options = options or IngestOptions()
        # Only a dry run does without an index.
        self._exists = not self._options.dry_run or index_exists(collection.client, collection.name)
        self._leaders = Leaders(collection.k)
        self._confirmer = Confirmer(collection, keep_texts=self._options.dry_run)
        self._all_in_memory = not self._exists or self._is_empty()
        self._now = _clock()
        self._written = 0
        self._next_look = time.monotonic() + _LOOK_EVERY
        self._to_repair: set[str] = set()
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
        if self._to_repair:
            repair(self._collection, self._to_repair)
            self._to_repair.clear()

    def _take(self, part: Mapping[str, tuple[Document, Sketch]]) -> list[Decision]:
        items = self._placed(part)
        failed = self._write([item for item in items if self._must_write(item)])
        self._settle_failed(items, failed)
        self._remember(items, failed)
        decisions = {item.record.entry.key: self._decide(item, failed) for item in items}
        orphans = [i for i in items if self._is_left_out(i) and i.record.place.group in failed]
        if orphans:  # their twin is not stored: they are decided anew
            again = {i.record.entry.key: part[i.record.entry.key] for i in orphans}
            decisions |= {key_of(d.document.id): d for d in self._take(again)}
        return list(decisions.values())

    def _placed(self, part: Mapping[str, tuple[Document, Sketch]]) -> list[_Item]:
        stored = self._stored(list(part))
        entries = {k: self._entry(d, s, stored.get(k)) for k, (d, s) in part.items()}
        new = [entry for key, entry in entries.items() if key not in stored]
        self._confirmer.take({key: document.text for key, (document, _) in part.items()})
        places = dict(zip((e.key for e in new), self._places(new), strict=True))
        items = []
        for key, (document, _) in part.items():
            moved = key in stored and entry_of(key, stored[key]["esdedup"]) != entries[key]
            place = places.get(key) or (Place(key, leader=True) if moved else place_of(stored[key]["esdedup"]))
            record = Record(document, entries[key], place)
            source = source_of(record, self._collection.features.stamp)
            items.append(_Item(record, source, stored.get(key), moved))
        return items

    def _places(self, new: Sequence[Entry]) -> list[Place]:
        near = self._confirmer.only(new, self._near(new))
        return place_batch(new, near, self._collection.k, self._confirmer.confirms)

    def _entry(self, document: Document, sketch: Sketch, stored: Mapping[str, Any] | None) -> Entry:
        return entry_for(document, sketch, stored["esdedup"]["first_seen"] if stored else next(self._now))

    def _near(self, entries: Sequence[Entry]) -> list[list[Entry]]:
        near = self._leaders.near(entries)
        if self._all_in_memory:
            return near
        return [_distinct(a + b) for a, b in zip(near, find_leaders(self._collection, entries), strict=True)]

    def _stored(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """What is stored under these keys, searchable or not."""
        dry = {key: self._dry[key] for key in keys if key in self._dry}
        if not keys or not self._exists:
            return dry
        client, name = self._collection.client, self._collection.name
        found = patiently(lambda: check_items(client.mget(index=name, ids=list(keys))["docs"]))
        return {d["_id"]: d["_source"] for d in found if d.get("found") and "esdedup" in d["_source"]} | dry

    def _is_left_out(self, item: _Item) -> bool:
        skip = self._options.on_duplicate is OnDuplicate.SKIP
        return skip and item.stored is None and not item.record.place.leader

    def _must_write(self, item: _Item) -> bool:
        return not self._is_left_out(item) and item.source != item.stored

    def _write(self, items: Sequence[_Item]) -> dict[str, str]:
        """Write, and say which keys failed and why."""
        if self._options.dry_run:
            self._dry |= {i.record.entry.key: {"esdedup": i.source["esdedup"]} for i in items}
            return {}
        actions = [{"_op_type": "index", "_id": i.record.entry.key, "_source": i.source} for i in items]
        return {outcome.key: outcome.reason for outcome in write(self._collection, actions) if outcome.reason}

    def _settle_failed(self, items: Sequence[_Item], failed: Mapping[str, str]) -> None:
        for item in items:
            key, place = item.record.entry.key, item.record.place
            if key not in failed and (item.moved or (place.group in failed and not self._is_left_out(item))):
                self._to_repair.add(key)

    def _remember(self, items: Sequence[_Item], failed: Mapping[str, str]) -> None:
        for item in items:
            entry = item.record.entry
            if item.record.place.leader and item.stored is None and entry.key not in failed:
                self._leaders.add(entry)
        new = (item for item in items if item.stored is None and not self._is_left_out(item))
        self._written += sum(item.record.entry.key not in failed for item in new)
        if self._options.dry_run or not (self._window_is_full() or self._others_write()):
            return
        self._refresh()
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
        client, name = self._collection.client, self._collection.name
        return int(patiently(lambda: client.count(index=name))["count"]) > self._written

    def _decide(self, item: _Item, failed: Mapping[str, str]) -> Decision:
        record = item.record
        reason = failed.get(record.entry.key, "")
        return Decision(record.document, self._fate(item, reason), record.place, record.entry.status, reason)

    def _fate(self, item: _Item, reason: str) -> Fate:
        if reason:
            return Fate.FAILED
        if self._is_left_out(item):
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
        return not client.count(index=name)["count"]


def _distinct(entries: Sequence[Entry]) -> list[Entry]:
    return list({entry.key: entry for entry in entries}.values())


def _clock() -> Iterator[str]:
    """The time in microseconds as text, later at each call."""
    last = datetime.min.replace(tzinfo=UTC)
    while True:
        last = max(datetime.now(UTC), last + timedelta(microseconds=1))
        yield last.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
