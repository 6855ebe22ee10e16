"""A real Elasticsearch, and documents whose fingerprints the tests choose."""

from collections.abc import Iterator

import pytest
from elasticsearch import Elasticsearch

from esdedup.engine.mapping import Collection, IndexOptions, create_index


@pytest.fixture(scope="session")
def client(node_url: str) -> Iterator[Elasticsearch]:
    with Elasticsearch(node_url, request_timeout=60) as client:
        yield client


@pytest.fixture
def collection(client: Elasticsearch, index_name: str) -> Collection:
    return create_index(client, IndexOptions(index_name))
