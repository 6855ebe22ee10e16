"""Fingerprint a stream of documents on all cores, in order, a bounded number of batches ahead."""

import os
import signal
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import chain
from multiprocessing import get_context

from esdedup.document import Document, Skipped
from esdedup.fingerprinter import Fingerprinter, Sketch
from esdedup.settings import FeatureSettings

__all__ = ["Batch", "sketch_batches"]

_BATCH_CHARACTERS = 4_000_000  # texts of one batch together; one long text makes a batch of its own
_WORTH_A_POOL = 3.0  # seconds of work in this process; a run that takes less gains nothing by a worker's start
_MOST = 0.6  # of all time, for sketches; when it is less a worker costs more than it brings (benchmarks.index_speed)


@dataclass(slots=True)
class Batch:
    """Neighbouring documents with their sketches, and what was skipped among them."""

    documents: list[Document]
    skipped: list[Skipped]
    sketches: list[Sketch]


def sketch_batches(
    records: Iterable[Document | Skipped],
    settings: FeatureSettings,
    size: int = 1000,
    workers: int | None = None,
) -> Iterator[Batch]:
    """Batches of up to `size` documents in their order.

    workers: processes, 1 works in this one. None takes one for each core but the one that this process needs, once
    sketches are most of what is done with a batch.
    """
    in_pool = workers is not None and workers > 1
    fingerprinter = Fingerprinter(settings)
    share = _Share()
    batches = _batches(records, size)
    for batch in batches:
        if in_pool or (workers is None and share.is_worth_a_pool()):
            yield from _in_pool(chain([batch], batches), fingerprinter, workers or max(1, (os.cpu_count() or 1) - 1))
            return
        with share:
            sketches = _sketched_here(batch, fingerprinter)
        yield _finished(batch, sketches)


class _Share:
    """How much of all time goes into `with` blocks, after the first of them, which loads tables."""

    def __init__(self) -> None:
        self._spent = 0.0
        self._first = self._begun = 0.0

    def __enter__(self) -> None:
        self._begun = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        now = time.perf_counter()
        if self._first:
            self._spent += now - self._begun
        else:
            self._first = now

    def is_worth_a_pool(self) -> bool:
        """Whether other processes would make it much shorter, on a machine that has more than one core."""
        cores = os.cpu_count() or 1
        return cores > 1 and self._spent > max(_WORTH_A_POOL, _MOST * (time.perf_counter() - self._first))


def _in_pool(batches: Iterable[Batch], fingerprinter: Fingerprinter, workers: int) -> Iterator[Batch]:
    """The same by several processes, and by this one while they start, which takes a second."""
    settings = fingerprinter.settings
    waiting: deque[tuple[Batch, Future[list[Sketch]]]] = deque()
    # Spawned, not forked: the same on every system, and safe beside the client's threads.
    with ProcessPoolExecutor(workers, get_context("spawn"), _leave_interrupts) as pool:
        try:
            starting = [pool.submit(_sketch_texts, settings, []) for _ in range(workers)]
            for batch in batches:
                if any(one.done() and not one.exception() for one in starting):  # if none can start, it goes on here
                    waiting.append((batch, pool.submit(_sketch_texts, settings, _texts(batch))))
                else:
                    waiting.append((batch, _sketched_here(batch, fingerprinter)))
                while waiting and (waiting[0][1].done() or len(waiting) > workers + 2):
                    yield _finished(*waiting.popleft())
            while waiting:
                yield _finished(*waiting.popleft())
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _sketched_here(batch: Batch, fingerprinter: Fingerprinter) -> "Future[list[Sketch]]":
    done: Future[list[Sketch]] = Future()
    done.set_result(fingerprinter.sketches(_texts(batch)))
    return done


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
