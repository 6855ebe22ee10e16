"""Batches of documents with their sketches: the same, in order, whoever makes them."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest

from esdedup import sketching
from esdedup.document import Document, Skipped
from esdedup.fingerprinter import Fingerprinter, Sketch
from esdedup.settings import FeatureSettings
from esdedup.sketching import Batch, sketch_batches

DOCUMENTS = [
    Document(f"d{n}", f"Page {n} of the log tells of {n % 7} boats, ropes, lamps and ladders.") for n in range(50)
]


def records() -> Iterator[Document | Skipped]:
    for document in DOCUMENTS:
        yield document
        if document.id in ("d3", "d31"):
            yield Skipped(document.id, "not a record")


def sketches(workers: int | None) -> dict[str, Sketch]:
    batches = list(sketch_batches(records(), FeatureSettings(), 7, workers))
    assert sum(len(batch.skipped) for batch in batches) == 2
    assert all(len(batch.documents) <= 7 for batch in batches)
    return {d.id: s for batch in batches for d, s in zip(batch.documents, batch.sketches, strict=True)}


class Ready(ProcessPoolExecutor):
    """Its workers have started before it is given work."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        future = super().submit(work, *args, **more)
        if not args[1]:
            future.result()
        return future


@pytest.mark.parametrize("workers", [None, 1, 2])
def test_nobody_can_tell_who_made_them(workers: int | None) -> None:
    made = sketches(workers)
    fingerprinter = Fingerprinter()
    assert list(made.items()) == [(d.id, fingerprinter.sketch(d.text)) for d in DOCUMENTS]


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_do_their_part(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    here, made = sketches(workers=1), list[Batch]()

    def sketched_here(batch: Batch, fingerprinter: Fingerprinter) -> Future[list[Sketch]]:
        made.append(batch)
        return original(batch, fingerprinter)

    original = sketching._sketched_here
    monkeypatch.setattr(sketching, "ProcessPoolExecutor", Ready)
    monkeypatch.setattr(sketching, "_sketched_here", sketched_here)
    assert sketches(workers) == here
    assert len(made) == (8 if workers == 1 else 0)


class Broken(ProcessPoolExecutor):
    """Its workers die while they start, as those of a script that runs anew in each of them."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(BrokenProcessPool())
        return future


def test_without_workers_it_goes_on_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sketching, "ProcessPoolExecutor", Broken)
    assert sketches(workers=2) == sketches(workers=1)


@pytest.mark.parametrize(("spent", "cores", "expected"), [(9.0, 2, True), (9.0, 1, False), (0.1, 2, False)])
def test_when_workers_are_started(spent: float, cores: int, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter([0.0, 5.0, 5.0, 5.0 + spent, 15.0])  # the first block loads tables, the second does the work
    monkeypatch.setattr("esdedup.sketching.time.perf_counter", lambda: next(moments))
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    share = sketching._Share()
    for _ in range(2):
        with share:
            pass
    assert share.is_worth_a_pool() is expected
