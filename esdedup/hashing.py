"""64-bit codes for features: text hashes, enumerated values, and Chinese strings."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import xxhash
from numpy.typing import NDArray

__all__ = [
    "GOLDEN",
    "chinese_string_code",
    "enumerated_codes",
    "hash_feature",
    "hash_ngrams",
    "signs",
]

_MASK = (1 << 64) - 1
_SEED = 6  # one draw of the 64 directions among many that are as good; docs/accuracy.md has the spread
_MAX_ENUMERATED = 128
_HAN_FIRST, _HAN_LAST = 0x4E00, 0x9FFF
#: 2^64 / golden ratio: spreads what is multiplied by it.
GOLDEN = 0x9E3779B97F4A7C15


def hash_feature(feature: str) -> int:
    """The same 64-bit code for the same string in every process: seeded XXH3 of its UTF-8 bytes."""
    return xxhash.xxh3_64_intdigest(feature.encode("utf-8", "surrogatepass"), _SEED)


def hash_ngrams(codes: NDArray[np.uint32], size: int) -> NDArray[np.uint64]:
    """A 64-bit code for each run of `size` code points: len(codes) - size + 1 values, or none.

    A polynomial in an odd constant, finished with the mixer of SplitMix64 (Steele, Lea, Flood 2014).
    """
    windows = max(0, len(codes) - size + 1)
    mixed = codes[:windows].astype(np.uint64)
    for offset in range(1, size):
        mixed *= np.uint64(GOLDEN)
        mixed += codes[offset : offset + windows]
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def enumerated_codes(values: Sequence[str]) -> dict[str, int]:
    """A code for each of up to 128 values of an enumerated feature, as far apart as 64 bits allow.

    Two values get all zeros and all ones. More get rows of a Hadamard matrix (Sylvester's), its columns
    repeated over the 64 bits: 42 bits apart for 3 or 4 values, 36 up to 8, 32 up to 128.
    Raises ValueError for repeated or too many values.
    """
    if len(set(values)) != len(values) or len(values) > _MAX_ENUMERATED:
        raise ValueError(f"{len(values)} values: they must differ, and be at most {_MAX_ENUMERATED}")
    order = 2
    while order < min(len(values), 64):
        order *= 2
    if len(values) <= order:
        columns = [1 + bit % (order - 1) for bit in range(64)]  # not column 0, in which all rows agree
        return {value: _hadamard_row(row, columns) for row, value in enumerate(values)}
    rows = [_hadamard_row(row, range(64)) for row in range(64)]
    return dict(zip(values, [*rows, *(row ^ _MASK for row in rows)], strict=False))


def _hadamard_row(row: int, columns: Sequence[int]) -> int:
    return sum(((row & column).bit_count() & 1) << bit for bit, column in enumerate(columns))


def chinese_string_code(text: str) -> int:
    """A code in which similar strings are close: shared characters, and characters near in the code chart.

    Each Chinese character is placed on the range U+4E00 to U+9FFF; bit j is a square wave over that range
    with a frequency and phase of its own (binary codes of Raginsky and Lazebnik, NIPS 2009), so characters
    of one radical, which stand together, share most bits. Neighbouring pairs count half as much and keep
    the order. The sums' signs are the code.
    """
    if not text:
        return 0
    pairs = [hash_feature(a + b) for a, b in pairwise(text)]
    votes = 2.0 * signs([_character_code(c) for c in text]).sum(axis=0)
    if pairs:
        votes += signs(pairs).sum(axis=0)
    return int.from_bytes(np.packbits(votes > 0).tobytes(), "big")


def _character_code(character: str) -> int:
    code = ord(character)
    if not _HAN_FIRST <= code <= _HAN_LAST:
        return hash_feature(character)
    place = (code - _HAN_FIRST << 32) // (_HAN_LAST - _HAN_FIRST + 1)
    return sum(_square_wave(place, bit) << bit for bit in range(64))


def _square_wave(place: int, bit: int) -> int:
    """0 or 1 for a place in [0, 2^32): between 8 and 40 half-waves over the range."""
    seed = (bit + 1) * GOLDEN & _MASK
    frequency = (8 << 16) + (seed >> 43)  # 16.16 fixed point: 8 to 40
    phase = seed & 0xFFFF_FFFF
    return ((place * frequency >> 16) + phase) >> 31 & 1


def signs(codes: Sequence[int] | NDArray[np.uint64]) -> NDArray[np.float64]:
    """The bits of `codes` as +1 and -1, most significant first: shape (n, 64)."""
    as_bytes = np.asarray(codes, dtype=np.uint64).astype(">u8").view(np.uint8)
    return np.unpackbits(as_bytes).reshape(-1, 64).astype(np.float64) * 2 - 1
