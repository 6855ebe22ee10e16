"""Single Chinese characters as features beside the words: they forgive what another segmentation changes."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from esdedup.counting import TextCounts, count_by_text
from esdedup.hashing import hash_feature
from esdedup.idf import character_idf
from esdedup.normalise import Normalised
from esdedup.segmenting import pieces
from esdedup.weights import Weights

__all__ = ["Characters"]

_FIRST, _END = 0x3400, 0xA000  # the ideographs in everyday use, and the first extension
_RARE = 13.0  # the idf of a character that the table lacks


class Characters:
    """Counts the Chinese characters of a text. The others, in the supplementary planes, count in words only."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._idf = character_idf()
        names = [_name(chr(code)) for code in range(_FIRST, _END)]
        self._codes = np.fromiter(map(hash_feature, names), np.uint64, len(names))
        self._of_code = np.fromiter(map(self.weight_of, names), np.float64, len(names))

    def count(self, normalised: Normalised) -> TextCounts:
        """How often each character occurs in each text."""
        return count_by_text(self._places(normalised), len(normalised.ends) - 1)

    def codes_of(self, places: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The codes of counted characters."""
        return self._codes.take(places)

    def weights_of(self, places: NDArray[np.int64]) -> NDArray[np.float64]:
        """What one occurrence of each weighs."""
        return self._of_code.take(places)

    def _places(self, normalised: Normalised) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        for offset, piece, _ in pieces(normalised):
            points = piece - np.uint32(_FIRST)  # below it: wraps
            places = (points < _END - _FIRST).nonzero()[0]
            bounds = places.searchsorted(normalised.ends - offset)
            yield points.take(places).astype(np.int64), bounds[1:] - bounds[:-1]

    def names(self, normalised: str) -> Iterator[str]:
        """The characters as they are named among features, in order."""
        return (_name(character) for character in normalised if _FIRST <= ord(character) < _END)

    def weight_of(self, name: str) -> float:
        """What one occurrence weighs."""
        return self._weights.of_idf(self._idf.get(name[1:], _RARE))


def _name(character: str) -> str:
    return "·" + character  # no word holds a dot
