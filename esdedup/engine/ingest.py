"""Take documents in: decide about each batch, and have it written while the next one is decided about."""

import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from esdedup.document import Document
from esdedup.engine.decisions import Decision, Fate, IngestOptions
from esdedup.engine.mapping import Collection
from esdedup.engine.placing import Item, Part, Placing
from esdedup.engine.records import key_of
from esdedup.engine.repair import repair
from esdedup.engine.writer import Writer, Written
from esdedup.fingerprinter import Sketch
from esdedup.keeping import Rule

__all__ = ["Ingest", "Taken"]

_ROUNDS = 3  # in which duplicates of rejected documents are left out; then all are kept, or it would have no end
_REPAIR_EVERY = 30.0  # seconds after which groups are put right during a run


@dataclass(slots=True, eq=False)
class Taken:
    """Documents with their places, on their way into the index.

    failed: keys that were not written, with reasons; None as long as that is not known.
    lost: keys of leaders in these places that were not written.
    decisions: None until it has come to its end. error: what kept it from its end.
    """

    part: Part
    items: list[Item]
    written: Written
    rounds: int
    failed: Mapping[str, str] | None = None
    lost: set[str] = field(default_factory=set)
    decisions: list[Decision] | None = None
    error: Exception | None = None


class Ingest:
    """One run of writing into a collection. Batches go through `take` in order; `finish` ends the run.

    `take` is `begin`, which decides about a batch, and `end`, which waits until it is written. In between other batches
    may begin: they are decided about as if all before them were written, and anew, or put right later, when one of
    their leaders was not.
    """

    def __init__(self, collection: Collection, options: IngestOptions | None = None) -> None:
        self._collection = collection
        self._options = options or IngestOptions()
        self._placing = Placing(collection, self._options)
        self._writer = Writer(collection)
        self._under_way: deque[Taken] = deque()
        self._to_repair: set[str] = set()
        self._repaired = time.monotonic()

    def take(self, documents: Sequence[Document], sketches: Sequence[Sketch]) -> list[Decision]:
        """Decide and write a batch: one decision a document, in order."""
        return self.end(self.begin(documents, sketches))

    def begin(self, documents: Sequence[Document], sketches: Sequence[Sketch]) -> list[Taken]:
        """Decide about a batch and have it written. What this returns is for `end`."""
        parts: list[dict[str, tuple[Document, Sketch]]] = [{}]
        for document, sketch in zip(documents, sketches, strict=True):
            key = key_of(document.id)
            if key in parts[-1]:  # an id for the second time is an update of the first
                parts.append({})
            parts[-1][key] = document, sketch
        return [self._begin(part) for part in parts]

    def end(self, batch: Sequence[Taken]) -> list[Decision]:
        """Wait until a batch, and all before it, is written: one decision a document, in order."""
        while waiting := [taken for taken in batch if taken.decisions is None]:
            if waiting[0].error is not None:
                raise waiting[0].error
            self._end_next()
        return [decision for taken in batch for decision in taken.decisions or ()]

    def finish(self) -> None:
        """Make everything searchable, and put right the groups of documents that changed."""
        self._end_all()
        if not self._options.dry_run:
            self._placing.refresh()
            self._repair()

    def stop(self) -> None:
        """Write nothing of what has begun and is not being written yet."""
        self._writer.stop()

    def _begin(self, part: Part) -> Taken:
        is_read_back = self._options.keep.rule is not Rule.FIRST  # leaders are, as they are stored
        if is_read_back or any(key in taken.part for taken in self._under_way for key in part):
            self._end_all()
        self._keep_in_order()
        taken = self._send(part, _ROUNDS)
        self._under_way.append(taken)
        if any(item.moved for item in taken.items):
            self._end_all()
        return taken

    def _send(self, part: Part, rounds: int) -> Taken:
        items = self._placing.place(part, leave_out=rounds > 0)
        written = [item for item in items if item.is_written and not self._options.dry_run]
        actions = [{"_op_type": "index", "_id": item.key, "_source": item.source} for item in written]
        return Taken(part, items, self._writer.submit(actions), rounds)

    def _keep_in_order(self) -> None:
        """Now and then, make everything searchable, and put groups right."""
        if self._options.dry_run:
            return
        is_due = bool(self._to_repair) and time.monotonic() - self._repaired > _REPAIR_EVERY
        if is_due:
            self._placing.meet_others()  # repair changes who leads
        if self._placing.is_time_to_look():
            self._end_all()
        if is_due or self._placing.is_full():
            self._end_all()
            self._placing.refresh()
        if is_due:  # a crawler's gate may stay open for days
            self._repair()

    def _repair(self) -> None:
        """Put right the groups of documents that changed or took over."""
        if self._to_repair:
            repair(self._collection, self._to_repair)
            self._to_repair.clear()
        self._placing.forget_moves()
        self._repaired = time.monotonic()

    def _end_all(self) -> None:
        while self._under_way:
            self._end_next()

    def _end_next(self) -> None:
        taken = self._under_way[0]
        self._hear(taken)
        self._under_way.popleft()
        self._end(taken)

    def _hear(self, taken: Taken) -> None:
        """Wait for the engine's answer, and tell those that count on what failed."""
        if taken.failed is not None:
            return
        try:
            outcomes = taken.written.result()
        except Exception as error:  # and not when someone interrupts the waiting
            self._give_up(taken, error)
            raise
        taken.failed = {outcome.key: outcome.reason for outcome in outcomes if outcome.reason}
        for other in (taken, *self._under_way):
            other.lost |= taken.failed.keys()
        self._placing.take_back(item for item in taken.items if item.key in taken.failed)
        self._placing.are_written(taken.items)
        replaced = {outcome.key for outcome in outcomes if outcome.replaced}
        if foreign := {item.key for item in taken.items if item.is_new} & replaced:
            self._placing.meet_others()
            self._to_repair |= foreign

    def _give_up(self, taken: Taken, error: Exception) -> None:
        """The engine is away. What has begun may be written or not; who goes on later asks."""
        self._writer.stop()
        self._writer = Writer(self._collection)
        for other in {taken, *self._under_way}:
            self._placing.take_back(other.items)
            other.error = error
        self._under_way.clear()
        self._placing.meet_others()

    def _end(self, taken: Taken) -> None:
        failed = taken.failed or {}
        for item in taken.items:
            depends = item.record.place.group in taken.lost and not item.left_out
            was_there = item.stored is not None  # others may have been placed as if it had become what it was to be
            if (item.moved and was_there) or (item.key not in failed and (item.moved or depends)):
                self._to_repair.add(item.key)
        decisions = {item.key: _decision(item, failed) for item in taken.items}
        orphans = [i.key for i in taken.items if i.left_out and i.record.place.group in taken.lost]
        if orphans:  # their twin is not stored: they are decided anew, among those that are
            for other in self._under_way:
                self._hear(other)
            again = self._send({key: taken.part[key] for key in orphans}, taken.rounds - 1)
            self._hear(again)
            self._end(again)
            decisions |= zip(orphans, again.decisions or (), strict=True)
        taken.decisions = list(decisions.values())


def _decision(item: Item, failed: Mapping[str, str]) -> Decision:
    record = item.record
    reason = failed.get(item.key, "")
    return Decision(record.document, _fate(item, reason), record.place, record.entry.status, reason, record.instead_of)


def _fate(item: Item, reason: str) -> Fate:
    if reason:
        return Fate.FAILED
    if item.left_out:
        return Fate.LEFT_OUT
    if item.stored is None:
        return Fate.INDEXED
    return Fate.UPDATED if item.is_written else Fate.UNCHANGED
