"""What sites allow robots, read once a host."""

import threading
from collections.abc import Callable
from urllib.parse import urlsplit

from protego import Protego

__all__ = ["Robots"]

_NAME = "esdedup"
_NOTHING_ALLOWED = "User-agent: *\nDisallow: /"

#: Fetches an address: status and text.
Get = Callable[[str], tuple[int, str]]


class Robots:
    """Keeps the rules of each host. Safe for threads."""

    def __init__(self, get: Get) -> None:
        self._get = get
        self._rules: dict[str, Protego] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def allows(self, url: str) -> bool:
        """Whether robots.txt of its host lets us fetch an address."""
        return bool(self._of(url).can_fetch(url, _NAME))

    def delay(self, url: str) -> float:
        """Seconds that the host wants between requests."""
        return float(self._of(url).crawl_delay(_NAME) or 0.0)

    def _of(self, url: str) -> Protego:
        parts = urlsplit(url)
        site = f"{parts.scheme}://{parts.netloc}"
        with self._lock:
            lock = self._locks.setdefault(site, threading.Lock())
        with lock:
            if site not in self._rules:
                self._rules[site] = Protego.parse(self._read(f"{site}/robots.txt"))
            return self._rules[site]

    def _read(self, url: str) -> str:
        """The rules as RFC 9309 has it: none when there is no such file, nothing allowed when the server fails."""
        status, text = self._get(url)
        if status == 200:
            return text
        return "" if 400 <= status < 500 else _NOTHING_ALLOWED
