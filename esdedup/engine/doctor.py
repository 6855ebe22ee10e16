"""Look over a connection and an index: what is there, what is missing, what to do."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from elasticsearch import ApiError, Elasticsearch

from esdedup.engine.connect import Server, client_version, verify
from esdedup.engine.mapping import open_index
from esdedup.engine.paging import refresh_if_allowed
from esdedup.engine.target import Target
from esdedup.errors import EsdedupError, NoSuchIndex

__all__ = ["Check", "State", "examine"]


class State(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at, and what was found."""

    name: str
    state: State
    found: str


def examine(client: Elasticsearch, target: Target, index: str) -> Iterator[Check]:
    """The checks in turn. An engine that cannot be reached raises what the client raises."""
    yield Check("address", State.OK, f"{target.where} (from {target.source})")
    yield Check("credentials", State.WARN if target.warning else State.OK, target.warning or target.describe_auth())
    yield Check("engine", State.OK, f"{_described(verify(client, target))}; Python client {client_version()}")
    yield _health(client)
    yield Check("scripts", State.OK, _scripts(client))
    yield Check("pipelines", State.OK, _pipelines(client))
    yield Check("security", State.OK, _security(client))
    yield from _examine_index(client, index)


def _described(server: Server) -> str:
    if not server.version:
        return f"{server.product}, its version is for who may monitor the cluster"
    return f"{server.product} {server.version}, cluster {server.cluster}"


def _examine_index(client: Elasticsearch, name: str) -> Iterator[Check]:
    try:
        collection = open_index(client, name)
    except NoSuchIndex as error:
        yield Check("index", State.WARN, str(error))
        return
    except EsdedupError as error:
        yield Check("index", State.WARN if _is_foreign(client, name) else State.FAIL, str(error))
        return
    concrete = ", ".join(client.indices.get_alias(index=name).body)
    refresh_if_allowed(client, name)
    total = client.count(index=name)["count"]
    yield Check("index", State.OK, f"{name} -> {concrete}, {total} documents, mapping as it should be")
    yield Check("fingerprints", State.OK, f"{collection.features.stamp}, k = {collection.k}")
    bare = client.count(index=name, query=_WITHOUT)["count"]
    advice = ": they are searched, but never found as duplicates" if bare else ""
    yield Check("no fingerprint", State.WARN if bare else State.OK, f"{bare} documents{advice}")


_WITHOUT: Mapping[str, Any] = {"bool": {"must_not": [{"exists": {"field": "esdedup.simhash"}}]}}


def _is_foreign(client: Elasticsearch, name: str) -> bool:
    """Whether others made it: no trouble, only not for us."""
    found = client.indices.get_mapping(index=name).body.values()
    return all("esdedup" not in index["mappings"].get("_meta", {}) for index in found)


def _health(client: Elasticsearch) -> Check:
    try:
        health = client.cluster.health()
    except ApiError as error:
        return Check("health", State.WARN, f"not allowed to look (status {error.status_code})")
    state = State.FAIL if health["status"] == "red" else State.OK
    return Check("health", state, f"{health['status']}, nodes: {health['number_of_nodes']}")


_THERE = "there"
_JSON = {"accept": "application/json", "content-type": "application/json"}


def _scripts(client: Elasticsearch) -> str:
    try:
        client.perform_request("POST", "/_scripts/painless/_execute", headers=_JSON, body={"script": {"source": "1"}})
    except ApiError as error:
        return _absent(error)
    return _THERE


def _pipelines(client: Elasticsearch) -> str:
    pipeline = {"processors": [{"set": {"field": "a", "value": "b"}}]}
    try:
        client.ingest.simulate(pipeline=pipeline, docs=[{"_source": {}}])
    except ApiError as error:
        return _absent(error)
    return _THERE


def _security(client: Elasticsearch) -> str:
    try:
        client.security.authenticate()
    except ApiError as error:
        return _THERE if error.status_code in (401, 403) else _absent(error)
    return _THERE


def _absent(error: ApiError) -> str:
    return "not allowed to look" if error.status_code in (401, 403) else "not there; not needed"
