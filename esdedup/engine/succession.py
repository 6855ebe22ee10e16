"""A better version of a text takes its leader's place: it is put just before it in the order of documents.

Groups follow from that order alone (see `esdedup.grouping.cluster`), so nothing else needs to know of policies: once
the newcomer is settled, the leader and those near it join it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from esdedup.engine.asking import ask_documents
from esdedup.engine.mapping import Collection
from esdedup.engine.records import MOMENT, Record, entry_of, source_of
from esdedup.grouping import Entry, Place
from esdedup.keeping import Keep, Rule
from esdedup.matching import distance

__all__ = ["Succession", "just_before"]


@dataclass(frozen=True, slots=True)
class _Head:
    """Who leads, and how good it is."""

    entry: Entry
    rank: float


class Succession:
    """Decides which new documents take over. Between two repairs it remembers who took over from whom."""

    def __init__(self, collection: Collection, keep: Keep) -> None:
        self._collection = collection
        self._keep = keep
        self._heads: dict[str, _Head] = {}
        self._successor: dict[str, str] = {}

    def settle(self, records: Sequence[Record]) -> list[Record]:
        """The records of new documents, in order, those that are better than their leaders as leaders themselves."""
        if self._keep.rule is Rule.FIRST:
            return list(records)
        self._meet(records)
        settled = [self._settle(record) for record in records]
        self._heads = {key: self._heads[key] for key in self._successor.values() if key in self._heads}
        return settled

    def forget(self) -> None:
        """Groups have been put right: the engine knows who leads."""
        self._heads.clear()
        self._successor.clear()

    def _meet(self, records: Sequence[Record]) -> None:
        """Read the leaders that records are about to join; those of the same batch are not stored yet."""
        own = {record.entry.key for record in records}
        keys = sorted({r.place.group for r in records} - own - self._heads.keys() - self._successor.keys())
        for key, doc in ask_documents(self._collection.client, self._collection.name, keys).items():
            source = doc["_source"]
            if "esdedup" in source:
                self._heads[key] = _Head(entry_of(key, source["esdedup"]), self._keep.rank(source))

    def _settle(self, record: Record) -> Record:
        rank = self._keep.rank(source_of(record, ""))
        if record.place.leader:
            self._heads[record.entry.key] = _Head(record.entry, rank)
            return record
        head = self._head_of(record.place.group)
        if head is None:
            return record
        if rank <= head.rank:
            return replace(record, place=self._place_under(head.entry, record))
        return self._take_over(record, head, rank)

    def _head_of(self, key: str) -> _Head | None:
        while key in self._successor:
            key = self._successor[key]
        return self._heads.get(key)

    def _place_under(self, leader: Entry, record: Record) -> Place:
        """With the one who took over, if it is near enough; else as it was, until groups are put right."""
        gap = distance(leader.fingerprint, record.entry.fingerprint)
        if leader.key == record.place.group or gap > self._collection.k:
            return record.place
        return Place(leader.key, leader=False, distance=gap, exact=leader.digest == record.entry.digest)

    def _take_over(self, record: Record, head: _Head, rank: float) -> Record:
        now = record.entry.first_seen
        entry = replace(record.entry, first_seen=just_before(head.entry.first_seen))
        self._successor[head.entry.key] = entry.key
        self._heads[entry.key] = _Head(entry, rank)
        document = replace(record.document, date=record.document.date or now)
        return Record(document, entry, Place(entry.key, leader=True), instead_of=record.place)


def just_before(first_seen: str) -> str:
    """The moment before one that a document was first seen."""
    return (datetime.strptime(first_seen, MOMENT) - timedelta(microseconds=1)).strftime(MOMENT)
