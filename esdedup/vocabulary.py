"""The words that were met, with what a fingerprint needs of each."""

from array import array
from collections.abc import Callable, Iterable
from itertools import count

import numpy as np
from numpy.typing import NDArray

from esdedup.hashing import hash_feature
from esdedup.numbering import Numbering

__all__ = ["Vocabulary"]

_Keys = NDArray[np.uint64]


class Vocabulary:
    """Numbers words by their keys as they are first met; keeps each one's code and weight.

    weigh: gives the weights of words, from these and their codes.
    """

    def __init__(self, weigh: Callable[[list[str], NDArray[np.uint64]], Iterable[float]]) -> None:
        self._weigh = weigh
        self._numbering = Numbering()
        self._codes = array("Q", [0])
        self._weights = array("d", [0.0])

    def __len__(self) -> int:
        return len(self._numbering)

    def numbers(self, keys: _Keys, spell: Callable[[NDArray[np.int64]], list[str]]) -> NDArray[np.int64]:
        """The numbers of words. spell: gives the words of the keys at some places, for those not met before."""
        numbers = self._numbering.find(keys)
        new = (numbers == 0).nonzero()[0]
        if len(new):
            new_keys = keys.take(new).tolist()
            places = dict(zip(new_keys, new.tolist(), strict=True))  # a place of each key
            words = spell(np.fromiter(places.values(), np.int64, len(places)))
            codes = np.fromiter(map(hash_feature, words), np.uint64, len(words))
            weights = array("d", self._weigh(words, codes))
            first = len(self) + 1
            del self._codes[first:], self._weights[first:]  # of a call that was interrupted
            self._codes.frombytes(codes.tobytes())
            self._weights.extend(weights)
            self._numbering.add(np.fromiter(places, np.uint64, len(places)))
            of_keys = dict(zip(places, count(first)))
            numbers[new] = [of_keys[key] for key in new_keys]
        return numbers

    def codes_of(self, numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
        return np.frombuffer(self._codes, np.uint64).take(numbers)

    def weights_of(self, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.frombuffer(self._weights, np.float64).take(numbers)
