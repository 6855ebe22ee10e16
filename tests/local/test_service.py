"""Starting, finding and stopping real nodes."""

import json
import os
import signal
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path

import httpx
import psutil
import pytest
from elasticsearch import Elasticsearch

from esdedup.errors import LocalNodeError
from esdedup.local import NodeInfo, NodeOptions, down, status, up, up_cluster
from esdedup.local.process import runs

pytestmark = pytest.mark.engine


@pytest.fixture
def options(tmp_path: Path) -> NodeOptions:
    return NodeOptions(any_port=True, heap="300m", data_dir=tmp_path / "我的 data")


def stop(node: NodeInfo, number: signal.Signals) -> None:
    process = psutil.Process(node.pid)
    os.kill(node.pid, number)
    process.wait(30)


def test_a_node_through_its_life(options: NodeOptions) -> None:
    seen: list[tuple[str, int, int]] = []
    assert status(options.data_dir) is None
    node = up(options, lambda *step: seen.append(step))
    try:
        assert {what for what, _, _ in seen} == {"starting Elasticsearch"}
        assert seen[-1][1] == seen[-1][2]
        assert status(options.data_dir) == node
        assert "started" in Path(node.log).read_text("utf-8")
        assert up(options) == replace(node, already_running=True)
        with Elasticsearch(node.url) as client:
            client.index(index="kept", id="1", document={"n": 1}, refresh=True)
            assert client.nodes.info()["nodes"].popitem()[1]["version"] == node.version == "9.5.3"
        stop(node, signal.SIGKILL)
        assert status(options.data_dir) is None
        with Elasticsearch(up(options).url) as client:
            assert client.get(index="kept", id="1")["_source"] == {"n": 1}
        assert down(options.data_dir)
        assert not down(options.data_dir)
        with Elasticsearch(up(options).url) as client:
            assert client.count(index="kept")["count"] == 1
    finally:
        down(options.data_dir)


def test_started_twice_at_once_it_is_one_node(options: NodeOptions) -> None:
    with ThreadPoolExecutor() as pool:
        both = list(pool.map(up, [options, options]))
    try:
        assert {node.pid for node in both} == {both[0].pid}
        assert sorted(node.already_running for node in both) == [False, True]
        assert all(httpx.get(f"{node.url}/_nodes").status_code == 200 for node in both)
    finally:
        down(options.data_dir)


def test_without_the_extra_a_running_node_is_found(options: NodeOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    node = up(options)
    try:
        monkeypatch.setitem(sys.modules, "psutil", None)
        assert status(options.data_dir) == node
        note = Path(node.home) / "node.json"
        elsewhere = replace(node, home=str(Path(node.home).parent / "other"))
        note.write_text(json.dumps(asdict(elsewhere)), "utf-8")
        assert status(options.data_dir) is None
        note.write_text(json.dumps(asdict(node)), "utf-8")
    finally:
        monkeypatch.undo()
        assert down(options.data_dir)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot halt a process")
def test_a_node_that_hangs_is_stopped(options: NodeOptions) -> None:
    node = up(options)
    os.kill(node.pid, signal.SIGSTOP)
    assert down(options.data_dir, timeout=1)
    assert status(options.data_dir) is None


def test_three_nodes_are_one_cluster(options: NodeOptions) -> None:
    nodes = up_cluster(3, options)
    try:
        assert len({node.port for node in nodes}) == 3
        with Elasticsearch(nodes[0].url) as client:
            health = client.cluster.health()
            assert (health["status"], health["number_of_nodes"]) == ("green", 3)
            client.indices.create(index="copied", settings={"number_of_replicas": 1})
            assert client.cluster.health(index="copied", wait_for_status="green")["active_shards"] == 2
    finally:
        for number in (1, 2, 3):
            assert down(options.data_dir, f"node-{number}")


def test_a_node_that_cannot_start_says_why(options: NodeOptions) -> None:
    wrong = NodeOptions(any_port=True, data_dir=options.data_dir, settings={"no.such.setting": "1"})
    with pytest.raises(LocalNodeError, match=r"unknown setting \[no.such.setting\].*node.log"):
        up(wrong)
    assert status(options.data_dir) is None
    with pytest.raises(LocalNodeError, match="Too small maximum heap"):
        up(replace(options, heap="1m"))
    with pytest.raises(LocalNodeError, match="insufficient memory"):
        up(replace(options, heap="9000g"))


def test_a_cluster_that_cannot_start_leaves_no_node(options: NodeOptions) -> None:
    broken = replace(options, heap="1m")
    with pytest.raises(LocalNodeError, match="Too small"):
        up_cluster(2, broken)
    assert [status(options.data_dir, f"node-{number}") for number in (1, 2)] == [None, None]


def test_a_heap_that_is_no_size(options: NodeOptions) -> None:
    with pytest.raises(LocalNodeError, match="512m or 2g, not '5x'"):
        up(replace(options, heap="5x"))


def test_a_taken_port_is_named(options: NodeOptions) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(LocalNodeError, match=f"port {port} is taken"):
            up(NodeOptions(port=port, data_dir=options.data_dir))


def test_a_data_directory_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(LocalNodeError, match=r"cannot use .*taken"):
        up(NodeOptions(any_port=True, data_dir=tmp_path / "taken"))


def test_a_stale_note_of_another_process_does_not_count(tmp_path: Path) -> None:
    note = tmp_path / "node" / "node.json"
    note.parent.mkdir()
    node = NodeInfo("http://127.0.0.1:1", os.getpid(), "9.5.3", str(note.parent), "")
    assert psutil.pid_exists(node.pid)
    for content in (json.dumps(asdict(node)), "{half", "[]"):
        note.write_text(content)
        assert status(tmp_path) is None
        assert not down(tmp_path)


def test_a_process_whose_program_is_being_put_into_place_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Path("plan.json")
    for words, expected in (([], True), (["python", "plan.json"], True), (["python"], False)):
        monkeypatch.setattr(psutil.Process, "cmdline", lambda _, words=words: words)
        assert runs(os.getpid(), plan) is expected
