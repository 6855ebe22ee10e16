"""Stamps: equal when fingerprints must be, different when they could differ."""

import math
from itertools import product
from typing import Any

import pytest

from esdedup import Document, FeatureKind, FeatureSettings, Fingerprinter
from esdedup.errors import InputError

WORDS, SHINGLES, CHARS = FeatureKind


def test_the_stamp_of_the_defaults() -> None:
    assert FeatureSettings().stamp == "simhash64-r1-words1-tf1-idf-rjieba-min8"


def test_every_setting_that_shapes_fingerprints_shapes_the_stamp() -> None:
    choices = product(FeatureKind, (1, 2, 5), (0.1, 1, 1.0000001, 20), (0, 8))
    settings = [FeatureSettings(kind, size, tf_cap, short_below=short) for kind, size, tf_cap, short in choices]
    settings.append(FeatureSettings(idf=False))
    assert len({each.stamp for each in settings}) == len(settings)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (FeatureSettings(), FeatureSettings(WORDS, size=1)),
        (FeatureSettings(SHINGLES), FeatureSettings(SHINGLES, size=3, idf=False)),
        (FeatureSettings(CHARS), FeatureSettings(CHARS, size=4, idf=False)),
        (FeatureSettings(tf_cap=5), FeatureSettings(tf_cap=5.0)),
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
        {"tf_cap": 0},
        {"tf_cap": -1.0},
        {"tf_cap": math.nan},
        {"tf_cap": math.inf},
        {"tf_cap": 1e30},
        {"short_below": -1},
    ],
)
def test_values_out_of_range_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="out of range") as refused:
        FeatureSettings(**values)
    assert str(next(iter(values.values()))) in str(refused.value)


@pytest.mark.parametrize("kind", list(FeatureKind))
@pytest.mark.parametrize("tf_cap", [1e-9, 1e9])
def test_the_smallest_and_the_largest_cap_work(kind: FeatureKind, tf_cap: float) -> None:
    counts = Fingerprinter(FeatureSettings(kind, size=1, tf_cap=tf_cap, idf=False)).features("a a a a a b")
    assert max(counts.values()) == (2 if tf_cap < 1 else 5)


def test_documents_are_equal_whatever_was_mended() -> None:
    mended = Document("1", "text", notes=("cut",))
    assert mended == Document("1", "text")
    assert mended != Document("1", "text", title="a title")
