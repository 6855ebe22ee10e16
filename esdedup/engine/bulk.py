"""Write in bulk: an outcome for each document, back-off when the engine is busy or away, a stop when it is full."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elastic_transport import ConnectionError as TransportConnectionError
from elastic_transport import ConnectionTimeout
from elasticsearch import ApiError
from elasticsearch.serializer import JsonSerializer

from esdedup.engine.mapping import Collection
from esdedup.engine.patience import GONE, may_pass, waits
from esdedup.errors import ConnectionFailed, EngineFull, NoSuchIndex

__all__ = ["Outcome", "write"]

_MAX_BYTES = 20 * 1024 * 1024
_LATER = (429, 503)  # busy; a shard without a primary for the moment
_TOO_LARGE = 413
_CONFLICT = 409
_DONE = 200  # and not 201, created
_ANSWERS = "error,status,items.*.status,items.*.error"  # all that is read of an answer
_APART = frozenset(("_op_type", "_source", "doc"))  # of an action; the rest is about it
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=JsonSerializer().default).encode

Action = Mapping[str, Any]
Sleep = Callable[[float], object]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one action: the key, and why it failed (None: it was done).

    conflict: it failed since the document is there already, or has changed.
    replaced: there was a document already, which no earlier attempt of this action can have made.
    """

    key: str
    reason: str | None = None
    conflict: bool = False
    replaced: bool = False


@dataclass(frozen=True, slots=True)
class _Line:
    """An action as it is sent."""

    key: str
    text: bytes


def write(collection: Collection, actions: Sequence[Action], sleep: Sleep = time.sleep) -> Iterator[Outcome]:
    """Send actions (`_op_type`, `_id`, `_source` ...) and say what became of each, once, in any order.

    What the engine is too busy for is sent again, and nothing else; a request without an answer is sent again whole,
    since an action with an id does the same twice; one that is too large is divided. Raises EngineFull when the
    engine's disk is full, ConnectionFailed when the credentials may not write, NoSuchIndex when the index has gone, and
    what the client raises when it stays away.
    """
    for part in _parts(map(_line, actions)):
        yield from _write_part(collection, part, sleep)


def _line(action: Action) -> _Line:
    text = _ENCODE({action["_op_type"]: {name: value for name, value in action.items() if name not in _APART}})
    if "doc" in action:
        text += "\n" + _ENCODE({"doc": action["doc"]})
    elif "_source" in action:
        text += "\n" + _ENCODE(action["_source"])
    return _Line(action["_id"], text.encode("utf-8", "surrogatepass"))


def _parts(lines: Iterable[_Line]) -> Iterator[list[_Line]]:
    """The actions in requests of bounded size."""
    part: list[_Line] = []
    size = 0
    for line in lines:
        if part and size + len(line.text) > _MAX_BYTES:
            yield part
            part, size = [], 0
        part.append(line)
        size += len(line.text)
    if part:
        yield part


def _write_part(collection: Collection, lines: list[_Line], sleep: Sleep) -> Iterator[Outcome]:
    pending, again = lines, False
    for seconds in (*waits(), None):
        try:
            results = _send(collection, pending)
        except (ApiError, TransportConnectionError, ConnectionTimeout) as error:
            if _is_too_large(error):
                yield from _divided(collection, pending, sleep)
                return
            if seconds is None or not may_pass(error):
                raise
            again = True
            sleep(seconds)
            continue
        busy: list[_Line] = []
        for line, result in zip(pending, results, strict=True):
            status = result["status"]
            if status in _LATER and seconds is not None:
                _stop_if_hopeless(result)
                busy.append(line)
            else:
                yield Outcome(line.key, _reason(result), status == _CONFLICT, status == _DONE and not again)
        if not busy or seconds is None:
            return
        sleep(seconds)
        pending = busy


def _divided(collection: Collection, lines: list[_Line], sleep: Sleep) -> Iterator[Outcome]:
    """Half of what was too large, then the other half."""
    if len(lines) == 1:
        yield Outcome(lines[0].key, "larger than the engine takes (http.max_content_length)")
        return
    middle = len(lines) // 2
    yield from _write_part(collection, lines[:middle], sleep)
    yield from _write_part(collection, lines[middle:], sleep)


def _is_too_large(error: Exception) -> bool:
    return isinstance(error, ApiError) and error.status_code == _TOO_LARGE


def _send(collection: Collection, lines: Sequence[_Line]) -> list[Mapping[str, Any]]:
    """The results of one request, in order."""
    ready: list[Any] = [line.text for line in lines]  # the client takes text in place of objects
    client = collection.client.options(max_retries=0)  # whoever sends again must know that it is again
    answer = client.bulk(
        index=collection.name,
        operations=ready,
        filter_path=_ANSWERS,
        require_alias=collection.is_alias,
    )
    return [next(iter(item.values())) for item in answer["items"]]


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
