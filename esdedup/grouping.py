"""Leader clustering: who joins whom. Pure; the engine package feeds it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from esdedup.document import Status
from esdedup.matching import distance, fingerprints_of, is_duplicate, matches, within
from esdedup.nearby import Nearby

__all__ = ["Confirms", "Entry", "Leaders", "Place", "cluster", "nearest", "place_batch"]

_FEW = 500  # fingerprints that are compared one by one


@dataclass(frozen=True, slots=True)
class Entry:
    """What grouping knows of a document. `key` is its id in the engine.

    first_seen: a time that sorts as text; (first_seen, key) is the order of all documents.
    """

    key: str
    fingerprint: int
    digest: str
    status: Status
    first_seen: str

    @property
    def order(self) -> tuple[str, str]:
        return self.first_seen, self.key


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document belongs: its leader's key, the distance to it, and whether the texts are equal."""

    group: str
    leader: bool
    distance: int = 0
    exact: bool = False

    def moves_from(self, other: "Place") -> bool:
        """Whether it is another place than one that is stored; `exact` is not."""
        return (self.group, self.leader, self.distance) != (other.group, other.leader, other.distance)


#: Whether two entries within k are duplicates, by more than their fingerprints.
Confirms = Callable[[Entry, Entry], bool]


def nearest(entry: Entry, leaders: Iterable[Entry]) -> Place:
    """The place of `entry` among leaders that match it: with the nearest, then oldest, then smallest key."""
    best = min(leaders, key=lambda leader: (_gap(entry, leader), leader.order), default=None)
    if best is None:
        return Place(entry.key, leader=True)
    return Place(best.key, leader=False, distance=_gap(entry, best), exact=entry.digest == best.digest)


def _always(_: Entry, __: Entry) -> bool:
    return True


class Leaders:
    """Leaders in memory, by fingerprint (or by digest, for short texts)."""

    def __init__(self, k: int) -> None:
        self._k = k
        self._entries: list[Entry] = []
        self._fingerprints = np.empty(1024, np.uint64)
        self._short: dict[str, Entry] = {}
        self._gone: set[Entry] = set()
        self._sorted = Nearby(self._fingerprints[:0], k)  # the first `_count`; the others are compared one by one
        self._count = 0

    def __len__(self) -> int:
        return len(self._entries) + len(self._short)

    def add(self, entry: Entry) -> None:
        """Let `entry` attract those who come after it."""
        if entry.status is Status.TOO_SHORT:
            self._short.setdefault(entry.digest, entry)
        elif entry.status.is_comparable:
            count = len(self._entries)
            if count == len(self._fingerprints):
                self._fingerprints = np.resize(self._fingerprints, 2 * count)
            self._fingerprints[count] = entry.fingerprint
            self._entries.append(entry)

    def remove(self, entry: Entry) -> None:
        """Let `entry` attract nobody any more."""
        if self._short.get(entry.digest) == entry:
            del self._short[entry.digest]
        else:
            self._gone.add(entry)

    def near(self, entries: Sequence[Entry]) -> list[list[Entry]]:
        """For each entry, the leaders that match it (not itself)."""
        self._sort()
        found = [[self._short[e.digest]] if e.digest in self._short else [] for e in entries]
        values = fingerprints_of(entries)
        rows, places = self._sorted.near(values)
        more, others, _ = within(values, self._fingerprints[self._count : len(self._entries)], self._k)
        both = zip([*rows.tolist(), *more.tolist()], [*places.tolist(), *(others + self._count).tolist()], strict=True)
        for row, place in both:
            if entries[row].status.is_comparable:
                found[row].append(self._entries[place])
        gone = self._gone
        return [
            [lead for lead in leads if lead.key != entry.key and lead not in gone]
            for entry, leads in zip(entries, found, strict=True)
        ]

    def _sort(self) -> None:
        """Sort all anew, seldom enough that it costs little for each leader."""
        count = len(self._entries)
        if count - self._count > max(_FEW, count // 64):
            self._sorted = Nearby(self._fingerprints[:count], self._k)
            self._count = count


def place_batch(
    entries: Sequence[Entry], known: Sequence[Sequence[Entry]], k: int, confirms: Confirms = _always
) -> list[Place]:
    """Places for entries in their order. known[i]: leaders from before the batch that match entries[i].

    An entry that leads attracts the later ones of its own batch. confirms: what two entries within k must satisfy.
    """
    places: list[Place] = []
    leading: set[str] = set()
    for entry, before, inside in zip(entries, known, _matches_inside(entries, k), strict=True):
        near = (entries[i] for i in inside if entries[i].key in leading)
        leaders = [*before, *(leader for leader in near if confirms(entry, leader))]
        place = nearest(entry, leaders)
        if place.leader:
            leading.add(entry.key)
        places.append(place)
    return places


def cluster(entries: Iterable[Entry], k: int, confirms: Confirms = _always) -> dict[str, Place]:
    """Leader clustering of all entries by (first_seen, key): the definition, brute force, key to place."""
    leaders: list[Entry] = []
    places: dict[str, Place] = {}
    for entry in sorted(entries, key=lambda e: e.order):
        near = [leader for leader in leaders if is_duplicate(entry, leader, k) and confirms(entry, leader)]
        place = nearest(entry, near)
        places[entry.key] = place
        if place.leader:
            leaders.append(entry)
    return places


def _matches_inside(entries: Sequence[Entry], k: int) -> list[list[int]]:
    """For each entry, the positions of earlier entries that match it."""
    found: list[list[int]] = [[] for _ in entries]
    for row, column in matches(entries, entries, k):
        if column < row:
            found[row].append(column)
    return found


def _gap(a: Entry, b: Entry) -> int:
    return distance(a.fingerprint, b.fingerprint)
