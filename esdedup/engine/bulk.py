"""Write in bulk: an outcome for each document, back-off when the engine is busy, a stop when it is full."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elasticsearch.helpers import streaming_bulk

from esdedup.engine.mapping import Collection
from esdedup.errors import EngineFull, NoSuchIndex

__all__ = ["Outcome", "write"]

_ATTEMPTS = 6  # waits of 1, 2, 4, 8 and 16 seconds between them
_MAX_BYTES = 20 * 1024 * 1024
_BUSY = 429

Action = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one action: the key, and why it failed (None: it was done)."""

    key: str
    reason: str | None = None


def write(
    collection: Collection, actions: Sequence[Action], sleep: Callable[[float], object] = time.sleep
) -> Iterator[Outcome]:
    """Send actions (`_op_type`, `_id`, `_source` ...) and say what became of each, once, in any order.

    What the engine is too busy for is sent again, and nothing else. Raises EngineFull when its disk is full,
    NoSuchIndex when the index has gone.
    """
    pending = list(actions)
    for attempt in range(_ATTEMPTS):
        busy: list[Action] = []
        for action, result in zip(pending, _send(collection, pending), strict=True):
            if result.get("status") == _BUSY and attempt < _ATTEMPTS - 1:
                _stop_if_hopeless(result)
                busy.append(action)
            else:
                yield Outcome(result["_id"], _reason(result))
        if not busy:
            return
        sleep(2.0**attempt)
        pending = busy


def _send(collection: Collection, actions: Sequence[Action]) -> Iterator[Mapping[str, Any]]:
    addressed = ({"_index": collection.name, **action} for action in actions)
    # Its own retries go by status alone, and would wait for a full disk.
    sent = streaming_bulk(
        collection.client,
        addressed,
        raise_on_error=False,
        max_retries=0,
        max_chunk_bytes=_MAX_BYTES,
        require_alias=collection.is_alias,
    )
    return (next(iter(item.values())) for _, item in sent)


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
    if kind == "index_not_found_exception":
        raise NoSuchIndex("the index has gone while documents were written: run it again to make a new one")
