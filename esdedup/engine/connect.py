"""A client for a target, and what answers there."""

from dataclasses import dataclass
from typing import Any

import elasticsearch
from elasticsearch import ApiError, Elasticsearch

from esdedup.engine.target import Target
from esdedup.errors import UnsupportedEngine

__all__ = ["Server", "client_version", "connect", "verify"]

_OLDEST = 8
_TIMEOUT = 60.0
_RETRIES = 3


@dataclass(frozen=True, slots=True)
class Server:
    """What answers at an address."""

    product: str
    version: str
    cluster: str


def connect(target: Target, timeout: float = _TIMEOUT) -> Elasticsearch:
    """A client; nothing is sent yet. timeout: seconds for one request."""
    options: dict[str, Any] = {"request_timeout": timeout, "retry_on_timeout": True, "max_retries": _RETRIES}
    if target.cloud_id:
        options["cloud_id"] = target.cloud_id
    else:
        options["hosts"] = [target.url]
    secure = target.cloud_id is None and target.url.startswith("https:")
    given: dict[str, Any] = {"api_key": target.api_key, "basic_auth": target.basic}
    if secure:
        given |= {"ca_certs": target.ca_certs, "ssl_assert_fingerprint": target.ca_fingerprint}
    return Elasticsearch(**options, **{name: value for name, value in given.items() if value})


def verify(client: Elasticsearch, target: Target) -> Server:
    """What answers. Raises UnsupportedEngine for another product or a version that cannot be spoken to."""
    try:
        answer = client.info().body
    except ApiError as error:
        if error.status_code != 405:  # the local node has no front page
            raise
        return _checked(_from_nodes(client), target)
    number = answer.get("version", {})
    product = "OpenSearch" if number.get("distribution") == "opensearch" else "Elasticsearch"
    return _checked(Server(product, number.get("number", "?"), answer.get("cluster_name", "?")), target)


def client_version() -> str:
    """The version of the installed Python client."""
    return ".".join(map(str, elasticsearch.VERSION))


def _from_nodes(client: Elasticsearch) -> Server:
    answer = client.nodes.info(filter_path="cluster_name,nodes.*.version").body
    versions = sorted(node["version"] for node in answer["nodes"].values())
    return Server("Elasticsearch", versions[0], answer["cluster_name"])


def _checked(server: Server, target: Target) -> Server:
    if server.product != "Elasticsearch":
        raise UnsupportedEngine(
            f"{target.where} is {server.product} {server.version}: esdedup needs Elasticsearch 8 or 9"
        )
    if int(server.version.split(".")[0]) < _OLDEST:
        raise UnsupportedEngine(
            f"{target.where} is Elasticsearch {server.version}: esdedup (client {client_version()}) needs 8 or 9"
        )
    return server
