"""`regroup`, `prune` and `restore` as they are typed."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Esdedup

pytestmark = pytest.mark.engine

STORY = " ".join(f"Entry {n} of the harbour log tells of boats and ropes." for n in range(30))


@pytest.fixture
def filled(indexed: Esdedup, tmp_path: Path) -> Esdedup:
    texts = {"a": STORY, "copy": STORY, "near": f"{STORY} The end.", "other": "Quite another text, of bread. " * 9}
    path = tmp_path / "docs.jsonl"
    path.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in texts.items()), "utf-8")
    assert indexed("index", str(path)).code == 0
    return indexed


def test_regroup_finds_nothing_to_do(filled: Esdedup) -> None:
    assert filled("regroup", "-q").out == "4 documents in 2 groups: 0 changed\n"
    assert filled("regroup", "--dry-run").out == "4 documents in 2 groups: 0 would change\n"
    assert json.loads(filled("regroup", "--json").out) == {"documents": 4, "groups": 2, "changed": 0, "conflicts": 0}


def test_prune_lists_and_deletes_only_when_told(filled: Esdedup, tmp_path: Path) -> None:
    listed = json.loads(filled("prune", "--json").out)
    assert sorted((row["id"], row["kept"], row["exact"]) for row in listed) == [
        ("copy", "a", True),
        ("near", "a", False),
    ]
    backup = tmp_path / "pruned.jsonl"
    assert filled("prune", "--apply").code == 2
    assert not backup.exists()
    assert filled("prune", "--exact", "--apply", "--backup", str(backup)).out.startswith("deleted 1 document; ")
    assert [json.loads(line)["_id"] for line in backup.read_text("utf-8").splitlines()] == ["copy"]
    assert filled("show", "copy").code == 2
    again = filled("prune", "--apply", "--backup", str(backup))
    assert (again.code, again.out) == (2, "")
    assert "exists already" in again.err
    assert filled("restore", str(backup)).out == "restored 1 document, 0 were there\n"
    assert json.loads(filled("show", "copy", "--json").out)["content"] == STORY
    assert filled("restore", str(tmp_path / "nowhere")).code == 2


def test_prune_keeps_the_longest_and_hides_the_rest(filled: Esdedup) -> None:
    listed = json.loads(filled("prune", "--keep", "longest", "--json").out)
    assert sorted((row["id"], row["kept"]) for row in listed) == [("a", "near"), ("copy", "near")]
    assert filled("prune", "--keep", "longest", "--mark", "--apply").out.startswith("hid 2 documents from search; ")
    assert [hit["id"] for hit in json.loads(filled("search", "harbour", "--no-collapse", "--json").out)["hits"]] == [
        "near"
    ]
    assert filled("regroup").out.endswith("in 2 groups: 0 changed\n")
    assert filled("prune", "--unmark").out == "2 documents shown again\n"
    assert len(json.loads(filled("search", "harbour", "--no-collapse", "--json").out)["hits"]) == 3


def test_a_policy_that_is_none_is_one_line(filled: Esdedup) -> None:
    for policy in ("best", "prefer", "prefer lang", "=x", "lang="):
        ran = filled("prune", "--keep", policy)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert "prefer FIELD=VALUE" in ran.err
