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

_REVISION = 2  # raise it when the same settings start to give other fingerprints


class FeatureKind(StrEnum):
    """What is counted in a text."""

    MIXED = "mixed"  # words, and the single characters of Chinese
    WORDS = "words"
    SHINGLES = "shingles"  # runs of `size` words
    CHARS = "chars"  # runs of `size` characters


_DEFAULT_SIZE = {FeatureKind.MIXED: 1, FeatureKind.WORDS: 1, FeatureKind.SHINGLES: 3, FeatureKind.CHARS: 4}
_MOST = 3.0  # of an exponent


@dataclass(frozen=True)
class FeatureSettings:
    """How a text becomes weighted features. A feature weighs tf**tf_power x idf**idf_power.

    kind: words with the single characters of Chinese (mixed), words alone, shingles (runs of words), or chars (runs
        of characters).
    size: length of a run; 0 takes the kind's default (1 word, 3 words, 4 characters).
    tf_power: more than 1 gives weight to what a text is about, which edits hardly change; 0 ignores repetition.
    max_share: no feature has more than this share of the weight of all (of d features: than 2 / d, if that is more),
        so that a token repeated without end decides no fingerprint.
    idf_power: how far rare words and characters count more; 0 makes all equal. Only for mixed, and words of size 1.
    dictionary: a user dictionary in jieba's format; jieba itself then segments instead of rjieba.
    short_below: texts with fewer words (shingles, runs) are `too_short`: duplicates of equal texts only.
    """

    kind: FeatureKind = FeatureKind.MIXED
    size: int = 0
    tf_power: float = 1.15
    max_share: float = 0.1
    idf_power: float = 0.35
    dictionary: Path | None = None
    short_below: int = 8

    def __post_init__(self) -> None:
        powers = (self.tf_power, self.idf_power)
        possible = self.size >= 0 and self.short_below >= 0 and 0 < self.max_share <= 1
        if not possible or not all(0 <= power <= _MOST for power in powers):
            values = f"size {self.size}, powers {powers}, max share {self.max_share}, short below {self.short_below}"
            raise InputError(f"feature settings out of range: {values}")

    @property
    def length(self) -> int:
        """Words or characters in one feature."""
        return self.size or _DEFAULT_SIZE[self.kind]

    @property
    def uses_idf(self) -> bool:
        """Whether rare features weigh more."""
        single_words = self.kind is FeatureKind.WORDS and self.length == 1
        return self.idf_power > 0 and (single_words or self.kind is FeatureKind.MIXED)

    @cached_property
    def stamp(self) -> str:
        """One line that differs whenever fingerprints could: it is stored with every document."""
        weights = f"-idf{_short(self.idf_power)}" if self.uses_idf else ""
        words = "" if self.kind is FeatureKind.CHARS else f"-{self._segmentation()}"
        counts = f"tf{_short(self.tf_power)}-max{_short(self.max_share)}"
        return f"simhash64-r{_REVISION}-{self.kind}{self.length}-{counts}{weights}{words}-min{self.short_below}"

    def _segmentation(self) -> str:
        if self.dictionary is None:
            return "rjieba"
        try:
            content = self.dictionary.read_bytes()
        except OSError as error:
            raise InputError(f"cannot read the dictionary {self.dictionary}: {error.strerror}") from error
        return f"jieba+{hashlib.blake2b(content, digest_size=4).hexdigest()}"


def _short(power: float) -> str:
    return repr(float(power)).removesuffix(".0")
