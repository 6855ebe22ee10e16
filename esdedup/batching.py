"""Several at a time."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

__all__ = ["batched"]

_T = TypeVar("_T")


def batched(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    """The items in lists of `size`, the last one as long as it comes (as `itertools.batched` from Python 3.12 on)."""
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch
