"""The gate on a real node: verdicts in order, at once, and the same whatever the batches."""

import asyncio

import pytest
from elasticsearch import Elasticsearch
from hypothesis import given, settings
from hypothesis import strategies as st

from esdedup import Document, Skipped
from esdedup.engine.lookup import count_groups
from esdedup.engine.mapping import Collection, IndexOptions, create_index
from esdedup.gate import AsyncGate, Gate, Judgement
from tests.engine.made import places, right_places

pytestmark = pytest.mark.engine

STORM = (
    "The harbour office counted forty boats before the storm and thirty eight after it. Nobody was hurt, but the old "
    "pier lost its lamp, two ladders and most of its planks, and the ferry will not run this week until the harbour "
    "master has looked at every rope. The boats wait in the river, and the master keeps the key of the lamp house."
)
BAKERY = "火车站附近的一家小面包店重新开始按重量出售面包。顾客自己带袋子，挑选一个面包，按照秤上的数字付款。" * 2


def verdicts(found: list[Judgement]) -> list[tuple[str, str]]:
    return [(one.verdict.value, one.reason.value) for one in found]


@pytest.mark.parametrize("alone", [True, False])
def test_an_update_takes_its_old_text_away(collection: Collection, alone: bool) -> None:
    with Gate(collection) as gate:
        gate.decide(Document("x", STORM))
    if not alone:
        with Gate(collection) as gate:
            gate.decide(Document("other", "Quite another text about bread, ovens and the price of flour in the town."))
    with Gate(collection) as gate:
        found = gate.decide_many([Document("x", BAKERY), Document("y", STORM), Document("z", BAKERY)])
        later = gate.decide_many([Document("y2", STORM), Document("z2", BAKERY)])
    assert verdicts(found) == [("update", "new"), ("insert", "new"), ("trash", "exact")]
    assert [(one.verdict.value, one.twin) for one in later] == [("trash", "y"), ("trash", "x")]
    assert places(collection) == right_places(collection)


def test_many_documents_that_the_engine_rejects_take_no_time(collection: Collection) -> None:
    documents = [Document(f"d{number}", STORM, date="yesterday") for number in range(200)]
    with Gate(collection) as gate:
        found = gate.decide_many([*documents, Document("good", STORM)])
    assert {one.reason.value for one in found[:200]} == {"invalid"}
    assert found[200].verdict.value == "insert"
    assert set(places(collection)) == {"good"}


def test_a_cancelled_decision_lets_nobody_in_before_its_end(collection: Collection) -> None:
    async def twice() -> None:
        async with AsyncGate(collection) as gate:
            first = asyncio.create_task(gate.decide_many([Document(f"a{n}", f"{STORM} {n}") for n in range(500)]))
            await asyncio.sleep(0.02)
            first.cancel()
            await gate.decide_many([Document(f"b{n}", f"{STORM} {n}") for n in range(500)])
            with pytest.raises(asyncio.CancelledError):
                await first

    asyncio.run(twice())
    assert len(places(collection)) == 1


STREAM: list[Document | Skipped] = [
    Document("http://a/1", STORM),
    Document("http://b/1", STORM.replace(". ", ".\n\n")),
    Document("http://a/1", STORM),
    Document("http://c/1", f"{STORM} Later it rained."),
    Document("http://d/1", BAKERY),
    Document("http://e/1", "cat"),
    Document("http://f/1", "Cat"),
    Document("http://g/1", "，。！ "),
    Skipped("crawl:9", "broken JSON"),
]
RIGHT = [
    ("insert", "new"),
    ("trash", "exact"),
    ("update", "new"),
    ("trash", "near"),
    ("insert", "new"),
    ("insert", "too_short"),
    ("trash", "exact"),
    ("skip", "empty"),
    ("skip", "invalid"),
]


@pytest.mark.parametrize("check_only", [False, True])
@pytest.mark.parametrize("size", [1, 4, 9])
def test_verdicts_in_order(collection: Collection, size: int, check_only: bool) -> None:
    found: list[Judgement] = []
    with Gate(collection, check_only=check_only) as gate:
        for start in range(0, len(STREAM), size):
            found += gate.decide_many(STREAM[start : start + size])
    assert verdicts(found) == RIGHT
    assert [one.id for one in found] == [one.id if isinstance(one, Document) else None for one in STREAM]
    trashed = found[1]
    assert (trashed.twin, trashed.distance, trashed.group) == ("http://a/1", 0, "http://a/1")
    assert found[-1].message == "crawl:9: broken JSON"
    assert count_groups(collection) == (0 if check_only else 3)


def test_four_calls_without_a_pause(collection: Collection) -> None:
    """What was written a moment ago is known, though no search finds it yet."""
    found = []
    for document in STREAM[:5]:
        gate = Gate(collection)
        found.append(gate.decide(document))
        gate.close()
    assert verdicts(found) == RIGHT[:5]


def test_the_same_crawl_again_changes_nothing(collection: Collection) -> None:
    with Gate(collection) as gate:
        gate.decide_many(STREAM)
    before = places(collection)
    with Gate(collection) as gate:
        again = verdicts(gate.decide_many(STREAM))
    assert [verdict for verdict, _ in again] == ["update" if verdict == "insert" else verdict for verdict, _ in RIGHT]
    assert places(collection) == before == right_places(collection)


def test_a_twin_with_a_long_id_is_named_in_full(collection: Collection) -> None:
    long = "http://a/" + "x" * 600
    with Gate(collection) as gate:
        found = gate.decide_many([Document(long, STORM), Document("b", STORM)])
    assert (found[1].twin, found[1].group) == (long, long)


def test_a_document_that_the_engine_rejects_is_invalid(collection: Collection) -> None:
    with Gate(collection) as gate:
        bad, good = gate.decide_many([Document("a", STORM, date="never"), Document("b", STORM)])
    assert (bad.verdict, bad.reason) == ("skip", "invalid")
    assert bad.message
    assert (good.verdict, good.reason) == ("insert", "new")


def test_numbers_and_texts_confirm(client: Elasticsearch, index_name: str) -> None:
    from esdedup.confirming import Confirmation  # noqa: PLC0415

    collection = create_index(client, IndexOptions(index_name, k=11, confirmation=Confirmation(0.5)))
    with Gate(collection) as gate:
        found = gate.decide_many([Document("1", STORM), Document("2", f"{STORM} The lamp was found.")])
    assert verdicts(found) == [("insert", "new"), ("trash", "near")]


def test_many_tasks_share_one_gate(collection: Collection) -> None:
    async def crawl() -> list[Judgement]:
        async with AsyncGate(collection) as gate:
            return list(await asyncio.gather(*(gate.decide(Document(f"http://{n}/", STORM)) for n in range(12))))

    found = asyncio.run(crawl())
    assert sorted(verdicts(found)) == sorted([("insert", "new")] + [("trash", "exact")] * 11)
    assert count_groups(collection) == 1


def test_batches_make_no_difference(client: Elasticsearch, index_name: str) -> None:
    texts = [STORM, f"{STORM} It rained.", BAKERY, "cat", "", f"{BAKERY}欢迎光临。"]
    sets = st.lists(st.tuples(st.integers(0, 5), st.sampled_from(texts)), max_size=12)
    number = 0

    @settings(max_examples=12, deadline=None)
    @given(sets)
    def check(crawl: list[tuple[int, str]]) -> None:
        nonlocal number
        documents = [Document(f"id{key}", text) for key, text in crawl]
        results = []
        for size in (1, 5):
            number += 1
            collection = create_index(client, IndexOptions(f"{index_name}-{number}"))
            with Gate(collection) as gate:
                parts = [gate.decide_many(documents[i : i + size]) for i in range(0, len(documents), size)]
            results.append([verdict for part in parts for verdict, _ in verdicts(part)])
            assert places(collection) == right_places(collection)
        assert results[0] == results[1]

    check()
