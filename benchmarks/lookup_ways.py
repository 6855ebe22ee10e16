"""Ways to look a fingerprint up in Elasticsearch: ours, and what one would do otherwise."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.filling import Numbers
from esdedup import Status
from esdedup.engine.candidates import LEADS, all_of, any_block, find_leaders, find_matches, match_query
from esdedup.engine.mapping import Collection
from esdedup.engine.paging import read_all
from esdedup.fingerprinter import lanes, to_hex
from esdedup.grouping import Entry

__all__ = ["BLOCKS", "LANES", "Way", "block_way", "graph_way", "other_ways", "our_way", "script_way"]

BLOCKS = tuple(f"esdedup.b{i}" for i in range(4))
LANES = (*BLOCKS, "esdedup.lanes")

_MOST = 10_000  # hits that the engine gives at once
_NEIGHBOURS = 50  # asked of the vectors: more than were planted near any query
_CONSIDERED = 100
_SCRIPT = "Long.bitCount(doc['number'].value ^ params.value) <= params.k"

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Way:
    """How to look up one fingerprint, and many at once: the fingerprints found, not verified.

    fields: what of the index it needs. count: how many candidates each has, where the answers are verified.
    """

    collection: Collection
    name: str
    fields: tuple[str, ...]
    one: Callable[[int], Numbers]
    many: Callable[[Sequence[int]], list[Numbers]]
    count: Callable[[Sequence[int]], list[int]] | None = None


def our_way(collection: Collection, k: int) -> Way:
    """As the library does it: the answers come verified."""
    collection = replace(collection, k=k)

    def one(value: int) -> Numbers:
        return _fingerprints(find_matches(collection, _entry(value), k, LEADS))

    def many(values: Sequence[int]) -> list[Numbers]:
        return [_fingerprints(found) for found in find_leaders(collection, [_entry(value) for value in values])]

    def count(values: Sequence[int]) -> list[int]:
        queries = [{"query": _matching(value, k), "size": 0, "track_total_hits": True} for value in values]
        searches = [part for query in queries for part in ({}, query)]
        answers = collection.client.msearch(index=collection.name, searches=searches)["responses"]
        return [int(answer["hits"]["total"]["value"]) for answer in answers]

    return Way(collection, "esdedup", LANES, one, many, count)


def block_way(collection: Collection, k: int) -> Way:
    """Any block near enough; the client reads all that share one, and tells by the distance."""

    def body(value: int) -> Body:
        return {"query": all_of(any_block(value, k))}

    return _searching(collection, "any block, verified by the client", BLOCKS, body)


def other_ways(collection: Collection, k: int) -> list[Way]:
    """What else can be asked of the same index."""

    def like(value: int) -> Body:
        about = {"min_term_freq": 1, "min_doc_freq": 1, "minimum_should_match": f"{8 - k}"}
        document = {"_index": collection.name, "doc": {"esdedup": {"lanes": lanes(value)}}}
        return {"query": {"more_like_this": {"fields": ["esdedup.lanes"], "like": [document], **about}}}

    alone = _searching(collection, "blocks and lanes, a search each", LANES, lambda v: {"query": _matching(v, k)})
    return [
        alone,
        _searching(collection, "more_like_this on lanes", ("esdedup.lanes",), like),
        _vector_way(collection, "flat", "bit vectors, all compared", k),
    ]


def graph_way(collection: Collection, k: int) -> Way:
    """Approximate nearest neighbours by a graph of bit vectors."""
    return _vector_way(collection, "graph", f"bit vectors, graph ({_CONSIDERED} considered)", k)


def script_way(collection: Collection, k: int) -> Way:
    """A script that compares every document, on a field of numbers."""

    def body(value: int) -> Body:
        params = {"value": value - (value >> 63 << 64), "k": k}
        return {"query": all_of({"script": {"script": {"source": _SCRIPT, "params": params}}})}

    return _searching(collection, "script, all compared", ("number",), body)


def _matching(value: int, k: int) -> Body:
    return match_query(_entry(value), k)


def _vector_way(collection: Collection, field: str, name: str, k: int) -> Way:
    def body(value: int) -> Body:
        asked = {"k": _NEIGHBOURS, "num_candidates": _CONSIDERED, "similarity": k}
        return {"knn": {"field": field, "query_vector": to_hex(value), **asked}}

    return _searching(collection, name, (field,), body)


def _searching(collection: Collection, name: str, fields: tuple[str, ...], body: Callable[[int], Body]) -> Way:
    client, index = collection.client, collection.name
    shown: dict[str, Any] = {"size": _MOST, "track_total_hits": False, "docvalue_fields": ["esdedup.simhash"]}

    def all_hits(answer: Body, asked: Body) -> Numbers:
        hits = answer["hits"]["hits"]
        if len(hits) == _MOST:
            hits = read_all(client, index, asked["query"], source=False, docvalue_fields=["esdedup.simhash"])
        return np.array([int(hit["fields"]["esdedup.simhash"][0], 16) for hit in hits], np.uint64)

    def one(value: int) -> Numbers:
        asked = body(value)
        return all_hits(client.search(index=index, source=False, **shown, **asked).body, asked)

    def many(values: Sequence[int]) -> list[Numbers]:
        bodies = [body(value) for value in values]
        searches = [part for asked in bodies for part in ({}, {"_source": False, **shown, **asked})]
        answers = client.msearch(index=index, searches=searches)["responses"]
        return [all_hits(answer, asked) for answer, asked in zip(answers, bodies, strict=True)]

    return Way(collection, name, fields, one, many)


def _entry(value: int) -> Entry:
    return Entry("", value, "", Status.OK, "")


def _fingerprints(entries: Sequence[Entry]) -> Numbers:
    return np.array([entry.fingerprint for entry in entries], np.uint64)
