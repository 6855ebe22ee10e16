"""One real Elasticsearch for all tests that are marked `engine`: started here, stopped at the end."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch

from esdedup.local import NodeOptions, down, up


def pytest_report_header() -> str:
    """Say which Elasticsearch the tests will use."""
    return f"elasticsearch: {os.environ.get('ESDEDUP_TEST_URL', 'a local node, started when first needed')}"


@pytest.fixture(scope="session")
def node_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real Elasticsearch: ESDEDUP_TEST_URL, or a local node whose data is thrown away."""
    given = os.environ.get("ESDEDUP_TEST_URL")
    if given:
        yield given
        return
    folder: Path = tmp_path_factory.mktemp("node")
    yield up(NodeOptions(any_port=True, data_dir=folder)).url
    down(folder)


@pytest.fixture(autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What commands remember from run to run stays in this test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


@pytest.fixture
def index_name(node_url: str) -> Iterator[str]:
    """A name that no index has; indexes whose names begin with it are deleted afterwards."""
    name = f"test-{uuid.uuid4().hex[:12]}"
    yield name
    with Elasticsearch(node_url) as client:
        for index in client.indices.get(index=f"{name}*"):
            client.indices.delete(index=index)
