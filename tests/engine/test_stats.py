"""What an index is said to hold, and to cost, is what it holds."""

import random

import pytest

from esdedup.document import Status
from esdedup.engine.mapping import Collection
from esdedup.engine.stats import HotBlock, LookupCost, read_stats
from esdedup.fingerprinter import blocks
from tests.engine.made import made, take

pytestmark = pytest.mark.engine


def test_an_empty_index(collection: Collection) -> None:
    found = read_stats(collection)
    assert (found.documents, found.groups, found.duplicates, found.bare, found.sampled) == (0, 0, 0, 0, False)
    assert (found.cost, found.hot) == (LookupCost(0, 0, 0, 0, 0), ())


def test_counts_of_all_kinds(collection: Collection) -> None:
    kinds = [made("a", 0), made("b", 1), made("c", 1 << 63 | 1 << 40), made("short", 5, status=Status.TOO_SHORT)]
    take(collection, [*kinds, made("void", 0, status=Status.EMPTY)])
    collection.client.index(index=collection.name, id="foreign", document={"title": "by another program"})
    found = read_stats(collection)
    assert (found.documents, found.groups, found.duplicates, found.bare) == (6, 3, 2, 1)
    assert found.statuses == {"ok": 3, "whole_page": 0, "too_short": 1, "empty": 1}
    assert found.size is not None
    assert found.size > 0


def test_costs_and_hot_blocks_equal_brute_force(collection: Collection) -> None:
    rng = random.Random(3)
    values = [rng.getrandbits(48) | rng.randrange(3) << 48 for _ in range(150)] + [rng.getrandbits(64)] * 2
    take(collection, [made(f"d{n:03}", value) for n, value in enumerate(values)], size=200)
    found = read_stats(collection, hottest=2)
    near = [sum(bool(set(enumerate(blocks(a))) & set(enumerate(blocks(b)))) for b in values) - 1 for a in values]
    assert found.cost.blocks == pytest.approx(sum(near) / len(values))
    assert found.cost.most == max(near)
    assert found.cost.lanes == pytest.approx(2 / len(values))
    assert found.cost.random == pytest.approx(4 * 151 / 65536)
    assert (found.cost.asked, found.sample, found.sampled) == (152, 152, False)
    sizes = sorted((-sum(value >> 48 == top for value in values), f"{top:04x}") for top in range(3))
    assert found.hot == tuple(HotBlock("b0", top, -size) for size, top in sizes[:2])


def test_of_a_large_index_some_are_drawn_and_counted_in_full(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("esdedup.engine.sampling._MOST", 40)
    rng = random.Random(4)
    values = [rng.getrandbits(48) | (0xABCD << 48 if n % 2 else rng.getrandbits(16) << 48) for n in range(200)]
    take(collection, [made(f"d{n:03}", value) for n, value in enumerate(values)], size=200)
    found = read_stats(collection)
    assert (found.sample, found.sampled, found.cost.asked) == (40, True, 40)
    assert found.hot[0] == HotBlock("b0", "abcd", 100)
