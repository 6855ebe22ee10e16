"""Indexes of random fingerprints, which no text stands behind, and what the processors spend on them."""

import hashlib
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from elasticsearch import Elasticsearch
from numpy.typing import NDArray

from esdedup import Document, Status
from esdedup.batching import batched
from esdedup.engine.bulk import write
from esdedup.engine.mapping import Collection
from esdedup.engine.records import Record, source_of
from esdedup.grouping import Entry, Place

__all__ = [
    "Spent",
    "Stopwatch",
    "bytes_by_field",
    "entries_of",
    "fill",
    "node_seconds",
    "randoms",
    "segments",
    "settle",
]

_CHUNK = 5000
_OLD = 1.1  # seconds; until then the engine gives the figures that it gave before
_SEEN = "2026-01-01T00:00:00.000000Z"

Numbers = NDArray[np.uint64]


def randoms(start: int, end: int) -> Numbers:
    """The random fingerprints number start to before end of a series that is always the same; start in thousands."""
    made = [
        np.random.default_rng(at).integers(0, 2**64, 1000, np.uint64) for at in range(start // 1000, -(-end // 1000))
    ]
    return np.concatenate(made)[: end - start]


def entries_of(values: Numbers, start: int = 0) -> Iterator[Entry]:
    """An entry a fingerprint, each with a digest of its own."""
    for number, value in enumerate(values.tolist(), start):
        key = f"r{number}"
        yield Entry(key, value, hashlib.blake2b(key.encode(), digest_size=16).hexdigest(), Status.OK, _SEEN)


def fill(collection: Collection, values: Numbers, start: int = 0) -> None:
    """Store fingerprints as documents without a text, each its own leader, keys `r<start>` and so on; refreshed."""
    stamp = collection.features.stamp
    for entries in batched(entries_of(values, start), _CHUNK):
        records = (Record(Document(one.key, ""), one, Place(one.key, leader=True)) for one in entries)
        actions = [
            {"_op_type": "index", "_id": record.entry.key, "_source": source_of(record, stamp)} for record in records
        ]
        if failed := [outcome for outcome in write(collection, actions) if outcome.reason is not None]:
            raise SystemExit(f"not stored: {failed[0].reason}")
    collection.client.indices.refresh(index=collection.name)


def settle(client: Elasticsearch, name: str) -> None:
    """Wait until the engine merges no more of the index."""
    while client.indices.stats(index=name, metric="merge")["_all"]["total"]["merges"]["current"]:
        time.sleep(0.5)


def segments(client: Elasticsearch, name: str) -> int:
    """How many segments the primaries of the index have."""
    stats = client.indices.stats(index=name, metric="segments").body
    return int(stats["_all"]["primaries"]["segments"]["count"])


def node_seconds(client: Elasticsearch) -> float:
    """Seconds of the processor that all nodes have taken, as the engine last told itself."""
    nodes = client.nodes.stats(metric="process").body["nodes"].values()
    return sum(float(node["process"]["cpu"]["total_in_millis"]) for node in nodes) / 1e3


def bytes_by_field(client: Elasticsearch, name: str) -> dict[str, int]:
    """Bytes on disk that each field takes, and those of the whole index under `""`. Reads the whole index."""
    with warnings.catch_warnings():  # it may change, the client says
        warnings.simplefilter("ignore")
        usages = client.indices.disk_usage(index=name, run_expensive_tasks=True, flush=True).body
    (found,) = (usage for key, usage in usages.items() if key != "_shards")
    fields = {field: int(usage["total_in_bytes"]) for field, usage in found["fields"].items()}
    return {"": int(found["store_size_in_bytes"])} | fields


@dataclass(frozen=True, slots=True)
class Spent:
    """seconds: by the clock; node, client: of their processors."""

    seconds: float
    node: float
    client: float

    @property
    def cores(self) -> float:
        """Seconds of a processor, wherever."""
        return self.node + self.client


class Stopwatch:
    """What node and client spend from here on."""

    def __init__(self, client: Elasticsearch) -> None:
        self._client = client
        self._node = self._node_seconds()
        self._clock, self._own = time.perf_counter(), time.process_time()

    def read(self) -> Spent:
        """What has been spent so far."""
        seconds, client = time.perf_counter() - self._clock, time.process_time() - self._own
        return Spent(seconds, self._node_seconds() - self._node, client)

    def _node_seconds(self) -> float:
        time.sleep(_OLD)
        return node_seconds(self._client)
