"""Read all fingerprints of an index, several slices at once."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from elasticsearch import Elasticsearch
from numpy.typing import NDArray

from esdedup.batching import batched
from esdedup.engine.paging import read_from

__all__ = ["read_fingerprints"]

_SLICES = 2
_PAGE = 10_000
_CHUNK = 100_000
_COMPARABLE = {"exists": {"field": "esdedup.b0"}}  # others have no blocks


def read_fingerprints(client: Elasticsearch, point: str, slices: int = _SLICES) -> NDArray[np.uint64]:
    """The fingerprints of all comparable documents of a point in time: uint64, in no order, eight bytes each."""
    with ThreadPoolExecutor(slices) as pool:
        parts = list(pool.map(lambda number: _read_slice(client, point, number, slices), range(slices)))
    return np.concatenate(parts)


def _read_slice(client: Elasticsearch, point: str, number: int, slices: int) -> NDArray[np.uint64]:
    hits = read_from(
        client,
        point,
        _COMPARABLE,
        _PAGE,
        slice={"id": number, "max": slices} if slices > 1 else None,
        source=False,
        docvalue_fields=["esdedup.simhash"],
    )
    values = (int(hit["fields"]["esdedup.simhash"][0], 16) for hit in hits)
    chunks = [np.array(chunk, np.uint64) for chunk in batched(values, _CHUNK)]
    return np.concatenate(chunks or [np.empty(0, np.uint64)])
