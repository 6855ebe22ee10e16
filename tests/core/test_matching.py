"""Distances, pairs, hex digits, blocks and lanes: against brute force."""

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from esdedup import Sketch, distance, from_hex, to_hex
from esdedup.document import Status
from esdedup.fingerprinter import blocks, lanes
from esdedup.matching import distances, is_duplicate, matches, pairs_within, within

FINGERPRINTS = st.integers(0, 2**64 - 1)
SMALL = st.lists(st.integers(0, 40), max_size=30)  # crowded, so that there are pairs
SKETCHES = st.builds(Sketch, st.integers(0, 3), st.sampled_from(["a", "b"]), st.sampled_from(Status), st.just(9))


def uint64(values: Iterable[int]) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    return np.array(list(values), np.uint64)


@given(FINGERPRINTS, FINGERPRINTS, FINGERPRINTS)
def test_distance_is_a_metric(a: int, b: int, c: int) -> None:
    assert distance(a, b) == distance(b, a) == sum(x != y for x, y in zip(f"{a:064b}", f"{b:064b}", strict=True))
    assert (distance(a, b) == 0) == (a == b)
    assert distance(a, c) <= distance(a, b) + distance(b, c)


def test_the_farthest_are_64_apart() -> None:
    assert distance(0, 2**64 - 1) == 64


@given(FINGERPRINTS, st.lists(FINGERPRINTS, max_size=20))
def test_many_distances_are_those_one_by_one(value: int, others: list[int]) -> None:
    assert distances(value, uint64(others)).tolist() == [distance(value, other) for other in others]


@given(FINGERPRINTS)
def test_hex_round_trip_with_blocks_and_lanes(value: int) -> None:
    digits = to_hex(value)
    assert len(digits) == 16
    assert from_hex(digits) == from_hex(digits.upper()) == value
    assert "".join(blocks(value)) == digits
    assert "".join(lane[1:] for lane in lanes(value)) == digits
    assert [lane[0] for lane in lanes(value)] == list("01234567")


@pytest.mark.parametrize(
    ("value", "digits", "parts"),
    [
        (0, "0000000000000000", ("0000", "0000", "0000", "0000")),
        (0x1F, "000000000000001f", ("0000", "0000", "0000", "001f")),
        (2**63 + 2, "8000000000000002", ("8000", "0000", "0000", "0002")),
        (2**53 + 1, "0020000000000001", ("0020", "0000", "0000", "0001")),
        (2**64 - 1, "ffffffffffffffff", ("ffff", "ffff", "ffff", "ffff")),
    ],
)
def test_hex_keeps_zeros_in_front(value: int, digits: str, parts: tuple[str, ...]) -> None:
    assert to_hex(value) == digits
    assert blocks(value) == parts


@pytest.mark.parametrize(
    "digits", ["", "1", "0" * 15, "0" * 17, "0x00000000000000", "g" * 16, " 000000000000000", "１" * 16]
)
def test_what_is_no_fingerprint(digits: str) -> None:
    with pytest.raises(ValueError, match="16 hex digits"):
        from_hex(digits)


@given(FINGERPRINTS, st.sets(st.integers(0, 63), max_size=11))
def test_near_fingerprints_share_blocks_and_lanes(value: int, bits: set[int]) -> None:
    other = value ^ sum(1 << bit for bit in bits)
    gaps = [distance(int(a, 16), int(b, 16)) for a, b in zip(blocks(value), blocks(other), strict=True)]
    assert min(gaps) <= len(bits) // 4  # 0 up to k = 3: an equal block
    assert len(set(lanes(value)) & set(lanes(other))) >= 8 - len(bits)


@given(SMALL, SMALL, st.integers(0, 4))
def test_within_is_brute_force(rows: list[int], columns: list[int], k: int) -> None:
    row, column, gap = within(uint64(rows), uint64(columns), k)
    assert list(zip(row.tolist(), column.tolist(), gap.tolist(), strict=True)) == [
        (i, j, distance(a, b)) for i, a in enumerate(rows) for j, b in enumerate(columns) if distance(a, b) <= k
    ]


@given(SMALL, st.integers(0, 4))
def test_pairs_within_are_those_of_brute_force_once_each(values: list[int], k: int) -> None:
    assert sorted(pairs_within(uint64(values), k)) == [
        (i, j, distance(a, b))
        for i, a in enumerate(values)
        for j, b in enumerate(values)
        if i < j and distance(a, b) <= k
    ]


def test_many_rows_are_compared_in_parts_without_loss() -> None:
    """More than the 1,024 rows and the 4 million distances that are held at once."""
    rng = np.random.default_rng(7)
    values = rng.integers(0, 2**64, 2500, np.uint64)
    values[1::2] = values[::2] ^ (np.uint64(1) << rng.integers(0, 64, 1250, np.uint64))
    near = [np.flatnonzero(distances(int(value), values) <= 3) for value in values]
    assert sum(map(len, near)) == 5000  # each with itself and with its neighbour
    expected = [(i, j, distance(int(values[i]), int(values[j]))) for i, js in enumerate(near) for j in js.tolist()]
    row, column, gap = within(values, values, 3)
    assert list(zip(row.tolist(), column.tolist(), gap.tolist(), strict=True)) == expected
    assert sorted(pairs_within(values, 3)) == [(i, j, d) for i, j, d in expected if i < j]


def test_equal_fingerprints_are_pairs_and_nothing_is_its_own() -> None:
    values = uint64([0xF0, 0xF0, 0xF1, 0xFFFF_FFFF_0000_0000])
    assert list(pairs_within(values, 3)) == [(0, 1, 0), (0, 2, 1), (1, 2, 1)]


def test_only_those_within_k() -> None:
    neighbours = [0x0004_0004_0004_0000, 0x0004_0004_0004_0004, 0x0006_0004_0004_0004]  # 3, 4 and 5 bits
    for k, found in ((2, 0), (3, 1), (4, 2), (5, 3)):
        assert len(within(uint64([0]), uint64(neighbours), k)[0]) == found


@given(SKETCHES, SKETCHES, st.integers(0, 2))
def test_being_a_duplicate_is_mutual_and_asks_for_text(a: Sketch, b: Sketch, k: int) -> None:
    assert is_duplicate(a, b, k) == is_duplicate(b, a, k)
    assert is_duplicate(a, a, k) == (a.status is not Status.EMPTY)
    if is_duplicate(a, b, k):
        assert Status.EMPTY not in (a.status, b.status)
        assert a.digest == b.digest or (a.status.is_comparable and b.status.is_comparable)


@given(st.lists(SKETCHES, max_size=9), st.lists(SKETCHES, max_size=9), st.integers(0, 2))
def test_matches_are_all_duplicates_one_by_one(rows: list[Sketch], columns: list[Sketch], k: int) -> None:
    rows, columns = ([_consistent(sketch) for sketch in sketches] for sketches in (rows, columns))
    pairs = [(i, j) for i, a in enumerate(rows) for j, b in enumerate(columns) if is_duplicate(a, b, k)]
    assert list(matches(rows, columns, k)) == pairs


def _consistent(sketch: Sketch) -> Sketch:
    """Equal texts have equal fingerprints."""
    return sketch._replace(digest=f"{sketch.digest}{sketch.fingerprint}")
