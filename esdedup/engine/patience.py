"""Ask again, after a while, when the engine is busy, away, or without a shard for a moment."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from elastic_transport import ConnectionError as TransportConnectionError
from elastic_transport import ConnectionTimeout, TlsError
from elasticsearch import ApiError

from esdedup.errors import EngineError, NoSuchIndex

__all__ = ["ATTEMPTS", "GONE", "Unsettled", "check_items", "may_pass", "patiently", "waits"]

ATTEMPTS = 7  # waits of 1, 2, 4, 8, 16 and 32 seconds between them: a cluster elects another master in that time

#: What is said of an index that is deleted while it is used.
GONE = "the index has gone while documents were written: run it again to make a new one"

_T = TypeVar("_T")
_PASSING = frozenset((429, 502, 503, 504))
_BUSY = 429


class Unsettled(EngineError):
    """A part of an answer is missing for the moment: a shard has no copy that could say it."""


def may_pass(error: Exception) -> bool:
    """Whether it may help to wait: not for a full disk, nor for a certificate."""
    if isinstance(error, ApiError):
        full = "cluster_block_exception" in str(error.body) and error.status_code == _BUSY
        return error.status_code in _PASSING and not full
    passing = (TransportConnectionError, ConnectionTimeout, Unsettled)
    return isinstance(error, passing) and not isinstance(error, TlsError)


def waits(attempts: int = ATTEMPTS) -> Iterator[float]:
    """Seconds to wait before each further attempt."""
    return (2.0**attempt for attempt in range(attempts - 1))


def patiently(ask: Callable[[], _T], sleep: Callable[[float], object] = time.sleep, *, attempts: int = ATTEMPTS) -> _T:
    """What `ask` returns; asked again while what it raises may pass."""
    for seconds in waits(attempts):
        try:
            return ask()
        except (ApiError, TransportConnectionError, ConnectionTimeout, Unsettled) as error:
            if not may_pass(error):
                raise
        sleep(seconds)
    return ask()


def check_items(items: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """The items of one answer. Raises Unsettled when one of them is an error that may pass, else EngineError."""
    for item in items:
        if error := item.get("error"):
            reason = error.get("reason", error) if isinstance(error, Mapping) else error
            kind = str(error.get("type", "")) if isinstance(error, Mapping) else ""
            if kind == "index_not_found_exception":
                raise NoSuchIndex(GONE)
            passing = item.get("status") in _PASSING or "unavailable" in kind or "no_shard" in kind
            raise (Unsettled if passing else EngineError)(f"a look-up failed: {reason}")
    return items
