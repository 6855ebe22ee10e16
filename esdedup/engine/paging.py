"""Read all hits of a query: a point in time, read in pages, so that nothing is cut, lost or repeated."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from elastic_transport import TransportError
from elasticsearch import ApiError, Elasticsearch, NotFoundError

from esdedup.engine.asking import ask_search
from esdedup.engine.patience import Unsettled, patiently

__all__ = ["read_all"]

_PAGE = 1000
_KEEP_ALIVE = "2m"


def read_all(client: Elasticsearch, index: str, query: Mapping[str, Any], **body: Any) -> Iterator[dict[str, Any]]:
    """Every hit of `query`. `body`: more of the search body; `sort` must order hits fully if it is given.

    Raises Unsettled when a node leaves the cluster meanwhile: then it must be read from the beginning.
    """
    body = {"sort": [{"_shard_doc": "asc"}], "track_total_hits": False, **body}
    point = patiently(lambda: client.open_point_in_time(index=index, keep_alive=_KEEP_ALIVE).body["id"])
    after: list[Any] | None = None
    try:
        while True:
            pit = {"id": point, "keep_alive": _KEEP_ALIVE}
            hits = ask_search(client, pit=pit, query=query, size=_PAGE, search_after=after, **body)["hits"]["hits"]
            yield from hits
            if len(hits) < _PAGE:
                return
            after = hits[-1]["sort"]
    except NotFoundError as error:
        if "search_context_missing" not in str(error.body):
            raise
        raise Unsettled("a node of the engine left while its documents were read: run it again") from error
    finally:
        with suppress(ApiError, TransportError):  # it ends by itself; what was read, or went wrong before, counts
            client.close_point_in_time(id=point)
