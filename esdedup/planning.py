"""What a collection of any size will cost, on paper: formulae (docs/scale.md), and constants measured once."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, expm1, log2

import numpy as np
from numpy.typing import NDArray

from esdedup.errors import InputError
from esdedup.keys import Scheme, schemes_for
from esdedup.measured import MEASURED, Measured
from esdedup.nearby import block_columns
from esdedup.pairs import work

__all__ = [
    "Apart",
    "Plan",
    "Regrouping",
    "Workload",
    "apart",
    "cheapest",
    "in_use",
    "plan",
    "regrouping",
    "skew_of",
]

_GB = 10**9
_DOCUMENTS_OF_A_SHARD = 200_000_000  # advised by the engine's makers; it can hold 2**31 - 1, deleted ones too
_LITTLE_MORE = 1.5  # times the least work: memory is dearer
_HOUR = 3.6e9  # microseconds
_BLOCK = 16  # bits
_VALUES_OF_A_LANE = 256
_SPREAD = 1.2  # by benchmarks.skew: 1 if bits were independent, nearly 2 if they all hung together
_STORED = 4  # keys of a document, in the constants of a document
_HEX = 4  # bits of a character of a term


@dataclass(frozen=True, slots=True)
class Workload:
    """What is planned for.

    text: bytes a document. skew: candidates by blocks, as a multiple of those of uniform fingerprints.
    shard: bytes that one is to hold at most.
    """

    documents: int
    k: int = 3
    text: int = MEASURED.text_bytes
    skew: float = 1.0
    shard: int = 50 * _GB

    def __post_init__(self) -> None:
        if self.documents < 1 or self.text < 0 or self.shard < 1:
            raise InputError("a plan needs at least one document, no less than 0 bytes of text, and room in a shard")
        if self.skew < 1:
            raise InputError(f"a skew of {self.skew:g}: uniform fingerprints have 1, and no others have less")


@dataclass(frozen=True, slots=True)
class Plan:
    """A scheme and what it costs: bytes, milliseconds of one core, hours of one core.

    document: on disk, of which `keys` for keys and lanes. cache: what the page cache should hold, keys, lanes and
    fingerprints. postings: that a look-up reads, those of lanes too; candidates: that come back to be verified.
    index: to fingerprint, look up and write everything.
    """

    scheme: Scheme
    document: float
    keys: float
    disk: float
    shards: int
    cache: float
    heap: float
    terms: int
    postings: float
    candidates: float
    look_up: float
    index: float


@dataclass(frozen=True, slots=True)
class Regrouping:
    """What `regroup` takes: hours of one core, and bytes of memory in one process."""

    hours: float
    memory: float


@dataclass(frozen=True, slots=True)
class Apart:
    """Fingerprints in an index of their own, a row for each key in the shard of its value: bytes, milliseconds."""

    scheme: Scheme
    disk: float
    shards: int
    asked: int  # shards, a look-up
    look_up: float


def plan(workload: Workload, measured: Measured = MEASURED) -> list[Plan]:
    """What each exact scheme would cost, in the order of `schemes_for`. Raises InputError for k outside 0 to 11."""
    return [_plan(scheme, workload, measured) for scheme in schemes_for(workload.k)]


def cheapest(plans: Sequence[Plan]) -> Plan:
    """The one that takes the least page cache, of those that index everything with little more than the least work."""
    least = min(one.index for one in plans)
    return min((one for one in plans if one.index <= _LITTLE_MORE * least), key=lambda one: one.cache)


def in_use(plans: Sequence[Plan]) -> Plan:
    """The one that `esdedup` stores and asks for: blocks and lanes."""
    return next(one for one in plans if one.scheme.lanes)


def regrouping(workload: Workload, measured: Measured = MEASURED) -> Regrouping:
    """What it costs to make all groups anew."""
    documents = workload.documents
    spent = measured.regroup * documents + measured.compare * work(documents, workload.k)
    return Regrouping(spent / _HOUR, measured.pair * documents)


def apart(workload: Workload, measured: Measured = MEASURED) -> Apart:
    """The cheapest to look up in of such indexes."""
    schemes = [scheme for scheme in schemes_for(workload.k) if not scheme.lanes]
    return min((_apart(scheme, workload, measured) for scheme in schemes), key=lambda one: one.look_up)


def skew_of(fingerprints: NDArray[np.uint64]) -> float:
    """How many times as many of these share a block as would of uniform ones; 1 of too few to tell."""
    count = len(fingerprints)
    if count < 2:
        return 1.0
    columns = block_columns(fingerprints)
    sizes = np.concatenate([np.bincount(column) for column in columns]).astype(np.float64)
    shared = float((sizes * (sizes - 1)).sum()) / (count * (count - 1.0))
    return max(1.0, shared * 65536 / 4)


def _plan(scheme: Scheme, workload: Workload, measured: Measured) -> Plan:
    documents = workload.documents
    keys = _key_bytes(scheme, documents, measured)
    source = measured.key_source * (scheme.keys - _STORED)
    document = measured.document + measured.fingerprint + keys + source + measured.text * workload.text
    shards = _shards(documents, document, workload)
    look_up = _look_up(scheme, workload, documents, shards, measured)
    return Plan(
        scheme=scheme,
        document=document,
        keys=keys,
        disk=document * documents,
        shards=shards,
        cache=(keys + measured.fingerprint) * documents,
        heap=measured.heap + documents / 8,
        terms=scheme.terms + scheme.lane_terms,
        postings=_key_postings(scheme, workload, documents) + _lane_postings(scheme, documents),
        candidates=_candidates(scheme, workload, documents),
        look_up=look_up / 1e3,
        index=documents * _index(scheme, workload, shards, measured) / _HOUR,
    )


def _apart(scheme: Scheme, workload: Workload, measured: Measured) -> Apart:
    row = measured.row + _key_bytes(scheme, workload.documents, measured) / scheme.keys
    rows = workload.documents * scheme.keys
    shards = _shards(rows, row, workload)
    look_up = _look_up(scheme, workload, workload.documents, shards, measured, routed=True)
    return Apart(scheme, row * rows, shards, min(shards, scheme.terms), look_up / 1e3)


def _shards(documents: int, document: float, workload: Workload) -> int:
    return ceil(documents / max(1.0, min(_DOCUMENTS_OF_A_SHARD, workload.shard / document)))


def _key_bytes(scheme: Scheme, documents: int, measured: Measured) -> float:
    """Of keys and lanes, a document. A term shares its first characters with its neighbours."""
    if scheme.parts == 4 and scheme.together == 1:
        return scheme.keys * measured.block + measured.lanes * bool(scheme.lanes)
    own = max(0.0, scheme.bits - log2(min(documents, _DOCUMENTS_OF_A_SHARD))) / _HEX
    return scheme.keys * (measured.key + measured.key_character * own)


def _skew(bits: float, workload: Workload) -> float:
    """How many times as many agree in so many bits as of uniform fingerprints: wider keys suffer more."""
    return float(workload.skew ** ((bits / _BLOCK) ** _SPREAD))


def _key_postings(scheme: Scheme, workload: Workload, documents: int) -> float:
    return min(documents * scheme.keys, documents * scheme.postings * _skew(scheme.bits, workload))


def _lane_postings(scheme: Scheme, documents: int) -> float:
    return documents * scheme.lane_terms / _VALUES_OF_A_LANE


def _candidates(scheme: Scheme, workload: Workload, documents: int) -> float:
    bits = max([scheme.bits, *(8.0 * lanes for lanes, _ in scheme.lanes)])
    return min(documents, documents * scheme.candidates * _skew(bits, workload))


def _look_up(
    scheme: Scheme, workload: Workload, documents: int, shards: int, measured: Measured, *, routed: bool = False
) -> float:
    """Microseconds of a look-up among so many documents. routed: each term is asked in one shard, not in all."""
    asked, each = (min(shards, scheme.terms), 1) if routed else (shards, shards)
    found = -expm1(-documents / each / 2**scheme.bits)  # the share of the key terms that a shard has
    lane_posting = measured.near_posting if scheme.radius else measured.posting
    return (
        measured.ask
        + measured.ask_shard * (asked - 1)
        + measured.ask_term * (scheme.terms + scheme.lane_terms) * each
        + measured.open_term * (scheme.terms * found + scheme.lane_terms) * each
        + measured.posting * _key_postings(scheme, workload, documents)
        + lane_posting * _lane_postings(scheme, documents)
        + measured.read * _candidates(scheme, workload, documents)
    )


def _index(scheme: Scheme, workload: Workload, shards: int, measured: Measured) -> float:
    """Microseconds a document, which is looked up among half of all, on average."""
    text = (measured.make + measured.write_text) * workload.text
    keys = measured.write_key * (scheme.keys - _STORED)
    return text + measured.write + keys + _look_up(scheme, workload, workload.documents // 2, shards, measured)
