"""Fingerprints under wider keys, as `esdedup.keys` describes them: an index made to measure what such keys cost."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any

from elasticsearch import Elasticsearch
from elasticsearch.helpers import bulk

from benchmarks.filling import Numbers
from esdedup.fingerprinter import to_hex
from esdedup.keys import Scheme

__all__ = ["asked_terms", "field_of", "make_keyed", "stored_terms"]

_NOT_STORED = {"type": "keyword", "doc_values": False}


def make_keyed(client: Elasticsearch, name: str, schemes: Sequence[Scheme], values: Numbers) -> None:
    """An index of fingerprints with a field of keys a scheme."""
    fields: dict[str, Any] = {field_of(scheme): _NOT_STORED for scheme in schemes}
    client.indices.create(
        index=name,
        settings={"number_of_shards": 1, "number_of_replicas": 0},
        mappings={"dynamic": "strict", "properties": {"simhash": {"type": "keyword"}, **fields}},
    )
    actions = ({"_index": name, "_id": f"r{at}", **_document(v, schemes)} for at, v in enumerate(values.tolist()))
    bulk(client, actions, chunk_size=5000)
    client.indices.refresh(index=name)


def field_of(scheme: Scheme) -> str:
    """The field that holds a scheme's keys."""
    return f"of{scheme.parts}x{scheme.together}r{scheme.radius}"


def stored_terms(scheme: Scheme, value: int) -> list[str]:
    """The keys of a fingerprint: number of the choice of parts and their bits."""
    return [
        _term(number, key, scheme) for number, key in enumerate(combinations(_parts(scheme, value), scheme.together))
    ]


def asked_terms(scheme: Scheme, value: int) -> list[str]:
    """The keys of all that must be asked for: each part and what is within the radius of it."""
    near = [
        [part ^ sum(1 << bit for bit in mask) for mask in _masks(width, scheme.radius)]
        for part, width in zip(_parts(scheme, value), scheme.widths, strict=True)
    ]
    chosen = combinations(near, scheme.together)
    return [_term(number, key, scheme) for number, parts in enumerate(chosen) for key in product(*parts)]


def _document(value: int, schemes: Sequence[Scheme]) -> Mapping[str, Any]:
    return {"simhash": to_hex(value)} | {field_of(scheme): stored_terms(scheme, value) for scheme in schemes}


def _parts(scheme: Scheme, value: int) -> list[int]:
    parts = []
    for width in scheme.widths:
        parts.append(value & ((1 << width) - 1))
        value >>= width
    return parts


def _masks(width: int, radius: int) -> Iterator[tuple[int, ...]]:
    return (mask for size in range(radius + 1) for mask in combinations(range(width), size))


def _term(number: int, key: Sequence[int], scheme: Scheme) -> str:
    joined = 0
    for part in key:
        joined = joined << max(scheme.widths) | part
    return f"{number:x}.{joined:x}"
