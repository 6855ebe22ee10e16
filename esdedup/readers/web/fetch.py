"""Fetch many pages at once, several hosts in parallel, and hand them over in the order asked for."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread

import httpx

from esdedup.document import Document, Skipped
from esdedup.readers.options import ReadOptions
from esdedup.readers.response import Response, body_limit, response_document
from esdedup.readers.source import Unreadable
from esdedup.readers.urls import host_of, is_url, normalise_url, without_credentials
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
        pool = _Pool(fetcher.fetch, options.web.workers)
        yield from _in_order(pool, _once(fetcher.listed(urls, sitemaps)), options.web.workers * _AHEAD)
        fetcher.known.save()  # not when the caller stopped before the end
    finally:
        client.close()


class _Pool:
    """Threads that fetch. They are daemons, unlike those of the standard library: Ctrl-C waits for no slow server."""

    def __init__(self, fetch: Callable[[str], Document | Skipped], workers: int) -> None:
        self._fetch = fetch
        self._jobs: SimpleQueue[tuple[Future[Document | Skipped], str] | None] = SimpleQueue()
        self._workers = workers
        for _ in range(workers):
            Thread(target=self._work, daemon=True).start()

    def submit(self, url: str) -> Future[Document | Skipped]:
        """The page to be."""
        future: Future[Document | Skipped] = Future()
        self._jobs.put((future, url))
        return future

    def end(self) -> None:
        """Let the threads end when they have done what they are at."""
        for _ in range(self._workers):
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, url = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(self._fetch(url))
            except BaseException as error:  # for whoever asks for the result
                future.set_exception(error)


def _once(items: Iterable[str | Skipped]) -> Iterator[str | Skipped]:
    seen: set[str] = set()
    for item in items:
        if isinstance(item, Skipped):
            yield item
        elif (key := normalise_url(item)) not in seen:
            seen.add(key)
            yield item


def _in_order(pool: _Pool, items: Iterator[str | Skipped], ahead: int) -> Iterator[Document | Skipped]:
    waiting: deque[Future[Document | Skipped] | Skipped] = deque()
    try:
        for item in items:
            waiting.append(item if isinstance(item, Skipped) else pool.submit(item))
            if len(waiting) >= ahead:
                yield _result(waiting.popleft())
        while waiting:
            yield _result(waiting.popleft())
    finally:
        for left in waiting:
            if isinstance(left, Future):
                left.cancel()
        pool.end()


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
        where = without_credentials(url)
        if not is_url(url) or not host_of(url):
            return Skipped(where, "not an address of the web, such as https://host/page")
        try:
            answer = self._get(url)
        except Unreadable as error:
            return Skipped(where, error.reason)
        if answer.status == _NOT_MODIFIED:
            return Skipped(where, "not modified since it was last fetched")
        try:
            found = response_document(_response(where, answer), self._options)
        except ValueError as error:  # a page of a kind that nobody thought of ends no run
            return Skipped(where, f"cannot be read ({error})")
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


def _response(where: str, answer: Answer) -> Response:
    """Without a date: the time of fetching would make every page another each time."""
    kind = answer.headers.get("content-type", "")
    return Response(answer.url, where, answer.status, kind, answer.body, answer.complete)
