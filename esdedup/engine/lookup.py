"""Look at what is stored: the duplicates of a document, groups, single documents."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from elasticsearch import NotFoundError

from esdedup.confirming import Confirmation, Differs, gather, overlap
from esdedup.document import Status
from esdedup.engine.asking import ask_count, ask_documents, ask_search
from esdedup.engine.candidates import LEADS, find_matches
from esdedup.engine.confirm import read_texts
from esdedup.engine.mapping import Collection
from esdedup.engine.paging import read_all
from esdedup.engine.patience import patiently
from esdedup.engine.records import entry_of, key_of, may_be_digest
from esdedup.engine.repair import members_query, repair
from esdedup.errors import InputError
from esdedup.fingerprinter import Fingerprinter, Sketch
from esdedup.grouping import Entry
from esdedup.matching import distance
from esdedup.settings import MAX_K

__all__ = [
    "Duplicate",
    "Group",
    "count_groups",
    "delete_document",
    "duplicates_of",
    "duplicates_of_fingerprint",
    "duplicates_of_text",
    "get_document",
    "group_members",
    "ids_of",
    "largest_groups",
]

_FETCH = 500
_MAX_GROUPS = 10_000  # buckets the engine sorts at once
_SHOWN = [
    "doc_id",
    "title",
    "url",
    "esdedup.group",
    "esdedup.distance",
    "esdedup.leader",
    "esdedup.simhash",
    "esdedup.digest",
]


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A stored document near another.

    exact: the texts read the same; fingerprint: 16 hex digits.
    similarity, jaccard, containment: of the texts, see `esdedup.confirming.Overlap`; differs: in what they do. None
    where the texts were not compared.
    """

    id: str
    distance: int
    exact: bool
    title: str
    url: str
    group: str
    fingerprint: str
    similarity: float | None = None
    jaccard: float | None = None
    containment: float | None = None
    differs: Differs | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A group: how many documents it has, and its leader's id, title and url."""

    group: str
    size: int
    leader: str
    title: str
    url: str


def duplicates_of(
    collection: Collection, doc_id: str, k: int | None = None, confirmation: Confirmation | None = None
) -> list[Duplicate]:
    """Every document within k of a stored one, nearest first; not itself.

    confirmation: what their texts must share besides; None for the confirmation of the index. Confirmation(0,
        distinct_numbers=False) lets the fingerprints alone decide.
    k: None for the k of the index, or for MAX_K when a confirmation with a threshold is given: then the texts decide.
    """
    source = get_document(collection, doc_id)
    if "esdedup" not in source:
        raise InputError(f"document {doc_id!r} has no fingerprint: another program wrote it")
    found = _near(collection, entry_of(key_of(doc_id), source["esdedup"]), _widest(collection, k, confirmation))
    return _compared(collection, found, source.get("content", ""), confirmation)


def duplicates_of_text(
    collection: Collection, text: str, k: int | None = None, confirmation: Confirmation | None = None
) -> list[Duplicate]:
    """Every stored document within k of a text that need not be stored, nearest first: see `duplicates_of`."""
    sketch = Fingerprinter(collection.features).sketch(text)
    found = _near_sketch(collection, sketch, _widest(collection, k, confirmation))
    return _compared(collection, found, text, confirmation)


def duplicates_of_fingerprint(collection: Collection, fingerprint: int, k: int | None = None) -> list[Duplicate]:
    """Every stored document within k of a fingerprint, nearest first; texts are not compared."""
    found = _near_sketch(collection, Sketch(fingerprint, "", Status.OK, 0), k)
    return [duplicate for duplicate, _ in found]


def get_document(collection: Collection, doc_id: str) -> dict[str, Any]:
    """The `_source` of a document, by the caller's id. Raises InputError when there is none."""
    key = key_of(doc_id).encode("utf-8", "replace").decode()
    if not key:
        raise InputError("an empty id names no document")
    try:
        found = patiently(lambda: collection.client.get(index=collection.name, id=key))
        source: dict[str, Any] = found["_source"]
    except NotFoundError:
        raise InputError(f"no document {doc_id!r} in index {collection.name!r}") from None
    return source


def ids_of(collection: Collection, keys: Iterable[str]) -> dict[str, str]:
    """The callers' ids of stored documents by key, where the key is not the id itself."""
    digests = sorted({key for key in keys if may_be_digest(key)})
    return {key: source["doc_id"] for key, source in _fetch(collection, digests).items()}


def delete_document(collection: Collection, doc_id: str) -> int:
    """Delete a document; its oldest member leads in its place, the others are verified anew.

    How many documents changed their group.
    """
    leads = get_document(collection, doc_id).get("esdedup", {}).get("leader", False)
    collection.client.delete(index=collection.name, id=key_of(doc_id), refresh=True)
    return repair(collection, [key_of(doc_id)]) if leads else 0


def count_groups(collection: Collection) -> int:
    """How many groups there are, those of single documents among them."""
    return ask_count(collection.client, index=collection.name, query=dict(LEADS), ignore_unavailable=True)


def largest_groups(collection: Collection, limit: int = 10, smallest: int = 2) -> list[Group]:
    """The groups with most documents, at least `smallest`, largest first."""
    if not 0 < limit <= _MAX_GROUPS:
        raise InputError(f"cannot list {limit} groups: at most {_MAX_GROUPS}")
    terms = {"field": "esdedup.group", "size": limit, "shard_size": _MAX_GROUPS, "min_doc_count": smallest}
    response = ask_search(
        collection.client,
        index=collection.name,
        size=0,
        aggs={"groups": {"terms": {**terms, "order": [{"_count": "desc"}, {"_key": "asc"}]}}},
    )
    sizes = {bucket["key"]: bucket["doc_count"] for bucket in response["aggregations"]["groups"]["buckets"]}
    leaders = _fetch(collection, list(sizes))
    return [_group(key, size, leaders.get(key, {})) for key, size in sizes.items()]


def group_members(collection: Collection, group: str) -> Iterator[Duplicate]:
    """All documents of a group, in no order, with their distances to its leader."""
    key = key_of(group)
    leader = _fetch(collection, [key]).get(key, {}).get("esdedup", {})
    found = read_all(collection.client, collection.name, members_query(key), source_includes=_SHOWN)
    first = next(found, None)
    if first is None:
        raise InputError(f"no group {group!r} in index {collection.name!r}: 'esdedup groups' lists them")
    for hit in (first, *found):
        own = hit["_source"]["esdedup"]
        yield _duplicate(hit["_source"], own["distance"], own["digest"] == leader.get("digest"))


def _widest(collection: Collection, k: int | None, confirmation: Confirmation | None) -> int:
    """The k that was given; else the widest when the texts are to decide, or that of the index."""
    if k is not None:
        return k
    return MAX_K if confirmation and confirmation.threshold else collection.k


def _near_sketch(collection: Collection, sketch: Sketch, k: int | None) -> list[tuple[Duplicate, str]]:
    return _near(collection, Entry("", sketch.fingerprint, sketch.digest, sketch.status, ""), k)


def _near(collection: Collection, entry: Entry, k: int | None) -> list[tuple[Duplicate, str]]:
    """The duplicates with their keys."""
    matches = find_matches(collection, entry, collection.k if k is None else k)
    ordered = sorted((distance(entry.fingerprint, m.fingerprint), m.order, m) for m in matches)
    sources = _fetch(collection, [match.key for *_, match in ordered])
    return [
        (_duplicate(sources[match.key], gap, match.digest == entry.digest), match.key)
        for gap, _, match in ordered
        if match.key in sources
    ]


def _compared(
    collection: Collection, found: list[tuple[Duplicate, str]], text: str, confirmation: Confirmation | None
) -> list[Duplicate]:
    """The duplicates with how much of the texts is the same, or those of them that this confirms."""
    confirmation = confirmation or collection.confirmation
    own = gather(text)
    texts = read_texts(collection, [key for _, key in found])
    compared = ((duplicate, overlap(own, gather(texts.get(key, "")))) for duplicate, key in found)
    return [
        replace(
            duplicate,
            similarity=shared.similarity,
            jaccard=shared.jaccard,
            containment=shared.containment,
            differs=shared.differs,
        )
        for duplicate, shared in compared
        if confirmation is None or duplicate.exact or confirmation.confirms(shared)
    ]


def _fetch(collection: Collection, keys: list[str]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for start in range(0, len(keys), _FETCH):
        docs = ask_documents(collection.client, collection.name, keys[start : start + _FETCH], _SHOWN)
        found |= {key: doc["_source"] for key, doc in docs.items()}
    return found


def _duplicate(source: Mapping[str, Any], distance: int, exact: bool) -> Duplicate:
    own = source["esdedup"]
    return Duplicate(
        id=source["doc_id"],
        distance=distance,
        exact=exact,
        title=source.get("title", ""),
        url=source.get("url", ""),
        group=own["group"],
        fingerprint=own["simhash"],
    )


def _group(key: str, size: int, leader: Mapping[str, Any]) -> Group:
    return Group(key, size, leader.get("doc_id", key), leader.get("title", ""), leader.get("url", ""))
