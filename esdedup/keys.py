"""Ways to look fingerprints up by keys, exactly: what each asks for, and how much it finds by chance.

A fingerprint is cut into parts. Of k differing bits, at most k // (r + 1) parts have more than r; so at least
`parts` - k // (r + 1) parts are within r bits, and a key made of that many parts finds every match when each value
within r bits of its parts is asked for. Blocks are four parts, one a key; for r = 0 see Manku, Jain, Das Sarma,
WWW 2007, section 3.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb, prod

from esdedup.errors import InputError
from esdedup.settings import MAX_K

__all__ = ["Scheme", "schemes_for"]

_BITS = 64
_LANES = 8
_MOST_PARTS = 7
_MOST_KEYS = 20  # a document
_MOST_TERMS = 6000  # a query
_MOST_WIDER = 4


@dataclass(frozen=True, slots=True)
class Scheme:
    """A key for every choice of `together` of `parts`; each part may be `radius` bits off.

    lanes: of the eight bytes as many must be equal besides; 0 for no such filter. Only with four parts.
    """

    parts: int
    together: int = 1
    radius: int = 0
    lanes: int = 0

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
        states = {(0, 0): 1.0}
        for width in self.widths:
            states = _joined(states, self._part(width))
        return sum(p for (near, equal), p in states.items() if near >= self.together and equal >= self.lanes)

    def is_exact(self, k: int) -> bool:
        """Whether everything within k is among the candidates."""
        return self.together <= self.parts - k // (self.radius + 1) and self.lanes <= max(0, _LANES - k)

    def _keys(self) -> Iterator[tuple[int, ...]]:
        return combinations(self.widths, self.together)

    def _part(self, width: int) -> dict[tuple[int, int], float]:
        """The probabilities of a part: (is it within the radius, how many of its lanes are equal)."""
        if not self.lanes:
            near = _ball(width, self.radius) / 2.0**width
            return {(0, 0): 1 - near, (1, 0): near}
        found: dict[tuple[int, int], float] = defaultdict(float)
        for a in range(9):
            for b in range(9):
                found[int(a + b <= self.radius), (a == 0) + (b == 0)] += comb(8, a) * comb(8, b) / 2.0**16
        return found


def schemes_for(k: int) -> list[Scheme]:
    """The exact ones: blocks, with lanes (k <= 7), and those with wider keys, as far as they can be asked for.

    Raises InputError for k outside 0 to 11.
    """
    if not 0 <= k <= MAX_K:
        raise InputError(f"k = {k} is out of range: four 16-bit blocks find everything up to k = {MAX_K}")
    blocks = Scheme(4, radius=k // 4)
    with_lanes = [Scheme(4, radius=k // 4, lanes=_LANES - k)] if k < _LANES else []
    return [blocks, *with_lanes, *sorted(_wider(blocks, k), key=lambda one: one.keys)[:_MOST_WIDER]]


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


def _joined(a: dict[tuple[int, int], float], b: dict[tuple[int, int], float]) -> dict[tuple[int, int], float]:
    found: dict[tuple[int, int], float] = defaultdict(float)
    for (near, equal), p in a.items():
        for (more, others), q in b.items():
            found[near + more, equal + others] += p * q
    return found
