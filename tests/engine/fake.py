"""Servers on loopback that answer as some search engine would."""

import json
import re
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

PRODUCT = {"X-Elastic-Product": "Elasticsearch"}
Answer = Callable[[str, Mapping[str, str]], tuple[int, Any]]
"""From path and request headers, their names in lower case, to status and body."""


@contextmanager
def served(
    answer: Answer, headers: Mapping[str, str] | None = None, tls: ssl.SSLContext | None = None
) -> Iterator[str]:
    """The address of a server that gives these answers, with these headers."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, body = answer(self.path, {name.lower(): value for name, value in self.headers.items()})
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
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"{'https' if tls else 'http'}://localhost:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def always(status: int, body: Any) -> Answer:
    """One answer to everything."""
    return lambda path, headers: (status, body)


def front_page(number: str, **version: str) -> dict[str, Any]:
    """What Elasticsearch says on GET /."""
    return {"cluster_name": "c", "version": {"number": number, **version}, "tagline": "You Know, for Search"}


def opensearch_page(number: str, **version: str) -> dict[str, Any]:
    """What OpenSearch says on GET /; without a distribution, as in its compatibility mode."""
    return {**front_page(number, **version), "tagline": "The OpenSearch Project: https://opensearch.org/"}


def elasticsearch(number: str) -> Answer:
    """Elasticsearch of a version: it takes clients of its own major version and of the one before, and plain JSON."""
    major = int(number.partition(".")[0])

    def answer(path: str, headers: Mapping[str, str]) -> tuple[int, Any]:
        asked = re.search(r"compatible-with=(\d+)", headers["accept"])
        if asked and int(asked[1]) not in (major, major - 1):
            reason = f"A compatible version is required [{major}], but was [{asked[1]}]"
            return 400, {"error": {"type": "media_type_header_exception", "reason": reason}, "status": 400}
        return 200, front_page(number)

    return answer
