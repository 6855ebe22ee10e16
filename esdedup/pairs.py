"""All pairs of fingerprints within k bits, exactly, in memory: by sorting on parts of their bits.

Of m parts of a fingerprint, k differing bits leave m - k equal. So for each choice of m - k parts the fingerprints are
sorted by these, and those that agree in them are compared (Manku, Jain, Das Sarma, WWW 2007, section 3, there with
stored permutations). A sorted number holds the chosen bits and, below them, where the fingerprint stands: eight bytes.
"""

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, combinations, pairwise
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from esdedup.counting import are_first

__all__ = ["MOST_AT_ONCE", "Pairs", "all_pairs", "work"]

#: Fewer fingerprints than that are compared at once.
MOST_AT_ONCE = 1 << 32

_BITS = 64
_SORTED, _COMPARED = 6.0, 1.0  # what sorting one number, and comparing one pair, cost
_LONG = 1000  # fingerprints that agree in one choice of parts; more are sorted again by the other bits
_MOST_PARTS = 5  # more than k of them: as many parts as are tried
_CHUNK = 1 << 16  # fingerprints; stays in the cache

_Numbers = NDArray[np.uint64]
_Places = NDArray[np.int64]
#: Some bits of a fingerprint, as (lowest bit, how many).
_Part = tuple[tuple[int, int], ...]
_ALL: _Part = ((0, _BITS),)


class Pairs(NamedTuple):
    """Pairs (i[n], j[n]) of places in the input, i < j, ordered by i, then j; and their distances."""

    i: _Places
    j: _Places
    distance: NDArray[np.uint8]


def all_pairs(fingerprints: _Numbers, k: int = 3, workers: int | None = None) -> Pairs:
    """Every pair within k, once; equal fingerprints are pairs too. Exact for every k.

    fingerprints: uint64, shape (n,), n < MOST_AT_ONCE. Takes some 30 bytes a fingerprint, and what the pairs need.
    workers: threads; None for one a core, as far as there is work for them.
    """
    if not 0 <= k <= _BITS:
        raise ValueError(f"k = {k} is out of range: give 0 to {_BITS}")
    values = np.ascontiguousarray(fingerprints, np.uint64)
    once = _distinct(values)
    if len(once) < len(values):
        return _ordered(values, _with_equals(values, _packed_pairs(once, k, workers)))
    del once  # eight bytes a fingerprint
    return _ordered(values, _packed_pairs(values, k, workers))


def _distinct(numbers: _Numbers) -> _Numbers:
    """Each number once, in order: by sorting, which numpy does faster than the hash table of its `unique`."""
    ordered = np.sort(numbers)
    return ordered[are_first(ordered)]


def _ordered(values: _Numbers, packed: _Numbers) -> Pairs:
    """The pairs in order, each once."""
    i, j = _unpack(_distinct(packed))
    return Pairs(i, j, np.bitwise_count(values[i] ^ values[j]))


def _pack(a: _Places, b: _Places) -> _Numbers:
    """Pairs of places as numbers, the smaller place above the larger."""
    high, low = np.minimum(a, b).astype(np.uint64), np.maximum(a, b).astype(np.uint64)
    return high << np.uint64(32) | low


def _unpack(packed: _Numbers) -> tuple[_Places, _Places]:
    return (packed >> np.uint64(32)).astype(np.int64), (packed & np.uint64(0xFFFFFFFF)).astype(np.int64)


def _with_equals(values: _Numbers, packed: _Numbers) -> _Numbers:
    """From pairs of different values, by their order, to pairs of all that have them."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(are_first(ordered))
    holders = np.split(order, starts[1:])
    several = (places for places in holders if len(places) > 1)
    equal = (_pack(*(places[index] for index in np.triu_indices(len(places), 1))) for places in several)
    i, j = _unpack(packed)
    near = (_products(holders[a], holders[b]) for a, b in zip(i.tolist(), j.tolist(), strict=True))
    return _joined(chain(equal, near))


def _products(a: _Places, b: _Places) -> _Numbers:
    """Each of these with each of those."""
    return _pack(np.repeat(a, len(b)), np.tile(b, len(a)))


def work(count: int, k: int) -> float:
    """What `all_pairs` has to do among so many uniform fingerprints, in comparisons; a number sorted counts as six."""
    cost, _ = _cheapest(_BITS, k, count)
    return cost


def _choices(part: _Part, k: int, count: int) -> Iterator[_Part]:
    """The cheapest set of choices of bits such that each pair within k agrees in one of them."""
    _, parts = _cheapest(sum(bits for _, bits in part), k, count)
    if parts <= k:  # as many bits may differ as there are
        yield ()
        return
    for chosen in combinations(_split(part, parts), parts - k):
        yield tuple(segment for some in chosen for segment in some)


def _cheapest(width: int, k: int, count: int) -> tuple[float, int]:
    """What sorting by parts of so many bits costs at least, and in how many; in 0 where all must be compared."""
    room = _BITS - max(1, count - 1).bit_length()
    most = min(width, k + _MOST_PARTS) if count > 1 else k
    options = [(count * count / 2.0 * _COMPARED, 0)]
    for parts in range(k + 1, most + 1):
        bits = min(room, width * (parts - k) // parts)
        tables = comb(parts, k)
        options.append((tables * count * (_SORTED + _COMPARED * count / 2.0**bits), parts))
    return min(options)


def _split(part: _Part, number: int) -> list[_Part]:
    """The bits in so many parts of about equal size."""
    width = sum(bits for _, bits in part)
    ends = [width * at // number for at in range(number + 1)]
    return [_cut(part, start, end) for start, end in pairwise(ends)]


def _cut(part: _Part, start: int, end: int) -> _Part:
    """The bits from the start-th to before the end-th of a part."""
    cut, at = [], 0
    for shift, bits in part:
        low, high = max(start, at), min(end, at + bits)
        if low < high:
            cut.append((shift + low - at, high - low))
        at += bits
    return tuple(cut)


def _rest(part: _Part) -> _Part:
    """All bits that are not in a part."""
    taken = sum(((1 << bits) - 1) << shift for shift, bits in part)
    free = [bit for bit in range(_BITS) if not taken >> bit & 1]
    starts = [bit for bit in free if bit - 1 not in free]
    ends = [bit + 1 for bit in free if bit + 1 not in free]
    return tuple((start, end - start) for start, end in zip(starts, ends, strict=True))


def _packed_pairs(values: _Numbers, k: int, workers: int | None) -> _Numbers:
    tables = list(_choices(_ALL, k, len(values)))
    threads = min(workers or os.cpu_count() or 1, len(tables), 1 + len(values) // 100_000)
    with ThreadPoolExecutor(threads) as pool:
        return _joined(pool.map(lambda key: _joined(_agreeing(values, key, k)), tables))


def _joined(parts: Iterable[_Numbers]) -> _Numbers:
    listed = list(parts)
    return np.concatenate(listed) if listed else np.empty(0, np.uint64)


def _agreeing(values: _Numbers, key: _Part, k: int, *, again: bool = True) -> Iterator[_Numbers]:
    """The pairs within k of those that agree in the bits of `key`."""
    if len(values) < 2:
        return
    room = max(1, (len(values) - 1).bit_length())
    places, same = _sorted_by(values, key, room)
    if again:
        for run in _long_runs(same):
            inside = places[run]
            same[run.start : run.stop - 1] = False
            for more in _choices(_rest(key), k, len(inside)):
                for packed in _agreeing(values[inside], more, k, again=False):
                    i, j = _unpack(packed)
                    yield _pack(inside[i], inside[j])
    lag, at = 1, np.flatnonzero(same)
    while len(at):
        a, b = places[at], places[at + lag]
        near = np.bitwise_count(values[a] ^ values[b]) <= k
        yield _pack(a[near], b[near])
        at = at[at + lag < len(same)]
        at = at[same[at + lag]]  # the next one agrees with its neighbour, and so with all between
        lag += 1


def _sorted_by(values: _Numbers, key: _Part, room: int) -> tuple[_Places, NDArray[np.bool_]]:
    """The places of the fingerprints by the bits of `key`, and whether each agrees in them with the next."""
    packed = np.empty(len(values), np.uint64)
    for start in range(0, len(values), _CHUNK):
        part = slice(start, min(start + _CHUNK, len(values)))
        packed[part] = _gathered(values[part], key, _BITS - room) << np.uint64(room) if key else 0
        packed[part] |= np.arange(part.start, part.stop, dtype=np.uint64)
    packed.sort()
    same = np.empty(len(values) - 1, np.bool_)
    for start in range(0, len(same), _CHUNK):
        part = slice(start, min(start + _CHUNK, len(same)))
        same[part] = (packed[part] ^ packed[part.start + 1 : part.stop + 1]) >> np.uint64(room) == 0
    packed &= np.uint64((1 << room) - 1)
    return packed.view(np.int64), same


def _gathered(values: _Numbers, key: _Part, most: int) -> _Numbers:
    """The bits of `key` side by side, `most` of them at most."""
    found = np.zeros(len(values), np.uint64)
    for shift, width in key:
        bits = min(width, most)
        most -= bits
        found <<= np.uint64(bits)
        found |= values >> np.uint64(shift) & np.uint64((1 << bits) - 1)
    return found


def _long_runs(same: NDArray[np.bool_]) -> list[slice]:
    """Where more than `_LONG` fingerprints in a row agree."""
    edges = np.flatnonzero(np.diff(same, prepend=False, append=False))
    starts, ends = edges[::2], edges[1::2] + 1
    return [slice(a, b) for a, b in zip(starts.tolist(), ends.tolist(), strict=True) if b - a > _LONG]
