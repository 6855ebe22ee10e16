"""Three nodes, one of which is killed while documents are written and looked up: nothing that was said is lost."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch

from esdedup.engine.decisions import Decision, Fate
from esdedup.engine.mapping import Collection, IndexOptions, create_index
from esdedup.local import NodeInfo, NodeOptions, down, up_cluster
from esdedup.pipeline import index
from tests.engine.made import places, right_places, stored
from tests.engine.test_faults import crawl

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL on Windows: nodes are not killed there"),
]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[NodeInfo, ...]]:
    options = NodeOptions(data_dir=tmp_path, name="c", heap="256m", timeout=180)
    nodes = up_cluster(3, options)
    yield nodes
    for number in range(1, 4):
        down(tmp_path, f"c-{number}")


def test_a_node_is_killed_in_mid_run(cluster: tuple[NodeInfo, ...]) -> None:
    first, *others = cluster
    with Elasticsearch(first.url, request_timeout=20, retry_on_timeout=True, max_retries=3) as client:
        collection = create_index(client, IndexOptions("docs", shards=3, replicas=1))
        client.cluster.health(wait_for_status="green", timeout="60s")
        check(collection, others)


def check(collection: Collection, others: list[NodeInfo]) -> None:
    documents = crawl(600)
    decisions: list[Decision] = []
    for result in index(documents, collection, batch_size=20, workers=1):
        assert isinstance(result, Decision)
        decisions.append(result)
        if len(decisions) == 200:
            os.kill(others[0].pid, signal.SIGKILL)
    assert [decision.fate for decision in decisions] == [Fate.INDEXED] * 600
    collection.client.cluster.health(wait_for_status="yellow", timeout="60s")
    assert set(stored(collection)) == {document.id for document in documents}
    assert places(collection) == right_places(collection)
