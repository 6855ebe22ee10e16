"""Starting, finding and stopping real nodes."""

import json
import os
import signal
import socket
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from elasticsearch import Elasticsearch

from esdedup.errors import LocalNodeError
from esdedup.local import NodeInfo, NodeOptions, down, status, up, up_cluster

pytestmark = pytest.mark.engine


@pytest.fixture
def options(tmp_path: Path) -> NodeOptions:
    return NodeOptions(any_port=True, heap="300m", data_dir=tmp_path)


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
        again = up(options)
        assert (again.already_running, again.pid) == (True, node.pid)
        with Elasticsearch(node.url) as client:
            client.index(index="kept", id="1", document={"n": 1}, refresh=True)
            assert client.nodes.info()["nodes"].popitem()[1]["version"] == node.version == "9.5.3"
        stop(node, signal.SIGKILL)
        assert status(options.data_dir) is None
        killed = up(options)
        with Elasticsearch(killed.url) as client:
            assert client.get(index="kept", id="1")["_source"] == {"n": 1}
        assert down(options.data_dir)
        assert not psutil.pid_exists(killed.pid) or psutil.Process(killed.pid).status() == psutil.STATUS_ZOMBIE
        assert not down(options.data_dir)
        with Elasticsearch(up(options).url) as client:
            assert client.count(index="kept")["count"] == 1
    finally:
        down(options.data_dir)


def test_three_nodes_are_one_cluster(options: NodeOptions) -> None:
    nodes = up_cluster(3, options)
    try:
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


def test_a_stale_note_of_another_process_is_cleared_away(tmp_path: Path) -> None:
    note = tmp_path / "node" / "node.json"
    note.parent.mkdir()
    fields = {"url": "http://127.0.0.1:1", "version": "9.5.3", "home": "", "log": ""}
    for content in (json.dumps({**fields, "pid": os.getpid(), "created": 1.0}), "{half", "[]"):
        note.write_text(content)
        assert status(tmp_path) is None
        assert not note.exists()
