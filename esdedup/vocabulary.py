"""The words that were met, with what a fingerprint needs of each."""

from array import array
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from esdedup.hashing import hash_feature
from esdedup.numbering import Numbering

__all__ = ["Vocabulary"]

_Keys = NDArray[np.uint64]


class Vocabulary:
    """Numbers words by their keys as they are first met; keeps each one's code and weight."""

    def __init__(self, weigh: Callable[[str], float]) -> None:
        self._weigh = weigh
        self._numbering = Numbering()
        self._codes = array("Q", [0])
        self._weights = array("d", [0.0])

    def __len__(self) -> int:
        return len(self._numbering)

    def numbers(self, keys: _Keys, spell: Callable[[int], str]) -> NDArray[np.int64]:
        """The numbers of words. spell: gives the word of the key at a place, for words not met before."""
        numbers = self._numbering.find(keys)
        new = np.flatnonzero(numbers == 0)
        if len(new):
            new_keys = keys.take(new)
            distinct, first = np.unique(new_keys, return_index=True)
            words = [spell(place) for place in new.take(first).tolist()]
            self._codes.extend(map(hash_feature, words))
            self._weights.extend(map(self._weigh, words))
            self._numbering.add(distinct)
            numbers[new] = self._numbering.find(new_keys)
        return numbers

    def codes_of(self, numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
        return np.frombuffer(self._codes, np.uint64).take(numbers)

    def weights_of(self, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.frombuffer(self._weights, np.float64).take(numbers)
