"""Which of many fingerprints are near, in memory: a block that is equal, or near, proposes; the distance decides.

Pigeonhole, as in the engine: of k differing bits some block has at most k // 4.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["Nearby", "block_columns"]

_VALUES = 1 << 16  # that a block can have
_SHIFTS = (48, 32, 16, 0)
_CELLS = 1 << 21  # candidates held at once: some 50 MiB
_MOST = 1 << 32  # fingerprints

_Places = NDArray[np.int64]


class Nearby:
    """Fingerprints by their blocks. Exact for every k; takes 16 bytes a fingerprint and 2 MiB.

    fingerprints: uint64, shape (n,), n < 2**32; they are not copied, and must stay as they are.
    """

    def __init__(self, fingerprints: NDArray[np.uint64], k: int) -> None:
        self._fingerprints = fingerprints
        self._k = k
        self._masks = _masks(k // 4)
        columns = block_columns(fingerprints)
        self._places = [np.argsort(column, kind="stable").astype(np.uint32) for column in columns]
        self._starts = [_starts(column) for column in columns]

    def near(self, values: NDArray[np.uint64]) -> tuple[_Places, _Places]:
        """Every (row of `values`, place of a fingerprint) within k, once, ordered by row, then place."""
        wanted = [column[:, None] ^ self._masks for column in block_columns(values)]
        starts = [start[block] for start, block in zip(self._starts, wanted, strict=True)]
        ends = [start[block + 1] for start, block in zip(self._starts, wanted, strict=True)]
        counts = [end - start for start, end in zip(starts, ends, strict=True)]
        if len(values) > 1 and sum(int(count.sum()) for count in counts) > _CELLS:
            middle = len(values) // 2
            (rows, places), (more, others) = self.near(values[:middle]), self.near(values[middle:])
            return np.concatenate([rows, more + middle]), np.concatenate([places, others])
        by_block = zip(self._places, starts, counts, strict=True)
        pairs = np.unique(np.concatenate([self._verified(values, *block) for block in by_block]))
        return pairs // _MOST, pairs % _MOST

    def _verified(
        self, values: NDArray[np.uint64], order: NDArray[np.uint32], starts: _Places, counts: _Places
    ) -> _Places:
        """Row and place, as one number, of those that share a block and are within k.

        starts, counts: where in `order` the places for each row and mask are.
        """
        rows = np.repeat(np.arange(len(values)), counts.sum(axis=1))
        lengths = counts.ravel()
        first = starts.ravel() - lengths.cumsum() + lengths
        places = order[np.arange(len(rows)) + np.repeat(first, lengths)]
        near = np.bitwise_count(values[rows] ^ self._fingerprints[places]) <= self._k
        pairs: _Places = rows[near] * _MOST + places[near]
        return pairs


def block_columns(fingerprints: NDArray[np.uint64]) -> list[NDArray[np.uint16]]:
    """The first block of each fingerprint, the second, the third, the fourth: four arrays of shape (n,)."""
    return [(fingerprints >> np.uint64(shift)).astype(np.uint16) for shift in _SHIFTS]


@cache
def _masks(radius: int) -> _Places:
    """What turns a block into itself and all within so many bits: 1, 17 or 137 numbers."""
    return np.flatnonzero(np.bitwise_count(np.arange(_VALUES)) <= radius)


def _starts(column: NDArray[np.uint16]) -> _Places:
    """How many blocks are smaller than each value that a block can have, and how many there are."""
    starts = np.zeros(_VALUES + 1, np.int64)
    np.cumsum(np.bincount(column, minlength=_VALUES), out=starts[1:])
    return starts
