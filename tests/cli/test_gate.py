"""`esdedup gate` as a crawler uses it: a line in, a line out, the pipe held open."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Esdedup

pytestmark = pytest.mark.engine

STORM = "The harbour office counted forty boats before the storm and thirty eight after it. Nobody was hurt at all."


def test_a_crawler_holds_the_pipe_open(node_url: str, index_name: str) -> None:
    command = [sys.executable, "-m", "esdedup", "gate", "-i", index_name]
    environment = {**os.environ, "ESDEDUP_URL": node_url, "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True) as gate:
        assert gate.stdin and gate.stdout
        answers = []
        for record in ({"id": "1", "text": STORM}, {"id": "2", "text": STORM}, {"id": "1", "text": STORM}, "broken"):
            line = json.dumps(record) if isinstance(record, dict) else record
            gate.stdin.write(line + "\n")
            gate.stdin.flush()
            answers.append(json.loads(gate.stdout.readline()))  # it would wait for ever
        gate.stdin.close()
        assert gate.wait(60) == 0
    assert [answer["verdict"] for answer in answers] == ["insert", "trash", "update", "skip"]
    assert answers[1] == {
        "id": "2",
        "verdict": "trash",
        "reason": "exact",
        "twin": "1",
        "distance": 0,
        "group": "1",
    }
    assert "broken JSON" in answers[3]["message"]


def test_check_only_writes_nothing(indexed: Esdedup, tmp_path: Path) -> None:
    path = tmp_path / "crawl.jsonl"
    path.write_text("".join(json.dumps({"id": n, "text": STORM}) + "\n" for n in range(3)), "utf-8")
    ran = indexed("gate", str(path), "--check-only")
    assert [json.loads(line)["verdict"] for line in ran.out.splitlines()] == ["insert", "trash", "trash"]
    assert indexed("dupes", "0").code == 2
    assert [json.loads(line)["verdict"] for line in indexed("gate", str(path)).out.splitlines()] == [
        "insert",
        "trash",
        "trash",
    ]


def test_a_missing_file_is_one_line(indexed: Esdedup) -> None:
    ran = indexed("gate", "nowhere.jsonl")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)


def test_a_first_line_that_is_no_json_hides_nothing(
    indexed: Esdedup, monkeypatch: pytest.MonkeyPatch, index_name: str
) -> None:
    lines = "oops\n" + json.dumps({"id": "a", "text": "Some words of a text, and more of them, to compare."}) + "\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    verdicts = [json.loads(line) for line in indexed("gate").out.splitlines()]
    assert [(one["id"], one["reason"]) for one in verdicts] == [(None, "invalid"), ("a", "new")]
