"""Find every document within k of a fingerprint: any equal block proposes, the exact distance decides.

Pigeonhole: of k differing bits some block has at most k // 4, so asking each block for its own value and all
values that near finds everything. At least 8 - k of the eight lanes are equal as well, which for k <= 7
drops nearly every false candidate inside the engine.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from esdedup.document import Status
from esdedup.engine.asking import ask_many
from esdedup.engine.mapping import Collection
from esdedup.engine.paging import read_all
from esdedup.engine.patience import patiently
from esdedup.engine.records import entry_of
from esdedup.errors import InputError
from esdedup.fingerprinter import blocks, lanes
from esdedup.grouping import Entry
from esdedup.matching import is_duplicate
from esdedup.settings import MAX_K

__all__ = ["LEADS", "find_leaders", "find_matches", "match_query", "read_entries"]

#: The clause that finds leaders only.
LEADS: Mapping[str, Any] = {"term": {"esdedup.leader": True}}

_MANY = 1000  # hits taken from a batched look-up; a hot block that has more is read on in pages
_MICROSECONDS = "uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'"
_ENTRY_BODY: Mapping[str, Any] = {
    "_source": False,
    "docvalue_fields": [
        "esdedup.simhash",
        "esdedup.digest",
        "esdedup.status",
        {"field": "esdedup.first_seen", "format": _MICROSECONDS},
    ],
}


def find_matches(collection: Collection, entry: Entry, k: int, *filters: Mapping[str, Any]) -> list[Entry]:
    """Every stored document that matches `entry` within k, but not the one with its key; in no order.

    All candidates are read, page by page, and verified here. `filters`: further clauses.
    """
    query = all_of(match_query(entry, k), *filters)
    return patiently(lambda: _verified(read_entries(collection, query), entry, k))


def find_leaders(collection: Collection, entries: Sequence[Entry]) -> list[list[Entry]]:
    """For each entry the stored leaders that match it within the index's k, by one request for all."""
    queries = [all_of(match_query(entry, collection.k), LEADS) for entry in entries]
    if not queries:
        return []
    bodies = [{"query": query, "size": _MANY, "track_total_hits": _MANY + 1, **_ENTRY_BODY} for query in queries]
    responses = ask_many(collection.client, collection.name, bodies)
    found = []
    for entry, query, response in zip(entries, queries, responses, strict=True):
        candidates: Iterable[Entry] = _entries(_hits(response))
        if response["hits"]["total"]["value"] > _MANY:
            candidates = read_entries(collection, query)
        found.append(_verified(candidates, entry, collection.k))
    return found


def read_entries(collection: Collection, query: Mapping[str, Any]) -> Iterator[Entry]:
    """The entries of all documents that a query finds."""
    source = {"source": False, "docvalue_fields": _ENTRY_BODY["docvalue_fields"]}
    return _entries(read_all(collection.client, collection.name, query, **source))


def match_query(entry: Entry, k: int) -> dict[str, Any]:
    """The query that every document within k of `entry` satisfies. Raises InputError for k above 11."""
    if not 0 <= k <= MAX_K:
        raise InputError(f"k = {k} is out of range: four 16-bit blocks find everything up to k = {MAX_K}")
    if entry.status is Status.EMPTY:
        return {"match_none": {}}
    if entry.status is Status.TOO_SHORT:
        return {"term": {"esdedup.digest": entry.digest}}
    numbered = enumerate(blocks(entry.fingerprint))
    any_block = [{"terms": {f"esdedup.b{i}": _near(block, k // 4)}} for i, block in numbered]
    clauses = [{"bool": {"should": any_block, "minimum_should_match": 1}}]
    if k < 8:
        equal = [{"term": {"esdedup.lanes": lane}} for lane in lanes(entry.fingerprint)]
        clauses.append({"bool": {"should": equal, "minimum_should_match": 8 - k}})
    return all_of(*clauses)


def all_of(*clauses: Mapping[str, Any]) -> dict[str, Any]:
    """A filter that all clauses must pass; no scores."""
    return {"bool": {"filter": list(clauses)}}


def _near(block: str, radius: int) -> list[str]:
    """A block and all others within `radius` bits of it: 1, 17 or 137 values."""
    value = int(block, 16)
    masks = (bits for size in range(radius + 1) for bits in combinations(range(16), size))
    return [f"{value ^ sum(1 << bit for bit in mask):04x}" for mask in masks]


def _verified(candidates: Iterable[Entry], entry: Entry, k: int) -> list[Entry]:
    return [other for other in candidates if other.key != entry.key and is_duplicate(entry, other, k)]


def _hits(response: Mapping[str, Any]) -> list[dict[str, Any]]:
    hits: list[dict[str, Any]] = response["hits"]["hits"]
    return hits


def _entries(hits: Iterable[Mapping[str, Any]]) -> Iterator[Entry]:
    for hit in hits:
        fields = {name.removeprefix("esdedup."): values[0] for name, values in hit["fields"].items()}
        yield entry_of(hit["_id"], fields)
