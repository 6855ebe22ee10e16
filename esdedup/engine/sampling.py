"""Draw documents of an index at random, to tell from few how all are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from esdedup.engine.asking import ask_count
from esdedup.engine.mapping import Collection
from esdedup.engine.paging import read_all
from esdedup.errors import InputError
from esdedup.fingerprinter import from_hex

__all__ = ["Sample", "draw"]

_SIMHASH = "esdedup.simhash"
_FINGERPRINTS = 200_000
_TEXTS = 1000
_COMPARABLE = {"exists": {"field": "esdedup.b0"}}  # others are never candidates


@dataclass(frozen=True, slots=True)
class Sample:
    """documents: how many can be candidates. fingerprints: of some, uint64. text: mean bytes of a document."""

    documents: int
    fingerprints: NDArray[np.uint64]
    text: int


def draw(collection: Collection) -> Sample:
    """About 200,000 fingerprints and 1,000 texts, or all. Raises InputError where there is nothing to draw from."""
    documents = ask_count(collection.client, index=collection.name, query=_COMPARABLE)
    if not documents:
        raise InputError(f"index {collection.name!r} holds no document to plan by: give --docs")
    values = (from_hex(hit["fields"][_SIMHASH][0]) for hit in _some(collection, documents, _FINGERPRINTS))
    texts = (hit["_source"].get("content", "") for hit in _some(collection, documents, _TEXTS, ["content"]))
    sizes = [len(text.encode("utf-8", "replace")) for text in texts]
    return Sample(documents, np.fromiter(values, np.uint64), round(sum(sizes) / max(1, len(sizes))))


def _some(
    collection: Collection, documents: int, wanted: int, source: Sequence[str] = ()
) -> Iterator[Mapping[str, Any]]:
    by_chance = {"function_score": {"query": _COMPARABLE, "random_score": {}, "boost_mode": "replace"}}
    return read_all(
        collection.client,
        collection.name,
        by_chance,
        min_score=1 - min(1.0, wanted / documents),
        source=list(source) or False,
        docvalue_fields=[_SIMHASH],
    )
