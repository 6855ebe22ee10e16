"""Faults between client and a real node: whatever a proxy does, each document is stored once, as it was said."""

import http.client
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
from elasticsearch import ApiError, Elasticsearch

from esdedup import Document
from esdedup.engine import bulk
from esdedup.engine.decisions import Decision, Fate
from esdedup.engine.lookup import get_document
from esdedup.engine.mapping import Collection, IndexOptions, create_index, open_index
from esdedup.errors import EngineFull, NoSuchIndex
from esdedup.pipeline import index
from tests.engine.made import places, right_places, stored

pytestmark = pytest.mark.engine

FULL = b'{"error":{"type":"cluster_block_exception","reason":"index blocked by: [disk usage exceeded flood-stage]"}}'


class Proxy:
    """Hands requests to the node; `faults` are taken one a bulk request: what to do instead of just that."""

    def __init__(self, node_url: str) -> None:
        self.node = urlsplit(node_url)
        self.faults: list[Callable[[Exchange], None]] = []
        self.bulks = 0
        self.url = ""


class Exchange:
    """One request that came to the proxy."""

    def __init__(self, proxy: Proxy, handler: BaseHTTPRequestHandler) -> None:
        self.proxy, self.handler = proxy, handler
        self.body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))

    def forward(self) -> tuple[int, bytes, dict[str, str]]:
        node = http.client.HTTPConnection(self.proxy.node.hostname or "", self.proxy.node.port or 80, timeout=60)
        headers = {n: v for n, v in self.handler.headers.items() if n.lower() not in ("host", "connection")}
        node.request(self.handler.command, self.handler.path, self.body, headers)
        answer = node.getresponse()
        content = answer.read()
        node.close()
        return answer.status, content, dict(answer.getheaders())

    def answer(self, status: int, content: bytes, headers: dict[str, str] | None = None) -> None:
        self.handler.send_response(status)
        said = {name.lower(): value for name, value in (headers or {}).items()}
        kept = {"content-type": "application/json", "x-elastic-product": "Elasticsearch", **said}
        for name in kept.keys() - {"content-length", "transfer-encoding", "connection"}:
            self.handler.send_header(name, kept[name])
        self.handler.send_header("Content-Length", str(len(content)))
        self.handler.end_headers()
        self.handler.wfile.write(content)

    def cut(self) -> None:
        self.handler.close_connection = True
        self.handler.connection.close()


@pytest.fixture
def proxy(node_url: str) -> Iterator[Proxy]:
    proxy = Proxy(node_url)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            exchange = Exchange(proxy, self)
            is_bulk = self.path.split("?")[0].endswith("/_bulk")
            proxy.bulks += is_bulk
            try:
                if is_bulk and proxy.faults:
                    proxy.faults.pop(0)(exchange)
                else:
                    exchange.answer(*exchange.forward())
            except OSError:
                pass  # the client has gone

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = handle_any

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    proxy.url = f"http://127.0.0.1:{server.server_port}"
    yield proxy
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def through(
    client: Elasticsearch, proxy: Proxy, index_name: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Collection]:
    """A collection whose every request goes by the proxy; it waits a hundredth of the usual time."""
    create_index(client, IndexOptions(index_name))
    monkeypatch.setattr(bulk.write, "__defaults__", (lambda seconds: time.sleep(seconds / 100),))
    with Elasticsearch(proxy.url, request_timeout=3, max_retries=0, retry_on_timeout=False) as slow:
        yield open_index(slow, index_name)


def busy(status: int) -> Callable[[Exchange], None]:
    return lambda exchange: exchange.answer(status, b'{"error": {"type": "busy", "reason": "busy"}, "status": 429}')


def cut_before(exchange: Exchange) -> None:
    exchange.cut()


def cut_after(exchange: Exchange) -> None:
    """The node has written everything, and nobody hears of it."""
    exchange.forward()
    exchange.cut()


def late(exchange: Exchange) -> None:
    status, content, headers = exchange.forward()
    time.sleep(4)
    exchange.answer(status, content, headers)


def half(exchange: Exchange) -> None:
    """An answer that breaks off."""
    _, content, _ = exchange.forward()
    exchange.handler.send_response(200)
    exchange.handler.send_header("Content-Type", "application/json")
    exchange.handler.send_header("X-Elastic-Product", "Elasticsearch")
    exchange.handler.send_header("Content-Length", str(len(content)))
    exchange.handler.end_headers()
    exchange.handler.wfile.write(content[: len(content) // 2])
    exchange.cut()


def too_large(exchange: Exchange) -> None:
    exchange.answer(413, b"")


WORDS = "harbour storm lamp ladder plank ferry rope river master boat crate apple tide wind pier net road".split()


def crawl(count: int = 60) -> list[Document]:
    """Texts of which every third is a near-duplicate of the one before it."""
    texts: list[str] = []
    for number in range(count):
        words = [WORDS[(number * 7 + at * at * 3 + number // 3 * 5) % len(WORDS)] for at in range(60)]
        texts.append(texts[-1] + " again" if number % 3 == 2 else " ".join([f"story{number}", *words]))
    return [Document(f"d{number}", text) for number, text in enumerate(texts)]


def run(collection: Collection, documents: list[Document], batch_size: int = 10) -> list[Decision]:
    return [d for d in index(documents, collection, batch_size=batch_size, workers=1) if isinstance(d, Decision)]


@pytest.mark.parametrize(
    "faults",
    [
        [busy(429)],
        [busy(503), busy(502), busy(429)],
        [cut_before],
        [cut_after],
        [half],
        [late],
        [too_large],
        [too_large, too_large, cut_after, busy(429)],
        [cut_after, too_large, half, busy(503), cut_before],
    ],
    ids=lambda faults: " ".join(getattr(fault, "__name__", "busy") for fault in faults),
)
def test_each_document_is_stored_once(
    through: Collection, proxy: Proxy, client: Elasticsearch, faults: list[Callable[[Exchange], None]]
) -> None:
    proxy.faults = list(faults)
    documents = crawl()
    decisions = run(through, documents)
    assert not proxy.faults
    assert [decision.fate for decision in decisions] == [Fate.INDEXED] * len(documents)
    own = open_index(client, through.name)
    assert set(stored(own)) == {document.id for document in documents}
    assert all(get_document(own, document.id)["content"] == document.text for document in documents)
    assert places(own) == right_places(own)


def test_an_engine_that_stays_away_ends_the_run(through: Collection, proxy: Proxy) -> None:
    proxy.faults = [busy(503)] * 7
    with pytest.raises(ApiError):
        run(through, crawl(5))
    assert proxy.bulks == 7


def test_a_full_disk_ends_the_run_at_once(through: Collection, proxy: Proxy, client: Elasticsearch) -> None:
    client.indices.put_settings(index=f"{through.name}-000001", settings={"index.blocks.read_only_allow_delete": True})
    with pytest.raises(EngineFull, match="free its disk"):
        run(through, crawl(5))
    assert proxy.bulks == 1


def test_a_document_that_is_too_large_fails_alone(through: Collection, proxy: Proxy, client: Elasticsearch) -> None:
    def picky(exchange: Exchange) -> None:
        proxy.faults.insert(0, picky)
        if b"story7 " in exchange.body:
            too_large(exchange)
        else:
            exchange.answer(*exchange.forward())

    proxy.faults = [picky]
    decisions = run(through, crawl(12), batch_size=12)
    proxy.faults.clear()
    failed = [decision for decision in decisions if decision.fate is Fate.FAILED]
    assert [decision.document.id for decision in failed] == ["d7", "d8"]
    assert all("larger than the engine takes" in decision.reason for decision in failed)
    own = open_index(client, through.name)
    assert set(stored(own)) == {f"d{n}" for n in range(12)} - {"d7", "d8"}
    assert places(own) == right_places(own)


def test_the_index_goes_in_mid_run(through: Collection, proxy: Proxy, client: Elasticsearch) -> None:
    def gone(exchange: Exchange) -> None:
        client.indices.delete(index=f"{through.name}-000001")
        exchange.answer(*exchange.forward())

    proxy.faults = [gone]
    with pytest.raises(NoSuchIndex):
        run(through, crawl())
    assert not client.indices.exists(index=through.name)
