"""Decide about documents one after the other, as a crawler brings them: insert, update, or trash with the reason."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from esdedup.document import Document, Skipped, Status
from esdedup.engine.decisions import Decision, Fate, IngestOptions, OnDuplicate
from esdedup.engine.ingest import Ingest
from esdedup.engine.lookup import ids_of
from esdedup.engine.mapping import Collection
from esdedup.fingerprinter import Fingerprinter, Sketch
from esdedup.keeping import KEEP_FIRST, Keep

__all__ = ["AsyncGate", "Gate", "Judgement", "Reason", "Verdict"]


class Verdict(StrEnum):
    """What becomes of a document."""

    INSERT = "insert"
    TRASH = "trash"  # a duplicate of a document that is kept
    UPDATE = "update"  # its id is known: it replaces what was stored, and is compared with others only
    SKIP = "skip"  # nothing to keep


class Reason(StrEnum):
    """Why."""

    NEW = "new"
    EXACT = "exact"  # the texts read the same
    NEAR = "near"
    TOO_SHORT = "too_short"  # kept: only an equal text would be its duplicate
    EMPTY = "empty"
    INVALID = "invalid"  # not a document, or the engine rejected it


@dataclass(frozen=True, slots=True)
class Judgement:
    """One verdict. id: None for a record that has none.

    twin: the id of the document that is kept instead; distance: to it; group: the one it is in or would be.
    message: what is wrong with an invalid record.
    """

    id: str | None
    verdict: Verdict
    reason: Reason
    twin: str | None = None
    distance: int | None = None
    group: str | None = None
    message: str | None = None


class Gate:
    """Decides and, unless it only checks, writes what is to be kept. Not for several threads at once.

    A document is compared with all that was written before, searchable or not, by this gate; what another process
    writes at the same time is seen once the engine has refreshed. `close`, or leaving the `with` block, makes
    everything searchable. keep: which version leads a group; a better one is inserted though it is a duplicate, its
    twin is the document that led before. Checking only, the gate remembers what it would have written.
    """

    def __init__(self, collection: Collection, *, check_only: bool = False, keep: Keep = KEEP_FIRST) -> None:
        self._collection = collection
        self._fingerprinter = Fingerprinter(collection.features)
        self._ingest = Ingest(collection, IngestOptions(OnDuplicate.SKIP, dry_run=check_only, keep=keep))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Make what was written searchable, and put groups right whose documents were updated."""
        self._ingest.finish()

    def decide(self, document: Document | Skipped) -> Judgement:
        """The verdict on one document, or on a record that is none."""
        return self.decide_many([document])[0]

    def decide_many(self, documents: Iterable[Document | Skipped]) -> list[Judgement]:
        """One verdict each, in order, also about duplicates among them: one round of requests for all."""
        found: list[Judgement | None] = []
        kept: list[tuple[Document, Sketch]] = []
        records = list(documents)
        sketches = iter(self._fingerprinter.sketches(one.text for one in records if isinstance(one, Document)))
        for record in records:
            sketch = next(sketches) if isinstance(record, Document) else None
            if isinstance(record, Document) and sketch is not None and sketch.status is not Status.EMPTY:
                kept.append((record, sketch))
                found.append(None)
            else:
                found.append(_without_text(record))
        judged = iter(self._judge([one for one, _ in kept], [sketch for _, sketch in kept]))
        return [next(judged) if one is None else one for one in found]

    def _judge(self, documents: Sequence[Document], sketches: Sequence[Sketch]) -> list[Judgement]:
        decisions = list(self._ingest.take(documents, sketches))
        ids = ids_of(self._collection, [(decision.took_over or decision.place).group for decision in decisions])
        return [_judge(decision, ids) for decision in decisions]


class AsyncGate:
    """The same for asyncio: verdicts are made in a thread, one batch after the other."""

    def __init__(self, collection: Collection, *, check_only: bool = False, keep: Keep = KEEP_FIRST) -> None:
        self._gate = Gate(collection, check_only=check_only, keep=keep)
        self._turn = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        async with self._turn:
            await asyncio.to_thread(self._gate.close)

    async def decide(self, document: Document | Skipped) -> Judgement:
        """See `Gate.decide`."""
        return (await self.decide_many([document]))[0]

    async def decide_many(self, documents: Sequence[Document | Skipped]) -> list[Judgement]:
        """See `Gate.decide_many`."""
        async with self._turn:
            deciding = asyncio.ensure_future(asyncio.to_thread(self._gate.decide_many, documents))
            try:
                return await asyncio.shield(deciding)
            except asyncio.CancelledError:  # its thread goes on, and nobody else may enter meanwhile
                await asyncio.wait([deciding])
                raise


def _without_text(record: Document | Skipped) -> Judgement:
    if isinstance(record, Document):
        return Judgement(record.id, Verdict.SKIP, Reason.EMPTY)
    return Judgement(None, Verdict.SKIP, Reason.INVALID, message=f"{record.where}: {record.reason}")


def _judge(decision: Decision, ids: dict[str, str]) -> Judgement:
    doc_id, place = decision.document.id, decision.took_over or decision.place
    group = doc_id if decision.took_over else ids.get(place.group, place.group)
    if decision.fate is Fate.FAILED:
        return Judgement(doc_id, Verdict.SKIP, Reason.INVALID, message=decision.reason)
    reason = Reason.TOO_SHORT if decision.status is Status.TOO_SHORT else Reason.NEW
    if not place.leader:
        reason = Reason.EXACT if place.exact else Reason.NEAR
    twin = None if place.leader else ids.get(place.group, place.group)
    verdict = {Fate.LEFT_OUT: Verdict.TRASH, Fate.INDEXED: Verdict.INSERT}.get(decision.fate, Verdict.UPDATE)
    return Judgement(doc_id, verdict, reason, twin, None if place.leader else place.distance, group)
