"""From figures of benchmarks to a table of ratios and plots."""

import json
from pathlib import Path

import pytest

from benchmarks.suite_plots import draw
from benchmarks.suite_report import report

_PAIRS = {"fingerprints": 1000, "recall": 1.0, "false": 0, "megabytes": 90.0, "seconds": 0.5}
_LOOK_UP = {"index": "random", "documents": 1000, "k": 3, "recall": 1.0}
FIGURES: dict[str, list[dict[str, object]]] = {
    "fingerprint": [
        {"text": "English", "features": "words", "peer": "esdedup", "rate": 200.0, "ratio": 1.0},
        {"text": "English", "features": "words", "peer": "other", "rate": 100.0, "ratio": 2.0},
    ],
    "pairs": [
        {"peer": "esdedup", "busy": 0.5, "ratio": 1.0, **_PAIRS},
        {"peer": "other", "busy": 2.0, "ratio": 4.0, **_PAIRS},
    ],
    "lookup": [{"way": "esdedup", "batched": 900.0, **_LOOK_UP}, {"way": "any block", "batched": 300.0, **_LOOK_UP}],
    "index-10": [
        {"documents": 10, "way": "parallel_bulk", "rate": 50.0, "ratio": 1.0},
        {"documents": 10, "way": "esdedup", "rate": 40.0, "ratio": 0.8},
    ],
    "search": [
        {"documents": 10, "collapsed_p50_ms": 3.0, "uncollapsed_p50_ms": 2.5, "plain_p50_ms": 2.0, "ratio": 0.66}
    ],
    "gate-10": [{"stored": 10, "how": "writing", "p50_ms": 5.0, "p99_ms": 9.0, "rate": 1500.0}],
}
TABLE = """
| fingerprint, English, words | 3 kB | 200/s | other | 100/s | 2.00 x |  |
| all pairs, k = 3 | 1,000 | 0.5 s | other | 2 s | 4.00 x | 1.0000 |
| look-up, batched, random, k = 3 | 1,000 | 900/s | any block | 300/s | 3.00 x | 1.0000 |
| index | 10 | 40/s | parallel_bulk | 50/s | 0.80 x |  |
| collapsed search, p50 | 10 | 3.00 ms | plain | 2.00 ms | 0.66 x |  |
"""


@pytest.fixture
def outdir(tmp_path: Path) -> Path:
    for name, rows in FIGURES.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(rows), "utf-8")
    return tmp_path


def test_a_line_for_each_peer(outdir: Path) -> None:
    made = report(outdir)
    assert TABLE in made
    assert "| 10 | writing | 5.0 ms | 9.0 ms | 1,500/s |" in made


def test_what_gave_no_figures_is_named(tmp_path: Path) -> None:
    (tmp_path / "lookup.txt").write_text("it failed", "utf-8")
    assert report(tmp_path).splitlines()[-1] == "without figures: lookup"


def test_a_picture_for_each_part(outdir: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert [path.name for path in draw(outdir)] == ["fingerprint.png", "pairs.png", "lookup.png", "end_to_end.png"]
    assert list(draw(tmp_path_factory.mktemp("nothing"))) == []
