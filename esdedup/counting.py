"""How often each value occurs, in one text or in each of several: by sorting."""

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["TextCounts", "are_first", "count_by_text", "count_distinct"]

_Integers = NDArray[np.int64]
_Number = TypeVar("_Number", np.int64, np.uint64)

_TEXT_BIT = 32  # the text is above, the value below


class TextCounts(NamedTuple):
    """The different values of the first text, the second, ..., and how often each occurs there: int64, shape (n,).

    bounds: where the texts begin and end among them, one more than texts.
    """

    values: _Integers
    counts: _Integers
    bounds: _Integers


def count_by_text(parts: Iterable[tuple[_Integers, _Integers]], texts: int) -> TextCounts:
    """Counts each text's values.

    parts: values below 2^32, and how many of them are of each text; a text may go on in the next part.
    """
    numbers = np.arange(texts + 1) << _TEXT_BIT
    counted = [count_distinct(numbers[:-1].repeat(lengths) | values) for values, lengths in parts]
    distinct, counts = counted[0] if len(counted) == 1 else _merged(counted)
    return TextCounts(distinct & (1 << _TEXT_BIT) - 1, counts, distinct.searchsorted(numbers))


def _merged(counted: list[tuple[_Integers, _Integers]]) -> tuple[_Integers, _Integers]:
    """The same values of several parts together."""
    distinct = np.concatenate([np.empty(0, np.int64), *(values for values, _ in counted)])
    counts = np.concatenate([np.empty(0, np.int64), *(counts for _, counts in counted)])
    order = distinct.argsort()
    distinct, counts = distinct.take(order), counts.take(order)
    first = are_first(distinct).nonzero()[0]
    return distinct.take(first), np.add.reduceat(counts, first) if len(first) else counts


def are_first(ordered: NDArray[_Number]) -> NDArray[np.bool_]:
    """Whether each of ordered values differs from the one before."""
    are = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=are[1:])
    return are


def count_distinct(values: NDArray[_Number]) -> tuple[NDArray[_Number], NDArray[np.int64]]:
    """The different values, ascending, and how often each occurs: `numpy.unique`, without its cost for short arrays."""
    ordered = values.copy()
    ordered.sort()
    starts = are_first(ordered).nonzero()[0]
    counts = np.empty(len(starts), np.int64)
    np.subtract(starts[1:], starts[:-1], out=counts[:-1])
    counts[-1:] = len(ordered) - starts[-1:]
    return ordered[starts], counts
