"""What a run knows of what is stored: from the engine, or by itself while it alone fills the index."""

import time
from collections.abc import Iterable, Mapping
from typing import Any

from esdedup.engine.asking import ask_count, ask_documents
from esdedup.engine.mapping import Collection, index_exists
from esdedup.engine.paging import refresh_if_allowed
from esdedup.engine.patience import patiently

__all__ = ["Stored"]

_MOST = 500_000  # documents that a run alone remembers; each takes some 500 bytes, leaders included
_LOOK_EVERY = 3.0  # seconds between looks for other writers


class Stored:
    """What is stored in a collection. Of a dry run, also what would be.

    is_ours_alone: all that is stored came from here, so that what this run remembers is all there is.
    is_shared: there is more than can be remembered, or there are documents of others: with the next `refresh` the
        index is not ours alone any more.
    """

    def __init__(self, collection: Collection, *, dry_run: bool) -> None:
        self._collection = collection
        self._dry_run = dry_run
        self._exists = not dry_run or index_exists(collection.client, collection.name)  # only a dry run does without
        self._dry: dict[str, Mapping[str, Any]] = {}  # without the texts
        self._written: set[str] = set()  # keys under which there may be something
        self._count = 0
        self._next_look = time.monotonic() + _LOOK_EVERY
        self.is_ours_alone = not self._exists or self._is_empty()
        self.is_shared = not self.is_ours_alone

    def read(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The `_source` of each document of ours that is stored under these keys, searchable or not."""
        wanted = [key for key in keys if key in self._written or not self.is_ours_alone]
        dry = {key: dict(self._dry[key]) for key in wanted if key in self._dry}
        if not self._exists:
            return dry
        found = ask_documents(self._collection.client, self._collection.name, wanted)
        return {key: dict(doc["_source"]) for key, doc in found.items() if "esdedup" in doc["_source"]} | dry

    def add(self, sources: Mapping[str, Mapping[str, Any]], new: int) -> None:
        """These documents are on their way into the index; so many of them are new."""
        self._count += new
        if self.is_ours_alone:
            self._written |= sources.keys()
        if self._dry_run:
            self._dry |= {key: {"esdedup": source["esdedup"]} for key, source in sources.items()}

    def take_back(self) -> None:
        """A new document did not arrive."""
        self._count -= 1

    def is_time_to_look(self) -> bool:
        """Whether `look` would ask the engine, which is right only when nothing is under way."""
        return not (self.is_shared or self._dry_run) and time.monotonic() >= self._next_look

    def look(self) -> None:
        """See, now and then, whether documents have come into the index that are not of this run."""
        self.is_shared = self.is_shared or len(self._written) >= _MOST
        if not self.is_time_to_look():
            return
        self._make_searchable()
        self.is_shared = ask_count(self._collection.client, index=self._collection.name) > self._count
        self._next_look = time.monotonic() + _LOOK_EVERY

    def refresh(self) -> None:
        """Make all that is written searchable."""
        self._make_searchable()
        if self.is_shared:
            self.is_ours_alone = False
            self._written.clear()

    def _make_searchable(self) -> None:
        patiently(lambda: self._collection.client.indices.refresh(index=self._collection.name))

    def _is_empty(self) -> bool:
        client, name = self._collection.client, self._collection.name
        if self._dry_run:
            refresh_if_allowed(client, name)
        else:
            self._make_searchable()
        return not ask_count(client, index=name)
