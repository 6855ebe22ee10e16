"""One polite HTTP client: redirects checked hop by hop, answers bounded in size and time, few requests a host."""

import re
import ssl
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urljoin
from urllib.request import getproxies

import httpx

from esdedup.readers.bodies import decompress
from esdedup.readers.options import WebOptions
from esdedup.readers.source import Unreadable
from esdedup.readers.urls import host_of, is_url, without_credentials
from esdedup.readers.web.hosts import refuse_private, refuse_private_address

__all__ = ["Answer", "WebClient"]

_LONGEST_DELAY = 60.0  # seconds; a robots.txt that asks for more means another kind of robot
_CODINGS = "gzip, deflate, br, zstd"
_NUMBER = re.compile(r"^\[Errno -?\d+\] ")
_REDIRECTS = frozenset((301, 302, 303, 307, 308))


@dataclass(frozen=True, slots=True)
class Answer:
    """The last answer of a chain of redirects. body: decompressed; complete: not cut at the limit."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    complete: bool


class WebClient:
    """Gets pages. Safe for threads."""

    def __init__(self, options: WebOptions, transport: httpx.BaseTransport | None = None) -> None:
        self._options = options
        self._client = httpx.Client(
            timeout=options.timeout,
            headers={"User-Agent": options.user_agent, "Accept-Encoding": _CODINGS},
            limits=httpx.Limits(max_connections=options.workers, max_keepalive_connections=options.workers),
            transport=transport,
        )
        self._places: defaultdict[str, threading.Semaphore] = defaultdict(lambda: threading.Semaphore(options.per_host))
        self._lock = threading.Lock()
        self._sleep: Callable[[float], object] = time.sleep
        self._has_proxy = not getproxies().keys().isdisjoint(("http", "https", "all")) or transport is not None

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def get(self, url: str, limit: int, conditions: Mapping[str, str] | None = None, delay: float = 0.0) -> Answer:
        """What is at an address, after redirects. Raises Unreadable with the reason when nothing can be had."""
        for hop in range(self._options.redirects + 1):
            try:
                answer = self._get_once(url, limit, conditions or {}, delay)
            except Unreadable as error:
                if hop == 0:
                    raise
                raise Unreadable(f"it leads to {_short(url)}, and there: {error.reason}") from error
            target = answer.headers.get("location")
            if answer.status not in _REDIRECTS or not target:
                return answer
            url = _joined(url, target)
            if not is_url(url):
                raise Unreadable(f"it leads to {_short(url)}, which is no web page")
        raise Unreadable(f"more than {self._options.redirects} redirects")

    def _get_once(self, url: str, limit: int, conditions: Mapping[str, str], delay: float) -> Answer:
        if not self._options.allow_private:
            refuse_private(url)
        with self._place(host_of(url), delay):
            try:
                with self._client.stream("GET", url, headers=dict(conditions)) as response:
                    self._refuse_private_peer(response)
                    raw, complete = _read(response, limit, self._options.deadline)
            except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError, UnicodeError) as error:
                raise Unreadable(_why(error, self._options.timeout)) from error
        body = decompress(raw, response.headers.get("content-encoding", ""), limit)
        return Answer(url, response.status_code, response.headers, body, complete and len(body) < limit)

    @contextmanager
    def _place(self, host: str, delay: float) -> Iterator[None]:
        """One of the places that a host has; it stays taken for the delay."""
        with self._lock:
            place = self._places[host]
        with place:
            yield
            self._sleep(max(min(delay, _LONGEST_DELAY), self._options.delay))

    def _refuse_private_peer(self, response: httpx.Response) -> None:
        """Check whom the connection reached: a name may lead elsewhere the second time it is asked."""
        stream = response.extensions.get("network_stream")
        if self._options.allow_private or self._has_proxy or stream is None:
            return
        if address := stream.get_extra_info("server_addr"):
            refuse_private_address(str(address[0]), response.url.host)


def _joined(url: str, target: str) -> str:
    try:
        return urljoin(url, target)
    except ValueError as error:
        raise Unreadable(f"it leads to {target[:80]}, which is no address") from error


def _short(url: str) -> str:
    return without_credentials(url)[:80]


def _read(response: httpx.Response, limit: int, deadline: float) -> tuple[bytes, bool]:
    """The body as it was sent, up to the limit, and whether that is all."""
    started, body = time.monotonic(), bytearray()
    for chunk in response.iter_raw():
        body += chunk
        if len(body) > limit:
            return bytes(body[:limit]), False
        if time.monotonic() - started > deadline:
            raise Unreadable(f"no whole answer within {deadline:g} s")
    return bytes(body), True


def _why(error: Exception, timeout: float) -> str:
    if isinstance(error, httpx.TimeoutException):
        return f"no answer within {timeout:g} s"
    if isinstance(error, httpx.RemoteProtocolError):
        return "no answer that HTTP allows, or cut short"
    said = _NUMBER.sub("", str(error)).lower()
    return f"no answer ({said or type(error).__name__})"
