"""Write in bulk: an outcome for each document, back-off when the engine is busy or away, a stop when it is full."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elastic_transport import ConnectionError as TransportConnectionError
from elastic_transport import ConnectionTimeout
from elasticsearch import ApiError
from elasticsearch.helpers import streaming_bulk

from esdedup.engine.mapping import Collection
from esdedup.engine.patience import GONE, may_pass, waits
from esdedup.errors import ConnectionFailed, EngineFull, NoSuchIndex

__all__ = ["Outcome", "write"]

_MAX_BYTES = 20 * 1024 * 1024
_WHOLE = 1 << 40  # bytes; what is sent was divided before
_LATER = (429, 503)  # busy; a shard without a primary for the moment
_TOO_LARGE = 413
_CONFLICT = 409

Action = Mapping[str, Any]
Sleep = Callable[[float], object]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one action: the key, and why it failed (None: it was done).

    conflict: it failed since the document is there already, or has changed.
    """

    key: str
    reason: str | None = None
    conflict: bool = False


def write(collection: Collection, actions: Sequence[Action], sleep: Sleep = time.sleep) -> Iterator[Outcome]:
    """Send actions (`_op_type`, `_id`, `_source` ...) and say what became of each, once, in any order.

    What the engine is too busy for is sent again, and nothing else; a request without an answer is sent again whole,
    since an action with an id does the same twice; one that is too large is divided. Raises EngineFull when the
    engine's disk is full, ConnectionFailed when the credentials may not write, NoSuchIndex when the index has gone, and
    what the client raises when it stays away.
    """
    for part in _parts(actions):
        yield from _write_part(collection, part, sleep)


def _parts(actions: Sequence[Action]) -> Iterator[list[Action]]:
    """The actions in requests of bounded size."""
    part: list[Action] = []
    size = 0
    for action in actions:
        own = _most_bytes(action)
        if part and size + own > _MAX_BYTES:
            yield part
            part, size = [], 0
        part.append(action)
        size += own
    if part:
        yield part


def _most_bytes(action: Action) -> int:
    """About what an action takes on the wire, by its text: three bytes a character, and the rest."""
    source = action.get("_source")
    text = source.get("content", "") if isinstance(source, Mapping) else ""
    return 3 * len(text) + 1000


def _write_part(collection: Collection, actions: list[Action], sleep: Sleep) -> Iterator[Outcome]:
    pending = actions
    for seconds in (*waits(), None):
        try:
            results = _send(collection, pending)
        except (ApiError, TransportConnectionError, ConnectionTimeout) as error:
            if _is_too_large(error):
                yield from _divided(collection, pending, sleep)
                return
            if seconds is None or not may_pass(error):
                raise
            sleep(seconds)
            continue
        busy: list[Action] = []
        for action, result in zip(pending, results, strict=True):
            if result.get("status") in _LATER and seconds is not None:
                _stop_if_hopeless(result)
                busy.append(action)
            else:
                yield Outcome(result["_id"], _reason(result), result.get("status") == _CONFLICT)
        if not busy or seconds is None:
            return
        sleep(seconds)
        pending = busy


def _divided(collection: Collection, actions: list[Action], sleep: Sleep) -> Iterator[Outcome]:
    """Half of what was too large, then the other half."""
    if len(actions) == 1:
        yield Outcome(actions[0]["_id"], "larger than the engine takes (http.max_content_length)")
        return
    middle = len(actions) // 2
    yield from _write_part(collection, actions[:middle], sleep)
    yield from _write_part(collection, actions[middle:], sleep)


def _is_too_large(error: Exception) -> bool:
    return isinstance(error, ApiError) and error.status_code == _TOO_LARGE


def _send(collection: Collection, actions: Sequence[Action]) -> list[Mapping[str, Any]]:
    """The results of one request, in order."""
    addressed = ({"_index": collection.name, **action} for action in actions)
    # Its own retries go by status alone, and would wait for a full disk.
    sent = streaming_bulk(
        collection.client,
        addressed,
        chunk_size=len(actions),
        max_chunk_bytes=_WHOLE,
        raise_on_error=False,
        max_retries=0,
        require_alias=collection.is_alias,
    )
    return [next(iter(item.values())) for _, item in sent]


def _reason(result: Mapping[str, Any]) -> str | None:
    if "error" not in result:
        return None
    _stop_if_hopeless(result)
    error = result["error"]
    if not isinstance(error, Mapping):
        return str(error)
    cause = error.get("caused_by", {}).get("reason")
    return f"{error.get('reason')}" + (f" ({cause})" if cause else "")


def _stop_if_hopeless(result: Mapping[str, Any]) -> None:
    error = result.get("error", {})
    kind = error.get("type") if isinstance(error, Mapping) else None
    if kind == "cluster_block_exception":
        raise EngineFull(f"the engine takes no writes, free its disk or lift the block: {error.get('reason')}")
    if kind == "security_exception":
        raise ConnectionFailed(f"the key or user lacks a right: {error.get('reason')}")
    if kind == "index_not_found_exception":
        raise NoSuchIndex(GONE)
