"""The second stage: SimHash proposes, then the two texts decide, by the shingles and the numbers that they share."""

import math
import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from esdedup.counting import count_distinct
from esdedup.errors import InputError
from esdedup.hashing import hash_feature, hash_ngrams
from esdedup.normalise import normalise

__all__ = ["DEFAULT_THRESHOLD", "Confirmation", "Differs", "Evidence", "Overlap", "gather", "overlap"]

DEFAULT_THRESHOLD = 0.5

_SIZE = 5  # characters in a shingle
_NUMBER = re.compile(r"\d+")
_NOT_WORDS = re.compile(r"[\W_\d]+")
# A template with other numbers: of the text that has fewer, not six in ten are in the other, at least three are not,
# and one in 150 characters.
_AGREE, _LEAST, _EVERY = 0.6, 3, 150


class Differs(StrEnum):
    """In what two texts differ."""

    NOTHING = "nothing"  # they read the same
    NUMBERS = "numbers"  # in nothing else, or in most of their many numbers
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What two texts must share to be duplicates.

    threshold: the least similarity, from 0 to 1.
    distinct_numbers: None keeps texts apart when most of their many numbers differ, such as two days' prices; True
        also when they differ in nothing but numbers, such as two models of one product; False never.
    Raises InputError for a threshold out of range.
    """

    threshold: float = DEFAULT_THRESHOLD
    distinct_numbers: bool | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise InputError(f"a threshold of {self.threshold} is out of range: give 0 to 1, such as 0.5")

    def confirms(self, found: "Overlap") -> bool:
        """Whether texts with this overlap are duplicates."""
        match self.distinct_numbers:
            case None:
                apart = found.other_numbers
            case True:
                apart = found.differs is Differs.NUMBERS
            case False:
                apart = False
        return found.similarity >= self.threshold and not apart


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one text brings to a comparison.

    shingles: codes of the different runs of 5 characters, ascending: uint64, shape (n,). A shorter text is one run.
    numbers: each run of digits, and how often it occurs; words: code of the text without digits and marks.
    """

    normalised: str
    words: int
    shingles: NDArray[np.uint64]
    numbers: Counter[str]


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much two texts share; all from 0 to 1.

    jaccard: shared shingles of all; containment: shared ones of the smaller text's.
    similarity: shared ones of the geometric mean of both texts' (their cosine), which the threshold applies to. It
        lies between the two: of texts of one length, 0.5 is a Jaccard of 1/3; a text inside another has the square
        root of their ratio.
    other_numbers: whether both have many numbers, and most of them differ.
    """

    jaccard: float
    containment: float
    similarity: float
    differs: Differs
    other_numbers: bool


def gather(text: str) -> Evidence:
    """The evidence in a text as it was read. White space is left out of shingles."""
    normalised = normalise(text)
    points = np.frombuffer(normalised.replace(" ", "").encode("utf-32-le"), dtype="<u4").astype(np.uint32, copy=False)
    size = min(_SIZE, len(points))
    shingles = count_distinct(hash_ngrams(points, size))[0] if size else np.empty(0, np.uint64)
    words = hash_feature(_NOT_WORDS.sub("", normalised))
    return Evidence(normalised, words, shingles, Counter(_NUMBER.findall(normalised)))


def overlap(a: Evidence, b: Evidence) -> Overlap:
    """How much two texts share (Broder 1997; empty texts share nothing), and in what they differ."""
    smaller, larger = sorted((len(a.shingles), len(b.shingles)))
    shared = _shared(a.shingles, b.shingles)
    other_numbers = _have_other_numbers(a, b, smaller)
    return Overlap(
        jaccard=shared / max(1, smaller + larger - shared),
        containment=shared / max(1, smaller),
        similarity=shared / max(1.0, math.sqrt(smaller * larger)),
        differs=_differs(a, b, other_numbers),
        other_numbers=other_numbers,
    )


def _shared(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> int:
    merged = np.concatenate([a, b])
    merged.sort()
    return int(np.count_nonzero(merged[1:] == merged[:-1]))


def _differs(a: Evidence, b: Evidence, other_numbers: bool) -> Differs:
    if a.normalised == b.normalised:
        return Differs.NOTHING
    only_numbers = a.words == b.words and a.numbers != b.numbers
    return Differs.NUMBERS if only_numbers or other_numbers else Differs.TEXT


def _have_other_numbers(a: Evidence, b: Evidence, characters: int) -> bool:
    fewer = min(a.numbers.total(), b.numbers.total())
    missing = fewer - (a.numbers & b.numbers).total()
    return missing > (1 - _AGREE) * fewer and missing >= max(_LEAST, characters / _EVERY)
