"""The table of numbers against a dictionary."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from esdedup.numbering import Numbering

KEYS = st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 20), unique=True, max_size=60)


def keys(values: list[int]) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    return np.array(values, np.uint64)


@given(st.lists(KEYS, max_size=5), KEYS)
def test_numbers_follow_the_order_of_adding(batches: list[list[int]], others: list[int]) -> None:
    numbering, expected = Numbering(), dict[int, int]()
    for batch in batches:
        new = [key for key in batch if key not in expected]
        numbering.add(keys(new))
        expected |= {key: len(expected) + 1 + place for place, key in enumerate(new)}
        assert len(numbering) == len(expected)
        asked = [*others, *expected]
        assert numbering.find(keys(asked)).tolist() == [expected.get(key, 0) for key in asked]


def test_hundreds_of_thousands_are_found_after_it_has_grown() -> None:
    values = np.random.default_rng(1).permutation(np.arange(400_000, dtype=np.uint64))
    numbering = Numbering()
    for part in np.array_split(values[:300_000], 7):
        numbering.add(part)
    assert numbering.find(values).tolist() == [*range(1, 300_001), *[0] * 100_000]
