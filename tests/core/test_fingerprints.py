"""Laws of the fingerprint, and the reference it must equal."""

import math
import random
from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from esdedup import (
    FeatureKind,
    FeatureSettings,
    Fingerprinter,
    distance,
    fingerprint,
    fingerprints,
    from_hex,
    simhash,
    to_hex,
)
from esdedup.document import Status
from esdedup.fingerprinter import blocks, lanes
from esdedup.hashing import hash_feature, hash_ngrams
from esdedup.matching import pairs_within, within
from esdedup.normalise import normalise
from esdedup.words import load_idf, segmenter, split_words

FINGERPRINTS = st.integers(0, 2**64 - 1)
WEIGHTS = st.floats(-1e12, 1e12, allow_nan=False).filter(lambda w: w == 0 or abs(w) > 1e-3)
FEATURES = st.dictionaries(st.text(min_size=1, max_size=8), WEIGHTS, max_size=30)

TEXTS = [
    "The harbour office counted forty two boats before the storm and thirty nine after it.",
    "火车站附近的一家小面包店重新开始按重量出售面包。顾客自己带袋子，按照秤上的数字付款。",
    "DX-1200 钻头 12 mm, 两档 two gears 2400 r/min; Привет мир カタカナ 항구",
    "storm " * 50 + "lamp",
    "港",
    "",
]


def reference(weighted: Mapping[int, float]) -> int:
    """SimHash by its definition, in Python's whole numbers."""
    votes = [
        sum(int(w * 1024) if code >> bit & 1 else -int(w * 1024) for code, w in weighted.items()) for bit in range(64)
    ]
    return sum(1 << bit for bit, vote in enumerate(votes) if vote > 0)


@given(FEATURES, st.randoms(use_true_random=False))
def test_the_order_of_features_makes_no_difference(features: dict[str, float], rng: random.Random) -> None:
    items = list(features.items())
    rng.shuffle(items)
    assert simhash(dict(items)) == simhash(features)


@given(st.dictionaries(st.text(min_size=1, max_size=8), st.integers(1, 10**6), min_size=1, max_size=30))
def test_equals_the_definition_for_whole_weights(features: dict[str, int]) -> None:
    assert simhash(features) == reference({hash_feature(name): weight for name, weight in features.items()})


@given(FEATURES, st.integers(-20, 20))
def test_scaling_all_weights_changes_nothing(features: dict[str, float], power: int) -> None:
    assert simhash({name: math.ldexp(weight, power) for name, weight in features.items()}) == simhash(features)


def test_one_feature_is_its_own_hash_and_none_is_zero() -> None:
    assert simhash({"storm": 300}) == hash_feature("storm")
    assert simhash({"storm": -1}) == hash_feature("storm") ^ (2**64 - 1)
    assert simhash({0xDEADBEEF: 0.001}) == 0xDEADBEEF
    assert simhash({}) == 0


def test_the_heavier_feature_decides() -> None:
    assert simhash({"a": 256.0, "b": 255.0}) == hash_feature("a")
    assert simhash({"a": 255.0, "b": 256.0}) == hash_feature("b")
    assert simhash({"a": 1.0, "b": 1.0}) == hash_feature("a") & hash_feature("b")  # a tie is 0


@pytest.mark.parametrize("weight", [math.nan, math.inf])
def test_weights_must_be_finite(weight: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        simhash({"a": weight})


def cap(features: list[str]) -> int:
    return max(2, round(math.sqrt(len(set(features)))))


@pytest.mark.parametrize("text", TEXTS)
def test_words_equal_the_reference(text: str) -> None:
    words = [word for piece in split_words(normalise(text), segmenter()) for word in piece]
    idf = load_idf()
    weighted = {hash_feature(w): min(n, cap(words)) * round(idf.of(w) * 1024) / 1024 for w, n in Counter(words).items()}
    assert fingerprint(text) == reference(weighted)


@pytest.mark.parametrize("text", TEXTS)
def test_shingles_equal_the_reference(text: str) -> None:
    words = [word for piece in split_words(normalise(text), segmenter()) for word in piece]
    runs = [" ".join(words[i : i + 3]) for i in range(max(1, len(words) - 2))] if words else []
    weighted = {hash_feature(run): float(min(n, cap(runs))) for run, n in Counter(runs).items()}
    assert fingerprint(text, FeatureSettings(FeatureKind.SHINGLES)) == reference(weighted)


@pytest.mark.parametrize("text", TEXTS)
def test_character_runs_equal_the_reference(text: str) -> None:
    normal = normalise(text)
    size = min(4, len(normal))
    runs = [normal[i : i + size] for i in range(len(normal) - size + 1)] if size else []
    weighted = {mixed(run): float(min(n, cap(runs))) for run, n in Counter(runs).items()}
    assert fingerprint(text, FeatureSettings(FeatureKind.CHARS)) == reference(weighted)


def mixed(run: str) -> int:
    mask, code = 2**64 - 1, 0
    for character in run:
        code = (code * 0x9E3779B97F4A7C15 + ord(character)) & mask
    code = (code ^ code >> 30) * 0xBF58476D1CE4E5B9 & mask
    code = (code ^ code >> 27) * 0x94D049BB133111EB & mask
    return code ^ code >> 31


def test_runs_of_code_points_are_hashed_as_one_by_one() -> None:
    codes = np.array([ord(c) for c in "港口 office"], np.uint32)
    assert hash_ngrams(codes, 3).tolist() == [mixed("港口 office"[i : i + 3]) for i in range(7)]


@pytest.mark.parametrize("kind", list(FeatureKind))
@pytest.mark.parametrize("text", TEXTS)
def test_named_features_are_those_of_the_fingerprint(text: str, kind: FeatureKind) -> None:
    fingerprinter = Fingerprinter(FeatureSettings(kind))
    named = fingerprinter.features(text)
    sketch = fingerprinter.sketch(text)
    assert len(named) == sketch.features
    hashed = {mixed(f) if kind is FeatureKind.CHARS else hash_feature(f): weight for f, weight in named.items()}
    assert reference(hashed) == sketch.fingerprint


def test_a_batch_is_the_texts_one_by_one() -> None:
    batch = fingerprints(TEXTS)
    assert batch.dtype == np.uint64
    assert batch.tolist() == [fingerprint(text) for text in TEXTS]


def test_differing_bits_follow_the_angle() -> None:
    """With cosine c, a bit differs with probability arccos(c) / pi (Charikar 2002)."""
    rng = random.Random(5)
    for shared in (10, 30, 36):
        gaps = []
        for _ in range(300):
            names = [f"f{rng.random()}" for _ in range(80 - shared)]
            gaps.append(distance(simhash(dict.fromkeys(names[:40], 1)), simhash(dict.fromkeys(names[-40:], 1))))
        expected = 64 * math.acos(shared / 40) / math.pi
        assert np.mean(gaps) == pytest.approx(expected, abs=1.0)  # 300 binomials of 64: standard error below 0.25


@given(FINGERPRINTS, FINGERPRINTS, FINGERPRINTS)
def test_distance_is_a_metric(a: int, b: int, c: int) -> None:
    assert distance(a, b) == distance(b, a)
    assert (distance(a, b) == 0) == (a == b)
    assert distance(a, c) <= distance(a, b) + distance(b, c)


def test_the_farthest_are_64_apart() -> None:
    assert distance(0, 2**64 - 1) == 64


@given(FINGERPRINTS)
def test_hex_round_trip_with_blocks_and_lanes(value: int) -> None:
    digits = to_hex(value)
    assert len(digits) == 16
    assert from_hex(digits) == from_hex(digits.upper()) == value
    assert "".join(blocks(value)) == digits
    assert "".join(lane[1:] for lane in lanes(value)) == digits
    assert [lane[0] for lane in lanes(value)] == list("01234567")


@pytest.mark.parametrize("digits", ["", "1", "0" * 15, "0" * 17, "0x00000000000000", "g" * 16, " 000000000000000"])
def test_what_is_no_fingerprint(digits: str) -> None:
    with pytest.raises(ValueError, match="16 hex digits"):
        from_hex(digits)


@given(FINGERPRINTS, st.sets(st.integers(0, 63), max_size=7))
def test_near_fingerprints_share_a_block_or_lanes(value: int, bits: set[int]) -> None:
    other = value ^ sum(1 << bit for bit in bits)
    if len(bits) <= 3:
        assert set(enumerate(blocks(value))) & set(enumerate(blocks(other)))
    assert len(set(lanes(value)) & set(lanes(other))) >= 8 - len(bits)


@given(st.lists(st.integers(0, 40), max_size=30), st.integers(0, 4))
def test_pairs_within_are_those_of_brute_force_once_each(values: list[int], k: int) -> None:
    expected = [
        (i, j, distance(a, b))
        for i, a in enumerate(values)
        for j, b in enumerate(values)
        if i < j and distance(a, b) <= k
    ]
    assert sorted(pairs_within(np.array(values, np.uint64), k)) == expected
    rows, columns, gaps = within(np.array(values, np.uint64), np.array([7, 9], np.uint64), k)
    assert list(zip(rows.tolist(), columns.tolist(), gaps.tolist(), strict=True)) == [
        (i, j, distance(a, b)) for i, a in enumerate(values) for j, b in enumerate([7, 9]) if distance(a, b) <= k
    ]


def test_equal_fingerprints_are_pairs_and_nothing_is_its_own() -> None:
    values = np.array([0xFF, 0xFF, 0xFE, 0xFFFF_FFFF_0000_0000], np.uint64)
    assert list(pairs_within(values, 3)) == [(0, 1, 0), (0, 2, 1), (1, 2, 1)]


def test_status() -> None:
    fingerprinter = Fingerprinter()
    assert fingerprinter.sketch("seven words are too few for this").status is Status.TOO_SHORT
    assert fingerprinter.sketch("eight words are just enough for a fingerprint").status is Status.OK
    for empty in ("", " \n\t", "。，！？……", "\u200b\ufeff", "😀😀"):
        assert fingerprinter.sketch(empty).status is Status.EMPTY
