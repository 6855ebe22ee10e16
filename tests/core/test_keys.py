"""Ways to look up lose nothing, and find by chance what the formulae say."""

import random
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from esdedup.errors import InputError
from esdedup.keys import Scheme, schemes_for
from tests.engine.made import flipped

FINGERPRINTS = st.integers(0, 2**64 - 1)


def parts_within(scheme: Scheme, gap: int) -> int:
    """How many parts have no more differing bits than the radius."""
    near = 0
    for width in scheme.widths:
        near += (gap & ((1 << width) - 1)).bit_count() <= scheme.radius
        gap >>= width
    return near


def is_candidate(scheme: Scheme, a: int, b: int) -> bool:
    bytes_ = (a ^ b).to_bytes(8, "big")
    near = (sum(byte.bit_count() <= radius for byte in bytes_) >= least for least, radius in scheme.lanes)
    return parts_within(scheme, a ^ b) >= scheme.together and all(near)


@given(FINGERPRINTS, st.integers(0, 11), st.randoms(use_true_random=False))
def test_what_is_within_k_is_a_candidate(value: int, k: int, rng: random.Random) -> None:
    other = flipped(rng, value, k)
    for scheme in schemes_for(k):
        assert scheme.is_exact(k)
        assert is_candidate(scheme, value, other), scheme


@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 3), st.integers(0, 16))
def test_the_pigeonhole_count_is_sharp(parts: int, together: int, radius: int, k: int) -> None:
    """The worst gap of k bits, radius + 1 in as many parts as they fill, is missed where a scheme is not exact."""
    scheme = Scheme(parts, min(parts, together), radius)
    if min(scheme.widths) <= radius or k // (radius + 1) > parts:
        return
    shifts = np.cumsum([0, *scheme.widths])[:-1].tolist()
    gap = sum(((1 << radius + 1) - 1) << shift for shift in shifts[: k // (radius + 1)])
    assert gap.bit_count() <= k
    assert scheme.is_exact(k) == (parts_within(scheme, gap) >= scheme.together)


@given(st.integers(0, 11))
def test_laws_of_schemes(k: int) -> None:
    for scheme in schemes_for(k):
        assert sum(scheme.widths) == 64
        assert scheme.keys == comb(scheme.parts, scheme.together)
        assert scheme.keys <= scheme.terms
        assert 0 < scheme.candidates <= scheme.postings * (1 + 1e-9) or scheme.candidates < 2**-60
        assert scheme.is_exact(k - 1)
    blocks, *others = schemes_for(k)
    assert all(other.candidates <= blocks.candidates * (1 + 1e-9) for other in others)


def test_candidates_of_a_whole_space_are_counted_exactly() -> None:
    assert Scheme(4).candidates == pytest.approx(1 - (1 - 2**-16) ** 4, rel=1e-12)
    assert Scheme(4, radius=1).candidates == pytest.approx(1 - (1 - 17 / 2**16) ** 4, rel=1e-12)
    assert Scheme(8, 8).candidates == 2**-64
    useless = Scheme(4, radius=1, lanes=((1, 0),))  # a block with one bit off has an equal lane
    assert useless.candidates == pytest.approx(Scheme(4, radius=1).candidates)
    five_lanes = comb(8, 5) * 2**-40  # two of any five are a block
    assert Scheme(4, lanes=((5, 0),)).candidates == pytest.approx(five_lanes, rel=0.02)


@pytest.mark.parametrize(
    "scheme",
    [
        Scheme(4, radius=2),
        Scheme(4, radius=1, lanes=((2, 0),)),
        Scheme(4, radius=2, lanes=((3, 1), (5, 2))),
        Scheme(8, 2),
        Scheme(6, 2, 2),
        Scheme(3, radius=4),
    ],
)
def test_candidates_agree_with_a_simulation(scheme: Scheme) -> None:
    gaps = np.random.default_rng(1).integers(0, 2**64, 2_000_000, np.uint64)
    near, rest = np.zeros(len(gaps), np.int64), gaps.copy()
    for width in scheme.widths:
        near += np.bitwise_count(rest & np.uint64((1 << width) - 1)) <= scheme.radius
        rest >>= np.uint64(width)
    passed = near >= scheme.together
    lanes = np.bitwise_count(gaps.view(np.uint8).reshape(-1, 8))
    for least, radius in scheme.lanes:
        passed &= (lanes <= radius).sum(axis=1) >= least
    found = int(passed.sum())
    expected = scheme.candidates * len(gaps)
    assert expected > 100
    assert abs(found - expected) < 5 * expected**0.5


def test_schemes_for_three_bits() -> None:
    assert [(s.name, s.keys, s.terms) for s in schemes_for(3)] == [
        ("blocks", 4, 4),
        ("blocks and lanes", 4, 4),
        ("1 of 2, 1 bit off", 2, 66),
        ("2 of 3, 1 bit off", 3, 1496),
        ("2 of 5", 10, 10),
        ("3 of 6", 20, 20),
    ]


@pytest.mark.parametrize("k", [-1, 12])
def test_other_distances_are_refused(k: int) -> None:
    with pytest.raises(InputError, match="out of range"):
        schemes_for(k)
