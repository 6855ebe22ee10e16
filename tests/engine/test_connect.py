"""Servers of every kind: spoken to, or refused in one line without a secret."""

import hashlib
import json
import ssl
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import trustme
from elasticsearch import Elasticsearch

from esdedup.engine.connect import Server, connect, verify
from esdedup.engine.doctor import State, examine
from esdedup.engine.mapping import Collection
from esdedup.engine.target import Target
from esdedup.engine.trouble import translating
from esdedup.errors import ConnectionFailed, EngineError, EngineFull, EsdedupError, NoSuchIndex, UnsupportedEngine

PRODUCT = {"X-Elastic-Product": "Elasticsearch"}
Serve = Callable[..., str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server that gives one answer to everything; its address."""
    servers: list[ThreadingHTTPServer] = []

    def start(status: int, body: Any, headers: dict[str, str] | None = None, tls: ssl.SSLContext | None = None) -> str:
        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                content = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = answer

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        servers.append(server)
        Thread(target=server.serve_forever, daemon=True).start()
        return f"{'https' if tls else 'http'}://localhost:{server.server_address[1]}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def front_page(number: str, **version: str) -> dict[str, Any]:
    return {"cluster_name": "c", "version": {"number": number, **version}, "tagline": "You Know, for Search"}


def verified(url: str, **settings: Any) -> Server:
    target = Target(url, "--url", **settings)
    with translating(target), connect(target, timeout=5) as client:
        return verify(client, target)


@pytest.mark.parametrize("number", ["8.11.0", "8.19.3", "9.0.0", "9.5.3"])
def test_elasticsearch_8_and_9(serve: Serve, number: str) -> None:
    assert verified(serve(200, front_page(number), PRODUCT)).version == number


@pytest.mark.parametrize(
    ("answer", "headers", "words"),
    [
        (front_page("2.19.1", distribution="opensearch"), {}, "not Elasticsearch"),
        (front_page("3.1.0", distribution="opensearch"), {}, "not Elasticsearch"),
        (front_page("7.10.2", build_flavor="oss"), {}, "not Elasticsearch"),
        (front_page("7.17.20"), PRODUCT, "7.17.20"),
        ({"hello": "world"}, {}, "not Elasticsearch"),
    ],
)
def test_other_products_and_old_versions(serve: Serve, answer: Any, headers: dict[str, str], words: str) -> None:
    with pytest.raises(UnsupportedEngine, match=words) as error:
        verified(serve(200, answer, headers))
    assert "needs" in str(error.value)


@pytest.mark.parametrize(
    ("status", "error", "kind", "words"),
    [
        (400, {"type": "media_type_header_exception", "reason": "compatible-with=9"}, UnsupportedEngine, "pip install"),
        (401, {"type": "security_exception", "reason": "missing"}, ConnectionFailed, "API key from ENV was refused"),
        (403, {"type": "security_exception", "reason": "is unauthorized"}, ConnectionFailed, "lacks a right"),
        (403, {"type": "cluster_block_exception", "reason": "read-only"}, EngineFull, "free its disk"),
        (404, {"type": "index_not_found_exception", "reason": "no such index [x]"}, NoSuchIndex, "no such index"),
        (413, "too large", EngineError, "--batch-size"),
        (500, {"type": "odd_exception", "reason": "two\nlines"}, EngineError, "odd_exception: two lines"),
    ],
)
def test_answers_that_are_errors(serve: Serve, status: int, error: Any, kind: type[EsdedupError], words: str) -> None:
    with pytest.raises(kind, match=words) as raised:
        verified(serve(status, {"error": error, "status": status}, PRODUCT), api_key="SENTINEL", auth_source="ENV")
    assert len(str(raised.value).splitlines()) == 1
    assert "SENTINEL" not in str(raised.value)


def test_nobody_there() -> None:
    with pytest.raises(ConnectionFailed, match=r"connection refused.*esdedup up"):
        verified("http://127.0.0.1:9")


def test_a_host_that_does_not_exist() -> None:
    with pytest.raises(ConnectionFailed, match="unknown host"):
        verified("http://no-such-host.invalid:9200")


def test_something_that_is_not_http_json(serve: Serve) -> None:
    with pytest.raises(UnsupportedEngine):
        verified(serve(200, b"<html>", {"Content-Type": "text/html"}))


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


def test_tls(serve: Serve, authority: trustme.CA, tmp_path: Path) -> None:
    trusted, other = tmp_path / "ca.pem", tmp_path / "other.pem"
    authority.cert_pem.write_to_path(trusted)
    trustme.CA().cert_pem.write_to_path(other)
    right, wrong = (ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) for _ in range(2))
    authority.issue_cert("localhost").configure_cert(right)
    authority.issue_cert("another.example").configure_cert(wrong)
    url = serve(200, front_page("9.1.0"), PRODUCT, right)
    assert verified(url, ca_certs=str(trusted)).version == "9.1.0"
    digits = ssl.get_server_certificate(("localhost", int(url.rpartition(":")[2])))
    fingerprint = hashlib.sha256(ssl.PEM_cert_to_DER_cert(digits)).hexdigest()
    assert verified(url, ca_fingerprint=fingerprint).version == "9.1.0"
    for settings, words in (
        ({"ca_certs": str(other)}, "not trusted"),
        ({}, "not trusted"),
        ({"ca_fingerprint": "00" * 32}, "another fingerprint"),
    ):
        with pytest.raises(ConnectionFailed, match=words):
            verified(url, **settings)
    with pytest.raises(ConnectionFailed, match="another host name"):
        verified(serve(200, front_page("9.1.0"), PRODUCT, wrong), ca_certs=str(trusted))
    with pytest.raises(ConnectionFailed, match="does not speak TLS"):
        verified(serve(200, front_page("9.1.0"), PRODUCT).replace("http:", "https:"))


@pytest.mark.engine
def test_the_real_node_is_recognised(node_url: str) -> None:
    server = verified(node_url)
    assert server.product == "Elasticsearch"
    assert int(server.version.split(".")[0]) >= 8


@pytest.mark.engine
def test_the_doctor_on_a_real_index(client: Elasticsearch, collection: Collection, node_url: str) -> None:
    client.index(index=collection.name, document={"content": "foreign"}, refresh=True)
    checks = {check.name: check for check in examine(client, Target(node_url, "--url"), collection.name)}
    assert [name for name, check in checks.items() if check.state is State.WARN] == ["no fingerprint"]
    assert not [name for name, check in checks.items() if check.state is State.FAIL]
    assert "1 documents" in checks["no fingerprint"].found
    assert f"{collection.name}-000001" in checks["index"].found
    missing = list(examine(client, Target(node_url, "--url"), "no-such-index"))[-1]
    assert (missing.name, missing.state) == ("index", State.WARN)
