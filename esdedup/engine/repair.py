"""Put groups right after a document has changed, gone or failed to arrive.

The right groups are those of `esdedup.grouping.cluster`: each document, in (first seen, key) order, joins the
nearest older leader or leads. Whether a document leads can only matter to newer ones, so the affected
documents are settled in that order, each once, and a change of one makes the newer ones near it affected.
"""

import heapq
from collections.abc import Iterable, Mapping
from typing import Any

from esdedup.engine.bulk import write
from esdedup.engine.candidates import LEADS, all_of, find_matches, read_entries
from esdedup.engine.confirm import Confirmer
from esdedup.engine.mapping import Collection
from esdedup.engine.records import entry_of, place_fields, place_of
from esdedup.grouping import Entry, Place, nearest
from esdedup.matching import is_duplicate

__all__ = ["members_query", "repair"]

_WRITES = 500


def members_query(group: str) -> dict[str, Any]:
    """The query for the documents of a group, its leader among them."""
    return all_of({"term": {"esdedup.group": group}})


def repair(collection: Collection, keys: Iterable[str]) -> int:
    """Settle the documents with these keys and all that depend on them; how many changed their group.

    Reads what has been written so far, and refreshes the index before and after.
    """
    repairer = _Repair(collection)
    collection.client.indices.refresh(index=collection.name)
    for key in keys:
        repairer.add_changed(key)
    repairer.settle()
    collection.client.indices.refresh(index=collection.name)
    return len(repairer.moved)


class _Repair:
    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._confirmer = Confirmer(collection)
        self._queue: list[tuple[tuple[str, str], Entry]] = []
        self._queued: set[str] = set()
        self._changed: set[str] = set()  # they have another fingerprint than before, or have gone
        self._settled_leaders: dict[str, Entry] = {}
        self.moved: dict[str, Place] = {}

    def add_changed(self, key: str) -> None:
        self._changed.add(key)
        found = self._collection.client.options(ignore_status=404).get(
            index=self._collection.name, id=key, source_includes=["esdedup"]
        )
        if found.get("found"):
            self._add(entry_of(key, found["_source"]["esdedup"]))
        else:
            self._add_members(key)

    def settle(self) -> None:
        while self._queue:
            _, entry = heapq.heappop(self._queue)
            self._settle(entry)
        self._write()

    def _settle(self, entry: Entry) -> None:
        before = self._stored_place(entry.key)
        place = nearest(entry, self._older_leaders(entry))
        if place.leader:
            self._settled_leaders[entry.key] = entry
        if place.moves_from(before):
            self.moved[entry.key] = place
        changed = entry.key in self._changed
        if before.leader and (changed or not place.leader):
            self._add_members(entry.key)
        if place.leader and (changed or not before.leader):
            for other in find_matches(self._collection, entry, self._collection.k):
                if other.order > entry.order:
                    self._add(other)

    def _older_leaders(self, entry: Entry) -> list[Entry]:
        k = self._collection.k
        stored = find_matches(self._collection, entry, k, LEADS)
        still = [one for one in stored if one.key not in self._queued or one.key in self._settled_leaders]
        ours = [one for one in self._settled_leaders.values() if is_duplicate(entry, one, k)]
        leaders = {one.key: one for one in (*still, *ours) if one.key != entry.key}
        older = [one for one in leaders.values() if one.order < entry.order]
        return self._confirmer.only([entry], [older])[0]

    def _add_members(self, group: str) -> None:
        for member in read_entries(self._collection, members_query(group)):
            self._add(member)

    def _add(self, entry: Entry) -> None:
        if entry.key not in self._queued:
            self._queued.add(entry.key)
            heapq.heappush(self._queue, (entry.order, entry))

    def _stored_place(self, key: str) -> Place:
        found = self._collection.client.get(
            index=self._collection.name,
            id=key,
            source_includes=["esdedup.group", "esdedup.leader", "esdedup.distance"],
        )
        own: Mapping[str, Any] = found["_source"]["esdedup"]
        return place_of(own)

    def _write(self) -> None:
        actions = [
            {"_op_type": "update", "_id": key, "doc": {"esdedup": place_fields(place)}}
            for key, place in self.moved.items()
        ]
        for start in range(0, len(actions), _WRITES):
            for _ in write(self._collection, actions[start : start + _WRITES]):
                pass
