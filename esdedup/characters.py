"""Single Chinese characters as features beside the words: they forgive what another segmentation changes."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from esdedup.hashing import count_by_text, hash_feature, split_by_text
from esdedup.idf import character_idf
from esdedup.normalise import Normalised
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

    def count(self, normalised: Normalised) -> list[tuple[NDArray[np.uint64], NDArray[np.float64]]]:
        """Codes and weights of the different characters of each text: uint64 and float64, shape (n,) each."""
        points = normalised.points - np.uint32(_FIRST)  # below it: wraps
        places = (points < _END - _FIRST).nonzero()[0]
        bounds = places.searchsorted(normalised.ends)
        lengths = bounds[1:] - bounds[:-1]
        distinct, counts, bounds = count_by_text(points.take(places).astype(np.int64), lengths)
        return split_by_text(
            self._codes.take(distinct), self._weights.of_counts(counts) * self._of_code.take(distinct), bounds
        )

    def names(self, normalised: str) -> Iterator[str]:
        """The characters as they are named among features, in order."""
        return (_name(character) for character in normalised if _FIRST <= ord(character) < _END)

    def weight_of(self, name: str) -> float:
        """What one occurrence weighs."""
        return self._weights.of_idf(self._idf.get(name[1:], _RARE))


def _name(character: str) -> str:
    return "·" + character  # no word holds a dot
