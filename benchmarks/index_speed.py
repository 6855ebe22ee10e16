"""Documents/s of `esdedup index` against plain `helpers.parallel_bulk` of the same documents, on one node.

    python benchmarks/index_speed.py DOCS.jsonl.gz --url http://localhost:9200 --runs 3

Both write the same fields under the same mapping; plain bulk writes no `esdedup` object and looks nothing up.
The two take turns, so that a drift of the machine's speed meets both.
"""

import argparse
import statistics
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from elasticsearch import Elasticsearch
from elasticsearch.helpers import parallel_bulk

from benchmarks.common import documents, drop
from esdedup import Document
from esdedup.engine.mapping import IndexOptions, create_index
from esdedup.pipeline import index

PLAIN, OURS = "bench-plain", "bench-esdedup"


def plain(client: Elasticsearch, docs: list[Document]) -> None:
    create_index(client, IndexOptions(PLAIN))
    actions = (
        {"_id": d.id, "_source": {"doc_id": d.id, "title": d.title, "content": d.text, "source": d.source}}
        for d in docs
    )
    deque(parallel_bulk(client, actions, index=PLAIN, chunk_size=500), maxlen=0)
    client.indices.refresh(index=PLAIN)


def ours(client: Elasticsearch, docs: list[Document]) -> None:
    collection = create_index(client, IndexOptions(OURS))
    deque(index(docs, collection), maxlen=0)


def timed(work: Callable[[Elasticsearch, list[Document]], None], client: Elasticsearch, docs: list[Document]) -> float:
    for name in (PLAIN, OURS):
        drop(client, name)
    started = time.perf_counter()
    work(client, docs)
    return len(docs) / (time.perf_counter() - started)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", type=Path)
    parser.add_argument("--url", default="http://localhost:9200")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    docs = list(documents(args.docs, args.limit))
    client = Elasticsearch(args.url, request_timeout=120)
    timed(plain, client, docs[:5000])  # the node warms up
    ratios = []
    for run in range(args.runs):
        theirs, mine = timed(plain, client, docs), timed(ours, client, docs)
        ratios.append(mine / theirs)
        print(f"run {run + 1}: parallel_bulk {theirs:,.0f}/s, esdedup {mine:,.0f}/s, ratio {ratios[-1]:.2f}")
    print(f"{len(docs):,} documents: median ratio {statistics.median(ratios):.2f}")
    for name in (PLAIN, OURS):
        drop(client, name)


if __name__ == "__main__":
    main()
