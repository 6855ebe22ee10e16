"""Fingerprint a stream of documents on all cores, in order, a bounded number of batches ahead."""

import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context

from esdedup.document import Document, Skipped
from esdedup.fingerprinter import Fingerprinter, Sketch
from esdedup.settings import FeatureSettings

__all__ = ["Batch", "sketch_batches"]

_BATCH_CHARACTERS = 4_000_000  # texts of one batch together; one long text makes a batch of its own
_WORTH_A_POOL = 2  # batches; fewer are done before a worker has started


@dataclass(slots=True)
class Batch:
    """Neighbouring documents with their sketches, and what was skipped among them."""

    documents: list[Document]
    skipped: list[Skipped]
    sketches: list[Sketch]


def sketch_batches(
    records: Iterable[Document | Skipped],
    settings: FeatureSettings,
    size: int = 500,
    workers: int | None = None,
) -> Iterator[Batch]:
    """Batches of up to `size` documents in their order.

    workers: processes; None takes one for each core, 1 works in this process.
    """
    batches = _batches(records, size)
    first = [batch for _, batch in zip(range(_WORTH_A_POOL), batches, strict=False)]
    fingerprinter = Fingerprinter(settings)
    for batch in first:
        batch.sketches = fingerprinter.sketches(_texts(batch))
        yield batch
    workers = workers or os.cpu_count() or 1
    if workers == 1:
        for batch in batches:
            batch.sketches = fingerprinter.sketches(_texts(batch))
            yield batch
    elif len(first) == _WORTH_A_POOL:
        yield from _in_pool(batches, settings, workers)


def _in_pool(batches: Iterator[Batch], settings: FeatureSettings, workers: int) -> Iterator[Batch]:
    waiting: deque[tuple[Batch, Future[list[Sketch]]]] = deque()
    # Spawned, not forked: the same on every system, and safe beside the client's threads.
    with ProcessPoolExecutor(workers, get_context("spawn"), _leave_interrupts) as pool:
        try:
            for batch in batches:
                waiting.append((batch, pool.submit(_sketch_texts, settings, _texts(batch))))
                if len(waiting) > 2 * workers:
                    yield _finished(*waiting.popleft())
            while waiting:
                yield _finished(*waiting.popleft())
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _finished(batch: Batch, sketches: "Future[list[Sketch]]") -> Batch:
    batch.sketches = sketches.result()
    return batch


def _batches(records: Iterable[Document | Skipped], size: int) -> Iterator[Batch]:
    batch, characters = Batch([], [], []), 0
    for record in records:
        if isinstance(record, Skipped):
            batch.skipped.append(record)
        else:
            batch.documents.append(record)
            characters += len(record.text)
        if len(batch.documents) == size or len(batch.skipped) == size or characters > _BATCH_CHARACTERS:
            yield batch
            batch, characters = Batch([], [], []), 0
    if batch.documents or batch.skipped:
        yield batch


def _texts(batch: Batch) -> list[str]:
    return [document.text for document in batch.documents]


def _leave_interrupts() -> None:
    """Ctrl-C reaches all processes of a terminal; the one that started the others ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _sketch_texts(settings: FeatureSettings, texts: list[str]) -> list[Sketch]:
    return _fingerprinter(settings).sketches(texts)


_fingerprinter = cache(Fingerprinter)  # made once a worker process
