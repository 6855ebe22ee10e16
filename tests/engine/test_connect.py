"""Servers of every kind: spoken to, or refused in one line without a secret."""

import hashlib
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import elasticsearch as installed
import pytest
import trustme

from esdedup.engine.connect import Server, client_version, connect, verify
from esdedup.engine.target import Target
from esdedup.engine.trouble import translating
from esdedup.errors import (
    ConnectionFailed,
    EngineError,
    EngineFull,
    EsdedupError,
    InputError,
    NoSuchIndex,
    UnsupportedEngine,
)
from tests.engine.fake import PRODUCT, Answer, always, elasticsearch, front_page, opensearch_page, served

Serve = Callable[..., str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server until the end of the test; its address."""
    with ExitStack() as servers:
        yield lambda *how: servers.enter_context(served(*how))


def verified(url: str, timeout: float = 5, **settings: Any) -> Server:
    target = Target(url, "--url", **settings)
    with translating(target), connect(target, timeout) as client:
        return verify(client, target)


@pytest.mark.parametrize("number", ["8.11.0", "8.19.3", "9.0.0", "9.5.3"])
def test_elasticsearch_8_and_9(serve: Serve, number: str) -> None:
    url = serve(elasticsearch(number), PRODUCT)
    if int(number[0]) >= installed.VERSION[0]:
        assert verified(url).version == number
        return
    with pytest.raises(UnsupportedEngine) as error:
        verified(url)
    assert f"Elasticsearch {number}, too old for the client {client_version()}" in str(error.value)
    assert str(error.value).endswith("pip install 'elasticsearch>=8.19,<9'")


@pytest.mark.parametrize(
    ("answer", "headers", "found"),
    [
        (always(200, opensearch_page("2.19.1", distribution="opensearch")), {}, "OpenSearch 2.19.1"),
        (always(200, opensearch_page("3.1.0", distribution="opensearch")), {}, "OpenSearch 3.1.0"),
        (always(200, opensearch_page("7.10.2")), {}, "OpenSearch 7.10.2"),
        (always(200, front_page("7.10.2", build_flavor="oss")), {}, "Elasticsearch 7.10.2"),
        (always(200, front_page("7.17.20")), PRODUCT, "Elasticsearch 7.17.20"),
        (elasticsearch("7.17.20"), PRODUCT, "Elasticsearch 7.17.20"),
        (elasticsearch("12.0.0"), PRODUCT, "Elasticsearch 12.0.0"),
        (always(200, {"hello": "world"}), {}, "not Elasticsearch"),
        (always(200, [1]), {}, "not Elasticsearch"),
    ],
)
def test_other_products_and_old_versions(serve: Serve, answer: Answer, headers: Mapping[str, str], found: str) -> None:
    url = serve(answer, headers)
    with pytest.raises(UnsupportedEngine) as error:
        verified(url)
    assert str(error.value) == f"{url} is {found}: esdedup (client {client_version()}) needs Elasticsearch 8 or 9"


def test_a_proxy_that_drops_the_mark_of_elasticsearch(serve: Serve) -> None:
    with pytest.raises(
        UnsupportedEngine, match=r"Elasticsearch 9\.1\.0, but something between drops X-Elastic-Product"
    ):
        verified(serve(always(200, front_page("9.1.0"))))


@pytest.mark.parametrize(
    ("status", "error", "kind", "words"),
    [
        (400, {"type": "media_type_header_exception", "reason": "compatible-with=9"}, UnsupportedEngine, "pip install"),
        (401, {"type": "security_exception", "reason": "missing"}, ConnectionFailed, "API key from ENV was refused"),
        (403, {"type": "security_exception", "reason": "is unauthorized"}, ConnectionFailed, "lacks a right"),
        (403, {"type": "cluster_block_exception", "reason": "read-only"}, EngineFull, "free its disk"),
        (429, {"type": "cluster_block_exception", "reason": "flood-stage"}, EngineFull, "flood-stage"),
        (503, {"type": "cluster_block_exception", "reason": "not recovered"}, EngineError, "is not ready"),
        (404, {"type": "index_not_found_exception", "reason": "no such index [x]"}, NoSuchIndex, "no such index"),
        (413, "too large", EngineError, "--batch-size"),
        (500, {"type": "odd_exception", "reason": "two\nlines"}, EngineError, "odd_exception: two lines"),
        (500, {"type": "odd_exception", "root_cause": [{"reason": "deep"}]}, EngineError, "odd_exception: deep"),
        (500, {"type": "odd_exception", "root_cause": ["?"]}, EngineError, "no reason given"),
        (502, "header 'ApiKey SENTINEL' refused", EngineError, r"status 502: header 'ApiKey \*\*\*'"),
    ],
)
def test_answers_that_are_errors(serve: Serve, status: int, error: Any, kind: type[EsdedupError], words: str) -> None:
    with pytest.raises(kind, match=words) as raised:
        url = serve(always(status, {"error": error, "status": status}), PRODUCT)
        verified(url, api_key="SENTINEL", auth_source="ENV")
    assert type(raised.value) is kind
    assert len(str(raised.value).splitlines()) == 1
    assert "SENTINEL" not in str(raised.value)


def test_a_front_page_that_only_others_may_see(serve: Serve) -> None:
    def answer(path: str, headers: Mapping[str, str]) -> tuple[int, Any]:
        denied = {"error": {"type": "security_exception", "reason": "needs monitor"}, "status": 403}
        return (200, {"username": "reader"}) if path == "/_security/_authenticate" else (403, denied)

    assert verified(serve(answer, PRODUCT), api_key="x") == Server("Elasticsearch", "", "")
    with pytest.raises(UnsupportedEngine, match="not Elasticsearch"):
        verified(serve(answer), api_key="x")
    with pytest.raises(ConnectionFailed, match="lacks a right: needs monitor"):
        verified(serve(lambda path, headers: answer("/", headers), PRODUCT), api_key="x")


def test_credentials_that_are_not_given(serve: Serve) -> None:
    with pytest.raises(ConnectionFailed, match="credentials are needed: set ESDEDUP_API_KEY"):
        verified(serve(always(401, {"error": {"type": "security_exception"}}), PRODUCT))


def test_nobody_there() -> None:
    with pytest.raises(ConnectionFailed, match=r"connection refused.*esdedup up"):
        verified("http://127.0.0.1:9")


def test_a_host_that_does_not_exist() -> None:
    with pytest.raises(ConnectionFailed, match="unknown host"):
        verified("http://no-such-host.invalid:9200")


def test_something_that_is_not_http_json(serve: Serve) -> None:
    with pytest.raises(UnsupportedEngine):
        verified(serve(always(200, b"<html>"), {"Content-Type": "text/html"}))


def test_a_server_that_is_too_slow(serve: Serve) -> None:
    def late(path: str, headers: Mapping[str, str]) -> tuple[int, Any]:
        time.sleep(0.4)
        return 200, front_page("9.1.0")

    with pytest.raises(ConnectionFailed, match="no answer"):
        verified(serve(late, PRODUCT), timeout=0.05)


def test_a_host_named_after_tls_that_is_away() -> None:
    with pytest.raises(ConnectionFailed, match="cannot reach"):
        verified("http://ssl-certificate.invalid:9200")


def test_a_password_reaches_the_server_whole_and_comes_back_masked(serve: Serve) -> None:
    def echo(path: str, headers: Mapping[str, str]) -> tuple[int, Any]:
        return 400, {"error": {"type": "t", "reason": headers["authorization"]}}

    url = serve(echo, PRODUCT)
    with pytest.raises(EngineError, match=r"t: Basic \*\*\*$"):
        verified(url, basic=("用户", "密码:1"))


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
    url = serve(elasticsearch("9.1.0"), PRODUCT, right)
    assert verified(url, ca_certs=str(trusted)).version == "9.1.0"
    digits = ssl.get_server_certificate(("localhost", int(url.rpartition(":")[2])))
    fingerprint = hashlib.sha256(ssl.PEM_cert_to_DER_cert(digits)).hexdigest()
    assert verified(url, ca_fingerprint=fingerprint).version == "9.1.0"
    spelt = ":".join(fingerprint[i : i + 2] for i in range(0, 64, 2)).upper()
    assert verified(url, ca_fingerprint=spelt).version == "9.1.0"
    wrongs: list[tuple[dict[str, Any], str]] = [
        ({"ca_certs": str(other)}, "not trusted"),
        ({}, "not trusted"),
        ({"ca_fingerprint": "00" * 32}, "another fingerprint"),
    ]
    for settings, words in wrongs:
        with pytest.raises(ConnectionFailed, match=words):
            verified(url, **settings)
    with pytest.raises(ConnectionFailed, match="another host name"):
        verified(serve(elasticsearch("9.1.0"), PRODUCT, wrong), ca_certs=str(trusted))
    with pytest.raises(ConnectionFailed, match="does not speak TLS"):
        verified(serve(elasticsearch("9.1.0"), PRODUCT).replace("http:", "https:"))


def test_the_fingerprint_of_the_authority_as_elasticsearch_prints_it(
    serve: Serve, authority: trustme.CA, tmp_path: Path
) -> None:
    leaf, chain = authority.issue_cert("node.example"), tmp_path / "chain.pem"
    leaf.private_key_and_cert_chain_pem.write_to_path(chain)
    authority.cert_pem.write_to_path(chain, append=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain)
    fingerprint = hashlib.sha256(ssl.PEM_cert_to_DER_cert(authority.cert_pem.bytes().decode())).hexdigest()
    assert verified(serve(elasticsearch("9.1.0"), PRODUCT, context), ca_fingerprint=fingerprint).version == "9.1.0"


def test_an_address_without_tls_needs_no_authority(serve: Serve) -> None:
    assert verified(serve(elasticsearch("9.1.0"), PRODUCT), ca_certs="nowhere.pem").version == "9.1.0"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"ca_certs": "nowhere.pem"}, r"cannot use nowhere\.pem"),
        ({"ca_certs": __file__}, "PEM file of authorities"),
        ({"ca_fingerprint": "00:11"}, "64 hexadecimal digits"),
        ({"cloud_id": "x:y"}, "the cloud id from --url"),
    ],
)
def test_settings_that_cannot_be_used(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        connect(Target("https://localhost:9", "--url", **settings))
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.engine
def test_the_real_node_is_recognised(node_url: str) -> None:
    server = verified(node_url)
    assert server.product == "Elasticsearch"
    assert int(server.version.split(".")[0]) >= 8
