"""What the doctor finds, on a real node and as a user who may do little."""

from collections.abc import Mapping
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from esdedup.engine.connect import client_version, connect
from esdedup.engine.doctor import Check, State, examine
from esdedup.engine.mapping import Collection
from esdedup.engine.target import Target
from tests.engine.fake import PRODUCT, front_page, served


def found_on(client: Elasticsearch, index: str, target: Target) -> dict[str, Check]:
    return {check.name: check for check in examine(client, target, index)}


def states(checks: Mapping[str, Check], state: State) -> list[str]:
    return [name for name, check in checks.items() if check.state is state]


def test_a_user_who_may_only_look_at_the_front_page() -> None:
    def answer(path: str, headers: Mapping[str, str]) -> tuple[int, Any]:
        if path == "/":
            return 200, front_page("9.1.0")
        if path.startswith("/esdedup/_mapping"):
            return 200, {"esdedup-1": {"mappings": {}}}
        return 403, {"error": {"type": "security_exception", "reason": "unauthorized"}, "status": 403}

    with served(answer, PRODUCT) as url:
        target = Target(url, "ES_URL", api_key="SENTINEL", auth_source="ES_API_KEY", warning="others may read it")
        with connect(target, timeout=5) as client:
            checks = found_on(client, "esdedup", target)
    assert checks["address"].found == f"{url} (from ES_URL)"
    assert checks["engine"].found == f"Elasticsearch 9.1.0, cluster c; Python client {client_version()}"
    assert [checks[name].found for name in ("scripts", "pipelines", "security")] == [
        "not allowed to look",
        "not allowed to look",
        "there",
    ]
    assert states(checks, State.WARN) == ["credentials", "health", "index"]
    assert states(checks, State.FAIL) == []
    assert "SENTINEL" not in str(checks)


@pytest.mark.engine
def test_an_index_of_ours(client: Elasticsearch, collection: Collection, node_url: str) -> None:
    client.index(index=collection.name, document={"content": "foreign"}, refresh=True)
    checks = found_on(client, collection.name, Target(node_url, "--url"))
    assert states(checks, State.WARN) == ["no fingerprint"]
    assert states(checks, State.FAIL) == []
    assert "1 documents" in checks["no fingerprint"].found
    assert checks["index"].found.startswith(f"{collection.name} -> {collection.name}-000001, 1 documents")
    assert checks["fingerprints"].found == f"{collection.features.stamp}, k = {collection.k}"


@pytest.mark.engine
def test_indexes_that_are_not_ours_or_not_there(client: Elasticsearch, index_name: str, node_url: str) -> None:
    target = Target(node_url, "--url")
    client.indices.create(index=index_name, mappings={"properties": {"body": {"type": "text"}}})
    foreign = found_on(client, index_name, target)["index"]
    assert (foreign.state, "not made by esdedup" in foreign.found) == (State.WARN, True)
    missing = found_on(client, f"{index_name}x", target)["index"]
    assert (missing.state, f"did you mean {index_name}?" in missing.found) == (State.WARN, True)


@pytest.mark.engine
def test_an_index_of_ours_with_other_fields(client: Elasticsearch, index_name: str, node_url: str) -> None:
    mappings = {"_meta": {"esdedup": {}}, "properties": {"title": {"type": "keyword"}}}
    client.indices.create(index=index_name, mappings=mappings)
    spoilt = found_on(client, index_name, Target(node_url, "--url"))["index"]
    assert (spoilt.state, "title (keyword, not text)" in spoilt.found) == (State.FAIL, True)
