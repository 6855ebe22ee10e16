"""The gate on a large index: milliseconds for one document (median and 99th percentile), documents/s in batches.

python -m benchmarks.gate_speed ../shared/data/big/ddtp_desc_en.jsonl.gz --stored 1000000

The index is filled with random fingerprints, which no text stands behind; then real documents come to the gate.
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np
from elasticsearch import Elasticsearch

from benchmarks.common import documents, drop, write_rows
from benchmarks.filling import fill, randoms
from esdedup import Document
from esdedup.engine.mapping import IndexOptions, create_index
from esdedup.gate import Gate

_NAME = "bench-gate"
URL = os.environ.get("ESDEDUP_URL", "http://127.0.0.1:9200")
_WARM = 50


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", type=Path)
    parser.add_argument("--stored", type=int, default=1_000_000)
    parser.add_argument("--single", type=int, default=1000)
    parser.add_argument("--batched", type=int, default=20_000)
    parser.add_argument("--url", default=URL)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    client = Elasticsearch(arguments.url, request_timeout=300)
    drop(client, _NAME)
    collection = create_index(client, IndexOptions(_NAME))
    fill(collection, randoms(0, arguments.stored))
    real = list(documents(arguments.docs, arguments.single + arguments.batched))
    rows = []
    for check_only in (True, False):
        with Gate(collection, check_only=check_only) as gate:
            how = "check only" if check_only else "writing"
            found = report(gate, real[: arguments.single], real[arguments.single :], how)
            rows.append({"stored": arguments.stored, "how": how, **found})
    write_rows(arguments.json, rows)
    drop(client, _NAME)


def report(gate: Gate, single: list[Document], batched: list[Document], how: str) -> dict[str, float]:
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
    return {"p50_ms": float(p50), "p99_ms": float(p99), "rate": rate}


if __name__ == "__main__":
    main()
