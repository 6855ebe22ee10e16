"""Which stored fingerprints share a block with any of many: asked for by one search, as numbers and not as documents.

A search for each look-up costs mostly its own parts: twelve terms, sought in every segment. Asked together the blocks
are four lists of terms, and fingerprints counted by value need no document to be read. That pays while few documents
share a block; in large or skewed collections the lanes are cheaper.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from esdedup.batching import batched
from esdedup.engine.asking import ask_many
from esdedup.engine.mapping import Collection
from esdedup.fingerprinter import blocks
from esdedup.matching import within

__all__ = ["near_fingerprints"]

_TOGETHER = 50  # look-ups in one search; with more, the engine takes longer for each
_AFFORDED = 600  # documents that each may come upon: at 300 lanes took more than twice as long


def near_fingerprints(
    collection: Collection, values: Sequence[int], k: int, *filters: Mapping[str, Any]
) -> tuple[set[int], list[int]]:
    """Stored fingerprints within k, at most 3, of any of these; and those of these that too many share a block with.

    For the latter nothing is said. If the first fifty have such, the others are not tried. filters: of documents.
    """
    first, *others = batched(values, _TOGETHER)
    near, left = _ask(collection, [first], k, filters)
    if left:
        return set(), list(values)
    more, left = _ask(collection, others, k, filters)
    return near | more, left


def _ask(
    collection: Collection, parts: Sequence[Sequence[int]], k: int, filters: Sequence[Mapping[str, Any]]
) -> tuple[set[int], list[int]]:
    near: set[int] = set()
    left: list[int] = []
    searches = [_search(part, filters) for part in parts]
    for part, answer in zip(parts, ask_many(collection.client, collection.name, searches), strict=True):
        found = answer["aggregations"]["near"]
        if answer.get("terminated_early") or found["sum_other_doc_count"]:
            left += part
        else:
            near.update(_within(part, [int(bucket["key"], 16) for bucket in found["buckets"]], k))
    return near, left


def _search(values: Sequence[int], filters: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    columns = zip(*map(blocks, values), strict=True)
    shared = [{"terms": {f"esdedup.b{i}": sorted(set(column))}} for i, column in enumerate(columns)]
    most = _AFFORDED * len(values)
    # A map of what is found, since ordinals of all fingerprints would have to be made anew after each refresh.
    counted = {"terms": {"field": "esdedup.simhash", "size": most, "execution_hint": "map"}}
    query = {"bool": {"filter": [{"bool": {"should": shared}}, *filters]}}
    return {"query": query, "size": 0, "track_total_hits": False, "terminate_after": most, "aggs": {"near": counted}}


def _within(values: Sequence[int], stored: Sequence[int], k: int) -> list[int]:
    found = np.array(stored, np.uint64)
    _, column, _ = within(np.array(values, np.uint64), found, k)
    near: list[int] = found[column].tolist()
    return near
