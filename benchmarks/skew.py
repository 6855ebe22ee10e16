"""What skewed fingerprints cost: candidates a look-up by each way to look up at k = 3, against uniform fingerprints.

    python -m benchmarks.skew ../shared/data/big/*.jsonl.gz --documents 1e6

Of each collection the real fingerprints are taken, and more like them: signs of correlated normal numbers whose 64
biases, and correlations of each two, are those of the real ones. Two made models besides: every bit set in 60 of 100
fingerprints, and half of the bits' variance in eight common factors. Queries are drawn from the same model, none is
stored. `foretold` is what `esdedup plan` makes of the skew of the blocks: skew ** (bits of a key / 16) ** 1.2.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import documents
from esdedup.document import Status
from esdedup.keys import Scheme, schemes_for
from esdedup.planning import skew_of
from esdedup.settings import FeatureSettings
from esdedup.sketching import sketch_batches

_K = 3
_FACTORS = 8
_CHUNK = 100_000
_NORMAL = NormalDist()

Numbers = NDArray[np.uint64]
Floats = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--documents", type=float, default=1e6)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--limit", type=int, default=20_000, help="documents of each file")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = []
    print("| fingerprints | skew of blocks | by | mean | p99 | worst | times uniform | foretold |")
    print("|---|---:|---|---:|---:|---:|---:|---:|")
    for name, values, queries in _models(arguments):
        for row in _rows(name, values, queries):
            rows.append(row)
            cells = (f"{cell:,.3g}" if isinstance(cell, float) else str(cell) for cell in row.values())
            print("|", " | ".join(cells), "|", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1), "utf-8")


def _models(arguments: argparse.Namespace) -> Iterator[tuple[str, Numbers, Numbers]]:
    rng = np.random.default_rng(1)
    size, queries = int(arguments.documents), arguments.queries
    made = {
        "uniform": (np.zeros(64), np.eye(64)),
        "each bit set in 60 of 100": (np.full(64, _NORMAL.inv_cdf(0.6)), np.eye(64)),
        f"half of the variance in {_FACTORS} factors": (np.zeros(64), _factors(rng)),
    }
    for name, (bias, correlation) in made.items():
        yield name, draw(rng, size, bias, correlation), draw(rng, queries, bias, correlation)
    for path in arguments.files:
        name, real = path.name.partition(".")[0], rng.permutation(_real(path, arguments.limit))
        yield f"{name}, real", real[queries:], real[:queries]
        bias, correlation = fit(real)
        yield f"{name}, enlarged", draw(rng, size, bias, correlation), draw(rng, queries, bias, correlation)


def _factors(rng: np.random.Generator) -> Floats:
    loads = rng.normal(size=(64, _FACTORS))
    shared = loads / np.linalg.norm(loads, axis=1, keepdims=True)
    correlation: Floats = 0.5 * shared @ shared.T + 0.5 * np.eye(64)
    return correlation


def _real(path: Path, limit: int) -> Numbers:
    """The different fingerprints of a collection."""
    batches = sketch_batches(documents(path, limit), FeatureSettings())
    values = [sketch.fingerprint for batch in batches for sketch in batch.sketches if sketch.status is Status.OK]
    return np.unique(np.array(values, np.uint64))


def fit(values: Numbers) -> tuple[Floats, Floats]:
    """Biases and correlations of the normal numbers whose signs have those of these bits."""
    signs = np.unpackbits(values.view(np.uint8).reshape(-1, 8)[:, ::-1], axis=1) * 2.0 - 1
    means = signs.mean(axis=0)
    bias = np.array([_NORMAL.inv_cdf((1 + mean) / 2) for mean in np.clip(means, -0.999, 0.999)])
    correlation = np.sin(np.pi / 2 * np.corrcoef(signs.T))
    return bias, correlation


def draw(rng: np.random.Generator, count: int, bias: Floats, correlation: Floats) -> Numbers:
    """So many fingerprints: the signs of normal numbers with these means and correlations."""
    strengths, directions = np.linalg.eigh(correlation)
    root = directions * np.sqrt(np.clip(strengths, 0, None))
    parts = []
    for start in range(0, count, _CHUNK):
        normal = rng.normal(size=(min(_CHUNK, count - start), 64)) @ root.T + bias
        parts.append(np.packbits(normal > 0, axis=1)[:, ::-1].copy().view(np.uint64).ravel())
    return np.concatenate(parts)


def _rows(name: str, values: Numbers, queries: Numbers) -> Iterator[dict[str, Any]]:
    skew = skew_of(values)
    schemes = schemes_for(_K)
    counts = np.array(
        [[len(_candidates(scheme, values, query)) for query in queries] for scheme in schemes], np.float64
    )
    for scheme, found in zip(schemes, counts, strict=True):
        bits = max([scheme.bits, *(8.0 * lanes for lanes, _ in scheme.lanes)])
        yield {
            "fingerprints": name,
            "skew": skew,
            "by": scheme.name,
            "mean": float(found.mean()),
            "p99": float(np.percentile(found, 99)),
            "worst": float(found.max()),
            "times": float(found.mean() / (scheme.candidates * len(values))),
            "foretold": float(skew ** ((bits / 16) ** 1.2)),
        }


def _candidates(scheme: Scheme, values: Numbers, query: np.uint64) -> Numbers:
    """Those that a look-up has to verify, by comparing with all."""
    gaps = values ^ query
    near = np.zeros(len(gaps), np.uint8)
    shift = 0
    for width in scheme.widths:
        part = gaps >> np.uint64(shift) & np.uint64((1 << width) - 1)
        near += (np.bitwise_count(part) <= scheme.radius) if scheme.radius else part == 0
        shift += width
    found = gaps[near >= scheme.together]
    lanes = np.bitwise_count(found.view(np.uint8).reshape(-1, 8))
    passed = [(lanes <= radius).sum(axis=1) >= least for least, radius in scheme.lanes]
    kept: Numbers = found[np.logical_and.reduce(passed)] if passed else found
    return kept


if __name__ == "__main__":
    main()
