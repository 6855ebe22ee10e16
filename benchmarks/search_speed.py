"""Milliseconds of `search` with near-duplicates collapsed, beside the same search without, on real documents.

    python -m benchmarks.search_speed ../shared/data/big/ddtp_desc_en.jsonl.gz --sizes 5e3,2e4,6e4 --json search.json

plain: the same query of the engine alone, with snippets and the count of documents, and no `collapse`.
The queries are single words and pairs of neighbouring words, drawn from the documents, so common words come often.
The ways take turns at each query, after a round that warms the engine up; each query counts with the median of its
rounds. A ratio is the median of the queries' ratios, plain / collapsed.
"""

import argparse
import random
import re
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from elasticsearch import Elasticsearch

from benchmarks.common import documents, drop, write_rows
from esdedup import Document
from esdedup.engine.mapping import Collection, IndexOptions, create_index
from esdedup.engine.query import text_query
from esdedup.engine.removal import MARKED
from esdedup.engine.search import SearchOptions, search
from esdedup.pipeline import index

_NAME = "bench-search"
_WORD = re.compile(r"\w{3,}")
_ROUNDS = 5
_HIGHLIGHT: Mapping[str, Any] = {
    "encoder": "html",
    "max_analyzed_offset": 999_999,
    "fields": {"content": {"fragment_size": 160, "number_of_fragments": 1, "no_match_size": 160}},
}

Search = Callable[[Collection, str], object]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", type=Path)
    parser.add_argument("--sizes", default="5e3,2e4,6e4")
    parser.add_argument("--queries", type=int, default=150)
    parser.add_argument("--url", default="http://localhost:9200")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = []
    with Elasticsearch(arguments.url, request_timeout=120) as client:
        for size in (int(float(size)) for size in arguments.sizes.split(",")):
            rows.append(_measure(client, list(documents(arguments.docs, size)), arguments.queries))
            print(rows[-1], flush=True)
    write_rows(arguments.json, rows)


def _measure(client: Elasticsearch, docs: list[Document], queries: int) -> dict[str, object]:
    drop(client, _NAME)
    collection = create_index(client, IndexOptions(_NAME))
    deque(index(docs, collection), maxlen=0)
    times = [_times(collection, query) for query in _queries(docs, queries)]
    drop(client, _NAME)
    row: dict[str, object] = {"documents": len(docs)}
    for name in _WAYS:
        row[f"{name}_p50_ms"] = statistics.median(one[name] for one in times) * 1e3
        row[f"{name}_p99_ms"] = statistics.quantiles([one[name] for one in times], n=100)[98] * 1e3
    row["ratio"] = statistics.median(one["plain"] / one["collapsed"] for one in times)
    return row


def _queries(docs: list[Document], number: int) -> Iterator[str]:
    rng = random.Random(1)
    for at in range(number):
        words = _WORD.findall(rng.choice(docs).text) or ["package"]
        start = rng.randrange(len(words))
        yield " ".join(words[start : start + 1 + at % 2])


def _times(collection: Collection, query: str) -> dict[str, float]:
    """Seconds of each way, the median of its rounds."""
    times: dict[str, list[float]] = {name: [] for name in _WAYS}
    for turn in range(_ROUNDS + 1):
        for name, way in _WAYS.items():
            started = time.perf_counter()
            way(collection, query)
            if turn:
                times[name].append(time.perf_counter() - started)
    return {name: statistics.median(some) for name, some in times.items()}


def _plain(collection: Collection, text: str) -> object:
    return collection.client.search(
        index=collection.name,
        query={"bool": {"must": [text_query(text, collection.features)], "must_not": [MARKED]}},
        sort=[{"_score": "desc"}, {"doc_id": "asc"}],
        size=10,
        track_total_hits=True,
        source_includes=["doc_id", "title", "url"],
        highlight=_HIGHLIGHT,
    ).body


_WAYS: Mapping[str, Search] = {
    "collapsed": search,
    "uncollapsed": lambda collection, text: search(collection, text, SearchOptions(collapse=False)),
    "plain": _plain,
}

if __name__ == "__main__":
    main()
