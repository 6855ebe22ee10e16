"""Find the places of documents that come in: among what is stored, what is under way, and each other."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from esdedup.document import Document
from esdedup.engine.candidates import find_leaders
from esdedup.engine.confirm import Confirmer
from esdedup.engine.decisions import IngestOptions, OnDuplicate
from esdedup.engine.mapping import Collection
from esdedup.engine.moves import Moves
from esdedup.engine.records import SECOND, Record, entry_for, entry_of, place_of, source_of
from esdedup.engine.stored import Stored
from esdedup.engine.succession import Succession
from esdedup.fingerprinter import Sketch
from esdedup.grouping import Entry, Leaders, Place, place_batch

__all__ = ["Item", "Part", "Placing"]

_WINDOW = 10_000  # leaders kept in memory between refreshes, when the engine has to be asked as well
_APART = 20  # microseconds between documents; no run is as fast as that

#: Documents with their sketches by key.
Part = Mapping[str, tuple[Document, Sketch]]


@dataclass(frozen=True, slots=True)
class Item:
    """A document that has its place.

    source: the `_source` to be; stored: the one in the index.
    moved: stored with another fingerprint, or put before others in the order: others depend on it.
    """

    record: Record
    source: Mapping[str, Any]
    stored: Mapping[str, Any] | None
    moved: bool
    left_out: bool = False

    @property
    def key(self) -> str:
        return self.record.entry.key

    @property
    def is_new(self) -> bool:
        """Whether it comes into the index for the first time."""
        return self.stored is None and not self.left_out

    @property
    def is_written(self) -> bool:
        """Whether it differs from what is stored."""
        return not self.left_out and self.source != self.stored


class Placing:
    """Places documents as if all that were placed before had been written; `take_back` says that some were not."""

    def __init__(self, collection: Collection, options: IngestOptions) -> None:
        self._collection = collection
        self._options = options
        self._stored = Stored(collection, dry_run=options.dry_run)
        self._leaders = Leaders(collection.k)
        self._moves = Moves(collection.k)
        self._succession = Succession(collection, options.keep)
        self._confirmer = Confirmer(collection)
        self._is_behind = False
        self._now = _clock()

    def place(self, part: Part, *, leave_out: bool) -> list[Item]:
        """The documents in order, with their places. leave_out: duplicates, if the options say so."""
        items = self._placed(part, leave_out)
        new = [item for item in items if item.is_new]
        for item in new:
            if item.record.place.leader:
                self._leaders.add(item.record.entry)
        self._stored.add({item.key: item.source for item in items if item.is_written}, len(new))
        return items

    def take_back(self, items: Iterable[Item]) -> None:
        """These were not written."""
        for item in items:
            self._moves.take_back(item.key)
            if item.is_new:
                self._leaders.remove(item.record.entry)
                self._stored.take_back()

    def are_written(self, items: Iterable[Item]) -> None:
        """These can be read from the index now."""
        if not self._options.dry_run:
            self._confirmer.release(item.key for item in items)

    def meet_others(self) -> None:
        """What is stored may not be what this run remembers: with the next `refresh` the engine is asked."""
        self._stored.is_shared = self._is_behind = True

    def is_time_to_look(self) -> bool:
        """Whether `is_full` would look for other writers: then all that is under way must have been written."""
        return self._stored.is_time_to_look()

    def is_full(self) -> bool:
        """Whether it is time to `refresh`."""
        self._stored.look()
        if self._stored.is_ours_alone:
            return self._stored.is_shared
        return self._is_behind or len(self._leaders) >= _WINDOW

    def refresh(self) -> None:
        """Have the engine find all that is written, and forget what it is asked for from then on."""
        self._stored.refresh()
        self._is_behind = False
        if not self._stored.is_ours_alone:
            self._leaders = Leaders(self._collection.k)

    def forget_moves(self) -> None:
        """Groups have been put right: the engine knows who leads."""
        self._moves.forget()
        self._succession.forget()

    def _placed(self, part: Part, leave_out: bool) -> list[Item]:
        stored = self._stored.read(part)
        entries = {k: self._entry(d, s, stored.get(k)) for k, (d, s) in part.items()}
        order = {key: at for at, key in enumerate(part)}
        moving = {k: entries[k] for k, old in stored.items() if entry_of(k, old["esdedup"]) != entries[k]}
        new = [entry for key, entry in entries.items() if key not in stored]
        self._confirmer.take({key: document.text for key, (document, _) in part.items()})
        near = self._moves.correct(new, self._near(new, are_steady=not moving and not self._moves), moving, order)
        near = self._confirmer.only(new, near)
        places = place_batch(new, near, self._collection.k, self._confirmer.confirms)
        self._moves.add(moving)
        kept = self._kept_places({key: source["esdedup"] for key, source in stored.items()})
        came = [Record(part[entry.key][0], entry, place) for entry, place in zip(new, places, strict=True)]
        records = {record.entry.key: record for record in self._succession.settle(came)}
        return [
            self._again(Record(document, entries[key], kept[key]), stored[key])
            if key in stored
            else self._new(records[key], leave_out)
            for key, (document, _) in part.items()
        ]

    def _new(self, record: Record, leave_out: bool) -> Item:
        skip = leave_out and self._options.on_duplicate is OnDuplicate.SKIP and not record.place.leader
        source = source_of(record, self._collection.features.stamp)
        return Item(record, source, None, record.instead_of is not None, skip)

    def _again(self, record: Record, stored: Mapping[str, Any]) -> Item:
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
        return Item(record, source, stored, moved)

    def _kept_places(self, stored: Mapping[str, Mapping[str, Any]]) -> dict[str, Place]:
        """The places that stored documents have. Not stored is whether they are exact: their leaders' digests tell."""
        places = {key: place_of(own) for key, own in stored.items()}
        may_be_exact = {p.group for p in places.values() if not p.leader and p.distance == 0}
        leaders = {key: source["esdedup"]["digest"] for key, source in self._stored.read(may_be_exact).items()}
        return {
            key: replace(place, exact=not place.leader and leaders.get(place.group) == stored[key]["digest"])
            for key, place in places.items()
        }

    def _entry(self, document: Document, sketch: Sketch, stored: Mapping[str, Any] | None) -> Entry:
        return entry_for(document, sketch, stored["esdedup"]["first_seen"] if stored else next(self._now))

    def _near(self, entries: Sequence[Entry], *, are_steady: bool) -> list[list[Entry]]:
        """The leaders near each entry. are_steady: those in memory lead still."""
        near = self._leaders.near(entries)
        if self._stored.is_ours_alone:
            return near
        # no leader is nearer than one with the same fingerprint, nor, where texts do not count, is there a second
        is_enough = are_steady and self._collection.confirmation is None
        asked = [
            number
            for number, (entry, some) in enumerate(zip(entries, near, strict=True))
            if not (is_enough and any(one.fingerprint == entry.fingerprint for one in some))
        ]
        found = find_leaders(self._collection, [entries[number] for number in asked])
        for number, more in zip(asked, found, strict=True):
            near[number] += more
        return near


def _clock() -> Iterator[str]:
    """The time in microseconds as text, so much later at each call that others fit before it (`just_before`)."""
    last, second, text = 0, 0, ""
    while True:
        last = max(time.time_ns() // 1000, last + _APART)
        if last // 1_000_000 != second:
            second = last // 1_000_000
            text = datetime.fromtimestamp(second, UTC).strftime(SECOND)
        yield f"{text}.{last % 1_000_000:06d}Z"
