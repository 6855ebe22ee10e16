"""Read all hits of a query: a point in time, read in pages, so that nothing is cut, lost or repeated."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from elastic_transport import TransportError
from elasticsearch import ApiError, AuthorizationException, Elasticsearch, NotFoundError

from esdedup.engine.asking import ask_search
from esdedup.engine.patience import Unsettled, patiently

__all__ = ["read_all", "read_from", "refresh_if_allowed", "snapshot"]

_PAGE = 1000
_KEEP_ALIVE = "5m"


@contextmanager
def snapshot(client: Elasticsearch, index: str) -> Iterator[str]:
    """A point in time: what is read from it stays the same, whatever is written. Its id."""
    point = patiently(lambda: client.open_point_in_time(index=index, keep_alive=_KEEP_ALIVE).body["id"])
    try:
        yield point
    finally:
        with suppress(ApiError, TransportError):  # it ends by itself; what was read, or went wrong before, counts
            client.close_point_in_time(id=point)


def read_all(client: Elasticsearch, index: str, query: Mapping[str, Any], **body: Any) -> Iterator[dict[str, Any]]:
    """Every hit of `query`. `body`: more of the search body; `sort` must order hits fully if it is given.

    Raises Unsettled when a node leaves the cluster meanwhile: then it must be read from the beginning.
    """
    with snapshot(client, index) as point:
        yield from read_from(client, point, query, **body)


def read_from(
    client: Elasticsearch, point: str, query: Mapping[str, Any], page: int = _PAGE, **body: Any
) -> Iterator[dict[str, Any]]:
    """The same, from a point in time, `page` hits a request (10,000 at most)."""
    body = {"sort": [{"_shard_doc": "asc"}], "track_total_hits": False, **body}
    after: list[Any] | None = None
    while True:
        try:
            pit = {"id": point, "keep_alive": _KEEP_ALIVE}
            hits = ask_search(client, pit=pit, query=query, size=page, search_after=after, **body)["hits"]["hits"]
        except NotFoundError as error:
            if "search_context_missing" not in str(error.body):
                raise
            raise Unsettled("a node of the engine left while its documents were read: run it again") from error
        yield from hits
        if len(hits) < page:
            return
        after = hits[-1]["sort"]


def refresh_if_allowed(client: Elasticsearch, index: str) -> None:
    """Make all that is written searchable. Who may only read sees what the engine made so by itself."""
    with suppress(AuthorizationException):
        client.indices.refresh(index=index)
