"""Distances of all documents to all, and how many unrelated ones come near each other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from esdedup.document import Status
from esdedup.fingerprinter import Sketch
from esdedup.settings import MAX_K

__all__ = ["NEVER", "LabelledPair", "Space", "false_matches"]

#: The distance of documents that cannot be duplicates, such as empty ones.
NEVER = 65

_ROWS = 128  # of the matrix of all distances, held at once


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two documents' ids, and whether they are near-duplicates; None when that is left open."""

    a: str
    b: str
    duplicate: bool | None


class Space:
    """The documents as rows, and the distances between them as `is_duplicate` sees them."""

    def __init__(self, sketches: Mapping[str, Sketch]) -> None:
        self.rows = {doc_id: row for row, doc_id in enumerate(sketches)}
        found = list(sketches.values())
        self.values = np.fromiter((sketch.fingerprint for sketch in found), np.uint64, len(found))
        # Short texts are duplicates of equal ones only, empty ones never: a number for each digest, or one of its own.
        numbers: dict[str, int] = {}
        self._ok = np.fromiter((sketch.status is Status.OK for sketch in found), np.bool_, len(found))
        self._alike = np.array(
            [
                numbers.setdefault(sketch.digest if sketch.status is Status.TOO_SHORT else f"{row}", row)
                for row, sketch in enumerate(found)
            ],
            np.int64,
        )

    def gap(self, a: str, b: str) -> int:
        """The distance of two documents, by their ids."""
        return self.gap_of_rows(self.rows[a], self.rows[b])

    def gap_of_rows(self, row: int, column: int) -> int:
        """The distance of two documents, by their places."""
        return int(self.gaps(np.array([row]), np.array([column]))[0, 0])

    def gaps(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Distances of rows to columns: shape (rows, columns)."""
        gaps: NDArray[np.uint8] = np.bitwise_count(self.values[rows][:, None] ^ self.values[columns])
        if not self._ok.all():
            both = self._ok[rows][:, None] & self._ok[columns]
            equal = self._alike[rows][:, None] == self._alike[columns]
            gaps = np.where(both, gaps, np.where(equal, 0, NEVER)).astype(np.uint8)
        return gaps


def false_matches(space: Space, pairs: Sequence[LabelledPair]) -> list[float]:
    """Unrelated pairs within each distance, per million of them."""
    total = _matches_of_all(space)
    families = _families(space, pairs)
    related = _matches_of_all(space, families)
    apart = {tuple(sorted((space.rows[pair.a], space.rows[pair.b]))) for pair in pairs if pair.duplicate is False}
    for row, column in apart:
        if families.of(row) != families.of(column):
            related[space.gap_of_rows(row, column)] += 1
    unrelated = total - related
    count = max(1, int(unrelated.sum()))
    return [float(within) / count * 1e6 for within in unrelated.cumsum()[: MAX_K + 1]]


class _Families:
    """Documents that labelled pairs connect, by a forest of parents (union-find)."""

    def __init__(self, size: int) -> None:
        self._parents = list(range(size))

    def of(self, row: int) -> int:
        while self._parents[row] != row:
            self._parents[row] = self._parents[self._parents[row]]
            row = self._parents[row]
        return row

    def join(self, a: int, b: int) -> None:
        self._parents[self.of(a)] = self.of(b)

    def __iter__(self) -> Iterator[NDArray[np.int64]]:
        """The rows of each family of two or more."""
        roots = np.array([self.of(row) for row in range(len(self._parents))], np.int64)
        order = np.argsort(roots, kind="stable")
        cuts = np.flatnonzero(np.diff(roots[order])) + 1
        return (family for family in np.split(order, cuts) if len(family) > 1)


def _families(space: Space, pairs: Sequence[LabelledPair]) -> _Families:
    families = _Families(len(space.rows))
    for pair in pairs:
        if pair.duplicate is not False:
            families.join(space.rows[pair.a], space.rows[pair.b])
    return families


def _matches_of_all(space: Space, families: _Families | None = None) -> NDArray[np.int64]:
    """How many pairs there are at each distance, 0 to 65: of all documents, or of those of one family."""
    counts = np.zeros(NEVER + 1, np.int64)
    for rows in families if families else [np.arange(len(space.rows))]:
        for start in range(0, len(rows), _ROWS):
            part, rest = rows[start : start + _ROWS], rows[start:]
            gaps = space.gaps(part, rest)
            later = np.arange(len(rest)) > np.arange(len(part))[:, None]
            counts += np.bincount(gaps[later], minlength=NEVER + 1)
    return counts
