"""A better version takes over its group, and the groups stay those of the order of documents."""

import random
from dataclasses import replace

import pytest

from esdedup import Document
from esdedup.engine.decisions import Fate, IngestOptions, OnDuplicate
from esdedup.engine.mapping import Collection
from esdedup.engine.regroup import regroup
from esdedup.gate import Gate, Judgement
from esdedup.keeping import Keep
from tests.engine.made import Made, made, places, right_places, scattered, stored, take

pytestmark = pytest.mark.engine

LONGEST = IngestOptions(keep=Keep.parse("longest"))


def of_length(doc_id: str, fingerprint: int, length: int) -> Made:
    return made(doc_id, fingerprint, doc_id * length)


def leaders(collection: Collection) -> dict[str, str]:
    return {key: group for key, (group, _, _) in places(collection).items()}


@pytest.mark.parametrize("size", [1, 50])
def test_the_longest_leads_whatever_the_batches(collection: Collection, size: int) -> None:
    lengths = {"a": 2, "b": 1, "c": 3, "d": 3, "e": 9, "f": 4}
    take(collection, [of_length(doc_id, 0, length) for doc_id, length in lengths.items()], size, LONGEST)
    assert set(leaders(collection).values()) == {"e"}
    assert places(collection) == right_places(collection)


def test_who_is_not_near_the_new_leader_finds_another(collection: Collection) -> None:
    take(collection, [of_length("a", 0, 1), of_length("b", 7, 1)], options=LONGEST)
    assert leaders(collection) == {"a": "a", "b": "a"}
    take(collection, [of_length("c", 56, 5)], options=LONGEST)
    assert leaders(collection) == {"a": "c", "b": "b", "c": "c"}
    assert places(collection) == right_places(collection)


@pytest.mark.parametrize("on_duplicate", list(OnDuplicate))
def test_groups_are_right_after_any_run(collection: Collection, on_duplicate: OnDuplicate) -> None:
    rng = random.Random(7)
    documents = [(replace(d, text=d.text * rng.randrange(1, 9)), s) for d, s in scattered(300, seed=6)]
    decisions = take(collection, documents[:170], 40, replace(LONGEST, on_duplicate=on_duplicate))
    decisions += take(collection, documents[170:], 40, replace(LONGEST, on_duplicate=on_duplicate))
    assert sum(decision.took_over is not None for decision in decisions) > 20
    assert places(collection) == right_places(collection)
    last = list(regroup(collection))[-1]
    assert last.changed == 0
    again = take(collection, documents, 40, replace(LONGEST, on_duplicate=on_duplicate))
    kept = {d.document.id for d in decisions if d.fate is Fate.INDEXED}
    assert {d.fate for d in again if d.document.id in kept} == {Fate.UNCHANGED}


def judged(judgement: Judgement) -> tuple[str, str, str | None, str | None]:
    return judgement.verdict.value, judgement.reason.value, judgement.twin, judgement.group


STORY = " ".join(f"Entry {n} of the harbour log tells of boats and ropes." for n in range(30))


def test_the_gate_inserts_what_is_better(collection: Collection) -> None:
    stream = [
        Document("old", STORY, meta={"site": "mirror"}),
        Document("copy", STORY, meta={"site": "mirror"}),
        Document("best", f"{STORY} The end.", meta={"site": "official"}),
        Document("late", STORY, meta={"site": "mirror"}),
    ]
    with Gate(collection, keep=Keep.parse("prefer site=official")) as gate:
        found = [judged(gate.decide(document)) for document in stream]
    assert found == [
        ("insert", "new", None, "old"),
        ("trash", "exact", "old", "old"),
        ("insert", "near", "old", "best"),
        ("trash", "near", "best", "best"),
    ]
    assert leaders(collection) == {"old": "best", "best": "best"}
    assert places(collection) == right_places(collection)


def test_checking_only_the_gate_writes_nothing(collection: Collection) -> None:
    take(collection, [of_length("a", 0, 1)])
    before = stored(collection)
    with Gate(collection, check_only=True, keep=Keep.parse("newest")) as gate:
        assert judged(gate.decide(Document("b", STORY)))[:2] == ("insert", "new")
    assert stored(collection) == before


def test_the_newest_by_its_own_date(collection: Collection) -> None:
    dates: dict[str, str | int] = {"a": "2020-01-01", "b": "2019-01-01", "c": "2021/05/01", "d": 1577836800000}
    with Gate(collection, keep=Keep.parse("newest")) as gate:
        verdicts = {i: gate.decide(Document(i, STORY, date=date)).verdict.value for i, date in dates.items()}
    assert verdicts == {"a": "insert", "b": "trash", "c": "insert", "d": "trash"}
    assert leaders(collection)["a"] == "c"
