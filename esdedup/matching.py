"""Compare fingerprints: exact Hamming distances, in numpy."""

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from esdedup.document import Status
from esdedup.nearby import Nearby

__all__ = ["Sketched", "distance", "distances", "fingerprints_of", "is_duplicate", "matches", "pairs_within", "within"]

_CELLS = 1 << 22  # distances held at once: 4 MiB
_FEW = 250_000  # distances; to work out so many is faster than to sort by blocks


class Sketched(Protocol):
    """What duplicates are told by."""

    @property
    def fingerprint(self) -> int: ...
    @property
    def digest(self) -> str: ...
    @property
    def status(self) -> Status: ...


def is_duplicate(a: Sketched, b: Sketched, k: int) -> bool:
    """Are two different documents within k? Short texts only when equal, empty ones never."""
    if Status.EMPTY in (a.status, b.status):
        return False
    if Status.TOO_SHORT in (a.status, b.status):
        return a.digest == b.digest
    return distance(a.fingerprint, b.fingerprint) <= k


def distance(a: int, b: int) -> int:
    """The number of bits in which two fingerprints differ, 0 to 64."""
    return (a ^ b).bit_count()


def distances(value: int, others: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """The distance from one fingerprint to each of `others`: uint8, shape (len(others),)."""
    gaps: NDArray[np.uint8] = np.bitwise_count(others ^ np.uint64(value))
    return gaps


def within(
    rows: NDArray[np.uint64], columns: NDArray[np.uint64], k: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.uint8]]:
    """Every (row, column) at distance <= k, with the distance: three arrays, ordered by row, then column."""
    step = max(1, _CELLS // max(1, len(columns)))
    found = [_within(rows[i : i + step], columns, k, i) for i in range(0, len(rows), step)]
    if not found:
        return np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0, np.uint8)
    row, column, gap = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return row, column, gap


def matches(rows: Sequence[Sketched], columns: Sequence[Sketched], k: int) -> Iterator[tuple[int, int]]:
    """Every (row, column) whose documents are duplicates within k, ordered by row, then column."""
    values, others = fingerprints_of(rows), fingerprints_of(columns)
    is_few = len(values) * len(others) <= _FEW
    row, column = within(values, others, k)[:2] if is_few else Nearby(others, k).near(values)
    for i, j in zip(row.tolist(), column.tolist(), strict=True):
        if is_duplicate(rows[i], columns[j], k):  # equal digests have equal fingerprints
            yield i, j


def pairs_within(fingerprints: NDArray[np.uint64], k: int) -> Iterator[tuple[int, int, int]]:
    """Each pair (i, j, distance) with i < j and distance <= k, once. Brute force: n^2 / 2 comparisons."""
    for start in range(0, len(fingerprints), 1024):
        row, column, gap = within(fingerprints[start : start + 1024], fingerprints[start:], k)
        for i, j, d in zip(row.tolist(), column.tolist(), gap.tolist(), strict=True):
            if i < j:
                yield start + i, start + j, d


def _within(
    rows: NDArray[np.uint64], columns: NDArray[np.uint64], k: int, offset: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.uint8]]:
    gaps = np.bitwise_count(rows[:, None] ^ columns[None, :])
    row, column = np.nonzero(gaps <= k)
    return row + offset, column, gaps[row, column]


def fingerprints_of(sketches: Sequence[Sketched]) -> NDArray[np.uint64]:
    """Their fingerprints: uint64, in order."""
    return np.fromiter((sketch.fingerprint for sketch in sketches), np.uint64, len(sketches))
