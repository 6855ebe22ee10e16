"""All pairs: what brute force finds, once each, whatever k, equal fingerprints and skew."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from esdedup.matching import pairs_within
from esdedup.pairs import all_pairs, work


def brute_force(values: np.ndarray, k: int) -> list[tuple[int, int, int]]:
    return sorted(pairs_within(values, k))


def found(values: np.ndarray, k: int) -> list[tuple[int, int, int]]:
    pairs = all_pairs(values, k)
    return list(zip(pairs.i.tolist(), pairs.j.tolist(), pairs.distance.tolist(), strict=True))


def planted(count: int, k: int, seed: int) -> np.ndarray:
    """Random fingerprints, a third of which are near others, some of them equal."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2**64, count, dtype=np.uint64)
    for at in range(count // 3):
        bits = rng.choice(64, rng.integers(0, min(64, k + 3) + 1), replace=False)
        values[at] = values[rng.integers(count // 3, count)] ^ np.uint64(sum(1 << int(bit) for bit in bits))
    return values


@pytest.mark.parametrize("k", [*range(12), 20, 40])
@pytest.mark.parametrize("count", [0, 1, 2, 50, 1200])
def test_equals_brute_force(count: int, k: int) -> None:
    values = planted(count, k, seed=count + k)
    assert found(values, k) == brute_force(values, k)


@settings(deadline=None)
@given(st.integers(0, 5000), st.integers(0, 64))
def test_costs_no_more_than_brute_force(count: int, k: int) -> None:
    assert work(count, k) <= count * count / 2


@pytest.mark.parametrize("k", [62, 63, 64])
def test_nearly_all_bits_may_differ(k: int) -> None:
    values = planted(60, 3, seed=k)
    assert found(values, k) == brute_force(values, k)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 7) | st.integers(0, 2**64 - 1), max_size=40), st.integers(0, 12))
def test_any_numbers(numbers: list[int], k: int) -> None:
    values = np.array(numbers, np.uint64)
    assert found(values, k) == brute_force(values, k)


def test_thousands_that_share_most_bits() -> None:
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.integers(0, 2**18, 3000), rng.integers(0, 2**62, 3000)]).astype(np.uint64)
    assert found(values, 3) == brute_force(values, 3)


def test_threads_make_no_difference() -> None:
    values = planted(1000, 3, seed=2)
    for workers in (1, 2, 5):
        assert all_pairs(values, 3, workers).i.tolist() == all_pairs(values, 3).i.tolist()


@pytest.mark.parametrize("k", [-1, 65])
def test_k_out_of_range(k: int) -> None:
    with pytest.raises(ValueError, match="out of range"):
        all_pairs(np.zeros(2, np.uint64), k)
