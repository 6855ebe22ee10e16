"""Ways to look fingerprints up by keys, exactly: what each asks for, and how much it finds by chance.

A fingerprint is cut into parts. Of k differing bits, at most k // (r + 1) parts have more than r; so at least
`parts` - k // (r + 1) parts are within r bits, and a key made of that many parts finds every match when each value
within r bits of its parts is asked for. Blocks are four parts, one a key; for r = 0 see Manku, Jain, Das Sarma,
WWW 2007, section 3.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product
from math import comb, prod
from operator import add

from esdedup.errors import InputError
from esdedup.settings import MAX_K

__all__ = ["Scheme", "lane_filters", "schemes_for"]

_BITS = 64
_LANES = 8
_LANE_BITS = 8
_LANE_RADII = {0: (0,), 1: (1,), 2: (1, 2)}  # by the radius of the blocks; chosen by measuring
_MOST_PARTS = 7
_MOST_KEYS = 20  # a document
_MOST_TERMS = 6000  # a query
_MOST_WIDER = 4

_Counts = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Scheme:
    """A key for every choice of `together` of `parts`; each part may be `radius` bits off.

    lanes: what the eight bytes must satisfy besides, each (how many at least, within how many bits). Only with four
    parts.
    """

    parts: int
    together: int = 1
    radius: int = 0
    lanes: tuple[tuple[int, int], ...] = ()

    @property
    def name(self) -> str:
        if (self.parts, self.together) == (4, 1):
            return "blocks and lanes" if self.lanes else "blocks"
        off = f", {self.radius} bit{'s' * (self.radius > 1)} off" if self.radius else ""
        return f"{self.together} of {self.parts}{off}"

    @property
    def widths(self) -> tuple[int, ...]:
        """The bits of each part."""
        ends = [_BITS * at // self.parts for at in range(self.parts + 1)]
        return tuple(end - start for start, end in pairwise(ends))

    @property
    def keys(self) -> int:
        """Terms that are stored a document; lanes come on top."""
        return comb(self.parts, self.together)

    @property
    def terms(self) -> int:
        """Key terms that a query asks for."""
        return sum(prod(_ball(width, self.radius) for width in key) for key in self._keys())

    @property
    def bits(self) -> float:
        """The width of a key, on average."""
        return _BITS * self.together / self.parts

    @property
    def postings(self) -> float:
        """Expected postings of these terms, as a share of uniform fingerprints; one counts once a key that has it."""
        return sum(prod(_ball(width, self.radius) / 2.0**width for width in key) for key in self._keys())

    @property
    def candidates(self) -> float:
        """The probability that a uniform fingerprint is a candidate of another."""
        least = (self.together, *(number for number, _ in self.lanes))
        states = {(0,) * len(least): 1.0}
        for width in self.widths:
            states = _joined(states, self._part(width))
        return sum(p for near, p in states.items() if all(a >= b for a, b in zip(near, least, strict=True)))

    def is_exact(self, k: int) -> bool:
        """Whether everything within k is among the candidates."""
        near = all(number <= _LANES - k // (radius + 1) for number, radius in self.lanes)
        return near and self.together <= self.parts - k // (self.radius + 1)

    @property
    def lane_terms(self) -> int:
        """Terms of lanes that a query asks for."""
        return sum(_LANES * _ball(_LANE_BITS, radius) for _, radius in self.lanes)

    def _keys(self) -> Iterator[tuple[int, ...]]:
        return combinations(self.widths, self.together)

    def _part(self, width: int) -> dict[_Counts, float]:
        """The probabilities of a part: (is it within the radius, how many of its lanes are, for each filter)."""
        if not self.lanes:
            near = _ball(width, self.radius) / 2.0**width
            return {(0,): 1 - near, (1,): near}
        found: dict[_Counts, float] = defaultdict(float)
        for a, b in product(range(_LANE_BITS + 1), repeat=2):
            lanes = ((a <= radius) + (b <= radius) for _, radius in self.lanes)
            found[int(a + b <= self.radius), *lanes] += comb(_LANE_BITS, a) * comb(_LANE_BITS, b) / 2.0**16
        return found


def lane_filters(k: int) -> tuple[tuple[int, int], ...]:
    """What is asked of lanes beside the blocks, as (how many lanes at least, within how many bits).

    Raises InputError for k outside 0 to 11.
    """
    if not 0 <= k <= MAX_K:
        raise InputError(f"k = {k} is out of range: four 16-bit blocks find everything up to k = {MAX_K}")
    return tuple((_LANES - k // (radius + 1), radius) for radius in _LANE_RADII[k // 4])


def schemes_for(k: int) -> list[Scheme]:
    """The exact ones: blocks, with lanes, and those with wider keys, as far as they can be asked for.

    Raises InputError for k outside 0 to 11.
    """
    lanes = lane_filters(k)
    blocks = Scheme(4, radius=k // 4)
    return [blocks, replace(blocks, lanes=lanes), *sorted(_wider(blocks, k), key=lambda one: one.keys)[:_MOST_WIDER]]


def _wider(blocks: Scheme, k: int) -> Iterator[Scheme]:
    seen = set()
    for parts in range(2, _MOST_PARTS + 1):
        for radius in range(k // 2 + 1):
            scheme = Scheme(parts, parts - k // (radius + 1), radius)
            if scheme.together < 1 or scheme.keys > _MOST_KEYS or (scheme.keys, scheme.bits) in seen:
                continue
            if scheme.terms <= _MOST_TERMS and scheme.postings < blocks.postings / 2:
                seen.add((scheme.keys, scheme.bits))
                yield scheme


def _ball(width: int, radius: int) -> int:
    """How many values lie within so many bits of one."""
    return sum(comb(width, size) for size in range(radius + 1))


def _joined(a: dict[_Counts, float], b: dict[_Counts, float]) -> dict[_Counts, float]:
    found: dict[_Counts, float] = defaultdict(float)
    for some, p in a.items():
        for others, q in b.items():
            found[tuple(map(add, some, others))] += p * q
    return found
