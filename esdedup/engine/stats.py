"""What an index holds, what it takes, and what a look-up in it costs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from elasticsearch import AuthorizationException

from esdedup.batching import batched
from esdedup.document import Status
from esdedup.engine.asking import ask_many, ask_search
from esdedup.engine.candidates import LEADS, all_of, any_block, match_query
from esdedup.engine.mapping import Collection
from esdedup.engine.paging import refresh_if_allowed
from esdedup.engine.sampling import draw_fingerprints
from esdedup.fingerprinter import blocks
from esdedup.grouping import Entry
from esdedup.keys import Scheme

__all__ = ["HotBlock", "LookupCost", "Stats", "read_stats"]

_ASKED = 200  # of these are looked up
_TOGETHER = 100  # counts in one request
_SPARE = 40  # so many times more blocks are counted than listed, as a sample may have them in another order


@dataclass(frozen=True, slots=True)
class HotBlock:
    """A value of a block, by the field's name and 4 hex digits, and how many documents have it."""

    block: str
    value: str
    documents: int


@dataclass(frozen=True, slots=True)
class LookupCost:
    """How many other documents a look-up of a stored one comes upon, within the k of the index.

    blocks: the mean of those with a block near enough; lanes: of these, those with lanes near enough as well, which
    alone are read; most: the largest number by blocks; random: the mean by blocks if fingerprints were random.
    asked: of how many documents, drawn at random.
    """

    blocks: float
    lanes: float
    most: int
    random: float
    asked: int


@dataclass(frozen=True, slots=True)
class Stats:
    """What an index holds. duplicates: documents that joined a group; bare: documents without a fingerprint.

    size: bytes on disk, without replicas; None where the credentials may not see it. hot: the blocks that most
    documents share, most first; found among `sample` fingerprints, which are all there are unless `sampled`.
    """

    documents: int
    groups: int
    duplicates: int
    bare: int
    statuses: dict[str, int]
    size: int | None
    k: int
    cost: LookupCost
    hot: tuple[HotBlock, ...]
    sample: int
    sampled: bool


def read_stats(collection: Collection, hottest: int = 5, seed: int = 1) -> Stats:
    """Count and measure. At most 10,000 fingerprints are read, however large the index is.

    hottest: how many blocks are listed; seed: which documents are drawn.
    """
    refresh_if_allowed(collection.client, collection.name)
    documents, counts = _count(collection)
    comparable, drawn = draw_fingerprints(collection, seed)
    sample = drawn.tolist()
    return Stats(
        documents=documents,
        groups=counts["groups"],
        duplicates=counts["known"] - counts["groups"],
        bare=documents - counts["known"],
        statuses={status.value: counts[status.value] for status in Status},
        size=_size(collection),
        k=collection.k,
        cost=_cost(collection, sample[:_ASKED], comparable),
        hot=_hot_blocks(collection, sample, hottest),
        sample=len(sample),
        sampled=comparable > len(sample),
    )


def _count(collection: Collection) -> tuple[int, dict[str, int]]:
    """How many documents there are, and of each kind."""
    kinds: dict[str, Any] = {status.value: {"term": {"esdedup.status": status.value}} for status in Status}
    kinds |= {"groups": LEADS, "known": {"exists": {"field": "esdedup.simhash"}}}
    found = ask_search(
        collection.client,
        index=collection.name,
        size=0,
        track_total_hits=True,
        aggs={"kinds": {"filters": {"filters": kinds}}},
    )
    buckets = found["aggregations"]["kinds"]["buckets"]
    return found["hits"]["total"]["value"], {kind: bucket["doc_count"] for kind, bucket in buckets.items()}


def _size(collection: Collection) -> int | None:
    with suppress(AuthorizationException):
        answer = collection.client.indices.stats(index=collection.name, metric="store")
        return int(answer["_all"]["primaries"]["store"]["size_in_bytes"])
    return None


def _cost(collection: Collection, sample: Sequence[int], comparable: int) -> LookupCost:
    k = collection.k
    by_blocks = _totals(collection, [all_of(any_block(value, k)) for value in sample])
    by_lanes = _totals(collection, [match_query(Entry("", value, "", Status.OK, ""), k) for value in sample])
    others = [total - 1 for total in by_blocks]  # each finds itself
    return LookupCost(
        blocks=_mean(others),
        lanes=_mean([total - 1 for total in by_lanes]),
        most=max(others, default=0),
        random=max(0, comparable - 1) * Scheme(4, radius=k // 4).postings,
        asked=len(sample),
    )


def _hot_blocks(collection: Collection, sample: Sequence[int], hottest: int) -> tuple[HotBlock, ...]:
    """The most common blocks of the sample, with how many documents of the whole index have each."""
    seen = Counter((f"b{i}", block) for value in sample for i, block in enumerate(blocks(value)))
    likely = [block for block, _ in seen.most_common(_SPARE * hottest)]
    totals = _totals(collection, [{"term": {f"esdedup.{name}": value}} for name, value in likely])
    found = [HotBlock(*block, total) for block, total in zip(likely, totals, strict=True) if total > 1]
    return tuple(sorted(found, key=lambda one: (-one.documents, one.block, one.value))[:hottest])


def _totals(collection: Collection, queries: Sequence[Mapping[str, Any]]) -> list[int]:
    """How many documents each query finds."""
    found: list[int] = []
    for part in batched(queries, _TOGETHER):
        bodies = [{"query": query, "size": 0, "track_total_hits": True} for query in part]
        answers = ask_many(collection.client, collection.name, bodies)
        found += [int(answer["hits"]["total"]["value"]) for answer in answers]
    return found


def _mean(numbers: Sequence[int]) -> float:
    return sum(numbers) / max(1, len(numbers))
