"""A run that is killed goes on where it was, and ends as if nothing had happened."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch

from esdedup.checkpoint import Checkpoint, describe_input
from esdedup.engine.mapping import open_index
from tests.cli.conftest import Esdedup
from tests.engine.made import places, right_places, stored

WORDS = "harbour storm lamp ladder plank ferry rope river master boat crate apple tide wind pier net road".split()


def corpus(path: Path, count: int) -> Path:
    rng = random.Random(4)
    texts: list[str] = []
    for number in range(count):
        fresh = " ".join([f"story{number}", *(rng.choice(WORDS) for _ in range(80))])
        texts.append(rng.choice(texts) + f" {number}" if texts and rng.random() < 0.4 else fresh)
    path.write_text("".join(json.dumps({"id": f"d{n}", "text": t}) + "\n" for n, t in enumerate(texts)), "utf-8")
    return path


@pytest.mark.engine
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL on Windows: a run is killed in another way there")
def test_killed_at_random_moments(node_url: str, index_name: str, tmp_path: Path) -> None:
    path = corpus(tmp_path / "docs.jsonl", 6000)
    environment = {**os.environ, "ESDEDUP_URL": node_url}
    command = [sys.executable, "-m", "esdedup", "index", str(path), "-i", index_name, "--batch-size", "40", "-q"]
    rng = random.Random(1)
    killed = 0
    while killed < 4:
        with subprocess.Popen([*command, "--resume", "--workers", "1"], env=environment, stderr=subprocess.PIPE) as run:
            wait_for_more(node_url, index_name, run)
            time.sleep(rng.uniform(0.0, 0.4))
            if run.poll() is not None:
                break
            run.send_signal(signal.SIGKILL)
            killed += 1
    ran = subprocess.run([*command, "--resume", "--json"], env=environment, capture_output=True, text=True, check=True)
    assert killed
    with Elasticsearch(node_url) as client:
        collection = open_index(client, index_name)
        assert set(stored(collection)) == {f"d{n}" for n in range(6000)}
        assert places(collection) == right_places(collection)
    if killed == 4:  # else the last run ended by itself
        assert json.loads(ran.stdout)["read"] < 6000


def wait_for_more(node_url: str, index_name: str, run: subprocess.Popen[bytes]) -> None:
    """Until the run has written something, or has ended."""
    with Elasticsearch(node_url) as strict:
        client = strict.options(ignore_status=404)
        before = None
        while run.poll() is None:
            client.indices.refresh(index=index_name)
            count = client.count(index=index_name).get("count", 0)
            before = count if before is None else before
            if count > before:
                return
            time.sleep(0.05)


@pytest.mark.engine
def test_what_was_done_is_passed_over(indexed: Esdedup, tmp_path: Path) -> None:
    path = corpus(tmp_path / "docs.jsonl", 50)
    first = indexed("index", str(path), "--resume")
    assert "nothing to resume" in first.err
    assert first.out.startswith("read 50, ")
    assert indexed("index", str(path)).out.startswith("read 50, skipped 0: 0 indexed, 0 updated, 50 unchanged")


def test_a_checkpoint_belongs_to_its_input(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text("one", "utf-8")
    Checkpoint(tmp_path / "state", describe_input([path])).save(7)
    assert Checkpoint(tmp_path / "state", describe_input([path])).load() == 7
    assert Checkpoint(tmp_path / "state", describe_input([path, "-"])).load() is None
    path.write_text("longer", "utf-8")
    assert Checkpoint(tmp_path / "state", describe_input([path])).load() is None
    (tmp_path / "more").mkdir()
    before = describe_input([tmp_path / "more"])
    (tmp_path / "more" / "a.txt").write_text("x", "utf-8")
    assert describe_input([tmp_path / "more"]) != before


@pytest.mark.parametrize("content", ["", "broken", "[]", '{"what": "x", "records": "many"}'])
def test_a_damaged_checkpoint_is_none(tmp_path: Path, content: str) -> None:
    checkpoint = Checkpoint(tmp_path, "x")
    checkpoint.save(3)
    (file,) = tmp_path.iterdir()
    file.write_text(content, "utf-8")
    assert checkpoint.load() is None
    checkpoint.clear()
    checkpoint.clear()
    assert list(tmp_path.iterdir()) == []
