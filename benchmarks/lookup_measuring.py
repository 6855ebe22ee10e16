"""How fast ways to look up are, what they find, and what they take."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import psutil
from elasticsearch import Elasticsearch
from numpy.typing import NDArray

from benchmarks.filling import Numbers, bytes_by_field
from benchmarks.lookup_ways import Way
from esdedup.matching import distances, within

__all__ = ["BATCH", "Row", "measure"]

#: Look-ups at once.
BATCH = 500

_SINGLE = 300
_LEAST = 5
_PATIENCE = 3.0  # seconds for one measurement
_WARM = 1.0
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table. p50, p99: milliseconds; single, batched: look-ups a second; size: bytes a document.

    work: milliseconds of the processor for one of a batch, by the engine and the client together.
    """

    index: str
    documents: int
    k: int
    way: str
    p50: float
    p99: float
    single: float
    batched: float
    work: float
    recall: float
    candidates: float
    size: float


def measure(label: str, ways: Sequence[Way], values: Numbers, queries: Numbers, k: int) -> list[Row]:
    """A row for each way to look the queries up in an index that holds these values."""
    asked = queries.tolist()
    truth = np.bincount(within(queries, values, k)[0], minlength=len(queries))
    singles = [_time_single(way, asked) for way in ways]
    counts = [max(_LEAST, min(BATCH, int(_PATIENCE / np.median(single)))) for single in singles]
    rounds = [
        [_time_batch(way, asked[:count]) for way, count in zip(ways, counts, strict=True)] for _ in range(1 + _ROUNDS)
    ]
    batched = np.median(rounds[1:], axis=0).tolist()  # in the first the engine still compiles
    rows = []
    for way, single, count, (rate, work) in zip(ways, singles, counts, batched, strict=True):
        p50, p99 = (1000 * np.percentile(single, [50, 99])).tolist()
        each = len(single) / sum(single)
        cost = _found(way, queries[:count], truth[:count], k)
        rows.append(Row(label, len(values), k, way.name, p50, p99, each, rate, work, *cost, _bytes(way)))
    return rows


def _time_single(way: Way, queries: Sequence[int]) -> list[float]:
    """Seconds of single look-ups, after some that do not count."""
    _until(_WARM, way.one, queries)
    return _until(_PATIENCE, way.one, queries)


def _until(patience: float, ask: Callable[[int], object], queries: Sequence[int]) -> list[float]:
    times: list[float] = []
    for value in queries[:_SINGLE]:
        started = time.perf_counter()
        ask(value)
        times.append(time.perf_counter() - started)
        if sum(times) > patience and len(times) >= _LEAST:
            break
    return times


def _time_batch(way: Way, queries: Sequence[int]) -> tuple[float, float]:
    """Look-ups a second, and milliseconds of the processor for each."""
    processes = _processes(way.collection.client)
    started, busy = time.perf_counter(), _busy(processes)
    way.many(queries)
    rate = len(queries) / (time.perf_counter() - started)
    return rate, 1000 * (_busy(processes) - busy) / len(queries)


def _processes(client: Elasticsearch) -> list[psutil.Process]:
    """This one and the nodes, which must run on this machine."""
    nodes = client.nodes.info(metric="process").body["nodes"].values()
    return [psutil.Process(), *(psutil.Process(node["process"]["id"]) for node in nodes)]


def _busy(processes: Sequence[psutil.Process]) -> float:
    """Seconds of the processor that they have taken."""
    return float(sum(used.user + used.system for used in (process.cpu_times() for process in processes)))


def _found(way: Way, queries: Numbers, truth: NDArray[np.intp], k: int) -> tuple[float, float]:
    """Recall, and candidates a look-up."""
    answers = way.many(queries.tolist())
    matches = sum(
        int((distances(value, found) <= k).sum()) for value, found in zip(queries.tolist(), answers, strict=True)
    )
    candidates = way.count(queries.tolist()) if way.count else [len(found) for found in answers]
    return matches / int(truth.sum()), float(np.mean(candidates))


def _bytes(way: Way) -> float:
    """What the fields of a way take on disk, a document."""
    client, name = way.collection.client, way.collection.name
    usage = bytes_by_field(client, name)
    return sum(usage[field] for field in way.fields) / int(client.count(index=name)["count"])
