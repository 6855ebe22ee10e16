"""Texts to weighted features: what a fingerprint is made of."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from esdedup.characters import Characters
from esdedup.hashing import count_distinct, hash_feature, hash_ngrams
from esdedup.idf import load_idf
from esdedup.normalise import normalise
from esdedup.settings import FeatureKind, FeatureSettings
from esdedup.weights import Weights
from esdedup.words import is_word, segmenter, split_tokens, split_words

__all__ = ["FeatureExtractor", "WeightedFeatures"]

_MAX_VOCABULARY = 500_000
_NONE = np.empty(0, np.int64)

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

    def __len__(self) -> int:
        return len(self.codes)


class FeatureExtractor:
    """Turns texts into features as the settings say. It caches words, within bounds."""

    def __init__(self, settings: FeatureSettings | None = None) -> None:
        self.settings = settings or FeatureSettings()
        self._cut = segmenter(self.settings.dictionary)
        self._weights = Weights(self.settings)
        self._of_word = self._weigher()
        self._vocabulary = _Vocabulary(self._of_word)
        self._characters = Characters(self._weights) if self.settings.kind is FeatureKind.MIXED else None

    def extract(self, normalised: str) -> WeightedFeatures:
        """The features of a text that `normalise` has gone over."""
        if len(self._vocabulary) > _MAX_VOCABULARY:
            self._vocabulary = _Vocabulary(self._of_word)
        if self.settings.kind is FeatureKind.CHARS:
            codes, weights = self._ngrams(normalised)
        else:
            codes, weights = self._counted(self._tokens(normalised))
        words = len(codes)
        if self._characters is not None:
            more_codes, more_weights = self._characters.count(normalised)
            codes, weights = np.concatenate([codes, more_codes]), np.concatenate([weights, more_weights])
        return WeightedFeatures(codes, self._weights.limit(weights), words)

    def named(self, text: str) -> dict[str, float]:
        """The features of a text as it was read, by name, with their weights: to show, not to be fast.

        A single character that counts beside the words is named with a dot before it.
        """
        normalised = normalise(text)
        named = self._named(Counter(self._names(normalised)), self._of_word)
        if self._characters is not None:
            characters = self._characters
            named |= self._named(Counter(characters.names(normalised)), characters.weight_of)
        limited = self._weights.limit(np.fromiter(named.values(), np.float64, len(named)))
        return dict(zip(named, (limited / self._weights.unit).tolist(), strict=True))

    def _names(self, normalised: str) -> list[str]:
        if self.settings.kind is not FeatureKind.CHARS:
            return [word for words in self._tokens(normalised) for word in words if is_word(word)]
        size = min(self.settings.length, len(normalised))
        return [normalised[i : i + size] for i in range(len(normalised) - size + 1)] if size else []

    def _named(self, counts: Counter[str], weight_of: Callable[[str], float]) -> dict[str, float]:
        counted = self._weights.of_counts(np.fromiter(counts.values(), np.int64, len(counts))).tolist()
        return {name: count * weight_of(name) for name, count in zip(counts, counted, strict=True)}

    def _weigher(self) -> Callable[[str], float]:
        if not self.settings.uses_idf:
            return self._weights.of_no_idf
        idf = load_idf()
        return lambda word: self._weights.of_idf(idf.of(word))

    def _tokens(self, normalised: str) -> Iterator[list[str]]:
        """Words, among tokens that are none; or shingles."""
        if self.settings.length == 1:
            return split_tokens(normalised, self._cut)
        return _shingles(split_words(normalised, self._cut), self.settings.length)

    def _counted(self, pieces: Iterator[list[str]]) -> _CodesAndWeights:
        lookup = self._vocabulary.__getitem__
        ids = [np.fromiter(map(lookup, words), np.int64, len(words)) for words in pieces]
        distinct, counts = count_distinct(ids[0] if len(ids) == 1 else np.concatenate([_NONE, *ids]))
        weights = self._weights.of_counts(counts) * self._vocabulary.weights_of(distinct)
        are_words = np.flatnonzero(weights)
        return self._vocabulary.codes_of(distinct[are_words]), weights[are_words]

    def _ngrams(self, normalised: str) -> _CodesAndWeights:
        points = np.frombuffer(normalised.encode("utf-32-le"), dtype="<u4").astype(np.uint32)
        size = min(self.settings.length, len(points))
        hashed = hash_ngrams(points, size) if size else np.empty(0, np.uint64)
        codes, counts = count_distinct(hashed)
        return codes, self._weights.of_counts(counts) * self._weights.of_no_idf()


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
        self._weights.append(self._weigh(word) if is_word(word) else 0.0)
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
