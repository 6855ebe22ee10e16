"""What `esdedup plan` foretells beside what `benchmarks.plan_check` measured, as a table. Times are of all processors.

python -m benchmarks.plan_report plan_check.json
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from esdedup.measured import MEASURED
from esdedup.planning import Plan, Workload, plan, regrouping

__all__ = ["compare"]

Row = Mapping[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    rows = [row for path in parser.parse_args().files for row in json.loads(path.read_text("utf-8"))]
    print("| what | documents | foretold | measured | off by |\n|---|---:|---:|---:|---:|")
    for row in sorted(rows, key=lambda one: one["documents"]):
        for line in compare(row):
            print(line)


def compare(row: Row) -> Iterator[str]:
    """Lines of the table for one row of `plan_check`; none for what a plan does not tell."""
    documents = row["documents"]
    plans = {one.scheme.name: one for one in plan(Workload(documents, row.get("k", 3), text=0))}
    if row["what"] == "bytes":
        yield from _bytes(row, plans)
    elif row["what"] == "looked up" and row.get("shards", 1) == 1:
        one = plans[row["scheme"]]
        work = f"look-up, k = {row['k']}, {row['scheme']}"
        yield _line(f"{work}: candidates", documents, one.candidates, row["candidates"])
        yield _line(f"{work}: ms", documents, one.look_up, row["node_ms"] + row["client_ms"])
    elif row["what"] == "looked up in batches":
        spent = (row["node_us"] + row["client_us"]) / 1e3
        yield _line("look-up, k = 3, as batches go: ms", documents, plans["blocks and lanes"].look_up, spent)
    elif row["what"] == "filled" and "scheme" not in row:
        spent = row["node_us"] + row["client_us"]
        yield _line("write: us a document", documents, MEASURED.write, spent)
    elif row["what"] == "regrouped":
        hours = regrouping(Workload(documents)).hours
        spent = row["node_us"] + row["client_us"]
        yield _line("regroup: us a document", documents, hours * 3.6e9 / documents, spent)


def _bytes(row: Row, plans: Mapping[str, Plan]) -> Iterator[str]:
    documents = row["documents"]
    if "scheme" in row:
        (stored,) = (size for field, size in row.items() if field.startswith("of"))
        keys = f"bytes of keys a document, {row['scheme']}"
        yield _line(keys, documents, plans[row["scheme"]].keys, stored / documents)
        return
    ours = plans["blocks and lanes"]
    fields = ("esdedup.b0", "esdedup.b1", "esdedup.b2", "esdedup.b3", "esdedup.lanes")
    stored = sum(row[field] for field in fields)
    yield _line("bytes of blocks and lanes a document", documents, ours.keys, stored / documents)
    yield _line("bytes a document, without text", documents, ours.document, row[""] / documents)


def _line(what: str, documents: int, foretold: float, measured: float) -> str:
    off = f"{(measured - foretold) / foretold:+.0%}" if measured and foretold > 1e-3 else ""
    return f"| {what} | {documents:,} | {foretold:,.3g} | {measured:,.3g} | {off} |"


if __name__ == "__main__":
    main()
