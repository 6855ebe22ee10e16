"""Leaders among documents whose fingerprints are all known beforehand: who can be near whom is worked out at once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from esdedup.document import Status
from esdedup.grouping import Entry
from esdedup.pairs import all_pairs

__all__ = ["ForeseenLeaders"]


class ForeseenLeaders:
    """As `esdedup.grouping.Leaders`, at any size. Keeps entries only of leaders that can attract another document.

    fingerprints: of all documents that will come, uint64, in any order; an unknown one has nobody near it.
    """

    def __init__(self, fingerprints: NDArray[np.uint64], k: int) -> None:
        self._values, counts = np.unique(fingerprints, return_counts=True)
        pairs = all_pairs(self._values, k)
        both = np.concatenate([pairs.i, pairs.j]), np.concatenate([pairs.j, pairs.i])
        order = np.argsort(both[0], kind="stable")
        self._near = both[1][order]
        self._starts = np.searchsorted(both[0][order], np.arange(len(self._values) + 1))
        self._alone = (counts == 1) & (np.diff(self._starts) == 0)
        self._leaders: dict[int, list[Entry]] = {}
        self._short: dict[str, Entry] = {}

    def add(self, entry: Entry) -> None:
        """Let `entry` attract those who come after it."""
        if entry.status is Status.TOO_SHORT:
            self._short.setdefault(entry.digest, entry)
        elif entry.status.is_comparable:
            place = self._place_of(entry)
            if place is not None and not self._alone[place]:
                self._leaders.setdefault(place, []).append(entry)

    def near(self, entries: Sequence[Entry]) -> list[list[Entry]]:
        """For each entry, the leaders that match it (not itself)."""
        return [[leader for leader in self._leaders_near(entry) if leader.key != entry.key] for entry in entries]

    def _leaders_near(self, entry: Entry) -> list[Entry]:
        if not entry.status.is_comparable:
            same = self._short.get(entry.digest) if entry.status is Status.TOO_SHORT else None
            return [same] if same else []
        place = self._place_of(entry)
        if place is None or self._alone[place]:
            return []
        around = self._near[self._starts[place] : self._starts[place + 1]].tolist()
        return [leader for one in (place, *around) for leader in self._leaders.get(one, ())]

    def _place_of(self, entry: Entry) -> int | None:
        place = int(np.searchsorted(self._values, np.uint64(entry.fingerprint)))
        known = place < len(self._values) and int(self._values[place]) == entry.fingerprint
        return place if known else None
