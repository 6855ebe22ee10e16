"""Look-ups in Elasticsearch at several sizes: ours beside other ways, as tables.

    python -m benchmarks.lookup_speed --sizes 1e5,1e6,5e6 --url http://localhost:9200
    python -m benchmarks.lookup_speed --sizes 1e6 --script --skewed ../shared/data/big/*.jsonl.gz

Conditions, the same for all:
- N random fingerprints, no texts, all leaders. Of 500 queries one in ten has near twins there, planted at each distance
  from 0 to 12. The index is not merged after it is filled (as it is after indexing) unless --merge says so.
- One look-up at a time: median and 99th percentile of milliseconds, look-ups a second. Batched: 500 at once, or as
  many as take three seconds; the median of three rounds in which all ways take turns.
- Found fingerprints count when they are within k, and recall is against brute force over all that is stored.
- Candidates: what the engine gives for one look-up. Bytes: what the fields that a way needs take on disk, a document.
- --script starts a complete Elasticsearch (downloaded once, 947 MB) and fills it too, since scripts need one.
- --skewed: fingerprints made from those of real texts, and one block that 100,000 documents share.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

import numpy as np
from elasticsearch import Elasticsearch

from benchmarks.common import write_rows
from benchmarks.filling import Numbers, segments
from benchmarks.lookup_filling import fill, hot, planted, varied
from benchmarks.lookup_measuring import BATCH, Row, measure
from benchmarks.lookup_ways import block_way, graph_way, other_ways, our_way, script_way
from esdedup.engine.mapping import Collection, index_exists, open_index
from tests.security.complete import PASSWORD, Complete, fetch_home, find_java, running

_DISTANCES = range(13)
_HOT = 100_000
_NAME = "bench-lookup"
_FEW = 50


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1e5,1e6,5e6")
    parser.add_argument("--url", default="http://localhost:9200")
    parser.add_argument("--distances", default="3,7,11", help="values of k; the other ways are tried at the first")
    parser.add_argument("--graph", type=float, default=1e6, metavar="N", help="largest size at which one is built")
    parser.add_argument("--no-random", action="store_true", help="only what --skewed and --script add")
    parser.add_argument("--script", action="store_true")
    parser.add_argument("--skewed", type=Path, nargs="+", default=[], metavar="DOCS")
    parser.add_argument("--merge", action="store_true", help="merge each index to one segment first")
    parser.add_argument("--reuse", action="store_true", help="look up in the indexes that an earlier run has left")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    client = Elasticsearch(arguments.url, request_timeout=600)
    distances = [int(k) for k in arguments.distances.split(",")]
    rows: list[Row] = []
    for size in (int(float(size)) for size in arguments.sizes.split(",")):
        for found in _compare(client, size, distances, arguments):
            rows += found
            _show(found)
    _show_growth(rows)
    write_rows(arguments.json, [asdict(row) for row in rows])


def _compare(
    client: Elasticsearch, size: int, distances: Sequence[int], arguments: argparse.Namespace
) -> Iterator[list[Row]]:
    rng = np.random.default_rng(1)
    queries = rng.integers(0, 1 << 64, BATCH, np.uint64)
    values = planted(rng, size, queries, _DISTANCES)
    lonely = np.arange(BATCH) % 10 > 0
    queries[lonely] = rng.integers(0, 1 << 64, int(lonely.sum()), np.uint64)
    if not arguments.no_random:
        yield from _compare_random(client, values, queries, distances, arguments)
    if arguments.skewed:
        yield from _compare_skewed(client, size, distances, arguments)
    if arguments.script:
        yield _compare_with_script(values, queries, distances[0])


def _compare_random(
    client: Elasticsearch, values: Numbers, queries: Numbers, distances: Sequence[int], arguments: argparse.Namespace
) -> Iterator[list[Row]]:
    size = len(values)
    plain = _filled(client, f"{_NAME}-{size}", values, ("flat",), arguments)
    first, *wider = distances
    ways = [block_way(plain, first), our_way(plain, first), *other_ways(plain, first)]
    if size <= arguments.graph:
        ways.append(graph_way(_filled(client, f"{_NAME}-graph-{size}", values, ("graph",), arguments), first))
    yield measure("random", ways, values, queries, first)
    for k in wider:
        yield measure("random", [block_way(plain, k), our_way(plain, k)], values, queries, k)


def _compare_skewed(
    client: Elasticsearch, size: int, distances: Sequence[int], arguments: argparse.Namespace
) -> Iterator[list[Row]]:
    rng = np.random.default_rng(2)
    shared = int(rng.integers(0, 1 << 64, dtype=np.uint64))
    real = varied(rng, arguments.skewed, size)
    values = hot(rng, real, shared, min(_HOT, size // 2))
    index = _filled(client, f"{_NAME}-skewed-{size}", values, (), arguments)
    sharing = values[values >> np.uint64(48) == np.uint64(shared >> 48)]
    asked = {"skewed": rng.choice(real, BATCH), "hot block": rng.choice(sharing, _FEW)}
    for label, queries in asked.items():
        for k in distances:
            yield measure(label, [block_way(index, k), our_way(index, k)], values, queries, k)


def _compare_with_script(values: Numbers, queries: Numbers, k: int) -> list[Row]:
    java = find_java()
    if java is None:
        print("script: left out, since no JDK 21 or newer with all modules is here")
        return []
    with running(fetch_home(), java, heap="1g") as node, _trusted(node) as client:
        index = fill(client, _NAME, values, ("number",))
        return measure("random, complete node", [script_way(index, k), our_way(index, k)], values, queries, k)


def _trusted(node: Complete) -> Elasticsearch:
    return Elasticsearch(node.url, basic_auth=("elastic", PASSWORD), ca_certs=str(node.authority), request_timeout=600)


def _filled(
    client: Elasticsearch, name: str, values: Numbers, more: Sequence[str], arguments: argparse.Namespace
) -> Collection:
    if arguments.reuse and index_exists(client, name):
        return open_index(client, name)
    started = time.perf_counter()
    collection = fill(client, name, values, more)
    if arguments.merge:
        client.indices.forcemerge(index=name, max_num_segments=1)
    print(f"{name}: filled in {time.perf_counter() - started:.0f} s, {segments(client, name)} segments", flush=True)
    return collection


def _show(rows: Sequence[Row]) -> None:
    if not rows:
        return
    head = rows[0]
    print(f"\n{head.documents:,} documents ({head.index}), k = {head.k}\n")
    speeds = "p50 ms | p99 ms | a second | batched, a second | ms of the processor"
    print(f"| way | {speeds} | recall | candidates | bytes a document |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for row in rows:
        speed = f"{row.p50:.2f} | {row.p99:.2f} | {row.single:,.0f} | {row.batched:,.0f} | {row.work:.2f}"
        print(f"| {row.way} | {speed} | {row.recall:.4g} | {row.candidates:,.1f} | {row.size:.1f} |", flush=True)


def _show_growth(rows: Sequence[Row]) -> None:
    """What becomes of each way from each size to the next."""
    series: dict[tuple[str, int, str], list[Row]] = {}
    for row in rows:
        series.setdefault((row.index, row.k, row.way), []).append(row)
    print("\n| index | k | way | documents | p50 grows | ms of the processor grow |\n|---|---:|---|---:|---:|---:|")
    for (index, k, way), found in series.items():
        for small, large in pairwise(found):
            sizes = f"{small.documents:,} to {large.documents:,}"
            grows = f"{large.p50 / small.p50:.2f} x | {large.work / small.work:.2f} x"
            print(f"| {index} | {k} | {way} | {sizes} | {grows} |")


if __name__ == "__main__":
    main()
