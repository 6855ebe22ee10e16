"""All pairs within k = 3 among random fingerprints: esdedup beside other packages, as a table of ratios.

    python -m benchmarks.peers build/peers
    python -m benchmarks.peers_pairs --sizes 1e5,1e6,1e7 --peers build/peers

Conditions, the same for all:
- N different random 64-bit fingerprints, the last 1 % of them made from others by turning 1 to 3 bits over. Each
  package gets them in memory in the form that it takes (array of numbers or of bytes, list of int, of Simhash): making
  that form is not timed. An index is built within the time, which ends when all pairs are in memory.
- One thread, also for esdedup and faiss. Each run has a process of its own; the packages take turns, round by round;
  seconds are medians, by the clock and of the processor. A ratio is the median of the ratios of the
  rounds in seconds of the processor, which others on the machine disturb less.
- Memory is the highest that the process held, with Python, the package and the fingerprints in their form.
- Recall is of all pairs that any of the packages found and that are within 3 bits, and those planted, in every round.
- faiss MultiHash: 4 hashes of 16 bits, which is exact for 3 bits; it and Flat are asked for all fingerprints at once.
  simhash-py: 5 blocks, its fastest at 10^6. SimhashIndex and Flat only up to 10^5.
- A run that takes longer than `--patience` seconds is ended, and its package not tried at larger sizes.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from benchmarks.common import write_rows
from benchmarks.peers import Peer, enter, explain_missing, pin_threads

_K = 3
_PLANTED = 0.01
_FEW = 100_000  # fingerprints, for what is quadratic or a loop of Python
_NAP = 0.005  # seconds between two looks at a process's memory
_MISSING = "missing"

Numbers = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Run:
    """seconds: by the clock; of the processor; megabytes: the most the process held; pairs: (smaller, larger)."""

    seconds: float
    busy: float
    megabytes: float
    pairs: set[tuple[int, int]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1e5,1e6,1e7")
    parser.add_argument("--peers", type=Path, default=Path("build/peers"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--patience", type=float, default=600, metavar="SECONDS")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    pin_threads(1)
    left_out: dict[str, str] = {}
    rows: list[dict[str, object]] = []
    columns = "peer | seconds (lowest to highest) | of the processor | esdedup is faster by | peak MB | recall | false"
    print(f"| fingerprints | {columns} |")
    print("|---:|---|---:|---:|---:|---:|---:|---:|")
    for size in (int(float(size)) for size in arguments.sizes.split(",")):
        rows += _compare(size, arguments, left_out)
        write_rows(arguments.json, rows)
    print()
    explain_missing(sorted({peer.package for peer in _PEERS if left_out.get(peer.name) == _MISSING}))
    for name, reason in left_out.items():
        if reason != _MISSING:
            print(f"left out: {name} ({reason})")


def _compare(size: int, arguments: argparse.Namespace, left_out: dict[str, str]) -> list[dict[str, object]]:
    runs: dict[str, list[Run]] = {}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "fingerprints.npy"
        planted = _plant(size, path)
        for _ in range(arguments.rounds):
            for peer in _PEERS:
                if peer.name in left_out or (peer.name in _SLOW and size > _FEW):
                    continue
                outcome = _run(peer, path, arguments)
                if isinstance(outcome, Run):
                    runs.setdefault(peer.name, []).append(outcome)
                else:
                    left_out[peer.name] = outcome if outcome == _MISSING else f"{outcome} with {size:,} fingerprints"
    return _print_rows(size, runs, planted)


def _plant(size: int, path: Path) -> set[tuple[int, int]]:
    """Write the fingerprints to a file; gives the pairs that are known to be near."""
    rng = np.random.default_rng(size)
    copies = int(size * _PLANTED)
    values = rng.integers(0, 2**64, size, dtype=np.uint64)
    near = values[:copies].copy()
    for _ in range(_K):
        near ^= np.uint64(1) << rng.integers(0, 64, copies, dtype=np.uint64)  # twice the same bit: one less differs
    values[-copies:] = near
    if len(np.unique(values)) < size:
        raise SystemExit("two of the random fingerprints are equal, which not every package can report")
    np.save(path, rng.permutation(values))
    return _as_pairs(values[:copies], near)


def _run(peer: Peer, path: Path, arguments: argparse.Namespace) -> Run | str:
    """What a process of its own made of it, or why it made nothing."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs, peer, arguments.peers, path))
    process.start()
    theirs.close()
    peak, started = 0.0, time.monotonic()
    while not ours.poll(_NAP):
        peak = max(peak, _held_by(process.pid))
        if time.monotonic() - started > arguments.patience:
            process.terminate()
            process.join()
            return f"more than {arguments.patience:g} s"
    try:
        seconds, busy, pairs = ours.recv()
    except EOFError:
        process.join()
        return f"ended with code {process.exitcode}"
    process.join()
    return _MISSING if pairs is None else Run(seconds, busy, peak, pairs)


def _held_by(pid: int | None) -> float:
    try:
        return float(psutil.Process(pid).memory_info().rss) / 1e6
    except psutil.NoSuchProcess:
        return 0.0


def _work(answer: Connection, peer: Peer, folder: Path, path: Path) -> None:
    enter(folder, peer.package)
    try:
        find = peer.prepare(np.load(path))
    except ImportError:
        answer.send((0.0, 0.0, None))
        return
    started, idle = time.perf_counter(), time.process_time()
    found = find()
    seconds, busy = time.perf_counter() - started, time.process_time() - idle
    answer.send((seconds, busy, _as_pairs(*found)))


def _as_pairs(a: Any, b: Any) -> set[tuple[int, int]]:
    return set(zip(np.minimum(a, b).tolist(), np.maximum(a, b).tolist(), strict=True))


def _print_rows(size: int, runs: dict[str, list[Run]], planted: set[tuple[int, int]]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    found = planted.union(*(run.pairs for some in runs.values() for run in some))
    true = {(a, b) for a, b in found if (a ^ b).bit_count() <= _K}
    for name, some in runs.items():
        seconds = [run.seconds for run in some]
        spread = f"{statistics.median(seconds):.2f} ({min(seconds):.2f} to {max(seconds):.2f})"
        busy = statistics.median(run.busy for run in some)
        ratio = statistics.median(theirs.busy / ours.busy for ours, theirs in zip(runs[_OURS], some, strict=False))
        megabytes = statistics.median(run.megabytes for run in some)
        recall = min(len(run.pairs & true) for run in some) / len(true)
        false = max(len(run.pairs - true) for run in some)
        row = [f"{size:,}", name, spread, f"{busy:.2f}", f"{ratio:.1f} x", f"{megabytes:,.0f}", f"{recall:.4f}", false]
        print("|", *(f"{cell} |" for cell in row), flush=True)
        found_all = {"recall": recall, "false": false, "megabytes": megabytes}
        times = {"seconds": statistics.median(seconds), "busy": busy, "ratio": ratio}
        rows.append({"fingerprints": size, "peer": name, **times, **found_all})
    return rows


# Each of these imports a peer, puts the fingerprints in its form, and gives what finds the pairs.

Find = Callable[[], tuple[Any, Any]]


def _by_esdedup(values: Numbers) -> Find:
    from esdedup.pairs import all_pairs  # noqa: PLC0415

    def find() -> tuple[Numbers, Numbers]:
        pairs = all_pairs(values, _K, workers=1)
        return values[pairs.i], values[pairs.j]

    return find


def _by_simhash_py(values: Numbers) -> Find:
    from simhash import find_all  # noqa: PLC0415

    given = values.tolist()

    def find() -> tuple[Numbers, Numbers]:
        pairs = np.array(find_all(given, 5, _K), np.uint64).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]

    return find


def _by_multi_hash(values: Numbers) -> Find:
    import faiss  # noqa: PLC0415

    faiss.omp_set_num_threads(1)
    return _by_faiss(faiss.IndexBinaryMultiHash(64, 4, 16), values)


def _by_flat(values: Numbers) -> Find:
    import faiss  # noqa: PLC0415

    faiss.omp_set_num_threads(1)
    return _by_faiss(faiss.IndexBinaryFlat(64), values)


def _by_faiss(index: Any, values: Numbers) -> Find:
    as_bytes = values.view(np.uint8).reshape(-1, 8)

    def find() -> tuple[Numbers, Numbers]:
        index.add(as_bytes)
        ends, _distances, found = index.range_search(as_bytes, _K + 1)  # those nearer than that
        askers = np.repeat(np.arange(len(values)), np.diff(ends.astype(np.int64)))
        once = askers < found
        return values[askers[once]], values[found[once]]

    return find


def _by_simhash_index(values: Numbers) -> Find:
    from simhash import Simhash, SimhashIndex  # noqa: PLC0415

    hashes = [Simhash(value) for value in values.tolist()]

    def find() -> tuple[Numbers, Numbers]:
        index = SimhashIndex([(str(at), simhash) for at, simhash in enumerate(hashes)], k=_K)
        near = [(at, int(other)) for at, simhash in enumerate(hashes) for other in index.get_near_dups(simhash)]
        pairs = np.array([(a, b) for a, b in near if a < b], np.int64).reshape(-1, 2)
        return values[pairs[:, 0]], values[pairs[:, 1]]

    return find


_OURS, _FLAT, _INDEX = "esdedup", "faiss Flat", "SimhashIndex"
_SLOW = {_FLAT, _INDEX}
_PEERS = [
    Peer(_OURS, "", _by_esdedup),
    Peer("simhash-py", "simhash-py", _by_simhash_py),
    Peer("faiss MultiHash 4 x 16", "faiss-cpu", _by_multi_hash),
    Peer(_FLAT, "faiss-cpu", _by_flat),
    Peer(_INDEX, "simhash", _by_simhash_index),
]

if __name__ == "__main__":
    main()
