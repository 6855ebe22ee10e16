"""Documents/s of `esdedup index` against plain `helpers.parallel_bulk` of the same documents, on one node.

    python -m benchmarks.index_speed DOCS.jsonl.gz --url http://localhost:9200 --runs 3

All write the same fields under the same mapping. Plain bulk writes no `esdedup` object and looks nothing up; the line
between writes objects made before: what any client of this mapping can reach. They take turns, so that a drift of the
machine's speed meets all. Beside the speed, processor seconds of this process, of its workers, and of the node.
"""

import argparse
import gc
import os
import resource
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elasticsearch import Elasticsearch
from elasticsearch.helpers import parallel_bulk

from benchmarks.common import documents, drop, write_rows
from benchmarks.filling import node_seconds
from esdedup import Document
from esdedup.engine.mapping import IndexOptions, create_index
from esdedup.engine.paging import read_all
from esdedup.pipeline import index

NAME = "bench-index"

Work = Callable[[Elasticsearch], None]


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds by the clock, and processor seconds of this process, its workers, the node."""

    clock: float
    own: float
    workers: float
    node: float


def plain(docs: list[Document], objects: Mapping[str, Any] | None = None) -> Work:
    def work(client: Elasticsearch) -> None:
        create_index(client, IndexOptions(NAME))
        deque(parallel_bulk(client, _actions(docs, objects or {}), index=NAME, chunk_size=500), maxlen=0)
        client.indices.refresh(index=NAME)

    return work


def _actions(docs: Iterable[Document], objects: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for d in docs:
        source = {"doc_id": d.id, "title": d.title, "content": d.text, "source": d.source}
        yield {"_id": d.id, "_source": source | objects.get(d.id, {})}


def ours(docs: list[Document]) -> Work:
    def work(client: Elasticsearch) -> None:
        deque(index(docs, create_index(client, IndexOptions(NAME))), maxlen=0)

    return work


def ready_made(client: Elasticsearch, docs: list[Document]) -> dict[str, Any]:
    """What ours adds to each document, by its id."""
    drop(client, NAME)
    ours(docs)(client)
    hits = read_all(client, NAME, {"match_all": {}}, source_includes=["esdedup", "@timestamp"])
    return {hit["_id"]: hit["_source"] for hit in hits}


def measured(work: Work, client: Elasticsearch) -> Cost:
    drop(client, NAME)
    client.indices.refresh()
    before = _times(client)
    work(client)
    return Cost(*(after - then for after, then in zip(_times(client), before, strict=True)))


def _times(client: Elasticsearch) -> tuple[float, float, float, float]:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (
        time.perf_counter(),
        time.process_time(),
        children.ru_utime + children.ru_stime,
        node_seconds(client),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", type=Path)
    parser.add_argument("--url", default=os.environ.get("ESDEDUP_URL", "http://localhost:9200"))
    parser.add_argument("--limit", type=int)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    gc.set_threshold(2_000, 50)  # as the command does
    docs = list(documents(args.docs, args.limit))
    client = Elasticsearch(args.url, request_timeout=120)
    works = {
        "parallel_bulk": plain(docs),
        "the same, esdedup objects ready-made": plain(docs, ready_made(client, docs)),
        "esdedup": ours(docs),
    }
    costs: dict[str, list[Cost]] = {name: [] for name in works}
    for run in range(args.runs):
        for name, work in works.items():
            costs[name].append(measured(work, client))
            print(f"run {run + 1}, {name}: {_line(docs, costs[name][-1])}", flush=True)
    rows = []
    print(f"{len(docs):,} documents, medians:")
    for name, found in costs.items():
        ratios = [theirs.clock / mine.clock for theirs, mine in zip(costs["parallel_bulk"], found, strict=True)]
        middle = Cost(*(statistics.median(getattr(cost, field) for cost in found) for field in Cost.__slots__))
        print(f"{name}: ratio {statistics.median(ratios):.2f}, {_line(docs, middle)}")
        rate, ratio = len(docs) / middle.clock, statistics.median(ratios)
        rows.append({"documents": len(docs), "way": name, "rate": rate, "ratio": ratio})
    write_rows(args.json, rows)
    drop(client, NAME)


def _line(docs: list[Document], cost: Cost) -> str:
    parts = f"processor s: own {cost.own:.1f}, workers {cost.workers:.1f}, node {cost.node:.1f}"
    return f"{len(docs) / cost.clock:,.0f}/s, {cost.clock:.1f} s, {parts}"


if __name__ == "__main__":
    main()
