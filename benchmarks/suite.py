"""All benchmarks by one command: a table of ratios, each measured side by side in one run, and plots of the growth.

    python -m benchmarks.peers build/peers
    python -m benchmarks.suite build/suite --docs CHINESE.jsonl.gz ENGLISH.jsonl.gz --url http://localhost:9200

(a) text to fingerprint, (b) all pairs, (c) look-ups, (d) end to end: `index`, `search`, `gate`. Each benchmark is a
module of its own, whose figures lie in OUTDIR as JSON beside what it printed; `ratios.md` and the plots are made from
these. --quick takes minutes, the whole some hours. --only a,d for some of the parts; --report reads what is there.
What needs peers that are not installed, or fails, is named in the table's last lines, and the rest goes on.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.suite_plots import draw
from benchmarks.suite_report import report


@dataclass(frozen=True, slots=True)
class Step:
    """A run of one benchmark. part: a to d; name: of its files; module: of the benchmark, and what it is given."""

    part: str
    name: str
    module: str
    arguments: tuple[str, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("outdir", type=Path)
    parser.add_argument("--docs", type=Path, nargs="+", default=[], help="the last one is used end to end")
    parser.add_argument("--url", default="http://localhost:9200")
    parser.add_argument("--peers", type=Path, default=Path("build/peers"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="a,b,c,d")
    parser.add_argument("--report", action="store_true", help="measure nothing")
    arguments = parser.parse_args()
    arguments.outdir.mkdir(parents=True, exist_ok=True)
    if not arguments.report:
        if not arguments.docs:
            parser.error("--docs: no documents to measure with")
        for step in _steps(arguments):
            if step.part in arguments.only.split(","):
                _run(step, arguments.outdir)
    (arguments.outdir / "ratios.md").write_text(report(arguments.outdir), "utf-8")
    print(report(arguments.outdir))
    for path in draw(arguments.outdir):
        print(path)


def _steps(arguments: argparse.Namespace) -> Iterator[Step]:
    quick, docs, url = arguments.quick, [str(path) for path in arguments.docs], arguments.url
    peers, last = ("--peers", str(arguments.peers)), docs[-1]
    rounds = ("--rounds", "1" if quick else "5")
    yield Step("a", "fingerprint", "peers_fingerprint", (*docs, *peers, *rounds))
    sizes = "1e4,1e5" if quick else "1e5,1e6,1e7"
    yield Step("b", "pairs", "peers_pairs", ("--sizes", sizes, *peers, "--rounds", "1" if quick else "3"))
    sizes = "1e4,1e5" if quick else "1e5,1e6,5e6"
    yield Step("c", "lookup", "lookup_speed", ("--sizes", sizes, "--url", url))
    runs = "1" if quick else "3"
    for limit in (1000, 3000) if quick else (5000, 20_000, 60_000):
        yield Step("d", f"index-{limit}", "index_speed", (last, "--limit", str(limit), "--runs", runs, "--url", url))
    sizes, queries = ("1e3,3e3", "20") if quick else ("5e3,2e4,6e4", "150")
    yield Step("d", "search", "search_speed", (last, "--sizes", sizes, "--queries", queries, "--url", url))
    few = ("--single", "100", "--batched", "1000") if quick else ()
    for stored in (10_000, 30_000) if quick else (100_000, 1_000_000):
        yield Step("d", f"gate-{stored}", "gate_speed", (last, "--stored", str(stored), *few, "--url", url))


def _run(step: Step, outdir: Path) -> None:
    """Run one benchmark; its figures in NAME.json, what it prints in NAME.txt."""
    figures = outdir / f"{step.name}.json"
    figures.unlink(missing_ok=True)
    command = [sys.executable, "-m", f"benchmarks.{step.module}", *step.arguments, "--json", str(figures)]
    print("$", *command[1:], flush=True)
    with (outdir / f"{step.name}.txt").open("w", encoding="utf-8") as said:
        ended = subprocess.run(command, stdout=said, stderr=subprocess.STDOUT, check=False)
    if ended.returncode:
        print(f"{step.name} ended with {ended.returncode}: see {said.name}", flush=True)


if __name__ == "__main__":
    main()
