"""Stamps: equal when fingerprints must be, different when they could differ."""

import math
from itertools import product
from typing import Any

import pytest

from esdedup import Document, FeatureKind, FeatureSettings, Fingerprinter
from esdedup.errors import InputError

MIXED, WORDS, SHINGLES, CHARS = FeatureKind


def test_the_stamp_of_the_defaults() -> None:
    assert FeatureSettings().stamp == "simhash64-r2-mixed1-tf1.15-max0.1-idf0.35-rjieba-min8"


def test_every_setting_that_shapes_fingerprints_shapes_the_stamp() -> None:
    choices = product(FeatureKind, (1, 2, 5), (0.1, 1, 1.0000001, 3), (0, 8))
    settings = [FeatureSettings(kind, size, power, short_below=short) for kind, size, power, short in choices]
    settings += [FeatureSettings(idf_power=0), FeatureSettings(idf_power=1), FeatureSettings(max_share=0.5)]
    assert len({each.stamp for each in settings}) == len(settings)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (FeatureSettings(), FeatureSettings(MIXED, size=1)),
        (FeatureSettings(SHINGLES), FeatureSettings(SHINGLES, size=3, idf_power=0)),
        (FeatureSettings(CHARS), FeatureSettings(CHARS, size=4, idf_power=0)),
        (FeatureSettings(tf_power=2), FeatureSettings(tf_power=2.0)),
    ],
)
def test_what_makes_no_difference_is_not_in_the_stamp(one: FeatureSettings, other: FeatureSettings) -> None:
    text = "eight words are just enough for a fingerprint 港口办公室 " * 9
    assert one.stamp == other.stamp
    assert Fingerprinter(one).sketch(text) == Fingerprinter(other).sketch(text)


@pytest.mark.parametrize(
    "values",
    [
        {"size": -1},
        {"max_share": 0.0},
        {"max_share": 1.5},
        {"max_share": math.nan},
        {"tf_power": math.nan},
        {"idf_power": math.inf},
        {"tf_power": 3.1},
        {"short_below": -1},
    ],
)
def test_values_out_of_range_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="out of range") as refused:
        FeatureSettings(**values)
    assert str(next(iter(values.values()))) in str(refused.value)


@pytest.mark.parametrize("kind", list(FeatureKind))
def test_no_feature_has_more_than_its_share(kind: FeatureKind) -> None:
    text = " ".join(f"word{n}" for n in range(40)) + " flood" * 5000
    weights = Fingerprinter(FeatureSettings(kind, max_share=0.06)).features(text).values()
    assert max(weights) / sum(weights) == pytest.approx(0.06, rel=1e-4)
    free = Fingerprinter(FeatureSettings(kind, max_share=1)).features(text).values()
    assert max(free) / sum(free) > 0.08


def test_documents_are_equal_whatever_was_mended() -> None:
    mended = Document("1", "text", notes=("cut",))
    assert mended == Document("1", "text")
    assert mended != Document("1", "text", title="a title")
