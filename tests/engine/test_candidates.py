"""Look-ups lose nothing: they equal brute force at every k, hot blocks included."""

import json
import random
from dataclasses import replace
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from esdedup.document import Status
from esdedup.engine.asking import ask_many
from esdedup.engine.candidates import find_leaders, match_query
from esdedup.engine.lookup import duplicates_of, duplicates_of_fingerprint
from esdedup.engine.mapping import Collection
from esdedup.errors import InputError
from esdedup.grouping import Entry
from esdedup.matching import distance
from tests.engine.made import flipped, made, places, take

pytestmark = pytest.mark.engine


@pytest.mark.parametrize("k", range(12))
def test_equals_brute_force(collection: Collection, k: int) -> None:
    rng = random.Random(k)
    query = rng.getrandbits(64)
    near = [flipped(rng, query, bits) for bits in range(16) for _ in range(12)]
    documents = [made(f"d{n:03}", value) for n, value in enumerate(near)]
    take(collection, documents, size=200)
    found = duplicates_of_fingerprint(collection, query, k)
    expected = {(d.id, distance(query, s.fingerprint)) for d, s in documents if distance(query, s.fingerprint) <= k}
    assert {(duplicate.id, duplicate.distance) for duplicate in found} == expected
    assert [d.distance for d in found] == sorted(d.distance for d in found)


def test_exactly_those_within_k_and_never_itself(collection: Collection) -> None:
    values = {"q": 0, "d3": 0x0001000100010000, "d4": 0x0001000100010001, "d5": 0x0003000100010001}
    take(collection, [made(name, value) for name, value in values.items()])
    for k, expected in {3: ["d3"], 4: ["d3", "d4"], 5: ["d3", "d4", "d5"]}.items():
        assert [duplicate.id for duplicate in duplicates_of(collection, "q", k)] == expected


def test_a_block_shared_by_thousands_is_read_to_the_end(collection: Collection) -> None:
    rng = random.Random(12)
    same_block = [rng.getrandbits(48) for _ in range(2500)]
    twins = [made(f"twin{n:04}", 7) for n in range(1300)]
    take(collection, [made(f"d{n:04}", value) for n, value in enumerate(same_block)] + twins, size=1000)
    assert len(duplicates_of(collection, "twin0000")) == 1299
    assert len(duplicates_of(collection, "twin0000", 11)) >= 1299


def test_many_leaders_on_one_block_are_all_considered(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("esdedup.engine.candidates._MANY", 5)
    rng = random.Random(13)
    centre = rng.getrandbits(64)
    ring = [made(f"r{n:02}", flipped(rng, centre, 3)) for n in range(60)]
    take(collection, ring)
    (decision,) = take(collection, [made("centre", centre)])
    assert decision.place.distance == 3
    assert decision.place.group == min(
        (d.document.id for d in take(collection, ring) if d.place.leader), key=lambda name: name
    )


@pytest.mark.parametrize("k", [0, 3, 6, 9, 11])
def test_leaders_of_many_at_once_equal_brute_force(collection: Collection, k: int) -> None:
    rng = random.Random(k)
    centres = [rng.getrandbits(64) for _ in range(40)]
    stored = [(f"d{n:03}", flipped(rng, rng.choice(centres), rng.randrange(8))) for n in range(300)]
    take(collection, [made(key, value) for key, value in stored])
    places_of = places(collection)
    leaders = {key: value for key, value in stored if places_of[key][1]}
    asked = [Entry("", flipped(rng, rng.choice(centres), rng.randrange(8)), "", Status.OK, "") for _ in range(120)]
    asked += [Entry("", 0, "", Status.EMPTY, ""), replace(asked[0], key=min(leaders)), asked[1]]
    found = find_leaders(replace(collection, k=k), asked)
    assert [sorted(one.key for one in some) for some in found] == [
        sorted(key for key, value in leaders.items() if _is_near(entry, key, value, k)) for entry in asked
    ]


def test_many_short_texts_alone(collection: Collection) -> None:
    take(collection, [made("a", 5, text="one", status=Status.TOO_SHORT), made("b", 7)])
    (stored,) = find_leaders(collection, [Entry("x", 7, "", Status.OK, "")])[0]
    asked = [Entry(f"s{number}", 5, f"{number:032x}", Status.TOO_SHORT, "") for number in range(20)]
    assert stored.key == "b"
    assert find_leaders(collection, asked) == [[]] * 20


def test_equal_fingerprints_are_looked_up_once(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    take(collection, [made("a", 9)])
    asked = _spied(monkeypatch, "candidates")
    same = [Entry(f"n{number}", 9, f"{number}", Status.OK, "") for number in range(500)]
    found = find_leaders(collection, [*same, Entry("other", (1 << 64) - 1, "", Status.OK, "")])
    assert [[one.key for one in some] for some in found] == [["a"]] * 500 + [[]]
    (body,) = asked
    assert len(body["query"]["bool"]["filter"][0]["bool"]["should"]) == 2


@pytest.mark.parametrize("hot_first", [False, True])
@pytest.mark.parametrize("hot", [0, 60, 400])
def test_hot_blocks_are_looked_up_by_lanes(
    collection: Collection, hot: int, hot_first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("esdedup.engine.sharing._TOGETHER", 10)
    monkeypatch.setattr("esdedup.engine.sharing._AFFORDED", 20)
    rng = random.Random(hot)
    values = [rng.getrandbits(64) for _ in range(30)] + [rng.getrandbits(48) for _ in range(hot)]
    take(collection, [made(f"d{n:03}", value) for n, value in enumerate(values)], size=500)
    asked = [Entry("", flipped(rng, value, 3), "", Status.OK, "") for value in values[:40]]
    asked = asked[::-1] if hot_first else asked
    bodies = _spied(monkeypatch, "candidates")
    found = find_leaders(collection, asked)
    expected = [
        [f"d{n:03}" for n, value in enumerate(values) if distance(one.fingerprint, value) <= 3] for one in asked
    ]
    assert [sorted(one.key for one in some) for some in found] == expected
    by_lanes = sum("should" in json.dumps(body) for body in bodies)
    assert by_lanes == (hot == 400)


def _spied(monkeypatch: pytest.MonkeyPatch, module: str) -> list[dict[str, Any]]:
    """The searches that a module will send."""
    asked: list[dict[str, Any]] = []

    def spy(client: Elasticsearch, index: str, bodies: list[dict[str, Any]]) -> list[dict[str, Any]]:
        asked.extend(bodies)
        return ask_many(client, index, bodies)

    monkeypatch.setattr(f"esdedup.engine.{module}.ask_many", spy)
    return asked


def _is_near(entry: Entry, key: str, value: int, k: int) -> bool:
    return entry.status is Status.OK and key != entry.key and distance(entry.fingerprint, value) <= k


def test_exact_means_the_same_text_not_the_same_fingerprint(collection: Collection) -> None:
    take(collection, [made("a", 9, "one text"), made("b", 9, "one text"), made("c", 9, "another text")])
    found = {duplicate.id: duplicate.exact for duplicate in duplicates_of(collection, "a")}
    assert found == {"b": True, "c": False}


@pytest.mark.parametrize("k", [-1, 12])
def test_k_out_of_range_is_refused(k: int) -> None:
    with pytest.raises(InputError, match="up to k = 11"):
        match_query(Entry("", 0, "", Status.OK, ""), k)
