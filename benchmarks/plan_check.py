"""What `esdedup plan` foretells, beside what is measured here: bytes, candidates and work of look-ups, index speed.

    python -m benchmarks.plan_check --sizes 1e5,1e6,3e6 --url http://localhost:9200 --json plan_check.json

Random fingerprints are stored as documents without a text, in steps up to each size, with the product's own `esdedup`
object; the wider keys in an index of their own, of `--keyed` fingerprints. Look-ups are batched, 500 a request, and
verified in the client. Work is the time of all processors, of node and client together, which others on the machine
disturb less than the clock; `ms` is by the clock.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from elasticsearch import Elasticsearch

from benchmarks.common import drop
from benchmarks.filling import Stopwatch, bytes_by_field, entries_of, fill, randoms, segments, settle
from benchmarks.keyed import asked_terms, field_of, make_keyed
from esdedup.batching import batched
from esdedup.engine.asking import ask_many
from esdedup.engine.candidates import LEADS, all_of, any_block, find_leaders, match_query
from esdedup.engine.mapping import IndexOptions, create_index
from esdedup.engine.regroup import regroup
from esdedup.fingerprinter import from_hex
from esdedup.grouping import Entry
from esdedup.keys import Scheme, schemes_for

_NAME, _KEYED, _SPLIT = "bench-plan", "bench-plan-keyed", "bench-plan-split"
_BATCH = 500
_MANY = 10_000
_SHARDS = 8
_REGROUPED = 1_000_000  # documents at most


@dataclass(frozen=True, slots=True)
class Target:
    """Where a scheme's look-ups go."""

    client: Elasticsearch
    index: str
    scheme: Scheme
    k: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1e5,1e6,3e6")
    parser.add_argument("--keyed", type=float, default=5e5, help="0 for none, nor more shards")
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--url", default="http://localhost:9200")
    parser.add_argument("--json", type=Path, default=Path("plan_check.json"))
    arguments = parser.parse_args()
    found: list[dict[str, Any]] = []
    with Elasticsearch(arguments.url, request_timeout=300) as client:
        for row in _measure(client, arguments):
            print(json.dumps(row), flush=True)
            found.append(row)
            arguments.json.write_text(json.dumps(found, indent=1), "utf-8")


def _measure(client: Elasticsearch, arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    asked = list(entries_of(randoms(10**9, 10**9 + arguments.queries), 10**9))
    drop(client, _NAME)
    collection = create_index(client, IndexOptions(_NAME))
    stored = 0
    for size in (int(float(size)) for size in filter(None, arguments.sizes.split(","))):
        watch = Stopwatch(client)
        fill(collection, randoms(stored, size), stored)
        yield _row("filled", size - stored, watch)
        stored = size
        settle(client, _NAME)
        yield {
            "what": "bytes",
            "documents": size,
            "segments": segments(client, _NAME),
            **bytes_by_field(client, _NAME),
        }
        for k in (3, 7, 11):
            for scheme in schemes_for(k)[:2] if k == 3 else schemes_for(k)[1:2]:
                yield from _look_up(Target(client, _NAME, scheme, k), asked, size)
        find_leaders(collection, asked)
        watch = Stopwatch(client)
        for batch in batched(asked, _BATCH):
            find_leaders(collection, batch)
        yield _row("looked up in batches", len(asked), watch) | {"documents": size}
        if size <= _REGROUPED:
            watch = Stopwatch(client)
            *_, last = regroup(collection)
            yield _row("regrouped", last.documents, watch)
    drop(client, _NAME)
    if arguments.keyed:
        yield from _split(client, asked)
        yield from _keyed(client, asked, int(arguments.keyed))


def _split(client: Elasticsearch, asked: Sequence[Entry]) -> Iterator[dict[str, Any]]:
    """What further shards add to a look-up."""
    for shards in (1, _SHARDS):
        drop(client, _SPLIT)
        fill(create_index(client, IndexOptions(_SPLIT, shards=shards)), randoms(0, 100_000))
        settle(client, _SPLIT)
        for scheme in schemes_for(3)[:2]:
            for row in _look_up(Target(client, _SPLIT, scheme, 3), asked, 100_000):
                yield row | {"shards": shards}
    drop(client, _SPLIT)


def _keyed(client: Elasticsearch, asked: Sequence[Entry], size: int) -> Iterator[dict[str, Any]]:
    schemes = schemes_for(3)[2:]
    for scheme in schemes:
        client.options(ignore_status=404).indices.delete(index=_KEYED)
        watch = Stopwatch(client)
        make_keyed(client, _KEYED, [scheme], randoms(0, size))
        yield _row("filled", size, watch) | {"scheme": scheme.name}
        settle(client, _KEYED)
        yield {"what": "bytes", "documents": size, "scheme": scheme.name, **bytes_by_field(client, _KEYED)}
        yield from _look_up(Target(client, _KEYED, scheme, 3), asked, size)
    client.options(ignore_status=404).indices.delete(index=_KEYED)


def _row(what: str, documents: int, watch: Stopwatch) -> dict[str, Any]:
    spent = watch.read()
    return {
        "what": what,
        "documents": documents,
        "rate": documents / spent.seconds,
        "node_us": spent.node / documents * 1e6,
        "client_us": spent.client / documents * 1e6,
    }


def _look_up(target: Target, asked: Sequence[Entry], size: int) -> Iterator[dict[str, Any]]:
    some = asked if target.k < 8 and target.scheme.terms < 100 else asked[:_BATCH]
    _candidates(target, some[:_BATCH])  # the engine warms up
    watch = Stopwatch(target.client)
    candidates = _candidates(target, some)
    spent = watch.read()
    yield {
        "what": "looked up",
        "k": target.k,
        "scheme": target.scheme.name,
        "documents": size,
        "segments": segments(target.client, target.index),
        "candidates": candidates / len(some),
        "ms": spent.seconds / len(some) * 1e3,
        "node_ms": spent.node / len(some) * 1e3,
        "client_ms": spent.client / len(some) * 1e3,
        "single_ms": _single(target, some[:200]),
    }


def _single(target: Target, asked: Sequence[Entry]) -> float:
    """Median milliseconds of one look-up a request."""
    times = []
    for entry in asked:
        started = time.perf_counter()
        _candidates(target, [entry])
        times.append(time.perf_counter() - started)
    return float(np.median(times)) * 1e3


def _candidates(target: Target, asked: Sequence[Entry]) -> int:
    """Look all up, verify what comes; how many that was."""
    count = 0
    own = target.index != _KEYED
    fields = ["esdedup.simhash", "esdedup.digest", "esdedup.status", "esdedup.first_seen"] if own else ["simhash"]
    for batch in batched(asked, _BATCH if target.k < 4 else 50):
        bodies = [
            {
                "query": _own_query(target, entry) if own else _keyed_query(target.scheme, entry),
                "size": _MANY,
                "track_total_hits": False,
                "_source": False,
                "docvalue_fields": fields,
            }
            for entry in batch
        ]
        for entry, answer in zip(batch, ask_many(target.client, target.index, bodies), strict=True):
            values = [from_hex(hit["fields"][fields[0]][0]) for hit in answer["hits"]["hits"]]
            assert all((value ^ entry.fingerprint).bit_count() >= 0 for value in values)
            count += len(values)
    return count


def _own_query(target: Target, entry: Entry) -> dict[str, Any]:
    """As the product asks, or by any block alone."""
    if target.scheme.lanes:
        return all_of(match_query(entry, target.k), LEADS)
    return all_of(any_block(entry.fingerprint, target.k), LEADS)


def _keyed_query(scheme: Scheme, entry: Entry) -> dict[str, Any]:
    return all_of({"terms": {field_of(scheme): asked_terms(scheme, entry.fingerprint)}})


if __name__ == "__main__":
    main()
