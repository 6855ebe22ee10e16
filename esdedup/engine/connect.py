"""A client for a target, and what answers there."""

import re
import ssl
from base64 import b64encode
from dataclasses import dataclass
from typing import Any

import elasticsearch
from elasticsearch import ApiError, AuthorizationException, Elasticsearch, UnsupportedProductError

from esdedup.engine.target import Target
from esdedup.errors import InputError, UnsupportedEngine

__all__ = ["Server", "client_version", "connect", "encoded", "verify"]

_OLDEST = 8
_TIMEOUT = 60.0
_RETRIES = 3
_TAGLINE = "You Know, for Search"


@dataclass(frozen=True, slots=True)
class Server:
    """What answers at an address. version, cluster: empty where the credentials may not see them."""

    product: str
    version: str
    cluster: str


def connect(target: Target, timeout: float = _TIMEOUT) -> Elasticsearch:
    """A client; nothing is sent yet. timeout: seconds for one request. Raises InputError for a bad TLS setting."""
    place: dict[str, Any] = {"cloud_id": target.cloud_id} if target.cloud_id else {"hosts": [target.url]}
    options = place | _credentials(target) | _trust(target)
    try:
        return Elasticsearch(request_timeout=timeout, retry_on_timeout=True, max_retries=_RETRIES, **options)
    except ValueError:
        kind = "cloud id" if target.cloud_id else "address"
        raise InputError(f"the {kind} from {target.source} cannot be used: copy it again") from None


def verify(client: Elasticsearch, target: Target) -> Server:
    """What answers. Raises UnsupportedEngine for another product or a version that cannot be spoken to."""
    try:
        return _checked(_ask(client), target)
    except UnsupportedProductError as error:
        raise UnsupportedEngine(_stranger(error.body, target)) from None
    except AuthorizationException:
        # The front page takes the right to monitor the cluster, which nothing else here needs. This takes none:
        client.security.authenticate()
        return Server("Elasticsearch", "", "")
    except ApiError as error:
        if error.message != "media_type_header_exception":
            raise
    # as curl asks: to application/json the client would add its own version again
    plain = client.perform_request("GET", "/", headers={"accept": "*/*"})
    raise UnsupportedEngine(_clash(_from_front_page(plain.body), target))


def client_version() -> str:
    """The version of the installed Python client."""
    return ".".join(map(str, elasticsearch.VERSION))


def encoded(basic: tuple[str, str]) -> str:
    """User and password as HTTP sends them, in UTF-8: left to it, the client takes ASCII only."""
    return b64encode(":".join(basic).encode()).decode()


def _credentials(target: Target) -> dict[str, Any]:
    if target.api_key:
        return {"api_key": target.api_key}
    if target.basic:
        return {"basic_auth": encoded(target.basic)}
    return {}


def _trust(target: Target) -> dict[str, Any]:
    if not target.url.startswith("https:"):
        return {}
    if target.ca_fingerprint:
        digits = target.ca_fingerprint.replace(":", "").strip().lower()
        if not re.fullmatch("[0-9a-f]{64}", digits):
            raise InputError("the CA fingerprint is not SHA-256: 64 hexadecimal digits, as Elasticsearch prints it")
        return {"ssl_assert_fingerprint": digits}
    if target.ca_certs:
        try:
            ssl.create_default_context(cafile=target.ca_certs)
        except OSError as error:  # no such file, or not a certificate
            raise InputError(f"cannot use {target.ca_certs} as a PEM file of authorities: {error}") from None
        return {"ca_certs": target.ca_certs}
    return {}


def _ask(client: Elasticsearch) -> Server:
    try:
        return _from_front_page(client.info().body)
    except ApiError as error:
        if error.status_code != 405:  # the local node has no front page
            raise
    answer = client.nodes.info(filter_path="cluster_name,nodes.*.version").body
    versions = sorted(node["version"] for node in answer["nodes"].values())
    return Server("Elasticsearch", versions[0], answer["cluster_name"])


def _from_front_page(answer: Any) -> Server:
    """What a front page says of itself, whatever sent it."""
    page = answer if isinstance(answer, dict) else {}
    version = page.get("version")
    version = version if isinstance(version, dict) else {}
    tagline = str(page.get("tagline"))
    if version.get("distribution") == "opensearch" or "OpenSearch" in tagline:
        product = "OpenSearch"
    else:
        product = "Elasticsearch" if tagline == _TAGLINE else "not Elasticsearch"
    return Server(product, str(version.get("number", "")), str(page.get("cluster_name", "?")))


def _checked(server: Server, target: Target) -> Server:
    if server.product != "Elasticsearch" or _major(server) < _OLDEST:
        raise UnsupportedEngine(_unfit(server, target))
    return server


def _major(server: Server) -> int:
    digits = server.version.partition(".")[0]
    return int(digits) if digits.isdecimal() else 0


def _unfit(server: Server, target: Target) -> str:
    found = f"{server.product} {server.version}".rstrip()
    return f"{target.where} is {found}: esdedup (client {client_version()}) needs Elasticsearch 8 or 9"


def _stranger(answer: Any, target: Target) -> str:
    """Why an answer without the mark of Elasticsearch cannot be used."""
    server = _from_front_page(answer)
    if server.product == "Elasticsearch" and _major(server) >= _OLDEST:
        return f"{target.where} is {server.product} {server.version}, but something between drops X-Elastic-Product"
    return _unfit(server, target)


def _clash(server: Server, target: Target) -> str:
    if not _OLDEST <= _major(server) < elasticsearch.VERSION[0]:
        return _unfit(server, target)
    fix = f"pip install 'elasticsearch>=8.19,<{_major(server) + 1}'"
    return f"{target.where} is {server.product} {server.version}, too old for the client {client_version()}: {fix}"
