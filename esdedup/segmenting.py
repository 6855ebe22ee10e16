"""Cut many texts into words at once: the most likely path through jieba's dictionary, in numpy.

The same words as `words.split_words` gives. Most places between two characters lie inside no word of the dictionary:
they are certain cuts, and what stands between two of them, mostly a word of two characters, is cut on its own.
"""

from collections.abc import Iterator
from functools import cache, cached_property
from itertools import accumulate, pairwise
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
_WORTH_IT = 4000  # characters; fewer are cut sooner by the other segmenter
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
        tokens = cuts.nonzero()[0]  # the last is END
        are_words = kinds.take(tokens[:-1]).nonzero()[0]
        return Spans(tokens.take(are_words), tokens.take(are_words + 1))

    def _token_starts(self, points: _Points) -> _Flags:
        ends = (points == END).nonzero()[0]
        if self._dictionary or len(points) < _WORTH_IT:
            cuts, doubtful = np.ones(len(points), np.bool_), ends[1:]
        else:
            cuts, doubtful = _likely_cuts(points, ends, load_lexicon())
        for text in set(ends.searchsorted(doubtful).tolist()):
            start, end = int(ends[text - 1]) + 1, int(ends[text])
            known = to_text(points[start:end])
            if not known.isascii() or "\0" in known:  # else runs of letters and digits are all that there is
                tokens = self.cut(known)
                cuts[start:end] = False
                cuts[np.fromiter(accumulate(map(len, tokens), initial=start), np.int64, len(tokens) + 1)] = True
        return cuts


def pieces(normalised: Normalised) -> Iterator[tuple[int, _Points, bool]]:
    """The texts in pieces of bounded length, with END around: all texts in one, or each text cut at blanks.

    With each piece goes where it begins, and whether its text ends there.
    """
    points, ends, _ = normalised
    if len(points) <= PIECE:
        yield 0, points, True
        return
    for before, stop in pairwise(ends.tolist()):
        start = before + 1
        while start < stop:
            end = _piece_end(points, start, stop)
            yield start - 1, np.concatenate([points[:1], points[start:end], points[:1]]), end == stop
            start = end


def _piece_end(points: _Points, start: int, stop: int) -> int:
    """At a blank where there is one, so that no word is cut."""
    end = start + PIECE
    if end >= stop:
        return stop
    blanks = (points[start + 1 : end] == ord(" ")).nonzero()[0]
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
    foreign = (kinds == _FOREIGN).nonzero()[0]
    if not len(foreign):
        return points
    are_letters = kinds >= _ASCII
    edges = (are_letters[1:] != are_letters[:-1]).nonzero()[0] + 1
    ends = edges.searchsorted(foreign, "right")
    change = np.zeros(len(points), np.int8)
    change[edges.take(ends - 1)] = 1
    change[edges.take(ends)] = -1
    return np.where(change.cumsum(dtype=np.int8), np.uint32(0), points)


def _likely_cuts(points: _Points, ends: _Places, lexicon: Lexicon) -> tuple[_Flags, _Places]:
    """Where the tokens of the most likely paths begin, and places whose paths are in doubt."""
    words = _find_words(points, ends, lexicon)
    inside = np.zeros(len(points), np.bool_)
    for length, places, _ in words:
        for offset in range(1, length):
            inside[places + offset] = True
    cuts = ~inside
    edges = (inside[1:] != inside[:-1]).nonzero()[0]
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
            open_ = (starts < stops).nonzero()[0]
            starts, stops = starts.take(open_), stops.take(open_)
            cuts[starts] = True
    return cuts, doubtful


def _find_words(points: _Points, ends: _Places, lexicon: Lexicon) -> list[_Words]:
    """All words of two and more characters, by length."""
    found: list[_Words] = []
    can_begin = lexicon.begins.take(points[:-1]) & lexicon.follows.take(points[1:])
    places = _not_in_ascii(can_begin.nonzero()[0], points, ends)
    keys = points.take(places).astype(np.uint64)
    while len(places):
        length = len(found) + 2
        keys = keys * np.uint64(GOLDEN) + points.take(places + (length - 1), mode="clip")  # the last is END
        numbers = lexicon.beginnings.find(keys)
        begun = numbers.nonzero()[0]
        places, keys = places.take(begun), keys.take(begun)
        likely = lexicon.likely.take(numbers.take(begun))
        are_words = (likely > -np.inf).nonzero()[0]
        found.append(_Words(length, places.take(are_words), likely.take(are_words)))
    return found


def _not_in_ascii(places: _Places, points: _Points, ends: _Places) -> _Places:
    """Without those in texts all of ASCII: such texts are runs of letters and digits, whatever the dictionary has."""
    suspects = (points.take(places) < _ASCII_END).nonzero()[0]
    if not len(suspects):
        return places
    others = ((points >= _ASCII_END) & (points != END) | (points == 0)).nonzero()[0]
    texts = ends.searchsorted(places.take(suspects))
    are_in_ascii = others.searchsorted(ends.take(texts)) == others.searchsorted(ends.take(texts - 1))
    return np.delete(places, suspects[are_in_ascii])


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
    best = np.zeros((longest + 1, len(stops)))  # by distance to the stop
    steps = np.ones(weights.shape[1], np.int64)
    sizes, ties = np.arange(size, 0, -1)[:, None], []
    reaching = np.searchsorted(-lengths, -np.arange(longest + 1), "right").tolist()
    for distance in range(1, longest + 1):
        count, rows = reaching[distance], slice(max(0, size - distance), size)
        places = stops[:count] - distance
        paths = weights[rows].take(places, axis=1)
        paths += best[max(0, distance - size) : distance, :count]
        top = paths.max(axis=0, out=best[distance, :count])
        if distance > 1:
            steps[places] = np.where(paths == top, sizes[rows], 0).max(axis=0)
            ties.append(places[(paths > top - _TIE).sum(axis=0, dtype=np.int8) > 1])
    return steps, np.concatenate(ties)
