"""Writing in bulk, with the faults that a real node does not produce on demand."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from elastic_transport import ApiResponseMeta, BaseNode, HttpHeaders, NodeConfig
from elastic_transport._node import NodeApiResponse
from elasticsearch import Elasticsearch

from esdedup.engine.bulk import Outcome, write
from esdedup.engine.mapping import Collection
from esdedup.errors import ConnectionFailed, EngineFull
from esdedup.settings import FeatureSettings

ACTIONS = [{"_op_type": "index", "_id": doc_id, "_source": {"n": 1}} for doc_id in ("a", "b", "c")]
BUSY = {"status": 429, "error": {"type": "es_rejected_execution_exception", "reason": "queue full"}}
FULL = {
    "status": 429,
    "error": {"type": "cluster_block_exception", "reason": "disk usage exceeded flood-stage"},
}


class Answering(BaseNode):
    """A node that answers the bulk requests with what the test has prepared, and keeps what was sent."""

    answers: list[Mapping[str, Mapping[str, Any]]]
    sent: list[list[str]]

    def perform_request(
        self,
        method: str,
        target: str,
        body: bytes | None = None,
        headers: Any = None,
        request_timeout: Any = None,
    ) -> NodeApiResponse:
        ids = [json.loads(line)["index"]["_id"] for line in (body or b"").splitlines()[::2]]
        self.sent.append(ids)
        answer = self.answers.pop(0)
        items = [{"index": {"_id": doc_id, "status": 201, **answer.get(doc_id, {})}} for doc_id in ids]
        meta = HttpHeaders({"content-type": "application/json", "x-elastic-product": "Elasticsearch"})
        raw = json.dumps({"errors": True, "took": 1, "items": items}).encode()
        return NodeApiResponse(ApiResponseMeta(200, "1.1", meta, 0.0, self.config), raw)

    def close(self) -> None:
        pass


def answering(*answers: Mapping[str, Mapping[str, Any]]) -> tuple[Collection, type[Answering]]:
    prepared = list(answers)
    node = type("Prepared", (Answering,), {"answers": prepared, "sent": []})
    client = Elasticsearch([NodeConfig("http", "127.0.0.1", 1)], node_class=node)
    return Collection(client, "i", 3, FeatureSettings()), node


def test_only_what_the_engine_was_too_busy_for_is_sent_again() -> None:
    collection, node = answering({"b": BUSY, "c": BUSY}, {"c": BUSY}, {})
    waits: list[float] = []
    outcomes = list(write(collection, ACTIONS, waits.append))
    assert sorted(outcomes, key=lambda o: o.key) == [Outcome("a"), Outcome("b"), Outcome("c")]
    assert node.sent == [["a", "b", "c"], ["b", "c"], ["c"]]
    assert waits == [1.0, 2.0]


def test_a_document_that_stays_refused_has_its_reason() -> None:
    collection, _ = answering(*[{"b": BUSY}] * 7)
    outcomes = {o.key: o.reason for o in write(collection, ACTIONS, lambda _: None)}
    assert outcomes == {"a": None, "b": "queue full", "c": None}


def test_a_rejected_document_among_good_ones() -> None:
    error = {
        "type": "document_parsing_exception",
        "reason": "failed to parse",
        "caused_by": {"reason": "bad date"},
    }
    collection, _ = answering({"b": {"status": 400, "error": error}})
    assert list(write(collection, ACTIONS)) == [
        Outcome("a"),
        Outcome("b", "failed to parse (bad date)"),
        Outcome("c"),
    ]


def test_a_missing_right_ends_the_run_at_once() -> None:
    denied = {"status": 403, "error": {"type": "security_exception", "reason": "granted by [index]"}}
    collection, _ = answering({"a": denied})
    with pytest.raises(ConnectionFailed, match=r"lacks a right: granted by \[index\]"):
        list(write(collection, ACTIONS, sleep=lambda seconds: None))


def test_a_full_disk_ends_the_run_at_once() -> None:
    collection, node = answering({"b": FULL})
    with pytest.raises(EngineFull, match="free its disk"):
        list(write(collection, ACTIONS, lambda _: pytest.fail("it waited")))
    assert len(node.sent) == 1
