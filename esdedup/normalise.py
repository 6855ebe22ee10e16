"""Fold away what readers do not see as a difference. For features and digests only, never for stored text."""

import re
import sys
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

__all__ = ["HAN", "count_invisible", "normalise"]

#: Character class (for use inside `[]`) of Chinese characters.
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"

_BETWEEN_HAN = re.compile(f" (?=[{HAN}])(?<=[{HAN}] )")  # the blank first: it is what is searched for
_SPACES = re.compile(r" {2,}")
_MARKS = 30
_DROP = 0  # U+0000 marks a dropped character
# Where single characters fold to others: the first two planes, compatibility ideographs, tags.
_FOLDED = (range(0x20000), range(0x2F800, 0x2FA20), range(0xE0000, 0xE0200))
_JAMO = range(0x1160, 0x1200)  # vowels and finals that join the letter before them


def normalise(text: str) -> str:
    """The text with width, case, script, invisible characters and white space folded.

    NFKC; lower case; traditional to simplified Chinese, character by character (pairs from OpenCC);
    format and control characters, variation selectors and lone surrogates dropped; runs of white space
    become one blank, and none between two Chinese characters; of more than 30 combining marks in a row
    the first 30 count. "a bcd" and "ab cd" stay different.
    """
    folded = _fold(text)
    if "  " in folded:
        folded = _SPACES.sub(" ", folded)
    return _BETWEEN_HAN.sub("", folded).strip()


def count_invisible(text: str) -> int:
    """How many characters of `text` leave no mark on paper: format characters and variation selectors."""
    return sum(unicodedata.category(c) == "Cf" or _is_variation_selector(ord(c)) for c in text)


def _fold(text: str) -> str:
    if text.isascii():  # without four bytes a character, as numpy needs
        return str(text.encode().translate(*_ascii()), "ascii")
    points = _code_points(text)
    if not _needs_neighbours()[points].any():
        return _fold_each(points)
    # A hidden character may part a mark from its letter, and some marks join only the small letter.
    visible = points[_folded()[points] != _DROP]
    joined = unicodedata.normalize("NFKC", _to_text(_cut_marks(visible)))
    return unicodedata.normalize("NFKC", _fold_each(_code_points(joined)))


def _cut_marks(points: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """At most 30 marks in a row, as in Unicode's stream-safe format: NFKC is quadratic in their number."""
    are_marks = _are_marks()[points]
    if not are_marks.any():
        return points
    places = np.arange(len(points), dtype=np.int32)
    letters = np.maximum.accumulate(np.where(are_marks, -1, places))
    return points[places - letters <= _MARKS]


def _fold_each(points: NDArray[np.uint32]) -> str:
    folded = _folded()[points]
    return _to_text(folded if folded.all() else folded[folded != _DROP])


def _code_points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _to_text(points: NDArray[np.uint32]) -> str:
    return str(points.data, "utf-32-le")


@cache
def _folded() -> NDArray[np.uint32]:
    """For every code point the one it folds to, or 0."""
    pairs = resources.files("esdedup").joinpath("data/simplified.txt").read_text("utf-8").split()
    simplified = {pair[0]: pair[1] for pair in pairs}
    table = np.arange(sys.maxunicode + 1, dtype="<u4")
    for codes in _FOLDED:
        table[codes.start : codes.stop] = [_fold_one(chr(code), simplified) for code in codes]
    for traditional in simplified:
        table[ord(traditional)] = _fold_one(traditional, simplified)
    return table


@cache
def _ascii() -> tuple[bytes, bytes]:
    """What each byte of ASCII folds to, and which of them are dropped."""
    folded = bytes(_folded()[:128].tolist())
    return folded + bytes(128), bytes(code for code in range(128) if folded[code] == _DROP)


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
    table = np.zeros(sys.maxunicode + 1, dtype=np.bool_)
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
