"""Fetch many pages at once, several hosts in parallel, and hand them over in the order asked for."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime

import httpx

from esdedup.document import Document, Skipped
from esdedup.readers.options import ReadOptions
from esdedup.readers.response import Response, body_limit, response_document
from esdedup.readers.source import Unreadable
from esdedup.readers.urls import host_of, is_url, normalise_url
from esdedup.readers.web.client import Answer, WebClient
from esdedup.readers.web.hosts import refuse_private
from esdedup.readers.web.known import Known
from esdedup.readers.web.robots import Robots
from esdedup.readers.web.sitemap import sitemap_urls

__all__ = ["fetch_all"]

_AHEAD = 4  # pages a worker that may wait, fetched, for those before them
_ROBOTS_LIMIT = 512 * 1024  # bytes, as RFC 9309 asks for at least 500 KiB
_SITEMAP_LIMIT = 64 << 20
_NOT_MODIFIED = 304


def fetch_all(
    urls: Iterable[str],
    options: ReadOptions,
    *,
    sitemaps: Iterable[str] = (),
    transport: httpx.BaseTransport | None = None,
) -> Iterator[Document | Skipped]:
    """The pages at these addresses, then those that sitemaps list; each address once, in order.

    What cannot be had is skipped with the reason. transport: instead of the network, for tests.
    """
    client = WebClient(options.web, transport)
    fetcher = _Fetcher(client, options)
    try:
        with ThreadPoolExecutor(options.web.workers) as pool:
            yield from _in_order(fetcher, pool, _once(fetcher.listed(urls, sitemaps)), options.web.workers * _AHEAD)
        fetcher.known.save()  # not when the caller stopped before the end
    finally:
        client.close()


def _once(items: Iterable[str | Skipped]) -> Iterator[str | Skipped]:
    seen: set[str] = set()
    for item in items:
        if isinstance(item, Skipped):
            yield item
        elif (key := normalise_url(item)) not in seen:
            seen.add(key)
            yield item


def _in_order(
    fetcher: "_Fetcher", pool: ThreadPoolExecutor, items: Iterator[str | Skipped], ahead: int
) -> Iterator[Document | Skipped]:
    waiting: deque[Future[Document | Skipped] | Skipped] = deque()
    try:
        for item in items:
            waiting.append(item if isinstance(item, Skipped) else pool.submit(fetcher.fetch, item))
            if len(waiting) >= ahead:
                yield _result(waiting.popleft())
        while waiting:
            yield _result(waiting.popleft())
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _result(item: "Future[Document | Skipped] | Skipped") -> Document | Skipped:
    return item if isinstance(item, Skipped) else item.result()


class _Fetcher:
    def __init__(self, client: WebClient, options: ReadOptions) -> None:
        self._client = client
        self._options = options
        self._robots = Robots(self._get_robots)
        self.known = Known(options.web.known)

    def listed(self, urls: Iterable[str], sitemaps: Iterable[str]) -> Iterator[str | Skipped]:
        """The addresses to fetch."""
        yield from urls
        for sitemap in sitemaps:
            yield from sitemap_urls(sitemap, self._get_sitemap)

    def fetch(self, url: str) -> Document | Skipped:
        """One page."""
        if not is_url(url) or not host_of(url):
            return Skipped(url, "not an address of the web, such as https://host/page")
        try:
            answer = self._get(url)
        except Unreadable as error:
            return Skipped(url, error.reason)
        if answer.status == _NOT_MODIFIED:
            return Skipped(url, "not modified since it was last fetched")
        found = response_document(_response(url, answer), self._options)
        if isinstance(found, Document):
            self.known.note(url, answer.headers)
        return found

    def _get(self, url: str) -> Answer:
        delay = 0.0
        if not self._options.web.allow_private:
            refuse_private(url)
        if self._options.web.robots:
            if not self._robots.allows(url):
                raise Unreadable("robots.txt forbids it: --no-robots fetches it")
            delay = self._robots.delay(url)
        return self._client.get(url, body_limit(self._options), self.known.conditions(url), delay)

    def _get_robots(self, url: str) -> tuple[int, str]:
        try:
            answer = self._client.get(url, _ROBOTS_LIMIT)
        except Unreadable:
            return 404, ""  # the page will not be had either, and for a reason that says more
        return answer.status, answer.body.decode("utf-8", "replace")

    def _get_sitemap(self, url: str) -> bytes:
        answer = self._client.get(url, _SITEMAP_LIMIT)
        if answer.status != 200:
            raise Unreadable(f"status {answer.status}")
        return answer.body


def _response(url: str, answer: Answer) -> Response:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    kind = answer.headers.get("content-type", "")
    return Response(answer.url, url, answer.status, kind, answer.body, answer.complete, now)
