"""Two ways to search Chinese on a plain Elasticsearch, measured on judged queries.

    python -m benchmarks.chinese_search ../shared/data --url http://localhost:9200

phrase: `standard` analysis (a token a character); each word of the query is asked for as a phrase.
words: the text is segmented before it is stored, in a second field analysed by white space.
The queries, with the ids of the relevant documents, are in zh_queries.json; the texts lie elsewhere.
"""

import argparse
import gzip
import json
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elasticsearch import Elasticsearch
from elasticsearch.helpers import bulk

from esdedup.engine.query import text_query
from esdedup.normalise import normalise
from esdedup.settings import FeatureSettings
from esdedup.words import segmenter, split_words

PHRASE, WORDS = "bench-zh-phrase", "bench-zh-words"
TEXT: Mapping[str, Any] = {"title": {"type": "text"}, "content": {"type": "text"}}
SEGMENTED: Mapping[str, Any] = {
    "title_words": {"type": "text", "analyzer": "whitespace"},
    "content_words": {"type": "text", "analyzer": "whitespace"},
}


@dataclass(frozen=True)
class Judged:
    query: str
    relevant: frozenset[str]


def words_of(text: str) -> str:
    return " ".join(word for piece in split_words(normalise(text), segmenter()) for word in piece)


def phrase_query(text: str) -> dict[str, Any]:
    return text_query(text, FeatureSettings())


def words_query(text: str) -> dict[str, Any]:
    fields = ["title_words^2", "content_words"]
    match = {
        "query": words_of(text),
        "fields": fields,
        "type": "most_fields",
        "minimum_should_match": "2<70%",
    }
    return {"multi_match": match}


def load(data: Path, queries: Path) -> tuple[list[dict[str, Any]], list[Judged]]:
    judged = json.loads(queries.read_text("utf-8"))
    docs: dict[str, dict[str, Any]] = {}
    for name in sorted({query["set"] for query in judged}):
        with gzip.open(data / name / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
            docs |= {record["id"]: record for record in map(json.loads, lines) if "~" not in record["id"]}
    return list(docs.values()), [Judged(query["query"], frozenset(query["relevant"])) for query in judged]


def build(client: Elasticsearch, name: str, docs: list[dict[str, Any]], segmented: bool) -> float:
    client.options(ignore_status=404).indices.delete(index=name)
    properties = {**TEXT, **(SEGMENTED if segmented else {})}
    client.indices.create(index=name, mappings={"properties": properties}, settings={"number_of_replicas": 0})
    started = time.perf_counter()
    bulk(
        client,
        ({"_index": name, "_id": doc["id"], "_source": source(doc, segmented)} for doc in docs),
        chunk_size=100,
    )
    seconds = time.perf_counter() - started
    client.indices.forcemerge(index=name, max_num_segments=1)
    client.indices.refresh(index=name)
    return seconds


def source(doc: Mapping[str, Any], segmented: bool) -> dict[str, Any]:
    fields = {"title": doc.get("title", ""), "content": doc["text"]}
    return fields | ({f"{name}_words": words_of(text) for name, text in fields.items()} if segmented else {})


def measure(client: Elasticsearch, name: str, make: Callable[[str], dict[str, Any]], judged: list[Judged]) -> str:
    precision, recall, average, times = [], [], [], []
    for one in judged:
        found: list[str] = []
        for _ in range(5):
            started = time.perf_counter()
            response = client.search(index=name, query=make(one.query), size=20, source=False, request_cache=False)
            times.append(time.perf_counter() - started)
            found = [hit["_id"] for hit in response["hits"]["hits"]]
        good = [doc in one.relevant for doc in found]
        precision.append(sum(good[:10]) / min(10, len(one.relevant)))
        recall.append(sum(good) / min(20, len(one.relevant)))
        ranks = [sum(good[: i + 1]) / (i + 1) for i, hit in enumerate(good) if hit]
        average.append(sum(ranks) / len(one.relevant))
    return (
        f"precision at 10 {statistics.mean(precision):.3f}, recall at 20 {statistics.mean(recall):.3f}, "
        f"mean average precision {statistics.mean(average):.3f}, "
        f"median {statistics.median(times) * 1000:.1f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--queries", type=Path, default=Path(__file__).parent / "zh_queries.json")
    parser.add_argument("--url", default="http://localhost:9200")
    args = parser.parse_args()
    docs, judged = load(args.data, args.queries)
    client = Elasticsearch(args.url, request_timeout=120)
    print(f"{len(docs):,} documents, {len(judged)} queries")
    for name, segmented, make in ((PHRASE, False, phrase_query), (WORDS, True, words_query)):
        seconds = build(client, name, docs, segmented)
        size = client.indices.stats(index=name)["_all"]["primaries"]["store"]["size_in_bytes"]
        print(f"{name}: indexed in {seconds:.1f} s, {size / 1e6:.1f} MB; {measure(client, name, make, judged)}")
        client.indices.delete(index=name)


if __name__ == "__main__":
    main()
