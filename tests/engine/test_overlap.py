"""Batches that begin before others are written: the same decisions, whatever fails meanwhile."""

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from threading import Event
from typing import Any

import pytest

from esdedup.document import Document
from esdedup.engine import placing, writer
from esdedup.engine.bulk import Action, Outcome, write
from esdedup.engine.candidates import find_leaders
from esdedup.engine.decisions import Decision, Fate, IngestOptions, OnDuplicate
from esdedup.engine.ingest import Ingest, Taken
from esdedup.engine.mapping import Collection
from esdedup.engine.writer import Writer
from esdedup.grouping import Entry
from esdedup.pipeline import index
from tests.engine.made import Made, made, places, right_places, scattered, stored

pytestmark = pytest.mark.engine


def overlapping(run: Ingest, documents: Sequence[Made], size: int, ahead: int) -> Iterator[Decision]:
    """Decisions of batches, so many of which are under way at once."""
    under_way: deque[list[Taken]] = deque()
    for start in range(0, len(documents), size):
        part = documents[start : start + size]
        under_way.append(run.begin([d for d, _ in part], [s for _, s in part]))
        if len(under_way) > ahead:
            yield from run.end(under_way.popleft())
    while under_way:
        yield from run.end(under_way.popleft())
    run.finish()


@pytest.mark.parametrize("mode", list(OnDuplicate))
@pytest.mark.parametrize("ahead", [1, 4])
def test_rejected_leaders_lead_nobody(collection: Collection, mode: OnDuplicate, ahead: int) -> None:
    documents = [
        (replace(document, date="not a date"), sketch) if number % 5 == 0 else (document, sketch)
        for number, (document, sketch) in enumerate(scattered(300, seed=21))
    ]
    decisions = list(overlapping(Ingest(collection, IngestOptions(mode)), documents, 12, ahead))
    assert [d.document.id for d in decisions] == [document.id for document, _ in documents]
    failed = {d.document.id for d in decisions if d.fate is Fate.FAILED}
    assert failed <= {document.id for document, _ in documents[::5]}  # some are duplicates, and left out before
    left_out = {d.document.id: d.place.group for d in decisions if d.fate is Fate.LEFT_OUT}
    assert set(stored(collection)) == {document.id for document, _ in documents} - failed - left_out.keys()
    assert set(left_out.values()) <= set(stored(collection))
    assert places(collection) == right_places(collection)


def test_updates_and_ids_that_come_again(collection: Collection) -> None:
    documents = scattered(150, seed=22)
    others = scattered(150, seed=23)
    mixed = [*documents[:80], *others[40:90], *documents[30:], *others[:10]]
    decisions = list(overlapping(Ingest(collection), mixed, 9, 3))
    assert len(decisions) == len(mixed)
    assert sum(d.fate is Fate.INDEXED for d in decisions) == 150
    last = {document.id: sketch.fingerprint for document, sketch in mixed}
    assert {key: int(own["simhash"], 16) for key, own in stored(collection).items()} == last
    assert places(collection) == right_places(collection)


def test_a_run_that_was_not_alone_after_all_finds_out(collection: Collection) -> None:
    documents = scattered(120, seed=24)
    late = Ingest(collection)  # as long as the index is empty
    deque(overlapping(Ingest(collection), documents, 50, 1), maxlen=0)
    decisions = list(overlapping(late, documents[::-1], 10, 2))
    assert [d.fate for d in decisions[-60:]] == [Fate.UNCHANGED] * 60
    assert places(collection) == right_places(collection)


def test_a_run_goes_on_after_the_engine_was_away(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(collection: Collection, actions: Sequence[Action]) -> Iterator[Outcome]:
        yield Outcome("a")
        raise ConnectionError

    run, twins = Ingest(collection), [made("a", 0), made("b", 1)]
    with monkeypatch.context() as patch:
        patch.setattr(writer, "write", away)
        begun = [run.begin([document], [sketch]) for document, sketch in twins]
        with pytest.raises(ConnectionError):
            run.end(begun[0])
    decisions = list(overlapping(run, twins, 1, 1))
    assert [d.fate for d in decisions] == [Fate.INDEXED, Fate.INDEXED]
    assert places(collection) == right_places(collection) == {"a": ("a", True, 0), "b": ("a", False, 1)}


FAR, ELSEWHERE = 0xFFFF << 40, 0xFF << 20


@pytest.mark.parametrize(
    "later",
    [
        [[("a", FAR, True), ("c", ELSEWHERE << 20, False)], [("b", FAR, False)]],
        [[("a", FAR, True), ("b", 0, False)]],
        [[("a", FAR, True), ("b", FAR, False)]],
    ],
)
def test_an_update_that_was_rejected_has_not_been(
    collection: Collection, later: list[list[tuple[str, int, bool]]]
) -> None:
    first = Ingest(collection)
    take_one(first, "a", 0)
    take_one(first, "c", ELSEWHERE)
    first.finish()
    run = Ingest(collection)
    for batch in later:
        documents = [(*made(key, value), bad) for key, value, bad in batch]
        run.take([replace(d, date="not a date") if bad else d for d, _, bad in documents], [s for _, s, _ in documents])
    run.finish()
    assert places(collection) == right_places(collection)


def take_one(run: Ingest, key: str, fingerprint: int) -> Decision:
    document, sketch = made(key, fingerprint)
    (decision,) = run.take([document], [sketch])
    return decision


def test_what_was_written_though_the_answer_was_lost_is_met_again(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection.client.indices.put_settings(index=collection.name, settings={"refresh_interval": "60s"})
    first = Ingest(collection)
    take_one(first, "z", ELSEWHERE)
    first.finish()

    def lost(collection: Collection, actions: Sequence[Action]) -> Iterator[Outcome]:
        deque(write(collection, actions), maxlen=0)
        raise ConnectionError

    run = Ingest(collection)
    with monkeypatch.context() as patch:
        patch.setattr(writer, "write", lost)
        document, sketch = made("p", 0)
        begun = run.begin([document], [sketch])
        for _ in range(2):  # asked again, the same answer
            with pytest.raises(ConnectionError):
                run.end(begun)
    assert take_one(run, "q", 0).place.group == "p"
    run.finish()
    assert places(collection) == right_places(collection)


def test_batches_are_written_in_order_and_none_after_one_that_failed(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    gate = Event()

    def slow(collection: Collection, actions: Sequence[Action]) -> Iterator[Outcome]:
        begun.append(actions[0]["_id"])
        gate.wait(5)
        if actions[0]["_id"] == "b":
            raise ConnectionError
        yield Outcome(actions[0]["_id"])

    monkeypatch.setattr(writer, "write", slow)
    behind = Writer(collection)
    written = [behind.submit([{"_id": key}]) for key in "abc"]
    assert not any(one.done() for one in written)
    gate.set()
    assert written[0].result() == [Outcome("a")]
    for one in written[1:]:
        with pytest.raises(ConnectionError):
            one.result()
    assert begun == ["a", "b"]


def test_who_stops_early_has_a_beginning_of_all(collection: Collection) -> None:
    documents = [Document(f"d{n}", f"story {n} of harbour number {n} " * 9) for n in range(200)]
    results = index(documents, collection, batch_size=5, workers=1)
    seen = list(islice(results, 30))
    assert isinstance(results, Generator)
    results.close()
    assert len(seen) == 30
    collection.client.indices.refresh(index=collection.name)
    there = list(stored(collection))
    assert there == [document.id for document in documents[: len(there)]]
    assert 30 <= len(there) < 200


def test_an_interrupted_run_counts_what_the_engine_has(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [Document(f"d{n}", f"story {n} of harbour number {n} " * 9) for n in range(60)]
    begin, begun = Ingest.begin, list[int]()

    def interrupted(run: Ingest, *batch: Any) -> list[Taken]:
        if len(begun) == 4:
            raise KeyboardInterrupt
        begun.append(len(batch[0]))
        return begin(run, *batch)

    monkeypatch.setattr(Ingest, "begin", interrupted)
    seen = []
    with pytest.raises(KeyboardInterrupt):
        results = index(documents, collection, batch_size=5, workers=1)
        while True:
            seen.append(next(results))
    collection.client.indices.refresh(index=collection.name)
    assert len(seen) == len(stored(collection))


def test_what_memory_answers_is_not_looked_up(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def looking(collection: Collection, entries: Sequence[Entry]) -> list[list[Entry]]:
        asked.extend(entry.key for entry in entries)
        return find_leaders(collection, entries)

    monkeypatch.setattr(placing, "find_leaders", looking)
    deque(overlapping(Ingest(collection), [made("a", 0), made("b", 1), made("c", 0)], 1, 2), maxlen=0)
    assert asked == []  # the index was empty
    again = [
        made("d", 0),
        *(made(key, far << 40) for key, far in (("e", 0xFF), ("f", 0xFF), ("g", 0x1FF), ("h", 0xFF))),
    ]
    deque(overlapping(Ingest(collection), again, 2, 2), maxlen=0)
    assert asked == ["d", "e", "g"]
    assert places(collection) == right_places(collection)
