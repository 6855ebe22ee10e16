"""Texts to weighted features: what a fingerprint is made of."""

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

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

__all__ = ["FeatureExtractor", "TextFeatures"]

_MAX_VOCABULARY = 500_000


class TextFeatures(NamedTuple):
    """The distinct features of the first text, the second, ...

    codes: uint64, shape (n,); weights: whole numbers as float64, shape (n,), n = number of features.
    bounds: where the texts begin and end among them, one more than texts.
    """

    codes: NDArray[np.uint64]
    weights: NDArray[np.float64]
    bounds: NDArray[np.int64]


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

    def extract(self, normalised: Normalised) -> tuple[TextFeatures, NDArray[np.int64]]:
        """The features of each text, and how many of them are words, shingles or runs.

        The others are single characters beside the words.
        """
        if self._segmenter is None:
            found = self._ngrams(normalised)
        else:
            found = self._weighted(self._counted_words(normalised, self._segmenter), self._vocabulary)
        words = np.diff(found.bounds)
        if self._characters is not None:
            found = _joined(found, self._weighted(self._characters.count(normalised), self._characters))
        return found._replace(weights=self._weights.limit_each(found.weights, found.bounds)), words

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

    def _weighted(self, counted: TextCounts, table: Vocabulary | Characters) -> TextFeatures:
        codes, weights = table.codes_of(counted.values), table.weights_of(counted.values)
        return TextFeatures(codes, weights * self._weights.of_counts(counted.counts), counted.bounds)

    def _ngrams(self, normalised: Normalised) -> TextFeatures:
        points, ends, _ = normalised
        hashed = hash_ngrams(points, self.settings.length)
        counted = []
        for start, end in zip((ends[:-1] + 1).tolist(), ends[1:].tolist(), strict=True):
            size = min(self.settings.length, end - start)
            whole = size == self.settings.length
            runs = hashed[start : end - size + 1] if whole else hash_ngrams(points[start:end], size)
            counted.append(count_distinct(runs))
        codes = np.concatenate([np.empty(0, np.uint64), *(codes for codes, _ in counted)])
        counts = np.concatenate([np.empty(0, np.int64), *(counts for _, counts in counted)])
        bounds = np.cumsum([0, *(len(codes) for codes, _ in counted)])
        return TextFeatures(codes, self._weights.of_counts(counts) * self._weights.of_no_idf(), bounds)


def _joined(one: TextFeatures, other: TextFeatures) -> TextFeatures:
    """Of each text the features of the one, then those of the other."""
    if not len(other.codes):
        return one
    bounds = one.bounds + other.bounds
    codes, weights = np.empty(bounds[-1], np.uint64), np.empty(bounds[-1])
    for part, before in ((one, other.bounds[:-1]), (other, one.bounds[1:])):
        places = np.arange(len(part.codes)) + before.repeat(np.diff(part.bounds))
        codes[places], weights[places] = part.codes, part.weights
    return TextFeatures(codes, weights, bounds)
