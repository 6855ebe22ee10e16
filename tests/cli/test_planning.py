"""What `plan` prints."""

import json
from pathlib import Path

import pytest

from esdedup.measured import MEASURED
from tests.cli.conftest import Esdedup

PLAN = """\
1,000,000 documents with 1,000 bytes of text, k = 3, uniform fingerprints

plan                keys   disk     shards   cache
───────────────────────────────────────────────────
blocks                 4   1.4 GB        1   50 MB
blocks and lanes       4   1.4 GB        1   62 MB
1 of 2, 1 bit off      2   1.4 GB        1   49 MB
2 of 3, 1 bit off      3   1.4 GB        1   63 MB
2 of 5                10   1.5 GB        1   102 MB
3 of 6                20   1.7 GB        1   198 MB

plan                terms   postings   candidates   queries/s   core-hours
──────────────────────────────────────────────────────────────────────────
blocks                  4   61         61           529         0.38
blocks and lanes       12   31k        5e-05        1,463       0.23
1 of 2, 1 bit off      66   0.015      0.015        2,588       0.18
2 of 3, 1 bit off    1496   2e-04      2e-04        445         0.69
2 of 5                 10   0.21       0.21         3,114       0.16
3 of 6                 20   0.0051     0.0051       3,066       0.17

heap: 512 MB; regroup: 0.017 core-hours, 67 MB of memory
recommended: 1 of 2, 1 bit off; esdedup stores blocks and lanes, whose look-ups take 1.8 times as long
"""


def test_a_plan_on_paper(esdedup: Esdedup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ran = esdedup("plan", "--docs", "1e6", "--bytes", "1000")
    assert (ran.code, ran.err) == (0, "")
    assert [line.rstrip() for line in ran.out.splitlines()] == PLAN.splitlines()


def test_plans_as_json(esdedup: Esdedup) -> None:
    found = json.loads(esdedup("plan", "--docs", "2e9", "-k", "3", "--skew", "3.5", "--shard-size", "20", "--json").out)
    assert (found["documents"], found["k"], found["text"], found["skew"]) == (
        2_000_000_000,
        3,
        MEASURED.text_bytes,
        3.5,
    )
    plans = {one["plan"]: one for one in found["plans"]}
    assert plans["blocks"]["candidates"] == pytest.approx(3.5 * 4 * 2e9 / 65536, rel=1e-3)
    assert plans["blocks"]["shards"] >= plans["blocks"]["disk"] / 20e9
    assert found["in_use"] == "blocks and lanes"
    assert found["cheapest"] in plans
    assert found["regroup"]["memory"] == 2e9 * MEASURED.pair
    assert found["apart"]["plan"] in plans


@pytest.mark.parametrize(("documents", "said"), [("9.9e8", 0), ("1e9", 1), ("5e9", 2)])
def test_large_collections_are_told_what_changes(esdedup: Esdedup, documents: str, said: int) -> None:
    assert esdedup("plan", "--docs", documents).out.count("beyond ") == said


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("--docs", "0"),
        ("--docs", "inf"),
        ("--docs", "1e6", "--skew", "nan"),
        ("--docs", "1e6", "-k", "12"),
        ("--docs", "1e6", "--skew", "0.5"),
    ],
)
def test_what_cannot_be_planned(esdedup: Esdedup, args: tuple[str, ...]) -> None:
    ran = esdedup("plan", *args)
    assert (ran.code, ran.out) == (2, "")


@pytest.mark.engine
def test_a_plan_from_an_index(indexed: Esdedup, esdedup: Esdedup, index_name: str, tmp_path: Path) -> None:
    texts = [" ".join(f"Boat {n * m} left at dawn, said pilot {n + m}." for m in range(9)) for n in range(30)]
    path = tmp_path / "boats.jsonl"
    path.write_text("".join(json.dumps({"id": str(n), "text": text}) + "\n" for n, text in enumerate(texts)), "utf-8")
    assert indexed("index", str(path)).code == 0
    found = json.loads(esdedup("plan", "--from-index", index_name, "--json").out)
    assert found["documents"] == len(texts)
    assert found["text"] == round(sum(map(len, texts)) / len(texts))
    assert found["skew"] > 1
    given = json.loads(esdedup("plan", "--from-index", index_name, "--docs", "1e6", "--skew", "2", "--json").out)
    assert (given["documents"], given["text"], given["skew"]) == (1_000_000, found["text"], 2)
