"""What can be set about a fingerprint. Two indexes are comparable when their stamps are equal."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from esdedup.errors import InputError

__all__ = ["DEFAULT_K", "MAX_K", "FeatureKind", "FeatureSettings"]

DEFAULT_K = 3
#: Look-ups from four blocks keep full recall up to this distance (design: pigeonhole with r = k // 4 <= 2).
MAX_K = 11

_REVISION = 1  # raise it when the same settings start to give other fingerprints


class FeatureKind(StrEnum):
    """What is counted in a text."""

    WORDS = "words"
    SHINGLES = "shingles"  # runs of `size` words
    CHARS = "chars"  # runs of `size` characters


_DEFAULT_SIZE = {FeatureKind.WORDS: 1, FeatureKind.SHINGLES: 3, FeatureKind.CHARS: 4}
_NO_CAP = 1e9  # no text repeats a feature so often


@dataclass(frozen=True)
class FeatureSettings:
    """How a text becomes weighted features.

    kind: words, shingles (runs of words) or chars (runs of characters).
    size: length of a run; 0 takes the kind's default (1 word, 3 words, 4 characters).
    tf_cap: a feature counts at most this many times the square root of the number of different features, so
    that a repeated token weighs no more than the chance of all others together, and decides no fingerprint.
    At most 1e9, which is no cap at all.
    idf: weigh words by rarity (jieba's table; words it does not know get its median). Only for words.
    dictionary: a user dictionary in jieba's format; jieba itself then segments instead of rjieba.
    short_below: texts with fewer features are `too_short`: duplicates of equal texts only.
    """

    kind: FeatureKind = FeatureKind.WORDS
    size: int = 0
    tf_cap: float = 1.0
    idf: bool = True
    dictionary: Path | None = None
    short_below: int = 8

    def __post_init__(self) -> None:
        if self.size < 0 or not 0 < self.tf_cap <= _NO_CAP or self.short_below < 0:
            values = f"size {self.size}, tf cap {self.tf_cap}, short below {self.short_below}"
            raise InputError(f"feature settings out of range: {values}")

    @property
    def length(self) -> int:
        """Words or characters in one feature."""
        return self.size or _DEFAULT_SIZE[self.kind]

    @cached_property
    def stamp(self) -> str:
        """One line that differs whenever fingerprints could: it is stored with every document."""
        weights = "-idf" if self.idf and self.kind is FeatureKind.WORDS else ""
        words = "" if self.kind is FeatureKind.CHARS else f"-{self._segmentation()}"
        cap = repr(float(self.tf_cap)).removesuffix(".0")
        features = f"{self.kind}{self.length}-tf{cap}{weights}{words}"
        return f"simhash64-r{_REVISION}-{features}-min{self.short_below}"

    def _segmentation(self) -> str:
        if self.dictionary is None:
            return "rjieba"
        try:
            content = self.dictionary.read_bytes()
        except OSError as error:
            raise InputError(f"cannot read the dictionary {self.dictionary}: {error.strerror}") from error
        return f"jieba+{hashlib.blake2b(content, digest_size=4).hexdigest()}"
