"""The runs of words of many texts, each with a key by which equal ones are found."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from esdedup.hashing import GOLDEN
from esdedup.normalise import Normalised
from esdedup.segmenting import Segmenter, Spans, pieces

__all__ = ["Shingles", "shingles"]

_OTHER = np.uint64(0x94D049BB133111EB)  # than GOLDEN: in that one, "a bc d" and "c b ad" would be one sum

_Keys = NDArray[np.uint64]
_Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Shingles:
    """Runs of neighbouring words; single words are runs of one.

    keys: 64 bits for each run, the same for equal ones. counts: how many runs there are in each text.
    """

    keys: _Keys
    counts: _Places
    _text: str
    _words: Spans
    _runs: Spans

    def spell(self, places: _Places) -> list[str]:
        """The runs at some places: their words with a blank between."""
        runs = zip(self._runs.starts.take(places).tolist(), self._runs.ends.take(places).tolist(), strict=True)
        return [
            self._word(start) if start + 1 == end else " ".join(map(self._word, range(start, end)))
            for start, end in runs
        ]

    def _word(self, number: int) -> str:
        return self._text[self._words.starts[number] : self._words.ends[number]]


def shingles(normalised: Normalised, segmenter: Segmenter, size: int) -> Iterator[Shingles]:
    """The runs of `size` words of each text, piece by piece, also across pieces; fewer words are one run."""
    starts, ends, keys = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint64)
    has_runs = False  # the text of this piece, from earlier pieces
    for offset, points, is_last in pieces(normalised):
        spans = segmenter.words(points)
        starts = np.concatenate([starts, spans.starts + offset])
        ends = np.concatenate([ends, spans.ends + offset])
        keys = np.concatenate([keys, _span_keys(points, spans)])
        bounds = starts.searchsorted(normalised.ends)
        runs = _runs(bounds, size, is_last and not has_runs)
        of_texts = runs.starts.searchsorted(bounds)
        counts = of_texts[1:] - of_texts[:-1]
        yield Shingles(_run_keys(keys, runs, size), counts, normalised.text, Spans(starts, ends), runs)
        has_runs = not is_last and (has_runs or len(runs.starts) > 0)
        rest = slice(len(starts) if is_last else max(0, len(starts) - size + 1), None)
        starts, ends, keys = starts[rest], ends[rest], keys[rest]


def _runs(bounds: _Places, size: int, with_short: bool) -> Spans:
    """Runs of words by the words' numbers: the words of a text are between two bounds."""
    words = np.arange(bounds[-1])
    if size == 1:
        return Spans(words, words + 1)
    text_ends = bounds[1:].repeat(bounds[1:] - bounds[:-1])
    fits = words + size <= text_ends
    if with_short:
        fits[bounds[:-1][bounds[:-1] < bounds[1:]]] = True
    starts = fits.nonzero()[0]
    return Spans(starts, np.minimum(starts + size, text_ends.take(starts)))


def _run_keys(keys: _Keys, runs: Spans, size: int) -> _Keys:
    of_runs = keys.take(runs.starts)
    for offset in range(1, size):
        longer = (runs.starts + offset < runs.ends).nonzero()[0]
        of_runs[longer] = of_runs.take(longer) * _OTHER + keys.take(runs.starts.take(longer) + offset)
    return of_runs


def _span_keys(points: NDArray[np.uint32], spans: Spans) -> _Keys:
    """A key for each span of code points: a polynomial in GOLDEN, by prefix sums."""
    powers, inverse = _powers((len(points) - 1).bit_length())
    sums = np.zeros(len(points) + 1, np.uint64)
    (points * powers[: len(points)]).cumsum(out=sums[1:])
    return (sums.take(spans.ends) - sums.take(spans.starts)) * inverse.take(spans.starts)


@cache
def _powers(bits: int) -> tuple[_Keys, _Keys]:
    """The powers of GOLDEN and of its inverse, 2^bits of each, modulo 2^64."""
    powers, inverse = np.full(1 << bits, GOLDEN, np.uint64), np.full(1 << bits, pow(GOLDEN, -1, 1 << 64), np.uint64)
    np.multiply.accumulate(powers, out=powers)
    np.multiply.accumulate(inverse, out=inverse)
    return powers, inverse
