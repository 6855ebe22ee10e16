"""Read all hits of a query: a point in time, read in pages, so that nothing is cut, lost or repeated."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from elasticsearch import AuthorizationException, Elasticsearch

__all__ = ["read_all", "refresh_if_allowed"]

_PAGE = 1000
_KEEP_ALIVE = "2m"


def read_all(client: Elasticsearch, index: str, query: Mapping[str, Any], **body: Any) -> Iterator[dict[str, Any]]:
    """Every hit of `query`. `body`: more of the search body; `sort` must order hits fully if it is given."""
    body = {"sort": [{"_shard_doc": "asc"}], "track_total_hits": False, **body}
    point = client.open_point_in_time(index=index, keep_alive=_KEEP_ALIVE).body["id"]
    after: list[Any] | None = None
    try:
        while True:
            pit = {"id": point, "keep_alive": _KEEP_ALIVE}
            hits = client.search(pit=pit, query=query, size=_PAGE, search_after=after, **body)["hits"]["hits"]
            yield from hits
            if len(hits) < _PAGE:
                return
            after = hits[-1]["sort"]
    finally:
        client.close_point_in_time(id=point)


def refresh_if_allowed(client: Elasticsearch, index: str) -> None:
    """Make all that is written searchable. Who may only read sees what the engine made so by itself."""
    with suppress(AuthorizationException):
        client.indices.refresh(index=index)
