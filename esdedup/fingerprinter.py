"""Weighted 64-bit SimHash (Charikar, STOC 2002; for web pages Manku, Jain, Das Sarma, WWW 2007)."""

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from esdedup.document import Status
from esdedup.features import FeatureExtractor, TextFeatures
from esdedup.hashing import hash_feature
from esdedup.normalise import normalise_all
from esdedup.settings import FeatureSettings

__all__ = [
    "Fingerprinter",
    "Sketch",
    "blocks",
    "fingerprint",
    "fingerprints",
    "from_hex",
    "lanes",
    "simhash",
    "to_hex",
]

_FEW = 25_000  # characters
_FEW_TEXTS = 64  # each takes 16 kB, however short
_EXACT_BITS = 50  # whole numbers below 2^50 add up exactly in float64


class Sketch(NamedTuple):
    """What is kept of a text to find its duplicates.

    fingerprint: 64-bit SimHash; digest: 32 hex digits, equal for texts that read the same;
    features: how many distinct words (shingles, runs of characters) there were.
    """

    fingerprint: int
    digest: str
    status: Status
    features: int


class Fingerprinter:
    """Makes sketches of texts under one set of feature settings. It remembers words: each thread needs its own."""

    def __init__(self, settings: FeatureSettings | None = None) -> None:
        self.settings = settings or FeatureSettings()
        self._extractor = FeatureExtractor(self.settings)

    def sketch(self, text: str) -> Sketch:
        """Fingerprint, digest and status of one text as it was read."""
        return self._sketch([text])[0]

    def sketches(self, texts: Iterable[str]) -> list[Sketch]:
        """One sketch a text, in order."""
        return [sketch for few in _few(texts) for sketch in self._sketch(few)]

    def _sketch(self, texts: list[str]) -> list[Sketch]:
        normalised = normalise_all(texts)
        features, words = self._extractor.extract(normalised)
        found = zip(_simhashes(features), normalised.texts(), words.tolist(), strict=True)
        return [Sketch(value, _digest(text), self._status(count), count) for value, text, count in found]

    def features(self, text: str) -> dict[str, float]:
        """Feature to weight, to show what a fingerprint is made of."""
        return self._extractor.named(text)

    def _status(self, features: int) -> Status:
        if features == 0:
            return Status.EMPTY
        return Status.TOO_SHORT if features < self.settings.short_below else Status.OK


def simhash(features: Mapping[str, float] | Mapping[int, float] | Mapping[str | int, float]) -> int:
    """The fingerprint of weighted features: the sign of the weighted vote on each bit.

    features: feature to weight, any finite size and sign. A string is hashed; an int is a ready 64-bit code
    (`enumerated_codes`, `chinese_string_code`). The order of the features makes no difference.
    Raises ValueError for a weight that is not finite. Without features the fingerprint is 0.
    """
    codes = [hash_feature(f) if isinstance(f, str) else f & 0xFFFF_FFFF_FFFF_FFFF for f in features]
    weights = np.fromiter(features.values(), np.float64, len(features))
    if not np.isfinite(weights).all():
        raise ValueError("the weights of features must be finite numbers")
    # Scaled by a power of two and rounded, sums are exact, hence free of order.
    _, exponent = math.frexp(np.abs(weights).max(initial=0.0))
    exact = np.rint(np.ldexp(weights, _EXACT_BITS - exponent - len(features).bit_length()))
    return _simhashes(TextFeatures(np.array(codes, np.uint64), exact, np.array([0, len(codes)])))[0]


def fingerprint(text: str, settings: FeatureSettings | None = None) -> int:
    """The 64-bit fingerprint of one text, 0 when it has no features."""
    return Fingerprinter(settings).sketch(text).fingerprint


def fingerprints(texts: Iterable[str], settings: FeatureSettings | None = None) -> NDArray[np.uint64]:
    """The fingerprints of many texts: uint64, shape (number of texts,)."""
    fingerprinter = Fingerprinter(settings)
    return np.array([sketch.fingerprint for sketch in fingerprinter.sketches(texts)], np.uint64)


def to_hex(value: int) -> str:
    """A fingerprint as 16 lower-case hex digits."""
    return f"{value:016x}"


def from_hex(digits: str) -> int:
    """The fingerprint that 16 hex digits stand for. Raises ValueError for anything else."""
    if len(digits) != 16 or not set(digits) <= set("0123456789abcdefABCDEF"):
        raise ValueError(f"a fingerprint is 16 hex digits, not {digits!r}")
    return int(digits, 16)


def blocks(value: int) -> tuple[str, str, str, str]:
    """The four 16-bit blocks of a fingerprint, most significant first, 4 hex digits each."""
    digits = to_hex(value)
    return digits[:4], digits[4:8], digits[8:12], digits[12:]


def lanes(value: int) -> list[str]:
    """The eight bytes of a fingerprint as terms: position and 2 hex digits."""
    digits = to_hex(value)
    return [f"{i}{digits[2 * i : 2 * i + 2]}" for i in range(8)]


def _few(texts: Iterable[str]) -> Iterator[list[str]]:
    """Some neighbours at a time: they share the cost of numpy's calls, and their arrays stay in the cache."""
    few, characters = list[str](), 0
    for text in texts:
        if few and (characters + len(text) > _FEW or len(few) == _FEW_TEXTS):
            yield few
            few, characters = [], 0
        few.append(text)
        characters += len(text)
    if few:
        yield few


def _simhashes(texts: TextFeatures) -> list[int]:
    """One fingerprint a text: a bit is set when more than half of the weight is for it.

    Weights are summed by the values of each of the eight bytes, and these sums by the bits that the values have.
    """
    codes, weights, bounds = texts
    count = len(bounds) - 1
    values = codes.astype(">u8").view(np.uint8).reshape(-1, 8)
    rows = (np.arange(count) * 256).repeat(np.diff(bounds))
    sums = [np.bincount(rows + values[:, byte], weights, 256 * count).reshape(count, 256) for byte in range(8)]
    ayes = np.stack(sums, axis=1) @ _bits_of_bytes()
    totals = np.diff(np.concatenate([[0.0], weights.cumsum()]).take(bounds))
    packed = np.packbits(2 * ayes.reshape(count, 64) > totals[:, None], axis=1)
    found: list[int] = packed.view(">u8").ravel().tolist()
    return found


@cache
def _bits_of_bytes() -> NDArray[np.float64]:
    """The bits of 0 to 255, most significant first: shape (256, 8)."""
    return np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float64)


def _digest(normalised: str) -> str:
    return hashlib.blake2b(normalised.encode(), digest_size=16).hexdigest()
