"""Three nodes, one of which is killed while documents are written and looked up: nothing that was said is lost."""

import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from elasticsearch import Elasticsearch

from esdedup.engine.decisions import Decision, Fate
from esdedup.engine.lookup import duplicates_of
from esdedup.engine.mapping import Collection, IndexOptions, create_index
from esdedup.engine.search import search
from esdedup.local import NodeInfo, NodeOptions, down, up_cluster
from esdedup.pipeline import index
from tests.engine.made import places, right_places, stored
from tests.engine.test_faults import crawl, run

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL on Windows: nodes are not killed there"),
]

_LOOKS = 5


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[NodeInfo, ...]]:
    options = NodeOptions(data_dir=tmp_path, name="c", heap="256m", timeout=180)
    nodes = up_cluster(3, options)
    yield nodes
    for number in range(1, 4):
        down(tmp_path, f"c-{number}")


def test_a_node_is_killed_while_documents_are_written_and_looked_up(cluster: tuple[NodeInfo, ...]) -> None:
    first, *others = cluster
    with Elasticsearch(first.url, request_timeout=20, retry_on_timeout=True, max_retries=3) as client:
        looked_at = create_index(client, IndexOptions("looked-at", shards=3, replicas=1))
        run(looked_at, crawl(150))
        collection = create_index(client, IndexOptions("docs", shards=3, replicas=1))
        client.cluster.health(wait_for_status="green", timeout="60s")
        with ThreadPoolExecutor() as pool:
            killed, ended = Event(), Event()
            looks = pool.submit(look_again_and_again, looked_at, killed, ended)
            try:
                write(collection, others[0].pid, killed)
            finally:
                ended.set()
            assert looks.result() > _LOOKS


def write(collection: Collection, node: int, killed: Event) -> None:
    documents = crawl(600)
    decisions: list[Decision] = []
    for result in index(documents, collection, batch_size=20, workers=1):
        assert isinstance(result, Decision)
        decisions.append(result)
        if len(decisions) == 200:
            os.kill(node, signal.SIGKILL)
            killed.set()
    assert [decision.fate for decision in decisions] == [Fate.INDEXED] * 600
    collection.client.cluster.health(wait_for_status="yellow", timeout="60s")
    assert set(stored(collection)) == {document.id for document in documents}
    assert places(collection) == right_places(collection)


def look_again_and_again(collection: Collection, killed: Event, ended: Event) -> int:
    """How often everything was there after the node had been killed."""
    documents = crawl(150)
    word, twins = documents[5].text.split()[1], {d.id for d in duplicates_of(collection, "d5", 11)}
    number = search(collection, word).documents
    assert "d4" in twins
    assert number > 1
    rounds = 0
    while not ended.is_set() or (killed.is_set() and rounds <= _LOOKS):  # the writing may be over soon
        assert search(collection, word).documents == number
        assert {d.id for d in duplicates_of(collection, "d5", 11)} == twins
        rounds += killed.is_set()
    return rounds
