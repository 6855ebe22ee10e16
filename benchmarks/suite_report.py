"""From the figures of the benchmarks to one table of ratios."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["OURS", "Row", "read_rows", "report"]

#: How esdedup is called in the figures.
OURS = "esdedup"

_OURS_BY_DEFAULT = "esdedup, default (words and Chinese characters)"
_HEAD = """| work | size | esdedup | beside it | that takes | esdedup is faster by | recall of the other |
|---|---:|---:|---|---:|---:|---:|"""

Row = dict[str, Any]


def read_rows(outdir: Path, name: str) -> list[Row]:
    """The figures of the benchmarks whose files begin so, by name; none where none was run."""
    rows: list[Row] = []
    for path in sorted(outdir.glob(f"{name}*.json"), key=lambda one: (len(one.name), one.name)):
        rows += json.loads(path.read_text("utf-8"))
    return rows


def report(outdir: Path) -> str:
    """The table, as markdown: a line for each peer of each work and size."""
    lines = [*_fingerprint(outdir), *_pairs(outdir), *_look_ups(outdir), *_index(outdir), *_search(outdir)]
    tables = [_HEAD, *lines, "", *_gate(outdir)]
    missing = [path.stem for path in sorted(outdir.glob("*.txt")) if not path.with_suffix(".json").exists()]
    return "\n".join([*tables, *([f"\nwithout figures: {', '.join(missing)}"] if missing else [])]) + "\n"


def _line(work: str, size: str, times: tuple[str, str, str], ratio: float, recall: str = "") -> str:
    """times: ours, the peer's name, the peer's."""
    return "| " + " | ".join((work, size, *times, f"{ratio:.2f} x", recall)) + " |"


def _fingerprint(outdir: Path) -> Iterator[str]:
    rows = read_rows(outdir, "fingerprint")
    ours = {(row["text"], row["features"]): row for row in rows if row["peer"] == OURS}
    for row in rows:
        if row["peer"] not in (OURS, _OURS_BY_DEFAULT):
            mine = ours[row["text"], row["features"]]["rate"]
            work = f"fingerprint, {row['text']}, {row['features']}"
            yield _line(work, "3 kB", (f"{mine:,.0f}/s", row["peer"], f"{row['rate']:,.0f}/s"), row["ratio"])


def _pairs(outdir: Path) -> Iterator[str]:
    rows = read_rows(outdir, "pairs")
    ours = {row["fingerprints"]: row for row in rows if row["peer"] == OURS}
    for row in rows:
        if row["peer"] != OURS:
            size, mine = f"{row['fingerprints']:,}", ours[row["fingerprints"]]
            times = f"{mine['busy']:.3g} s", row["peer"], f"{row['busy']:.3g} s"
            yield _line("all pairs, k = 3", size, times, row["ratio"], f"{row['recall']:.4f}")


def _look_ups(outdir: Path) -> Iterator[str]:
    rows = read_rows(outdir, "lookup")
    ours = {(row["index"], row["documents"], row["k"]): row for row in rows if row["way"] == OURS}
    for row in rows:
        mine = ours.get((row["index"], row["documents"], row["k"]))
        if mine and row["way"] != OURS:
            work, size = f"look-up, batched, {row['index']}, k = {row['k']}", f"{row['documents']:,}"
            rates = f"{mine['batched']:,.0f}/s", row["way"], f"{row['batched']:,.0f}/s"
            yield _line(work, size, rates, mine["batched"] / row["batched"], f"{row['recall']:.4f}")


def _index(outdir: Path) -> Iterator[str]:
    rows = read_rows(outdir, "index-")
    for row in rows:
        if row["way"] == OURS:
            for other in (one for one in rows if one["documents"] == row["documents"] and one["way"] != OURS):
                rates = f"{row['rate']:,.0f}/s", other["way"], f"{other['rate']:,.0f}/s"
                yield _line("index", f"{row['documents']:,}", rates, row["ratio"] / other["ratio"])


def _search(outdir: Path) -> Iterator[str]:
    for row in read_rows(outdir, "search"):
        times = f"{row['collapsed_p50_ms']:.2f} ms", "plain", f"{row['plain_p50_ms']:.2f} ms"
        yield _line("collapsed search, p50", f"{row['documents']:,}", times, row["ratio"])


def _gate(outdir: Path) -> Iterator[str]:
    rows = read_rows(outdir, "gate-")
    if rows:
        yield "| gate, stored | how | one document, p50 | p99 | in batches |\n|---:|---|---:|---:|---:|"
    for row in rows:
        times = f"{row['p50_ms']:.1f} ms | {row['p99_ms']:.1f} ms | {row['rate']:,.0f}/s"
        yield f"| {row['stored']:,} | {row['how']} | {times} |"
