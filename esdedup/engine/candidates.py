"""Find every document within k of a fingerprint: any near block proposes, the exact distance decides.

Pigeonhole: of k differing bits some block has at most k // 4, so asking each block for its own value and all
values that near finds everything. For the same reason at most k // (r + 1) of the eight lanes differ in more than r
bits: asking that the others are as near drops nearly every false candidate inside the engine.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from esdedup.batching import batched
from esdedup.document import Status
from esdedup.engine.asking import ask_many
from esdedup.engine.mapping import Collection
from esdedup.engine.paging import read_all
from esdedup.engine.patience import patiently
from esdedup.engine.records import entry_of
from esdedup.engine.sharing import near_fingerprints
from esdedup.fingerprinter import blocks, lanes, to_hex
from esdedup.grouping import Entry
from esdedup.keys import lane_filters
from esdedup.matching import matches

__all__ = ["LEADS", "all_of", "any_block", "find_leaders", "find_matches", "match_query", "read_entries"]

#: The clause that finds leaders only.
LEADS: Mapping[str, Any] = {"term": {"esdedup.leader": True}}

_MANY = 1000  # hits taken from one search; where there are more, as in a hot block, pages are read to the end
_FEW = 8  # look-ups for which a second request would not pay
_LANES_ONLY = 4  # the k from which looking up by blocks alone is not cheaper
_TOGETHER = {0: 50, 1: 1, 2: 1}  # look-ups in one search by the radius of the blocks; every engine takes 1024 clauses
_MICROSECONDS = "uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'"
_FIELDS = (
    "esdedup.simhash",
    "esdedup.digest",
    "esdedup.status",
    {"field": "esdedup.first_seen", "format": _MICROSECONDS},
)


def find_matches(collection: Collection, entry: Entry, k: int, *filters: Mapping[str, Any]) -> list[Entry]:
    """Every stored document that matches `entry` within k, but not the one with its key; in no order.

    All candidates are read, page by page, and verified here. `filters`: further clauses.
    """
    query = all_of(match_query(entry, k), *filters)
    return patiently(lambda: list(_stream_matches(collection, entry, k, query)))


def find_leaders(collection: Collection, entries: Sequence[Entry]) -> list[list[Entry]]:
    """For each entry the stored leaders that match it within the index's k, by a request or two for all.

    Equal ones are looked up once. Many are looked up by the blocks of all, unless too many documents share these; the
    others by blocks and lanes.
    """
    k = collection.k
    shorts, others = _distinct(entries)
    queries: list[Mapping[str, Any]] = []
    if k < _LANES_ONLY and len(others) > _FEW:
        near, left = near_fingerprints(collection, list(others), k, LEADS)
        others = {value: others[value] for value in left}
        queries += [_one_of("esdedup.simhash", part) for part in batched(map(to_hex, sorted(near)), _MANY)]
    looked_up = (match_query(one, k) for one in (*shorts.values(), *others.values()))
    queries += [_any_of(part) for part in batched(looked_up, _TOGETHER[k // 4])]
    found = {entry.key: entry for entry in _read(collection, [all_of(query, LEADS) for query in queries])}
    return _verified(entries, list(found.values()), k)


def read_entries(collection: Collection, query: Mapping[str, Any]) -> Iterator[Entry]:
    """The entries of all documents that a query finds."""
    return _read(collection, [query])


def match_query(entry: Entry, k: int) -> dict[str, Any]:
    """The query that every document within k of `entry` satisfies. Raises InputError for k above 11."""
    filters = lane_filters(k)
    if entry.status is Status.EMPTY:
        return {"match_none": {}}
    if entry.status is Status.TOO_SHORT:
        return {"term": {"esdedup.digest": entry.digest}}
    value = entry.fingerprint
    return all_of(any_block(value, k), *(_near_lanes(value, least, radius) for least, radius in filters))


def any_block(fingerprint: int, k: int) -> dict[str, Any]:
    """The clause that some block is within k // 4 bits."""
    near = [_one_of(f"esdedup.b{i}", _near(block, k // 4)) for i, block in enumerate(blocks(fingerprint))]
    return _any_of(near)


def all_of(*clauses: Mapping[str, Any]) -> dict[str, Any]:
    """A filter that all clauses must pass; no scores."""
    return {"bool": {"filter": list(clauses)}}


def _any_of(clauses: Sequence[Mapping[str, Any]], least: int = 1) -> dict[str, Any]:
    return {"bool": {"should": list(clauses), "minimum_should_match": least}}


def _one_of(field: str, values: Sequence[str]) -> dict[str, Any]:
    return {"terms": {field: values}} if len(values) > 1 else {"term": {field: values[0]}}


def _near_lanes(fingerprint: int, least: int, radius: int) -> dict[str, Any]:
    """The clause that so many lanes are within `radius` bits."""
    terms = [[lane[0] + value for value in _near(lane[1:], radius)] for lane in lanes(fingerprint)]
    return _any_of([_one_of("esdedup.lanes", values) for values in terms], least)


def _near(digits: str, radius: int) -> list[str]:
    """Hex digits and all others of as many bits within `radius` bits: of a block 1, 17 or 137 values."""
    value, width = int(digits, 16), len(digits)
    masks = (bits for size in range(radius + 1) for bits in combinations(range(4 * width), size))
    return [f"{value ^ sum(1 << bit for bit in mask):0{width}x}" for mask in masks]


def _distinct(entries: Sequence[Entry]) -> tuple[dict[str, Entry], dict[int, Entry]]:
    """One entry for each look-up that differs: of short texts by digest, of comparable ones by fingerprint."""
    shorts = {entry.digest: entry for entry in entries if entry.status is Status.TOO_SHORT}
    return shorts, {entry.fingerprint: entry for entry in entries if entry.status.is_comparable}


def _stream_matches(collection: Collection, entry: Entry, k: int, query: Mapping[str, Any]) -> Iterator[Entry]:
    for candidates in batched(read_entries(collection, query), _MANY):
        yield from _verified([entry], candidates, k)[0]


def _verified(entries: Sequence[Entry], candidates: Sequence[Entry], k: int) -> list[list[Entry]]:
    """For each entry the candidates that match it, but not the one with its key."""
    found: list[list[Entry]] = [[] for _ in entries]
    for i, j in matches(entries, candidates, k):
        if entries[i].key != candidates[j].key:
            found[i].append(candidates[j])
    return found


def _read(collection: Collection, queries: Sequence[Mapping[str, Any]]) -> Iterator[Entry]:
    """The entries of all documents that each of the queries finds: by one request, unless there are many."""
    body = {"size": _MANY, "track_total_hits": False, "_source": False, "docvalue_fields": _FIELDS}
    answers = ask_many(collection.client, collection.name, [{"query": query, **body} for query in queries])
    for query, answer in zip(queries, answers, strict=True):
        hits: Iterable[Mapping[str, Any]] = answer["hits"]["hits"]
        if len(answer["hits"]["hits"]) == _MANY:
            hits = read_all(collection.client, collection.name, query, source=False, docvalue_fields=_FIELDS)
        yield from map(_entry, hits)


def _entry(hit: Mapping[str, Any]) -> Entry:
    own = {name.removeprefix("esdedup."): values[0] for name, values in hit["fields"].items()}
    return entry_of(hit["_id"], own)
