"""From the connection options to an opened index."""

from collections.abc import Iterator
from contextlib import contextmanager

from elasticsearch import Elasticsearch

from esdedup.engine.connect import connect, verify
from esdedup.engine.mapping import Collection, open_index
from esdedup.engine.target import resolve
from esdedup.engine.trouble import translating

__all__ = ["connected", "index_names", "opened"]

_COMPLETION_SECONDS = 1.0


@contextmanager
def connected(url: str | None, profile: str | None) -> Iterator[Elasticsearch]:
    """A client whose engine has answered; its troubles come out as our errors."""
    target = resolve(url=url, profile=profile)
    with translating(target), connect(target) as client:
        verify(client, target)
        yield client


@contextmanager
def opened(url: str | None, profile: str | None, index: str) -> Iterator[Collection]:
    """An existing index, checked."""
    with connected(url, profile) as client:
        yield open_index(client, index)


def index_names() -> list[str]:
    """The aliases on the engine that the environment names, for completion: nothing when it is away."""
    try:
        with connect(resolve(), timeout=_COMPLETION_SECONDS) as client:
            found = client.indices.get_alias(name="*", expand_wildcards="open").body
    except Exception:  # a completion must never disturb the prompt
        return []
    return sorted({alias for index in found.values() for alias in index["aliases"]})
