"""The second stage: SimHash proposes, then the two texts decide, by the shingles and the numbers that they share."""

import math
import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from esdedup.errors import InputError
from esdedup.hashing import hash_ngrams
from esdedup.normalise import normalise

__all__ = ["DEFAULT_THRESHOLD", "Confirmation", "Differs", "Evidence", "Overlap", "gather", "overlap"]

DEFAULT_THRESHOLD = 0.5

_SIZE = 5  # characters in a shingle
_NUMBER = re.compile(r"\d+")
_AGREE = 0.6  # of the numbers of the text that has fewer


class Differs(StrEnum):
    """In what two texts differ."""

    NOTHING = "nothing"  # they read the same
    NUMBERS = "numbers"  # the same template with other numbers
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What two texts must share to be duplicates.

    threshold: the least similarity, from 0 to 1.
    distinct_numbers: keep texts apart that differ in their numbers, such as two products or two days' prices.
    Raises InputError for a threshold out of range.
    """

    threshold: float = DEFAULT_THRESHOLD
    distinct_numbers: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise InputError(f"a threshold of {self.threshold} is out of range: give 0 to 1, such as 0.5")

    def confirms(self, found: "Overlap") -> bool:
        """Whether texts with this overlap are duplicates."""
        apart = self.distinct_numbers and found.differs is Differs.NUMBERS
        return found.similarity >= self.threshold and not apart


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one text brings to a comparison.

    shingles: codes of the different runs of 5 characters, ascending: uint64, shape (n,). A shorter text is one run.
    numbers: each run of digits, and how often it occurs.
    """

    normalised: str
    shingles: NDArray[np.uint64]
    numbers: Counter[str]


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much two texts share; all from 0 to 1.

    jaccard: shared shingles of all; containment: shared ones of the smaller text's.
    similarity: shared ones of the geometric mean of both texts' (their cosine), which the threshold applies to. It
        lies between the two: of texts of one length, 0.5 is a Jaccard of 1/3; a text inside another has the square
        root of their ratio.
    """

    jaccard: float
    containment: float
    similarity: float
    differs: Differs


def gather(text: str) -> Evidence:
    """The evidence in a text as it was read. White space is left out of shingles."""
    normalised = normalise(text)
    points = np.frombuffer(normalised.replace(" ", "").encode("utf-32-le"), dtype="<u4").astype(np.uint32, copy=False)
    size = min(_SIZE, len(points))
    shingles = np.unique(hash_ngrams(points, size)) if size else np.empty(0, np.uint64)
    return Evidence(normalised, shingles, Counter(_NUMBER.findall(normalised)))


def overlap(a: Evidence, b: Evidence) -> Overlap:
    """How much two texts share (Broder 1997; empty texts share nothing), and in what they differ."""
    smaller, larger = sorted((len(a.shingles), len(b.shingles)))
    if not smaller:
        return Overlap(0.0, 0.0, 0.0, _differs(a, b))
    shared = _shared(a.shingles, b.shingles)
    return Overlap(
        jaccard=shared / (smaller + larger - shared),
        containment=shared / smaller,
        similarity=shared / math.sqrt(smaller * larger),
        differs=_differs(a, b),
    )


def _shared(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> int:
    merged = np.concatenate([a, b])
    merged.sort()
    return int(np.count_nonzero(merged[1:] == merged[:-1]))


def _differs(a: Evidence, b: Evidence) -> Differs:
    if a.normalised == b.normalised:
        return Differs.NOTHING
    return Differs.TEXT if _numbers_agree(a.numbers, b.numbers) else Differs.NUMBERS


def _numbers_agree(a: Counter[str], b: Counter[str]) -> bool:
    fewer = min(a.total(), b.total())
    return (a & b).total() >= _AGREE * fewer
