"""Texts to weighted features: what a fingerprint is made of."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from esdedup.characters import Characters
from esdedup.counting import TextCounts, count_by_text, count_distinct
from esdedup.hashing import hash_feature, hash_ngrams
from esdedup.idf import load_idf
from esdedup.normalise import Normalised, normalise
from esdedup.segmenting import Segmenter
from esdedup.settings import FeatureKind, FeatureSettings
from esdedup.shingling import shingles
from esdedup.vocabulary import Vocabulary
from esdedup.weights import Weights
from esdedup.words import split_words

__all__ = ["FeatureExtractor", "WeightedFeatures"]

_MAX_VOCABULARY = 500_000

_CodesAndWeights = tuple[NDArray[np.uint64], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class WeightedFeatures:
    """The distinct features of one text.

    codes: uint64, shape (n,); weights: whole numbers as float64, shape (n,), n = number of features.
    words: how many of the features are words, shingles or runs, and not single characters beside the words.
    """

    codes: NDArray[np.uint64]
    weights: NDArray[np.float64]
    words: int


class FeatureExtractor:
    """Turns texts into features as the settings say. It caches words, within bounds."""

    def __init__(self, settings: FeatureSettings | None = None) -> None:
        self.settings = settings or FeatureSettings()
        kind, dictionary = self.settings.kind, self.settings.dictionary
        self._weights = Weights(self.settings)
        self._idf = load_idf() if self.settings.uses_idf else None
        self._vocabulary = Vocabulary(self._weigh)
        self._segmenter = None if kind is FeatureKind.CHARS else Segmenter(dictionary)
        self._characters = Characters(self._weights) if kind is FeatureKind.MIXED else None

    def extract(self, normalised: Normalised) -> list[WeightedFeatures]:
        """The features of each text."""
        if self._segmenter is None:
            by_text = list(self._ngrams(normalised))
        else:
            by_text = self._weighted(self._counted_words(normalised, self._segmenter), self._vocabulary)
        words = [len(codes) for codes, _ in by_text]
        if self._characters is not None:
            characters = self._weighted(self._characters.count(normalised), self._characters)
            by_text = list(map(_join, by_text, characters))
        limit = self._weights.limit
        return [WeightedFeatures(codes, limit(weights), n) for (codes, weights), n in zip(by_text, words, strict=True)]

    def named(self, text: str) -> dict[str, float]:
        """The features of a text as it was read, by name, with their weights: to show, not to be fast.

        A single character that counts beside the words is named with a dot before it.
        """
        normalised = normalise(text)
        counts = Counter(self._names(normalised))
        codes = np.fromiter(map(hash_feature, counts), np.uint64, len(counts))
        named = self._named(counts, self._weigh(list(counts), codes))
        if self._characters is not None:
            counts = Counter(self._characters.names(normalised))
            named |= self._named(counts, map(self._characters.weight_of, counts))
        weights = np.fromiter(named.values(), np.float64, len(named))
        limited = self._weights.limit(weights)
        return dict(zip(named, (limited / self._weights.unit).tolist(), strict=True))

    def _names(self, normalised: str) -> list[str]:
        size = self.settings.length
        if self._segmenter is None:
            size = min(size, len(normalised))
            return [normalised[i : i + size] for i in range(len(normalised) - size + 1)] if size else []
        words = list(chain.from_iterable(split_words(normalised, self._segmenter.cut)))
        runs = [words[i : i + size] for i in range(len(words) - size + 1)] or [words] * bool(words)
        return list(map(" ".join, runs))

    def _named(self, counts: Counter[str], weights: Iterable[float]) -> dict[str, float]:
        counted = self._weights.of_counts(np.fromiter(counts.values(), np.int64, len(counts))).tolist()
        return {name: count * weight for name, count, weight in zip(counts, counted, weights, strict=True)}

    def _weigh(self, words: list[str], codes: NDArray[np.uint64]) -> Iterable[float]:
        if self._idf is None:
            return [self._weights.of_no_idf()] * len(words)
        return map(self._weights.of_idf, self._idf.of_all(words, codes))

    def _counted_words(self, normalised: Normalised, segmenter: Segmenter) -> TextCounts:
        if len(self._vocabulary) > _MAX_VOCABULARY:
            self._vocabulary = Vocabulary(self._weigh)
        parts = (
            (self._vocabulary.numbers(part.keys, part.spell), part.counts)
            for part in shingles(normalised, segmenter, self.settings.length)
        )
        return count_by_text(parts, len(normalised.ends) - 1)

    def _weighted(self, counted: TextCounts, table: Vocabulary | Characters) -> list[_CodesAndWeights]:
        """Of each text."""
        codes, weights = table.codes_of(counted.values), table.weights_of(counted.values)
        weights *= self._weights.of_counts(counted.counts)
        return [(codes[start:end], weights[start:end]) for start, end in pairwise(counted.bounds.tolist())]

    def _ngrams(self, normalised: Normalised) -> Iterator[_CodesAndWeights]:
        points, ends, _ = normalised
        hashed = hash_ngrams(points, self.settings.length)
        for start, end in zip((ends[:-1] + 1).tolist(), ends[1:].tolist(), strict=True):
            size = min(self.settings.length, end - start)
            whole = size == self.settings.length
            runs = hashed[start : end - size + 1] if whole else hash_ngrams(points[start:end], size)
            codes, counts = count_distinct(runs)
            yield codes, self._weights.of_counts(counts) * self._weights.of_no_idf()


def _join(one: _CodesAndWeights, other: _CodesAndWeights) -> _CodesAndWeights:
    return np.concatenate([one[0], other[0]]), np.concatenate([one[1], other[1]])
