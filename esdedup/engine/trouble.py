"""The client's exceptions as our errors: one line each, with what to do, and never a secret."""

from collections.abc import Iterator
from contextlib import contextmanager

from elastic_transport import ConnectionError as TransportConnectionError
from elastic_transport import ConnectionTimeout, SerializationError, TlsError, TransportError
from elasticsearch import ApiError, UnsupportedProductError

from esdedup.engine.connect import client_version, encoded
from esdedup.engine.target import Target
from esdedup.errors import (
    ConnectionFailed,
    EngineError,
    EngineFull,
    EsdedupError,
    NoSuchIndex,
    UnsupportedEngine,
)

__all__ = ["translate", "translating"]

_TLS = {
    "hostname mismatch": "its certificate is for another host name",
    "is not valid for": "its certificate is for another host name",
    "doesn't match": "its certificate is for another host name",
    "fingerprints did not match": "its certificate has another fingerprint than ESDEDUP_CA_FINGERPRINT",
    "certificate verify failed": "its certificate is not trusted: set ESDEDUP_CA_CERTS to the authority's file",
    "wrong_version_number": "it does not speak TLS: use http://",
    "record layer failure": "it does not speak TLS: use http://",
}


@contextmanager
def translating(target: Target) -> Iterator[None]:
    """Raise what the client raises as one of our errors."""
    try:
        yield
    except (ApiError, TransportError, UnsupportedProductError) as error:
        raise translate(error, target) from error


def translate(error: Exception, target: Target) -> EsdedupError:
    """The error of ours that an exception of the client stands for."""
    if isinstance(error, UnsupportedProductError):
        return UnsupportedEngine(f"{target.where} is not Elasticsearch: esdedup needs Elasticsearch 8 or 9")
    if isinstance(error, ApiError):
        return _from_answer(error, target)
    return _from_transport(error, target)


def _from_transport(error: Exception, target: Target) -> EsdedupError:
    text = str(error).lower()
    if isinstance(error, TlsError):
        reason = next((words for sign, words in _TLS.items() if sign in text), "TLS failed")
        return ConnectionFailed(f"cannot trust {target.where}: {reason}")
    if isinstance(error, ConnectionTimeout):
        return ConnectionFailed(f"no answer from {target.where} in time: is it overloaded?")
    if isinstance(error, SerializationError):
        return UnsupportedEngine(f"{target.where} answers, but not as Elasticsearch does: check the address")
    if isinstance(error, TransportConnectionError):
        return ConnectionFailed(
            f"cannot reach {target.where} ({_why(text, target)}): start one with 'esdedup up', or set ESDEDUP_URL"
        )
    return ConnectionFailed(f"talking to {target.where} failed ({type(error).__name__})")


def _why(text: str, target: Target) -> str:
    closed = "connection closed" + (", does it want https://?" if target.url.startswith("http:") else "")
    signs = {
        "refused": "connection refused",
        "name or service not known": "unknown host",
        "nodename nor servname": "unknown host",
        "failed to resolve": "unknown host",
        "getaddrinfo": "unknown host",
        "reset": "connection reset",
        "remote end closed": closed,
        "unreachable": "network unreachable",
    }
    return next((words for sign, words in signs.items() if sign in text), "connection failed")


def _from_answer(error: ApiError, target: Target) -> EsdedupError:
    kind, said = _kind_and_reason(error)
    reason = _brief(said, target)
    where = target.where
    if error.status_code in (401, 403) and kind != "cluster_block_exception":
        lacks = f"{target.describe_auth()} lacks a right: {reason}"
        return ConnectionFailed(f"{where}: {_refused(target) if error.status_code == 401 else lacks}")
    match kind:
        case "cluster_block_exception" if error.status_code == 503:  # just started, or without a master
            return EngineError(f"{where} is not ready, wait and try again: {reason}")
        case "cluster_block_exception":
            return EngineFull(f"{where} takes no writes, free its disk or lift the block: {reason}")
        case "media_type_header_exception":
            client = client_version()
            return UnsupportedEngine(f"{where} is older than the client {client}: pip install 'elasticsearch>=8.19,<9'")
        case "index_not_found_exception":
            return NoSuchIndex(f"{where}: {reason}")
    large = "refused a request as too large: use a smaller --batch-size"
    return EngineError(f"{where} {large}" if error.status_code == 413 else f"{where}: {kind}: {reason}")


def _refused(target: Target) -> str:
    if not (target.api_key or target.basic):
        return "credentials are needed: set ESDEDUP_API_KEY, or ESDEDUP_USERNAME and ESDEDUP_PASSWORD"
    return f"{target.describe_auth()} was refused: it is wrong, has expired, or belongs to another cluster"


def _kind_and_reason(error: ApiError) -> tuple[str, object]:
    body = error.body
    details = body.get("error") if isinstance(body, dict) else None
    if not isinstance(details, dict):
        return f"status {error.status_code}", details or error.message
    causes = details.get("root_cause")
    cause = causes[0] if isinstance(causes, list) and causes and isinstance(causes[0], dict) else details
    return str(details.get("type", "error")), cause.get("reason") or "no reason given"


def _brief(said: object, target: Target) -> str:
    """One line of what a server said, without the secrets that it, or a proxy, may repeat."""
    text = " ".join(str(said).split())
    secrets = (target.api_key, target.basic and target.basic[1], target.basic and encoded(target.basic))
    for secret in filter(None, secrets):
        text = text.replace(secret, "***")
    return text[:300]
