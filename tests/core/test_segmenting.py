"""Many texts cut at once are cut as one by one by the other segmenter."""

from itertools import chain, islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from esdedup import segmenting
from esdedup.normalise import normalise, normalise_all
from esdedup.segmenting import Segmenter, pieces
from esdedup.words import segmenter, split_words
from tests.core.test_words import DATA, SAMPLES, real_texts

ALPHABET = [
    *"港口办公室研究生命起源的中国人民银行不一会儿哈",
    "㐀",
    "𠀀",
    "c",
    "+",
    "#",
    "4",
    "s店",
    "1号店",
    "江南style",
    "é",
    "カ",
    " ",
    "，",
]
TEXTS = st.lists(st.lists(st.sampled_from(ALPHABET), max_size=60).map("".join), max_size=8)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segmenting, "_WORTH_IT", 0)


def words(texts: list[str]) -> list[list[str]]:
    normalised = normalise_all(texts)
    found: list[list[str]] = [[] for _ in texts]
    for offset, points, _ in pieces(normalised):
        spans = Segmenter().words(points)
        places = np.searchsorted(normalised.ends, spans.starts + offset) - 1
        for text, start, end in zip(places.tolist(), spans.starts.tolist(), spans.ends.tolist(), strict=True):
            found[text].append(normalised.text[start + offset : end + offset])
    return found


def one_by_one(texts: list[str]) -> list[list[str]]:
    cut = segmenter()
    return [list(chain.from_iterable(split_words(normalise(text), cut))) for text in texts]


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_any_mixture_is_cut_alike(texts: list[str]) -> None:
    assert words(texts) == one_by_one(texts)


@pytest.mark.parametrize(
    "text",
    [
        *SAMPLES,
        "哈哈" * 500,
        "哈哈哈中" * 20,
        "c++ c# a_b",
        "é c++ éc++",
        "船" * 300,
        "一" * 70_000,
        "harbour, " * 9000,
    ],
)
def test_hard_texts_are_cut_alike_alone_and_among_others(text: str) -> None:
    expected = one_by_one([text])
    assert words([text]) == expected
    assert words(["港口", text, "", text]) == [["港口"], *expected, [], *expected]


@pytest.mark.skipif(not DATA.exists(), reason="no ../shared/data beside this checkout: real texts are not compared")
def test_real_texts_are_cut_alike() -> None:
    for path in sorted(Path(DATA).glob("*/docs.jsonl.gz")):
        texts = list(islice(real_texts(path), 30))
        assert words(texts) == one_by_one(texts), path
