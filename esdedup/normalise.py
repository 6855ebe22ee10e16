"""Fold away what readers do not see as a difference. For features and digests only, never for stored text."""

import re
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["END", "HAN", "Normalised", "are_han", "count_invisible", "normalise", "normalise_all", "to_text"]

#: Character class (for use inside `[]`) of Chinese characters.
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"

#: Stands between texts: one more than the last code point.
END = sys.maxunicode + 1

_CHUNK = 1 << 16
_BLANK = ord(" ")
_Entry = TypeVar("_Entry", np.uint32, np.bool_)

_MARKS = 30
_DROP = 0  # U+0000 marks a dropped character
# Where single characters may fold to others: the first two planes without ideographs, Korean syllables and private use;
# compatibility ideographs; tags.
_FOLDED = (
    *(range(0x3400), range(0xA000, 0xAC00), range(0xD7A4, 0xE000), range(0xF900, 0x20000)),
    *(range(0x2F800, 0x2FA20), range(0xE0000, 0xE0200)),
)
_JAMO = range(0x1160, 0x1200)  # vowels and finals that join the letter before them


class Normalised(NamedTuple):
    """Texts that `normalise` has gone over.

    points: code points, uint32; END, the first text, END, the second, ..., END. ends: where each END stands, one more
    than texts. text: the same points as a string, with something else for END.
    """

    points: NDArray[np.uint32]
    ends: NDArray[np.int64]
    text: str

    def texts(self) -> list[str]:
        """Each text as `normalise` gives it."""
        return [self.text[before + 1 : end] for before, end in pairwise(self.ends.tolist())]


def normalise(text: str) -> str:
    """The text with width, case, script, invisible characters and white space folded.

    NFKC; lower case; traditional to simplified Chinese, character by character (pairs from OpenCC);
    format and control characters, variation selectors and lone surrogates dropped; runs of white space
    become one blank, and none between two Chinese characters; of more than 30 combining marks in a row
    the first 30 count. "a bcd" and "ab cd" stay different.
    """
    return normalise_all([text]).text[1:-1]


def normalise_all(texts: Sequence[str]) -> Normalised:
    """The same for many texts, which share the cost of numpy's calls: a few at once stay in the cache."""
    points, ends = _joined(texts)
    joining = _look_up(_needs_neighbours(), points).nonzero()[0]
    if len(joining):
        composed = list(texts)
        for place in np.unique(np.searchsorted(ends, joining) - 1).tolist():
            composed[place] = _compose(texts[place])
        points, ends = _joined(composed)
    folded = _look_up(_folded(), points)
    del points  # four bytes a character
    folded[ends] = END
    folded = _fold_blanks(_without_dropped(folded))
    ends = (folded == END).nonzero()[0]
    folded[ends] = _BLANK
    text = to_text(folded)
    folded[ends] = END
    return Normalised(folded, ends, text)


def to_text(points: NDArray[np.uint32]) -> str:
    """Code points as a string."""
    return str(points.data, "utf-32-le")


def count_invisible(text: str) -> int:
    """How many characters of `text` leave no mark on paper: format characters and variation selectors."""
    return sum(unicodedata.category(c) == "Cf" or _is_variation_selector(ord(c)) for c in text)


def _joined(texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Code points with one more before, between and after the texts, and where those stand."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    return _code_points("\0".join(["", *texts, ""])), np.concatenate([[0], np.cumsum(lengths + 1)])


def _compose(text: str) -> str:
    """The text with what cannot be folded character by character done: the others fold as before."""
    points = _code_points(text)
    # A hidden character may part a mark from its letter, and some marks join only the small letter.
    visible = points[_folded().take(points) != _DROP]
    joined = unicodedata.normalize("NFKC", to_text(_cut_marks(visible)))
    folded = _without_dropped(_folded().take(_code_points(joined)))
    return unicodedata.normalize("NFKC", to_text(folded))


def _look_up(table: NDArray[_Entry], points: NDArray[np.uint32]) -> NDArray[_Entry]:
    """`table[points]`, without numpy's eight bytes for each of many points."""
    if len(points) <= _CHUNK:
        return table.take(points)
    found = np.empty(len(points), table.dtype)
    for at in range(0, len(points), _CHUNK):
        found[at : at + _CHUNK] = table.take(points[at : at + _CHUNK])
    return found


def _without_dropped(folded: NDArray[np.uint32]) -> NDArray[np.uint32]:
    return folded if folded.all() else folded[folded != _DROP]


def _fold_blanks(points: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """One blank of each run, and none beside END or between two Chinese characters."""
    blanks = (points == _BLANK).nonzero()[0]
    repeated = blanks[points.take(blanks - 1) == _BLANK]
    if len(repeated):
        points = _without(points, repeated)
        blanks = (points == _BLANK).nonzero()[0]
    before, after = points.take(blanks - 1), points.take(blanks + 1)
    needless = blanks[(before == END) | (after == END) | are_han().take(before) & are_han().take(after)]
    del blanks, before, after  # of long texts much
    return _without(points, needless) if len(needless) else points


def _without(points: NDArray[np.uint32], places: NDArray[np.int64]) -> NDArray[np.uint32]:
    kept = np.ones(len(points), np.bool_)
    kept[places] = False
    return points[kept]


def _cut_marks(points: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """At most 30 marks in a row, as in Unicode's stream-safe format: NFKC is quadratic in their number."""
    are_marks = _are_marks().take(points)
    if not are_marks.any():
        return points
    places = np.arange(len(points), dtype=np.int32)
    letters = np.maximum.accumulate(np.where(are_marks, -1, places))
    return points[places - letters <= _MARKS]


def _code_points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


@cache
def are_han() -> NDArray[np.bool_]:
    """Which code points are Chinese characters; END is none."""
    is_han = np.zeros(END + 1, np.bool_)
    for first, last in re.findall("(.)-(.)", HAN):
        is_han[ord(first) : ord(last) + 1] = True
    return is_han


@cache
def _folded() -> NDArray[np.uint32]:
    """For every code point the one it folds to, or 0."""
    pairs = resources.files("esdedup").joinpath("data/simplified.txt").read_text("utf-8").split()
    simplified = {pair[0]: pair[1] for pair in pairs}
    table = np.arange(END, dtype="<u4")
    for codes in _FOLDED:
        table[codes.start : codes.stop] = [_fold_one(chr(code), simplified) for code in codes]
    for traditional in simplified:
        table[ord(traditional)] = _fold_one(traditional, simplified)
    return table


@cache
def _needs_neighbours() -> NDArray[np.bool_]:
    """Which code points NFKC cannot fold one by one: they become several, or join the one before."""
    return _table(_is_not_alone)


@cache
def _are_marks() -> NDArray[np.bool_]:
    """Which code points are, or become, marks that NFKC sorts."""
    return _table(lambda normal: unicodedata.combining(normal[0]) > 0)


def _table(is_so: Callable[[str], bool]) -> NDArray[np.bool_]:
    """For every code point whether it is so for its NFKC form."""
    table = np.zeros(END, dtype=np.bool_)
    for codes in _FOLDED:
        table[codes.start : codes.stop] = [is_so(unicodedata.normalize("NFKC", chr(c))) for c in codes]
    return table


def _is_not_alone(normal: str) -> bool:
    return len(normal) > 1 or ord(normal) in _JAMO or unicodedata.category(normal).startswith("M")


def _fold_one(character: str, simplified: Mapping[str, str]) -> int:
    character = unicodedata.normalize("NFKC", character)[0]
    if character.isspace():
        return ord(" ")
    if unicodedata.category(character) in ("Cc", "Cf", "Cs") or _is_variation_selector(ord(character)):
        return _DROP
    lower = character.lower()[0]
    simple = simplified.get(lower, lower)
    return ord(simplified.get(simple, simple))  # one simple form, U+82E7, is traditional too


def _is_variation_selector(code: int) -> bool:
    return 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF
