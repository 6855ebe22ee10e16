"""Texts to weighted features: what a fingerprint is made of."""

import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from esdedup.hashing import hash_feature, hash_ngrams
from esdedup.normalise import normalise
from esdedup.settings import FeatureKind, FeatureSettings
from esdedup.words import load_idf, segmenter, split_words

__all__ = ["FeatureExtractor", "WeightedFeatures"]

_SCALE = 1024  # weights are whole numbers of 1/1024, so that sums are exact in any order
_MAX_VOCABULARY = 500_000
_LEAST_CAP = 2


@dataclass(frozen=True, slots=True)
class WeightedFeatures:
    """The distinct features of one text.

    codes: uint64, shape (n,); weights: whole numbers as float64, shape (n,), n = number of features.
    """

    codes: NDArray[np.uint64]
    weights: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.codes)


class FeatureExtractor:
    """Turns texts into features as the settings say. It caches words, within bounds."""

    def __init__(self, settings: FeatureSettings | None = None) -> None:
        self.settings = settings or FeatureSettings()
        self._cut = segmenter(self.settings.dictionary)
        self._weigh = _idf_weight() if self._uses_idf() else _equal_weight
        self._vocabulary = _Vocabulary(self._weigh)

    def extract(self, normalised: str) -> WeightedFeatures:
        """The features of a text that `normalise` has gone over."""
        if self.settings.kind is FeatureKind.CHARS:
            return self._ngrams(normalised)
        if len(self._vocabulary) > _MAX_VOCABULARY:
            self._vocabulary = _Vocabulary(self._weigh)
        return self._counted(self._tokens(normalised))

    def named(self, text: str) -> dict[str, float]:
        """The features of a text as it was read, by name, with their weights: to show, not to be fast."""
        normalised = normalise(text)
        if self.settings.kind is FeatureKind.CHARS:
            size = min(self.settings.length, len(normalised))
            names = [normalised[i : i + size] for i in range(len(normalised) - size + 1)] if size else []
        else:
            names = [word for words in self._tokens(normalised) for word in words]
        counts = Counter(names)
        cap = self._cap(len(counts))
        return {name: min(count, cap) * self._weigh(name) / _SCALE for name, count in counts.items()}

    def _cap(self, different: int) -> int:
        """How often a feature counts at most, among so many different ones."""
        return max(_LEAST_CAP, round(self.settings.tf_cap * math.sqrt(different)))

    def _uses_idf(self) -> bool:
        return self.settings.idf and self.settings.kind is FeatureKind.WORDS

    def _tokens(self, normalised: str) -> Iterator[list[str]]:
        pieces = split_words(normalised, self._cut)
        return pieces if self.settings.length == 1 else _shingles(pieces, self.settings.length)

    def _counted(self, pieces: Iterator[list[str]]) -> WeightedFeatures:
        lookup = self._vocabulary.__getitem__
        ids = [np.fromiter(map(lookup, words), np.int64, len(words)) for words in pieces]
        distinct, counts = np.unique(np.concatenate([np.empty(0, np.int64), *ids]), return_counts=True)
        weights = np.minimum(counts, self._cap(len(counts))) * self._vocabulary.weights_of(distinct)
        return WeightedFeatures(self._vocabulary.codes_of(distinct), weights)

    def _ngrams(self, normalised: str) -> WeightedFeatures:
        points = np.frombuffer(normalised.encode("utf-32-le"), dtype="<u4").astype(np.uint32)
        size = min(self.settings.length, len(points))
        hashed = hash_ngrams(points, size) if size else np.empty(0, np.uint64)
        codes, counts = np.unique(hashed, return_counts=True)
        return WeightedFeatures(codes, np.minimum(counts, self._cap(len(counts))) * float(_SCALE))


class _Vocabulary(dict[str, int]):
    """Numbers words as they are first seen; keeps each one's code and weight."""

    def __init__(self, weigh: Callable[[str], float]) -> None:
        super().__init__()
        self._weigh = weigh
        self._codes = array("Q")
        self._weights = array("d")

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        self._codes.append(hash_feature(word))
        self._weights.append(self._weigh(word))
        return number

    def codes_of(self, numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
        return np.frombuffer(self._codes or bytes(8), np.uint64)[numbers]

    def weights_of(self, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.frombuffer(self._weights or bytes(8), np.float64)[numbers]


def _shingles(pieces: Iterator[list[str]], size: int) -> Iterator[list[str]]:
    """Runs of `size` words, also across pieces; fewer words are one shingle of their own."""
    first, last = True, list[str]()
    for piece in pieces:
        words = last + piece
        if len(words) >= size:
            yield [" ".join(words[i : i + size]) for i in range(len(words) - size + 1)]
            first, words = False, words[1 - size :]
        last = words
    if first and last:
        yield [" ".join(last)]


def _idf_weight() -> Callable[[str], float]:
    idf = load_idf()
    return lambda word: float(round(idf.of(word) * _SCALE))


def _equal_weight(_: str) -> float:
    return float(_SCALE)
