"""Fingerprints a second on one core, beside jieba with the package `simhash`; and confirmations a second.

pip install simhash
python -m benchmarks.feature_speed ../shared/data/zh_translation_revisions/docs.jsonl.gz

Both take turns on the same texts of about 3 kB, and the ratio is that of the medians.
"""

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.common import documents
from esdedup import Fingerprinter
from esdedup.confirming import gather, overlap

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import jieba
    import simhash

_CHARACTERS = 1000  # of Chinese: about 3 kB in UTF-8
_TEXTS, _FEW = 300, 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    texts = [d.text[:_CHARACTERS] for d in documents(arguments.docs) if len(d.text) >= _CHARACTERS][:_TEXTS]
    compare_fingerprints(texts, arguments.rounds)
    time_confirmation(texts, arguments.rounds)


def compare_fingerprints(texts: list[str], rounds: int) -> None:
    fingerprinter = Fingerprinter()
    ours, theirs = [], []
    with_jieba(texts[:1]), fingerprinter.sketches(texts)
    for _ in range(rounds):
        theirs.append(rate(with_jieba, texts[:_FEW]))
        ours.append(rate(fingerprinter.sketches, texts))
    print(f"esdedup {spread(ours)} fingerprints/s; jieba + simhash {spread(theirs)}")
    print(f"ratio {statistics.median(ours) / statistics.median(theirs):.1f}")


def with_jieba(texts: list[str]) -> list[int]:
    return [int(simhash.Simhash(jieba.lcut(text)).value) for text in texts]


def time_confirmation(texts: list[str], rounds: int) -> None:
    evidence = [gather(text) for text in texts]
    pairs = [(a, b) for a in evidence[:30] for b in evidence[:100]]
    gathered = [rate(lambda some: [gather(text) for text in some], texts) for _ in range(rounds)]
    compared = [rate(lambda some: [overlap(a, b) for a, b in some], pairs) for _ in range(rounds)]
    print(f"texts made ready for confirmation: {spread(gathered)}/s; comparisons: {spread(compared)}/s")
    both = 1 / statistics.median(gathered) + 1 / statistics.median(compared)
    print(f"100 candidates, texts in hand: {100 * both * 1e3:.1f} ms")


def rate(work: Callable[[list[Any]], object], items: list[Any]) -> float:
    started = time.perf_counter()
    work(items)
    return len(items) / (time.perf_counter() - started)


def spread(values: list[float]) -> str:
    return f"{statistics.median(values):,.0f} ({min(values):,.0f} to {max(values):,.0f})"


if __name__ == "__main__":
    main()
