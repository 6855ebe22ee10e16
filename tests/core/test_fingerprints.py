"""Laws of the fingerprint, and the reference it must equal."""

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from esdedup import (
    FeatureKind,
    FeatureSettings,
    Fingerprinter,
    distance,
    fingerprint,
    fingerprints,
    simhash,
)
from esdedup.document import Status
from esdedup.hashing import hash_feature, hash_ngrams
from esdedup.idf import character_idf, load_idf
from esdedup.normalise import normalise
from esdedup.words import segmenter, split_words

# Of every finite size; scaled by 2^20 either way they stay so.
WEIGHTS = st.floats(-1e300, 1e300).filter(lambda w: w == 0 or abs(w) > 1e-300)
FEATURES = st.dictionaries(st.text(min_size=1, max_size=8), WEIGHTS, max_size=30)
WHOLE = st.dictionaries(st.text(min_size=1, max_size=8), st.integers(-(10**6), 10**6), max_size=30)

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


@given(st.permutations([1e16, -1e16, 3e15, -3e15, 1.0, 0.1, 0.2, -0.3, 7.7, -7.7, 1e15 / 3, -1e15 / 3]))
def test_the_order_makes_no_difference_where_votes_cancel(weights: list[float]) -> None:
    # Every code has the highest bit: its vote is the sum of all weights, which floats get wrong in most orders.
    ordered = {2**63 + place: weight for place, weight in enumerate(sorted(weights))}
    shuffled = {2**63 + sorted(weights).index(weight): weight for weight in weights}
    assert simhash(shuffled) == simhash(ordered)


@given(WHOLE)
def test_equals_the_definition_for_whole_weights(features: dict[str, int]) -> None:
    assert simhash(features) == reference({hash_feature(name): weight for name, weight in features.items()})


@given(WHOLE, st.data())
def test_a_feature_given_twice_weighs_double(features: dict[str, int], data: st.DataObject) -> None:
    twice = data.draw(st.sets(st.sampled_from(sorted(features)))) if features else set()
    again: dict[str | int, float] = {hash_feature(name): features[name] for name in twice}
    doubled = {name: weight * (2 if name in twice else 1) for name, weight in features.items()}
    again.update(features)
    assert simhash(again) == simhash(doubled)


@given(WHOLE)
def test_opposite_weights_never_set_the_same_bit(features: dict[str, int]) -> None:
    assert simhash(features) & simhash({name: -weight for name, weight in features.items()}) == 0


@given(FEATURES, st.integers(-20, 20))
def test_scaling_all_weights_changes_nothing(features: dict[str, float], power: int) -> None:
    assert simhash({name: math.ldexp(weight, power) for name, weight in features.items()}) == simhash(features)


def test_one_feature_is_its_own_hash_and_none_is_zero() -> None:
    assert simhash({"storm": 300}) == hash_feature("storm")
    assert simhash({"storm": -1}) == hash_feature("storm") ^ (2**64 - 1)
    assert simhash({0xDEADBEEF: 0.001}) == 0xDEADBEEF
    assert simhash({}) == simhash({"storm": 0}) == 0
    assert simhash({-1: 1}) == 2**64 - 1


@pytest.mark.parametrize("weight", [5e-324, 1e-300, 255, 256, 2**40, 1.7e308])
def test_weights_of_any_size_are_honoured(weight: float) -> None:
    assert simhash({"storm": weight}) == hash_feature("storm")
    assert simhash({f"storm{n}": weight for n in range(9)}) == simhash({f"storm{n}": 1 for n in range(9)})
    assert simhash({"storm": weight, "lamp": -weight / 2}) == hash_feature("storm")


def test_the_smallest_weight_beside_the_largest_is_no_trouble() -> None:
    assert simhash({"storm": 1.7e308, "lamp": 5e-324}) == hash_feature("storm")
    assert simhash({"storm": 5e-324, "lamp": -1.7e308}) == hash_feature("lamp") ^ (2**64 - 1)


def test_a_lone_surrogate_can_be_a_feature() -> None:
    assert simhash({"\ud83d": 1}) != simhash({"\ud83c": 1})


def test_the_heavier_feature_decides() -> None:
    assert simhash({"a": 256.0, "b": 255.0}) == hash_feature("a")
    assert simhash({"a": 255.0, "b": 256.0}) == hash_feature("b")
    assert simhash({"a": 1.0, "b": 1.0}) == hash_feature("a") & hash_feature("b")  # a tie is 0


@pytest.mark.parametrize("weight", [math.nan, math.inf, -math.inf])
def test_weights_must_be_finite(weight: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        simhash({"a": weight, "b": 1})


def weigh(features: list[str], idf: Callable[[str], float] = lambda _: 1.0) -> dict[str, int]:
    """A feature weighs tf^1.15 idf^0.35, both to 1/256."""
    return {f: round(n**1.15 * 256) * round(idf(f) ** 0.35 * 256) for f, n in Counter(features).items()}


def limit(weighted: Mapping[str, int]) -> dict[str, float]:
    """None above a tenth of the sum of all, found by trying; of few features, above twice the mean."""
    share = max(0.1, 2 / max(1, len(weighted)))
    level = max(weighted.values(), default=0)
    while level > share * sum(min(weight, level) for weight in weighted.values()) and share < 1:
        level -= 1 + level // 1_000_000
    return {feature: float(min(weight, level)) for feature, weight in weighted.items()}


def words_of(text: str) -> list[str]:
    return [word for piece in split_words(normalise(text), segmenter()) for word in piece]


def hashed(weighted: Mapping[str, int]) -> dict[int, float]:
    return {hash_feature(feature): weight for feature, weight in limit(weighted).items()}


@pytest.mark.parametrize("text", TEXTS)
def test_words_equal_the_reference(text: str) -> None:
    weighted = weigh(words_of(text), load_idf().of)
    assert fingerprint(text, FeatureSettings(FeatureKind.WORDS)) == reference(hashed(weighted))


@pytest.mark.parametrize("text", TEXTS)
def test_words_and_characters_equal_the_reference(text: str) -> None:
    table = character_idf()
    single = ["·" + character for character in normalise(text) if "\u3400" <= character <= "\u9fff"]
    weighted = weigh(words_of(text), load_idf().of) | weigh(single, lambda name: table.get(name[1], 13.0))
    assert fingerprint(text) == reference(hashed(weighted))


@pytest.mark.parametrize("text", TEXTS)
def test_shingles_equal_the_reference(text: str) -> None:
    words = words_of(text)
    runs = [" ".join(words[i : i + 3]) for i in range(max(1, len(words) - 2))] if words else []
    assert fingerprint(text, FeatureSettings(FeatureKind.SHINGLES)) == reference(hashed(weigh(runs)))


def test_shingles_run_on_where_long_texts_are_cut() -> None:
    words = [f"word{n}" for n in range(30_000)]
    text = " ".join(words)
    runs = {" ".join(words[i : i + 3]) for i in range(len(words) - 2)}
    fingerprinter = Fingerprinter(FeatureSettings(FeatureKind.SHINGLES))
    assert len(text) > 3 * 65_536
    assert fingerprinter.features(text) == dict.fromkeys(runs, 1.0)
    assert fingerprinter.sketch(text).features == len(runs)


@pytest.mark.parametrize("text", TEXTS)
def test_character_runs_equal_the_reference(text: str) -> None:
    normal = normalise(text)
    size = min(4, len(normal))
    runs = [normal[i : i + size] for i in range(len(normal) - size + 1)] if size else []
    weighted = {mixed(run): weight for run, weight in limit(weigh(runs)).items()}
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
    assert sum(not name.startswith("·") for name in named) == sketch.features
    codes = {mixed(f) if kind is FeatureKind.CHARS else hash_feature(f): weight for f, weight in named.items()}
    assert reference(codes) == sketch.fingerprint


def test_a_batch_is_the_texts_one_by_one() -> None:
    batch = fingerprints(TEXTS)
    assert batch.dtype == np.uint64
    assert batch.tolist() == [fingerprint(text) for text in TEXTS]


# Of every script and kind, with marks, surrogates and what is dropped; long ones so that many are done at once.
PARTS = [
    *TEXTS,
    "c++ and c#",
    "é c++",
    "用C++写",
    "1号店21号店",
    "…",
    "e\u200b\u0301",
    "\ud800",
    "\0",
    " ",
    "港 口",
    "船" * 40,
]
BATCHES = st.lists(st.lists(st.sampled_from(PARTS) | st.text(max_size=5), max_size=12).map("".join), max_size=30)


@pytest.mark.parametrize("kind", list(FeatureKind))
def test_sketches_are_those_of_each_text(kind: FeatureKind) -> None:
    many, one = Fingerprinter(FeatureSettings(kind)), Fingerprinter(FeatureSettings(kind))

    @given(BATCHES)
    @settings(max_examples=40, deadline=None)
    def are_equal(texts: list[str]) -> None:
        longer = [*texts, PARTS[1] * 120, *texts]  # enough to be cut together
        assert many.sketches(longer) == [one.sketch(text) for text in longer]

    are_equal()


def test_words_and_runs_of_the_same_letters_are_kept_apart() -> None:
    fingerprinter = Fingerprinter(FeatureSettings(FeatureKind.SHINGLES))

    @given(st.lists(st.text("abc", min_size=1, max_size=4), max_size=30).map(" ".join))
    @settings(deadline=None)
    def are_those_of_the_names(text: str) -> None:
        assert fingerprinter.sketch(text).fingerprint == simhash(fingerprinter.features(text))

    are_those_of_the_names()


def test_long_texts_stand_among_short_ones() -> None:
    texts = ["港口", "harbour " * 20_000, "", "港口办公室 " * 15_000, "ﷺ" * 9_000, "storm"] * 2
    for kind in FeatureKind:
        fingerprinter = Fingerprinter(FeatureSettings(kind))
        assert fingerprinter.sketches(texts) == [fingerprinter.sketch(text) for text in texts]


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


@pytest.mark.parametrize("cosine", [-0.9, 0.0, 0.5, 0.9, 0.996])
def test_differing_bits_follow_the_angle_of_weights(cosine: float) -> None:
    rng = np.random.default_rng(11)
    names = [f"feature {n}" for n in range(60)]
    gaps = []
    for _ in range(400):
        a, other = rng.standard_normal((2, 60))
        other -= a * (a @ other) / (a @ a)  # at a right angle to a
        b = cosine * a / np.linalg.norm(a) + math.sqrt(1 - cosine**2) * other / np.linalg.norm(other)
        gaps.append(distance(*(simhash(dict(zip(names, weights.tolist(), strict=True))) for weights in (a, b))))
    expected = 64 * math.acos(cosine) / math.pi
    # Such weights point anywhere, so each bit keeps the law whatever the hashes; the bits are not independent,
    # hence four standard errors as measured.
    assert np.mean(gaps) == pytest.approx(expected, abs=4 * float(np.std(gaps)) / math.sqrt(len(gaps)))


def test_status() -> None:
    fingerprinter = Fingerprinter()
    assert fingerprinter.sketch("seven words are too few for this").status is Status.TOO_SHORT
    assert fingerprinter.sketch("eight words are just enough for a fingerprint").status is Status.OK
    for empty in ("", " \n\t", "。，！？……", "\u200b\ufeff", "😀😀"):
        assert fingerprinter.sketch(empty).status is Status.EMPTY


def test_an_interrupted_call_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"A story of the {word} in harbour {word}" for word in "crane pier tug buoy chain winch".split()]
    fingerprinter = Fingerprinter()
    with monkeypatch.context() as patch:
        patch.setattr("esdedup.numbering.Numbering.add", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            fingerprinter.sketches(texts[:3])
    assert fingerprinter.sketches(texts) == Fingerprinter().sketches(texts)
