"""Near fingerprints in memory, against brute force."""

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from esdedup import nearby
from esdedup.document import Status
from esdedup.grouping import Entry, Leaders
from esdedup.matching import is_duplicate, within
from esdedup.nearby import Nearby

WORDS = st.integers(0, (1 << 64) - 1)


def around(centres: Sequence[int], count: int, bits: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Fingerprints with up to so many bits turned: many share a block with many others."""
    rng = random.Random(count)
    turned = (
        rng.choice(centres) ^ sum(1 << bit for bit in rng.sample(range(64), rng.randrange(bits + 1)))
        for _ in range(count)
    )
    return np.fromiter(turned, np.uint64)


@given(st.lists(WORDS, min_size=1, max_size=4), st.integers(0, 14), st.integers(0, 80), st.integers(0, 30))
def test_all_that_are_within_k_and_no_others(centres: list[int], k: int, count: int, asked: int) -> None:
    stored, values = around(centres, count, k + 3), around(centres, asked, 2)
    rows, places = Nearby(stored, k).near(values)
    right, where, _ = within(values, stored, k)
    assert (rows.tolist(), places.tolist()) == (right.tolist(), where.tolist())


@pytest.mark.parametrize("k", [3, 11])
def test_a_hot_block_is_read_in_parts(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearby, "_CELLS", 100)
    stored = around([0, 1 << 63], 300, 6)
    rows, places = Nearby(stored, k).near(stored)
    right, where, _ = within(stored, stored, k)
    assert (rows.tolist(), places.tolist()) == (right.tolist(), where.tolist())


@pytest.mark.parametrize("k", [0, 3, 7])
def test_leaders_in_any_number_attract_those_within_k(k: int) -> None:
    values = around([random.Random(n).getrandbits(64) for n in range(40)], 2600, 5).tolist()
    entries = [entry(n, value) for n, value in enumerate(values)]
    leaders, added = Leaders(k), list[Entry]()
    for start in range(0, 2600, 200):
        batch = entries[start : start + 200]
        near = leaders.near(batch)
        right = [[one for one in added if is_duplicate(one, each, k)] for each in batch]
        assert [sorted(some, key=lambda one: one.order) for some in near] == right
        for one in batch:
            leaders.add(one)
        for one in batch[::7]:
            leaders.remove(one)
        added += [one for at, one in enumerate(batch) if at % 7]


def entry(number: int, fingerprint: int) -> Entry:
    status = Status.TOO_SHORT if number % 11 == 1 else Status.OK
    return Entry(f"d{number:05}", fingerprint, f"{number}", status, f"{number:05}")


def test_a_leader_that_went_may_come_back_with_another_text() -> None:
    leaders, old, new, asking = Leaders(3), entry(0, 0), entry(0, 0xFF), entry(5, 1)
    leaders.add(old)
    leaders.remove(old)
    leaders.add(new)
    assert leaders.near([asking, entry(6, 0xFF)]) == [[], [new]]
