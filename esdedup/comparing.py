"""Two texts side by side: how far apart, and which features make the difference."""

from dataclasses import dataclass

from esdedup.fingerprinter import Fingerprinter, Sketch
from esdedup.matching import is_duplicate

__all__ = ["Comparison", "FeatureDifference", "compare"]

_WEAK = 16  # features; a fingerprint of fewer says little


@dataclass(frozen=True, slots=True)
class FeatureDifference:
    """A feature and its weight in each of the two texts."""

    feature: str
    a: float
    b: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """exact: the texts read the same; bits: the positions that differ, 0 the most significant.

    weak: one text is so short that its fingerprint says little; features: those that differ most, first.
    """

    distance: int
    exact: bool
    bits: tuple[int, ...]
    weak: bool
    a: Sketch
    b: Sketch
    features: tuple[FeatureDifference, ...]

    def within(self, k: int) -> bool:
        """Are the two near-duplicates at distance k? Short texts only when equal, empty ones never."""
        return is_duplicate(self.a, self.b, k)


def compare(a: str, b: str, fingerprinter: Fingerprinter, limit: int = 20) -> Comparison:
    """Compare two texts; `limit` features at most."""
    one, other = fingerprinter.sketch(a), fingerprinter.sketch(b)
    differing = one.fingerprint ^ other.fingerprint
    return Comparison(
        distance=differing.bit_count(),
        exact=one.digest == other.digest,
        bits=tuple(bit for bit in range(64) if differing >> (63 - bit) & 1),
        weak=min(one.features, other.features) < _WEAK,
        a=one,
        b=other,
        features=_differences(fingerprinter.features(a), fingerprinter.features(b))[:limit],
    )


def _differences(a: dict[str, float], b: dict[str, float]) -> tuple[FeatureDifference, ...]:
    both = (FeatureDifference(name, a.get(name, 0.0), b.get(name, 0.0)) for name in a.keys() | b.keys())
    return tuple(sorted((d for d in both if d.a != d.b), key=lambda d: (-abs(d.a - d.b), d.feature)))
