"""Cut many texts into words at once: the most likely path through jieba's dictionary, in numpy.

The same words as `words.split_words` gives. Most places between two characters lie inside no word of the dictionary:
they are certain cuts, and what stands between two of them, mostly a word of two characters, is cut on its own.
"""

from collections.abc import Iterator
from functools import cache, cached_property
from itertools import count, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from esdedup.hashing import GOLDEN
from esdedup.lexicon import Lexicon, load_lexicon
from esdedup.normalise import END, Normalised, are_han, to_text
from esdedup.words import LETTERS, PIECE, Cut, segmenter

__all__ = ["Segmenter", "Spans", "pieces"]

_Points = NDArray[np.uint32]
_Places = NDArray[np.int64]
_Flags = NDArray[np.bool_]

_LONGEST = 32  # characters between certain cuts; more are rare, and left to the other segmenter
_TIE = 1e-6  # paths as close as that are decided by how sums were rounded: left to the other segmenter
_OTHER, _HAN, _ASCII, _FOREIGN = range(4)  # kinds of characters; the last two are letters and digits
_ASCII_END = 128


class Spans(NamedTuple):
    """Where words begin and end among the code points of texts."""

    starts: _Places
    ends: _Places


class _Words(NamedTuple):
    """Words of the dictionary that are in a text: all of one length."""

    length: int
    places: _Places
    likely: NDArray[np.float64]


class Segmenter:
    """Cuts by jieba's dictionary; with a user dictionary by jieba itself."""

    def __init__(self, dictionary: Path | None = None) -> None:
        self._dictionary = dictionary
        self._lexicon = load_lexicon() if dictionary is None else None
        if dictionary is not None:
            _ = self.cut  # what is wrong with it shows now

    @cached_property
    def cut(self) -> Cut:
        """The segmenter for one text, that decides where this one cannot. Loads a dictionary of its own."""
        return segmenter(self._dictionary)

    def words(self, points: _Points) -> Spans:
        """The words of texts. points: END, a text, END, a text, ..., END."""
        kinds = _kinds().take(points)
        known = _without_foreign(points, kinds)
        cuts = self._token_starts(known)
        # Letters and digits that were cut one by one are joined.
        alone = kinds >= _ASCII
        alone[:-1] &= cuts[1:]
        alone &= cuts
        cuts[1:] &= ~(alone[1:] & alone[:-1])
        tokens = np.flatnonzero(cuts)  # the last is END
        are_words = np.flatnonzero(kinds.take(tokens[:-1]))
        return Spans(tokens.take(are_words), tokens.take(are_words + 1))

    def _token_starts(self, points: _Points) -> _Flags:
        ends = np.flatnonzero(points == END)
        if self._lexicon is None:
            cuts, doubtful = np.ones(len(points), np.bool_), ends[1:]
        else:
            cuts, doubtful = _likely_cuts(points, ends, self._lexicon)
        for text in np.unique(np.searchsorted(ends, doubtful)).tolist():
            start, end = int(ends[text - 1]) + 1, int(ends[text])
            tokens = self.cut(to_text(points[start:end]))
            cuts[start:end] = False
            cuts[start + np.cumsum([0, *map(len, tokens)])] = True
        return cuts


def pieces(normalised: Normalised) -> Iterator[tuple[int, _Points]]:
    """The texts in pieces of bounded length with END around, and where each is: all in one, or each cut at blanks."""
    points, ends = normalised
    if len(points) <= PIECE:
        yield 0, points
        return
    for before, stop in pairwise(ends.tolist()):
        start = before + 1
        while start < stop:
            end = _piece_end(points, start, stop)
            yield start - 1, np.concatenate([points[ends[:1]], points[start:end], points[ends[:1]]])
            start = end


def _piece_end(points: _Points, start: int, stop: int) -> int:
    """At a blank where there is one, so that no word is cut."""
    end = start + PIECE
    if end >= stop:
        return stop
    blanks = np.flatnonzero(points[start + 1 : end] == ord(" "))
    return start + 2 + int(blanks[-1]) if len(blanks) else end


@cache
def _kinds() -> NDArray[np.int8]:
    """The kind of each code point, and of END."""
    kinds = np.zeros(END + 1, np.int8)
    for run in LETTERS.finditer("".join(map(chr, range(END)))):
        kinds[run.start() : run.end()] = _FOREIGN
    kinds[:_ASCII_END] = np.minimum(kinds[:_ASCII_END], _ASCII)
    kinds[are_han()] = _HAN
    return kinds


def _without_foreign(points: _Points, kinds: NDArray[np.int8]) -> _Points:
    """With zeros for runs of letters and digits that are not all ASCII: the dictionary has none of them."""
    if not (kinds == _FOREIGN).any():
        return points
    are_letters = kinds >= _ASCII
    edges = np.flatnonzero(are_letters[1:] != are_letters[:-1]) + 1
    are_foreign = np.maximum.reduceat(kinds, edges) == _FOREIGN
    lengths = np.diff(edges, prepend=0, append=len(points))
    return np.where(np.repeat(np.concatenate([[False], are_foreign]), lengths), np.uint32(0), points)


def _likely_cuts(points: _Points, ends: _Places, lexicon: Lexicon) -> tuple[_Flags, _Places]:
    """Where the tokens of the most likely paths begin, and places whose paths are in doubt."""
    words = _find_words(points, ends, lexicon)
    inside = np.zeros(len(points), np.bool_)
    for length, places, _ in words:
        for offset in range(1, length):
            inside[places + offset] = True
    cuts = ~inside
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    starts, stops = edges[::2], edges[1::2] + 1
    lengths = stops - starts
    doubtful = starts[lengths > _LONGEST]
    order = np.argsort(-lengths, kind="stable")[len(doubtful) :]
    starts, stops, lengths = starts.take(order), stops.take(order), lengths.take(order)
    if len(starts):
        steps, ties = _best_steps(_weigh(points, words, lexicon), stops, lengths)
        doubtful = np.concatenate([doubtful, ties])
        while len(starts):
            starts = starts + steps.take(starts)
            open_ = np.flatnonzero(starts < stops)
            starts, stops = starts.take(open_), stops.take(open_)
            cuts[starts] = True
    return cuts, doubtful


def _find_words(points: _Points, ends: _Places, lexicon: Lexicon) -> list[_Words]:
    """All words of two and more characters, by length."""
    found: list[_Words] = []
    begun = lexicon.begins.take(points[:-1]) & lexicon.follows.take(points[1:])
    places = _not_in_ascii(np.flatnonzero(begun), points, ends)
    keys = points.take(places).astype(np.uint64)
    for length in count(2):
        keys = keys * np.uint64(GOLDEN) + points.take(places + (length - 1), mode="clip")  # the last is END
        numbers = lexicon.beginnings.find(keys)
        begun = np.flatnonzero(numbers)
        if not len(begun):
            return found
        places, keys = places.take(begun), keys.take(begun)
        likely = lexicon.likely.take(numbers.take(begun))
        are_words = np.flatnonzero(likely > -np.inf)
        found.append(_Words(length, places.take(are_words), likely.take(are_words)))


def _not_in_ascii(places: _Places, points: _Points, ends: _Places) -> _Places:
    """Without those in texts all of ASCII: such texts are runs of letters and digits, whatever the dictionary has."""
    suspects = points.take(places) < _ASCII_END
    if not suspects.any():
        return places
    texts = np.searchsorted(ends, places)
    others = np.cumsum((points >= _ASCII_END) & (points != END) | (points == 0))
    in_ascii = others.take(ends.take(texts)) == others.take(ends.take(texts - 1))
    return places[~(suspects & in_ascii)]


def _weigh(points: _Points, words: list[_Words], lexicon: Lexicon) -> NDArray[np.float64]:
    """How likely the word of each length at each place is, the longest first; -inf where there is none."""
    weights = np.full((len(words) + 1, len(points)), -np.inf)
    starts_none = np.ones(len(points), np.bool_)
    for word in words:
        weights[-word.length, word.places] = word.likely
        starts_none[word.places] = False
    single = weights[-1]
    np.copyto(single, lexicon.single.take(points), where=starts_none | lexicon.is_single.take(points))
    return weights


def _best_steps(weights: NDArray[np.float64], stops: _Places, lengths: _Places) -> tuple[_Places, _Places]:
    """From each place the length of the next word of the best path to its stop; and the places of ties.

    The rows of `weights` are word lengths, the longest first. From the stops backwards, all stretches together:
    `lengths` descends.
    """
    longest, size = int(lengths[0]), len(weights)
    best = np.full((size + longest, len(stops)), -np.inf)  # by distance to the stop, from -size + 1
    best[size - 1] = 0
    steps = np.ones(weights.shape[1], np.int64)
    ties = []
    reaching = np.searchsorted(-lengths, -np.arange(longest + 1), "right").tolist()
    for distance in range(1, longest + 1):
        count = reaching[distance]
        places = stops[:count] - distance
        paths = weights.take(places, axis=1)
        paths += best[distance - 1 : distance + size - 1, :count]
        top = paths.max(axis=0, out=best[distance + size - 1, :count])
        steps[places] = size - paths.argmax(axis=0)
        close = (paths > top - _TIE).sum(axis=0)
        ties.append(places[close > 1])
    return steps, np.concatenate(ties)
