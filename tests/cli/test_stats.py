"""`stats` as it is typed."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Esdedup

pytestmark = pytest.mark.engine

STORY = " ".join(f"Entry {n} of the harbour log tells of boats and ropes." for n in range(30))
BAKERY = "Flour, salt and water rise before dawn while the oven warms and a sleepy apprentice sweeps the yard."
SAID = """\
documents            4 (3 ok, 1 too_short)
groups               3
duplicates           1
on disk              SIZE, SIZE bytes a document
a look-up, k = 3     0.7 others near in a block, 0.0 if they were random
                     0.7 near in lanes as well: these are read
                     1 near in a block at most (of 3 documents looked up)
hottest blocks       BLOCK  2 documents
"""


@pytest.fixture
def filled(indexed: Esdedup, tmp_path: Path) -> Esdedup:
    texts = {"a": STORY, "copy": STORY, "other": BAKERY, "short": "two words"}
    path = tmp_path / "docs.jsonl"
    path.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in texts.items()), "utf-8")
    assert indexed("index", str(path)).code == 0
    return indexed


def test_says_what_is_there(filled: Esdedup) -> None:
    ran = filled("stats", "-n", "1")
    said = re.sub(r"[\d.,]+ [kM]?B, [\d,]+ bytes", "SIZE, SIZE bytes", ran.out)
    assert (ran.code, ran.err) == (0, "")
    assert re.sub(r"b[0-3] [0-9a-f]{4}", "BLOCK", said) == SAID


def test_says_it_to_programs(filled: Esdedup) -> None:
    found = json.loads(filled("stats", "-n", "4", "--json").out)
    fingerprint = json.loads(filled("show", "a", "--json").out)["esdedup"]["simhash"]
    parts = [fingerprint[4 * i : 4 * i + 4] for i in range(4)]
    assert found["hot"] == [{"block": f"b{i}", "value": value, "documents": 2} for i, value in enumerate(parts)]
    assert found["bytes_a_document"] == round(found["size"] / 4, 1)
    assert list(found) == (
        "documents groups duplicates bare statuses size k cost hot sample sampled bytes_a_document".split()
    )


def test_no_index_is_one_line(indexed: Esdedup) -> None:
    ran = indexed("stats")
    assert (ran.code, ran.out, ran.err.count("\n")) == (3, "", 1)
