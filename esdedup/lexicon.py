"""jieba's dictionary in arrays: how likely each word is, and which beginnings lead to a word."""

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from esdedup.hashing import GOLDEN
from esdedup.idf import jieba_file
from esdedup.normalise import END
from esdedup.numbering import Numbering

__all__ = ["Lexicon", "load_lexicon"]

_LINE_END, _BLANK, _ZERO = 10, 32, 48


class Lexicon(NamedTuple):
    """Words of one character by their code point, and beginnings of longer words by their keys.

    beginnings: numbers the keys of the first 2, 3, ... characters of words; the key of a beginning is that of what
        stands before its last character, times GOLDEN, plus this character.
    likely: by these numbers the logarithm of the share of the word; -inf for what only begins words.
    single: the same by code point; what is no word is as likely as a word that was seen once.
    is_single, begins, follows: by code point, whether the character is a word, the first of a longer one, the second.
    """

    beginnings: Numbering
    likely: NDArray[np.float64]
    single: NDArray[np.float64]
    is_single: NDArray[np.bool_]
    begins: NDArray[np.bool_]
    follows: NDArray[np.bool_]


@cache
def load_lexicon() -> Lexicon:
    """The dictionary of the installed jieba. Raises InputError where there is none. Takes a quarter of a second."""
    points = np.frombuffer(jieba_file("dict.txt").encode("utf-32-le"), dtype="<u4")
    starts, ends, counts = _read_lines(points)
    total = math.log(counts.sum())
    alone = ends - starts == 1
    single = np.zeros(END + 1)
    single[points[starts[alone]]] = counts[alone]
    beginnings, likely = _beginnings(points, starts[~alone], ends[~alone], counts[~alone])
    with np.errstate(divide="ignore"):
        likely = np.log(likely) - total
    single_likely = np.log(np.maximum(single, 1)) - total
    begins, follows = (_marked(points[starts[~alone] + place]) for place in (0, 1))
    return Lexicon(beginnings, likely, single_likely, single > 0, begins, follows)


def _marked(points: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which code points are among these."""
    marked = np.zeros(END + 1, np.bool_)
    marked[points] = True
    return marked


def _read_lines(points: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Where the words begin and end, and their counts, from lines of word, count and kind with a blank between."""
    line_ends, blanks = np.flatnonzero(points == _LINE_END), np.flatnonzero(points == _BLANK)
    starts = np.concatenate([[0], line_ends[:-1] + 1])
    first = np.searchsorted(blanks, starts)
    ends, counts_end = blanks[first], blanks[first + 1]
    counts = np.zeros(len(starts))
    for place in range(1, int((counts_end - ends).max())):
        rows = np.flatnonzero(ends + place < counts_end)
        counts[rows] = 10 * counts[rows] + points[ends[rows] + place] - _ZERO
    return starts, ends, counts


def _beginnings(
    points: NDArray[np.uint32], starts: NDArray[np.int64], ends: NDArray[np.int64], counts: NDArray[np.float64]
) -> tuple[Numbering, NDArray[np.float64]]:
    """All beginnings of words, and the counts of those that are words."""
    beginnings = Numbering()
    likely: list[NDArray[np.float64]] = [np.zeros(1)]
    keys = points[starts].astype(np.uint64)
    while len(starts):
        starts = starts + 1
        keys = keys * np.uint64(GOLDEN) + points[starts]
        distinct, inverse = np.unique(keys, return_inverse=True)
        beginnings.add(distinct)
        is_word = starts + 1 == ends
        likely.append(np.bincount(inverse[is_word], counts[is_word], len(distinct)).astype(np.float64, copy=False))
        rest = ~is_word
        starts, ends, keys, counts = starts[rest], ends[rest], keys[rest], counts[rest]
    return beginnings, np.concatenate(likely)
