"""Whole numbers for 64-bit keys, looked up for many keys at once: a hash table in numpy."""

from array import array

import numpy as np
from numpy.typing import NDArray

__all__ = ["Numbering"]

_Keys = NDArray[np.uint64]
_Places = NDArray[np.int64]

_MIX = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_LEAST_BITS = 12
_PATIENCE = 50  # rounds of moves before the table is made larger


class Numbering:
    """Numbers different keys 1, 2, 3, ... as they are added.

    Cuckoo hashing (Pagh, Rodler, ESA 2001): a key is in one of two slots, so that all keys are found in two steps. At
    most a quarter of the slots is taken.
    """

    def __init__(self) -> None:
        self._keys = array("Q", [0])  # by number; nothing has the number 0
        self._make_slots(_LEAST_BITS)

    def __len__(self) -> int:
        return len(self._keys) - 1

    def find(self, keys: _Keys) -> _Places:
        """The number of each key, 0 for one that was not added: int64, shape of `keys`."""
        known = np.frombuffer(self._keys, np.uint64)
        first, second = (self._slots.take(self._homes(keys, which)) for which in (0, 1))
        in_second = np.where(known.take(second) == keys, second, 0)
        return np.where(known.take(first) == keys, first, in_second).astype(np.int64)

    def add(self, keys: _Keys) -> None:
        """Gives the next numbers to keys that differ, and were not added before."""
        first = len(self._keys)
        self._keys.frombytes(keys.tobytes())
        bits = (4 * len(self._keys)).bit_length()
        if 1 << bits > len(self._slots) or not self._place(np.arange(first, len(self._keys), dtype=np.int32)):
            self._make_slots(bits)
            while not self._place(np.arange(1, len(self._keys), dtype=np.int32)):
                bits += 1
                self._make_slots(bits)

    def _make_slots(self, bits: int) -> None:
        self._slots = np.zeros(1 << bits, np.int32)
        self._shift = np.uint64(64 - bits)

    def _homes(self, keys: _Keys, which: int) -> _Places:
        mixed = keys * _MIX[which]
        mixed >>= self._shift
        return mixed.view(np.int64)

    def _place(self, numbers: NDArray[np.int32]) -> bool:
        """Put numbers into their slots; who was there goes to his other slot, and so on."""
        known = np.frombuffer(self._keys, np.uint64)
        keys = known.take(numbers)
        targets = self._homes(keys, 0)
        targets = np.where(self._slots.take(targets) == 0, targets, self._homes(keys, 1))
        for _ in range(_PATIENCE):
            before = self._slots.take(targets)
            self._slots[targets] = numbers  # of several for one slot, one is there in the end
            stay = self._slots.take(targets) == numbers
            moved = stay & (before > 0)
            targets = np.concatenate([targets[~stay], targets[moved]])
            numbers = np.concatenate([numbers[~stay], before[moved]])
            if not len(numbers):
                return True
            keys = known.take(numbers)
            targets = self._homes(keys, 0) ^ self._homes(keys, 1) ^ targets
        return False
