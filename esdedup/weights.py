"""What a feature weighs: how often it occurs and how rare it is, both to a power."""

import math

import numpy as np
from numpy.typing import NDArray

from esdedup.settings import FeatureSettings

__all__ = ["Weights"]

_SCALE = 256  # of both factors, which are whole numbers of 1/256: so sums are exact in any order
_USUAL = 4096  # counts below this come from a table
_LEAST_SHARE = 2  # times the mean


class Weights:
    """The two factors of a feature's weight, as whole numbers; `unit` is what a weight of 1 comes to."""

    unit = float(_SCALE * _SCALE)

    def __init__(self, settings: FeatureSettings) -> None:
        self._settings = settings
        self._usual = self._powers(np.arange(_USUAL))

    def of_counts(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """The first factor of each feature: its count to the power."""
        try:
            return self._usual[counts]
        except IndexError:
            return self._powers(counts)

    def of_idf(self, idf: float) -> float:
        """The second factor of a feature with this inverse document frequency."""
        return float(round(idf**self._settings.idf_power * _SCALE))

    def of_no_idf(self) -> float:
        """The second factor where all features are equally rare."""
        return float(_SCALE)

    def limit(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weights of all features of one text, none above its greatest share of what they then sum to."""
        return self.limit_each(weights, np.array([0, len(weights)]))

    def limit_each(self, weights: NDArray[np.float64], bounds: NDArray[np.int64]) -> NDArray[np.float64]:
        """The same for several texts, which begin and end at `bounds`."""
        filled = bounds[:-1][bounds[:-1] < bounds[1:]]  # where texts with features begin
        if not len(filled):
            return weights
        ends = np.append(filled[1:], len(weights))
        shares = np.maximum(self._settings.max_share, _LEAST_SHARE / (ends - filled))
        is_above = np.maximum.reduceat(weights, filled) > shares * np.add.reduceat(weights, filled)
        above = (is_above & (shares < 1)).nonzero()[0].tolist()
        limited = weights.copy() if above else weights
        for text in above:
            own = limited[filled[text] : ends[text]]
            np.minimum(own, math.floor(_level(own, float(shares[text]))), out=own)
        return limited

    def _powers(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        powers: NDArray[np.float64] = np.rint(counts.astype(np.float64) ** self._settings.tf_power * _SCALE)
        return powers


def _level(weights: NDArray[np.float64], share: float) -> float:
    """The level at which to cut, so that what is cut has `share` of the sum: fewer than 1 / share are cut."""
    most = min(len(weights), math.ceil(1 / share))
    largest = np.sort(np.partition(weights, len(weights) - most)[-most:])[::-1]
    rest = float(weights.sum())
    for cut, weight in enumerate(largest.tolist()):
        level = share * rest / (1 - share * cut)
        if weight <= level:
            return level
        rest -= weight
    return float(largest[0])
