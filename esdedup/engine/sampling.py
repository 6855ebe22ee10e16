"""Draw documents of an index at random, to tell from few how all are."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from esdedup.engine.asking import ask_count, ask_search
from esdedup.engine.mapping import Collection
from esdedup.engine.paging import read_all
from esdedup.fingerprinter import from_hex

__all__ = ["draw_fingerprints", "mean_text"]

_MOST = 10_000  # fingerprints: what the engine gives at once
_TEXTS = 1000
_PAGE = 100  # texts in an answer: they may be long
_COMPARABLE = {"exists": {"field": "esdedup.b0"}}  # others have no blocks


def draw_fingerprints(collection: Collection, seed: int = 1) -> tuple[int, NDArray[np.uint64]]:
    """How many documents can be candidates, and the fingerprints of 10,000 of them, or of all: uint64."""
    found = ask_search(
        collection.client,
        index=collection.name,
        query=_by_chance(seed),
        size=_MOST,
        track_total_hits=True,
        source=False,
        docvalue_fields=["esdedup.simhash"],
    )["hits"]
    values = [from_hex(hit["fields"]["esdedup.simhash"][0]) for hit in found["hits"]]
    return found["total"]["value"], np.array(values, np.uint64)


def mean_text(collection: Collection, seed: int = 1) -> int:
    """How many bytes the texts of about 1,000 documents have on average; 0 where there are none."""
    documents = ask_count(collection.client, index=collection.name, query=_COMPARABLE)
    rarely = 1 - min(1.0, _TEXTS / max(1, documents))
    wanted = {"min_score": rarely, "source": ["content"], "page": _PAGE}
    hits = read_all(collection.client, collection.name, _by_chance(seed), **wanted)
    sizes = [len(hit["_source"].get("content", "").encode("utf-8", "replace")) for hit in hits]
    return round(sum(sizes) / max(1, len(sizes)))


def _by_chance(seed: int) -> dict[str, Any]:
    """Comparable documents with scores between 0 and 1, the same for the same seed."""
    chance = {"random_score": {"seed": seed, "field": "_seq_no"}, "boost_mode": "replace"}
    return {"function_score": {"query": _COMPARABLE, **chance}}
