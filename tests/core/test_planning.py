"""Plans grow as the formulae say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from esdedup.errors import InputError
from esdedup.measured import MEASURED
from esdedup.planning import Workload, apart, cheapest, in_use, plan, regrouping, skew_of

DOCUMENTS = st.integers(1, 10**11)
KS = st.integers(0, 11)


@given(DOCUMENTS, KS)
def test_twice_as_many_documents(documents: int, k: int) -> None:
    for one, two in zip(plan(Workload(documents, k)), plan(Workload(2 * documents, k)), strict=True):
        assert two.candidates == pytest.approx(2 * one.candidates)
        assert two.postings == pytest.approx(2 * one.postings)
        assert one.disk < two.disk <= 2 * one.disk * (1 + 1e-9)
        assert one.shards <= two.shards <= 2 * one.shards
        assert one.look_up <= two.look_up
        assert 2 * one.index <= two.index * (1 + 1e-9)


@given(DOCUMENTS, KS, st.integers(0, 100_000), st.integers(10**8, 10**12))
def test_no_shard_is_too_large(documents: int, k: int, text: int, shard: int) -> None:
    for one in plan(Workload(documents, k, text, shard=shard)):
        assert one.disk <= one.shards * max(shard, one.document) * (1 + 1e-9)
        assert documents <= one.shards * min(200_000_000, 2**31 - 1)
        assert one.cache < one.disk


@given(DOCUMENTS, KS, st.floats(1, 1000))
def test_skew_multiplies_what_blocks_find(documents: int, k: int, skew: float) -> None:
    even, skewed = plan(Workload(documents, k)), plan(Workload(documents, k, skew=skew))
    assert skewed[0].candidates == pytest.approx(min(documents, skew * even[0].candidates))
    assert all(a.look_up <= b.look_up for a, b in zip(even, skewed, strict=True))
    assert all(b.candidates <= documents for b in skewed)


@given(DOCUMENTS, KS)
def test_choices(documents: int, k: int) -> None:
    plans = plan(Workload(documents, k))
    best = cheapest(plans)
    assert all(best.index <= 1.5 * one.index for one in plans)
    assert all(best.cache <= one.cache for one in plans if one.index <= best.index)
    assert in_use(plans).scheme.name == "blocks and lanes"
    separate = apart(Workload(documents, k))
    assert separate.asked <= min(separate.shards, separate.scheme.terms)


def test_lanes_are_worth_their_bytes_at_a_million() -> None:
    blocks, lanes, *_ = plan(Workload(1_000_000))
    assert lanes.document - blocks.document == MEASURED.lanes
    assert lanes.look_up < blocks.look_up / 2
    assert lanes.candidates < 1e-3 * blocks.candidates


@given(st.integers(2, 10**10))
def test_regroup_grows_a_little_faster_than_the_documents(documents: int) -> None:
    one, two = regrouping(Workload(documents)), regrouping(Workload(2 * documents))
    assert two.memory == 2 * one.memory
    assert two.hours >= 2 * one.hours * (1 - 1e-9)


def test_skew_of_fingerprints() -> None:
    uniform = np.random.default_rng(3).integers(0, 2**64, 200_000, np.uint64)
    assert skew_of(uniform) == pytest.approx(1, abs=0.01)
    one_bit_less = uniform & np.uint64(0xFFFE_FFFE_FFFE_FFFE)  # of each block
    assert skew_of(one_bit_less) == pytest.approx(2, abs=0.02)
    assert skew_of(np.zeros(100, np.uint64)) == 2**16
    assert skew_of(uniform[:1]) == skew_of(uniform[:0]) == 1


@pytest.mark.parametrize("wrong", [{"documents": 0}, {"documents": 1, "text": -1}, {"documents": 1, "skew": 0.5}])
def test_what_cannot_be_planned(wrong: dict[str, int]) -> None:
    with pytest.raises(InputError):
        Workload(**wrong)
