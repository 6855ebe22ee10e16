"""Whole numbers for 64-bit keys, looked up for many keys at once: a hash table in numpy."""

from array import array

import numpy as np
from numpy.typing import NDArray

__all__ = ["Numbering"]

_Keys = NDArray[np.uint64]
_Numbers = NDArray[np.int64]

_MIX = np.uint64(0xBF58476D1CE4E5B9)
_LEAST_BITS = 12


class Numbering:
    """Numbers different keys 1, 2, 3, ... as they are added. Open addressing; at most a quarter of the slots is taken."""

    def __init__(self) -> None:
        self._keys = array("Q", [0])  # by number; nothing has the number 0
        self._make_slots(_LEAST_BITS)

    def __len__(self) -> int:
        return len(self._keys) - 1

    def find(self, keys: _Keys) -> _Numbers:
        """The number of each key, 0 for one that was not added: int64, shape of `keys`."""
        known, slots = np.frombuffer(self._keys, np.uint64), self._homes(keys)
        numbers = self._slots.take(slots).astype(np.int64)
        others = np.flatnonzero(numbers)
        while len(others := others[known.take(numbers.take(others)) != keys.take(others)]):
            next_slots = slots.take(others) + 1 & self._last
            slots[others] = next_slots
            next_numbers = self._slots.take(next_slots)
            numbers[others] = next_numbers
            others = others[next_numbers > 0]
        return numbers

    def add(self, keys: _Keys) -> None:
        """Gives the next numbers to keys that differ, and were not added before."""
        first = len(self._keys)
        self._keys.frombytes(keys.tobytes())
        if 4 * len(self._keys) > len(self._slots):
            self._make_slots(len(self._keys).bit_length() + 2)
            first = 1
        self._place(np.arange(first, len(self._keys), dtype=np.int32))

    def _make_slots(self, bits: int) -> None:
        self._slots = np.zeros(1 << bits, np.int32)
        self._last, self._shift = (1 << bits) - 1, np.uint64(64 - bits)

    def _homes(self, keys: _Keys) -> _Numbers:
        mixed = keys * _MIX
        mixed >>= self._shift
        return mixed.view(np.int64)

    def _place(self, numbers: NDArray[np.int32]) -> None:
        slots = self._homes(np.frombuffer(self._keys, np.uint64).take(numbers))
        while len(numbers):
            free = self._slots.take(slots) == 0
            self._slots[slots[free]] = numbers[free]  # of several for one slot, one is there in the end
            homeless = self._slots.take(slots) != numbers
            numbers, slots = numbers[homeless], slots[homeless] + 1 & self._last
