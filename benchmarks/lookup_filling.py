"""Indexes that hold fingerprints and no texts, written as fast as the engine takes them."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from elasticsearch import Elasticsearch

from benchmarks.common import documents, drop
from benchmarks.filling import Numbers
from esdedup import Fingerprinter
from esdedup.engine.mapping import Collection, IndexOptions, create_index
from esdedup.fingerprinter import lanes, to_hex

__all__ = ["fill", "flipped", "hot", "planted", "varied"]

_WRITERS = 3
_CHUNK = 5000
_FLAT = {"type": "dense_vector", "element_type": "bit", "dims": 64, "index": True, "index_options": {"type": "flat"}}
_GRAPH = {**_FLAT, "index_options": {"type": "hnsw"}}
_ODD = 0x9E3779B97F4A7C15F39CC0605CEDC835  # spreads a fingerprint over a digest
_FIELDS: Mapping[str, Mapping[str, Any]] = {"flat": _FLAT, "graph": _GRAPH, "number": {"type": "long"}}


def flipped(rng: np.random.Generator, values: Numbers, bits: int) -> Numbers:
    """The fingerprints with so many bits of each turned, at random."""
    places = np.argsort(rng.random((len(values), 64)), axis=1)[:, :bits].astype(np.uint64)
    masks: Numbers = np.bitwise_or.reduce(np.uint64(1) << places, axis=1, initial=0)
    return values ^ masks


def planted(rng: np.random.Generator, count: int, queries: Numbers, distances: Sequence[int]) -> Numbers:
    """`count` random fingerprints; among them, for each query, one at each of the distances from it."""
    twins = np.concatenate([flipped(rng, queries, bits) for bits in distances])
    others = rng.integers(0, 1 << 64, count - len(twins), np.uint64)
    return rng.permutation(np.concatenate([twins, others]))


def varied(rng: np.random.Generator, paths: Sequence[Path], count: int, bits: int = 6) -> Numbers:
    """Fingerprints as skewed as those of the texts in the files: drawn from them, so many bits of each turned."""
    fingerprinter = Fingerprinter()
    texts = (document.text for path in paths for document in documents(path, 20_000))
    real = np.array([fingerprinter.sketch(text).fingerprint for text in texts], np.uint64)
    return flipped(rng, rng.choice(real, count), bits)


def hot(rng: np.random.Generator, values: Numbers, query: int, count: int) -> Numbers:
    """The fingerprints, `count` of them now with the first block of `query`."""
    low = np.uint64((1 << 48) - 1)
    chosen = rng.choice(len(values), count, replace=False)
    changed = values.copy()
    changed[chosen] = (changed[chosen] & low) | (np.uint64(query) & ~low)
    return changed


def fill(client: Elasticsearch, name: str, values: Numbers, more: Sequence[str] = ()) -> Collection:
    """An index made anew that holds the fingerprints, each a leader. more: of `flat`, `graph`, `number`."""
    drop(client, name)
    collection = create_index(client, IndexOptions(name))
    client.indices.put_settings(index=name, settings={"refresh_interval": "-1"})
    if more:
        client.indices.put_mapping(index=name, properties={field: _FIELDS[field] for field in more})

    def send(start: int) -> None:
        lines: list[Any] = list(_lines(values[start : start + _CHUNK].tolist(), start, more))
        assert not client.bulk(index=name, operations=lines, filter_path="errors")["errors"]

    with ThreadPoolExecutor(_WRITERS) as pool:
        list(pool.map(send, range(0, len(values), _CHUNK)))
    client.indices.refresh(index=name)
    return collection


def _lines(values: Sequence[int], start: int, more: Sequence[str]) -> Iterator[str]:
    """JSON written by hand: half the time of `json.dumps`, which matters at millions."""
    for number, value in enumerate(values, start):
        digits, key = to_hex(value), f"r{number}"
        blocks = ",".join(f'"b{i}":"{digits[4 * i : 4 * i + 4]}"' for i in range(4))
        bytes_ = ",".join(f'"{lane}"' for lane in lanes(value))
        forms = {"flat": f'"{digits}"', "graph": f'"{digits}"', "number": value - (value >> 63 << 64)}
        others = "".join(f',"{field}":{forms[field]}' for field in more)
        yield f'{{"index":{{"_id":"{key}"}}}}'
        yield (
            f'{{"doc_id":"{key}"{others},"esdedup":{{"simhash":"{digits}",{blocks},"lanes":[{bytes_}],'
            f'"digest":"{value * _ODD % (1 << 128):032x}","group":"{key}","leader":true,"distance":0,"status":"ok",'
            '"first_seen":"2026-01-01T00:00:00.000000Z","algo":"made"}}'
        )
