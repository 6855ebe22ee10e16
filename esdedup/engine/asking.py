"""Searches that answer whole or not at all: a shard without a copy is waited for, and never passed over in silence."""

from collections.abc import Mapping, Sequence
from typing import Any

from elasticsearch import Elasticsearch

from esdedup.engine.patience import ATTEMPTS, Unsettled, check_items, patiently

__all__ = ["ask_count", "ask_documents", "ask_many", "ask_search"]


def ask_search(client: Elasticsearch, attempts: int = ATTEMPTS, **request: Any) -> dict[str, Any]:
    """The answer of all shards to one search."""
    answer: dict[str, Any] = patiently(
        lambda: client.search(allow_partial_search_results=False, **request).body, attempts=attempts
    )
    return answer


def ask_many(client: Elasticsearch, index: str, bodies: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The answers to several searches, in their order, by one request."""
    if not bodies:
        return []
    # No look-up comes twice before the next refresh: kept answers would only push out what other searches keep.
    head = {"allow_partial_search_results": False, "request_cache": False}
    searches = [part for body in bodies for part in (head, body)]
    answers = patiently(lambda: check_items(client.msearch(index=index, searches=searches).body["responses"]))
    return [dict(answer) for answer in answers]


def ask_documents(
    client: Elasticsearch, index: str, keys: Sequence[str], fields: Sequence[str] | None = None
) -> dict[str, Mapping[str, Any]]:
    """The documents that are stored under these keys, searchable or not, by key: as `_mget` gives each.

    fields: what of the `_source` is read, None for all.
    """
    if not keys:
        return {}
    found = patiently(lambda: check_items(client.mget(index=index, ids=keys, source_includes=fields)["docs"]))
    return {doc["_id"]: doc for doc in found if doc.get("found")}


def ask_count(client: Elasticsearch, **request: Any) -> int:
    """How many documents there are in all shards."""

    def ask() -> int:
        answer = client.count(**request)
        if failed := answer["_shards"]["failed"]:
            raise Unsettled(f"{failed} of {answer['_shards']['total']} shards gave no answer")
        return int(answer["count"])

    return patiently(ask)
