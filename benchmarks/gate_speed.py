"""The gate on a large index: milliseconds for one document (median and 99th percentile), documents/s in batches.

python -m benchmarks.gate_speed ../shared/data/big/ddtp_desc_en.jsonl.gz --stored 1000000

The index is filled with random fingerprints, which no text stands behind; then real documents come to the gate.
"""

import argparse
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from elasticsearch import Elasticsearch

from benchmarks.common import documents, drop
from esdedup import Document, Status
from esdedup.engine.bulk import write
from esdedup.engine.mapping import Collection, IndexOptions, create_index
from esdedup.engine.records import Record, source_of
from esdedup.gate import Gate
from esdedup.grouping import Entry, Place

_NAME = "bench-gate"
URL = os.environ.get("ESDEDUP_URL", "http://127.0.0.1:9200")
_CHUNK = 5000
_WARM = 50


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", type=Path)
    parser.add_argument("--stored", type=int, default=1_000_000)
    parser.add_argument("--single", type=int, default=1000)
    parser.add_argument("--batched", type=int, default=20_000)
    arguments = parser.parse_args()
    client = Elasticsearch(URL, request_timeout=300)
    drop(client, _NAME)
    collection = create_index(client, IndexOptions(_NAME))
    fill(collection, arguments.stored)
    real = list(documents(arguments.docs, arguments.single + arguments.batched))
    for check_only in (True, False):
        with Gate(collection, check_only=check_only) as gate:
            report(gate, real[: arguments.single], real[arguments.single :], "check only" if check_only else "writing")
    drop(client, _NAME)


def fill(collection: Collection, count: int) -> None:
    rng = random.Random(1)
    started = time.monotonic()
    for start in range(0, count, _CHUNK):
        actions = list(made(rng, start, min(count, start + _CHUNK), collection.features.stamp))
        assert all(outcome.reason is None for outcome in write(collection, actions))
    collection.client.indices.refresh(index=_NAME)
    print(f"{count:,} stored in {time.monotonic() - started:.0f} s", flush=True)


def made(rng: random.Random, start: int, end: int, stamp: str) -> Iterator[dict[str, object]]:
    for number in range(start, end):
        key = f"r{number}"
        entry = Entry(key, rng.getrandbits(64), f"{number:032x}", Status.OK, "2026-01-01T00:00:00.000000Z")
        record = Record(Document(key, ""), entry, Place(key, leader=True))
        yield {"_op_type": "index", "_id": key, "_source": source_of(record, stamp)}


def report(gate: Gate, single: list[Document], batched: list[Document], how: str) -> None:
    times = []
    for document in single:
        started = time.perf_counter()
        gate.decide(document)
        times.append((time.perf_counter() - started) * 1e3)
    p50, p99 = np.percentile(times[_WARM:], [50, 99])
    started = time.perf_counter()
    for start in range(0, len(batched), 500):
        gate.decide_many(batched[start : start + 500])
    rate = len(batched) / (time.perf_counter() - started)
    print(
        f"{how}: one document p50 {p50:.1f} ms, p99 {p99:.1f} ms; batches of 500: {rate:,.0f} documents/s", flush=True
    )


if __name__ == "__main__":
    main()
