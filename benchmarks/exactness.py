"""Check a large corpus against brute force: groups by their definition, look-ups by a full scan.

    python -m benchmarks.exactness DOCS.jsonl.gz --url http://localhost:9200

Indexes the documents three times (one run; many small runs; runs and batches of random size), compares the groups of
each with offline leader clustering, and, for 500 random documents and k = 3, 7 and 11, the duplicates with a scan of
all fingerprints. Exit code 1 if anything differs.
"""

import argparse
import random
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import count, repeat
from pathlib import Path
from typing import Any

import numpy as np
from elasticsearch import Elasticsearch
from numpy.typing import NDArray

from benchmarks.common import documents, drop
from esdedup import Document
from esdedup.engine.lookup import duplicates_of
from esdedup.engine.mapping import Collection, IndexOptions, create_index
from esdedup.engine.paging import read_all
from esdedup.pipeline import index

Place = tuple[str, bool, int]
Stored = list[tuple[str, dict[str, Any]]]


def runs(docs: Sequence[Document], sizes: Iterator[int]) -> Iterator[Sequence[Document]]:
    start = 0
    while start < len(docs):
        size = next(sizes)
        yield docs[start : start + size]
        start += size


def stored(collection: Collection) -> Stored:
    hits = read_all(collection.client, collection.name, {"match_all": {}}, source_includes=["esdedup"])
    found = [(hit["_id"], hit["_source"]["esdedup"]) for hit in hits]
    return sorted(found, key=lambda one: (one[1]["first_seen"], one[0]))


def fingerprints(found: Stored) -> NDArray[np.uint64]:
    return np.array([int(own["simhash"], 16) for _, own in found], np.uint64)


def offline(found: Stored, k: int) -> dict[str, Place]:
    """Leader clustering in the order of first sight: written apart from the library, with argmin over all leaders."""
    values, leaders = fingerprints(found), np.empty(len(found), np.uint64)
    keys: list[str] = []
    short: dict[str, str] = {}
    places: dict[str, Place] = {}
    for value, (key, own) in zip(values, found, strict=True):
        if own["status"] == "too_short":
            leader = short.setdefault(own["digest"], key)
            places[key] = (leader, leader == key, 0)
            continue
        gaps = np.bitwise_count(leaders[: len(keys)] ^ value)
        best = int(gaps.argmin()) if keys and own["status"] == "ok" else -1
        if best >= 0 and gaps[best] <= k:
            places[key] = (keys[best], False, int(gaps[best]))
            continue
        places[key] = (key, True, 0)
        if own["status"] == "ok":
            leaders[len(keys)] = value
            keys.append(key)
    return places


def check_groups(name: str, collection: Collection) -> tuple[Stored, int]:
    found = stored(collection)
    right = offline(found, collection.k)
    wrong = sum(right[key] != (own["group"], own["leader"], own["distance"]) for key, own in found)
    print(f"{name}: {len(found):,} documents, {sum(own['leader'] for _, own in found):,} groups, {wrong} places wrong")
    return found, wrong


def check_lookups(collection: Collection, found: Stored, k: int, sample: Sequence[int]) -> int:
    values = fingerprints(found)
    usable = np.array([own["status"] == "ok" for _, own in found])
    wrong = matches = 0
    started = time.perf_counter()
    for position in sample:
        got = {(one.id, one.distance) for one in duplicates_of(collection, found[position][0], k)}
        gaps = np.bitwise_count(values ^ values[position])
        near = np.nonzero((gaps <= k) & usable)[0].tolist()
        wrong += got != {(found[j][0], int(gaps[j])) for j in near if j != position}
        matches += len(got)
    milliseconds = (time.perf_counter() - started) / len(sample) * 1000
    print(
        f"k = {k}: {len(sample)} look-ups, {matches:,} matches, {wrong} wrong, {milliseconds:.0f} ms each with the scan"
    )
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", type=Path)
    parser.add_argument("--url", default="http://localhost:9200")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    docs = list(documents(args.docs, args.limit))
    client = Elasticsearch(args.url, request_timeout=120)
    ways: dict[str, tuple[Iterator[int], Callable[[], int]]] = {
        "one run": (repeat(len(docs)), lambda: 500),
        "many small runs": (repeat(len(docs) // 40 + 1), lambda: 500),
        "random sizes": ((rng.randrange(1, len(docs) // 3) for _ in count()), lambda: rng.randrange(20, 2000)),
    }
    wrong, groups = 0, []
    for number, (name, (sizes, batch)) in enumerate(ways.items()):
        drop(client, f"exact-{number}")
        collection = create_index(client, IndexOptions(f"exact-{number}"))
        for part in runs(docs, sizes):
            deque(index(part, collection, batch_size=batch()), maxlen=0)
        found, bad = check_groups(name, collection)
        groups.append({key: own["group"] for key, own in found})
        wrong += bad
    same = all(one == groups[0] for one in groups)
    print(f"the three agree: {same}")
    sample = rng.sample([i for i, (_, own) in enumerate(found) if own["status"] == "ok"], min(500, len(found)))
    wrong += sum(check_lookups(collection, found, k, sample) for k in (3, 7, 11))
    for number in range(len(ways)):
        drop(client, f"exact-{number}")
    sys.exit(1 if wrong or not same else 0)


if __name__ == "__main__":
    main()
