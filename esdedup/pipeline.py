"""The commands as plain functions: records in, decisions out."""

import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import islice

from esdedup.checkpoint import Checkpoint
from esdedup.document import Document, Skipped, Status
from esdedup.engine.decisions import Decision, Fate, IngestOptions
from esdedup.engine.ingest import Ingest, Taken
from esdedup.engine.mapping import Collection
from esdedup.engine.regroup import regroup
from esdedup.sketching import Batch, sketch_batches

__all__ = ["Summary", "index"]

_AHEAD = 2  # batches that wait for the engine while the next one is placed


def index(
    records: Iterable[Document | Skipped],
    collection: Collection,
    options: IngestOptions | None = None,
    *,
    batch_size: int = 1000,
    workers: int | None = None,
    checkpoint: Checkpoint | None = None,
) -> Iterator[Decision | Skipped]:
    """Fingerprint, group and write documents; one decision for each, and what was skipped, as it comes.

    The run is complete, and its documents searchable, when the iterator ends. checkpoint: passes over the records that
    it says a killed run has dealt with, and keeps it up to date; the same records must come in the same order.
    """
    resumed = checkpoint.load() if checkpoint else None
    done = resumed or 0
    if checkpoint:
        checkpoint.save(done)
    run = Ingest(collection, options)
    batches = sketch_batches(islice(records, done, None), collection.features, batch_size, workers)
    for batch, decisions in _written(run, batches):
        yield from batch.skipped
        yield from decisions
        done += len(batch.skipped) + len(batch.documents)
        if checkpoint:
            checkpoint.save(done)
    run.finish()
    if resumed is not None:  # the killed run may have left groups of changed documents unsettled
        deque(regroup(collection), maxlen=0)
    if checkpoint:
        checkpoint.clear()


def _written(run: Ingest, batches: Iterable[Batch]) -> Iterator[tuple[Batch, list[Decision]]]:
    """The batches as they are written, with their decisions. Meanwhile the next ones are fingerprinted and placed."""
    under_way: deque[tuple[Batch, list[Taken]]] = deque()
    try:
        for batch in batches:
            under_way.append((batch, run.begin(batch.documents, batch.sketches)))
            while len(under_way) > _AHEAD:
                yield _end_first(run, under_way)
        while under_way:
            yield _end_first(run, under_way)
    except KeyboardInterrupt:  # what the engine has is counted
        run.stop()
        with suppress(CancelledError):
            while under_way:
                yield _end_first(run, under_way)
        raise
    finally:
        run.stop()


def _end_first(run: Ingest, under_way: deque[tuple[Batch, list[Taken]]]) -> tuple[Batch, list[Decision]]:
    batch, taken = under_way[0]
    decisions = run.end(taken)
    under_way.popleft()
    return batch, decisions


@dataclass(slots=True)
class Summary:
    """Counts of one run: read = indexed + updated + unchanged + left_out + failed.

    exact, near, too_short and empty say what the documents of the run were. skipped: records that could not
    be read as documents. groups: in the index when the run ended, None when it was cut off.
    """

    read: int = 0
    indexed: int = 0
    updated: int = 0
    unchanged: int = 0
    left_out: int = 0
    failed: int = 0
    exact: int = 0
    near: int = 0
    too_short: int = 0
    empty: int = 0
    skipped: int = 0
    groups: int | None = None
    seconds: float = 0.0
    _founded: int = field(default=0, repr=False)
    _started: float = field(default_factory=time.monotonic, repr=False)

    def add(self, result: Decision | Skipped) -> None:
        """Count one result of `index`."""
        if isinstance(result, Skipped):
            self.skipped += 1
            return
        self.read += 1
        setattr(self, result.fate, getattr(self, result.fate) + 1)
        if result.fate not in (Fate.FAILED, Fate.UNCHANGED):
            self._count_kind(result)

    def as_dict(self) -> dict[str, int | float]:
        """The counts by name."""
        counts = asdict(self)
        return {name: count for name, count in counts.items() if not name.startswith("_")}

    def close(self, groups: int | None, *, dry_run: bool = False) -> None:
        """End the run. groups: in the index, None if not known; a dry run adds those it would have founded."""
        self.groups = None if groups is None else groups + (self._founded if dry_run else 0)
        self.seconds = round(time.monotonic() - self._started, 3)

    def _count_kind(self, decision: Decision) -> None:
        self._founded += decision.fate is Fate.INDEXED and decision.place.leader
        self.too_short += decision.status is Status.TOO_SHORT
        self.empty += decision.status is Status.EMPTY
        if not decision.place.leader:
            self.exact += decision.place.exact
            self.near += not decision.place.exact
