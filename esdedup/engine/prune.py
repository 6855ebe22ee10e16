"""Which duplicates may go: of each group, all versions but the one that a policy keeps."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from esdedup.engine.confirm import Confirmer
from esdedup.engine.mapping import Collection
from esdedup.engine.paging import read_all
from esdedup.engine.records import entry_of, place_of
from esdedup.grouping import Entry, Place
from esdedup.keeping import KEEP_FIRST, Keep
from esdedup.matching import distance, is_duplicate

__all__ = ["Doomed", "PruneOptions", "find_doomed"]

_NOT_READ = ["esdedup.b0", "esdedup.b1", "esdedup.b2", "esdedup.b3", "esdedup.lanes", "source"]


@dataclass(frozen=True, slots=True)
class PruneOptions:
    """What may go: documents within `distance` of the one that is kept; exact: only those that read the same."""

    distance: int = 64
    exact: bool = False
    keep: Keep = KEEP_FIRST


@dataclass(frozen=True, slots=True)
class Member:
    """A document of a group. key: its `_id`; id: the caller's; version: for optimistic concurrency."""

    key: str
    id: str
    title: str
    entry: Entry
    place: Place
    rank: float
    version: dict[str, int]


@dataclass(frozen=True, slots=True)
class Doomed:
    """A document that may go, and the one that is kept instead. distance, exact: between the two.

    first_seen: of the leader of their group.
    """

    member: Member
    kept: Member
    distance: int
    exact: bool
    first_seen: str


def find_doomed(collection: Collection, options: PruneOptions) -> Iterator[Doomed]:
    """The documents that the options let go, group by group. Keeps what it must know of one group in memory.

    Which of a group is kept: the best by the policy; of equals, the leader. When that is not the leader, only those
    go that are near it. Without a leader nothing goes: the group is to be put right first.
    """
    confirmer = Confirmer(collection)
    for _, hits in groupby(_read(collection), key=lambda hit: hit["_source"]["esdedup"]["group"]):
        members = [_member(hit, options.keep) for hit in hits]
        leader = next((member for member in members if member.place.leader), None)
        if leader is None or len(members) == 1:
            continue
        kept = max(members, key=lambda member: (member.rank, member.place.leader))
        for member in _near(collection.k, confirmer, kept, members):
            gap = distance(kept.entry.fingerprint, member.entry.fingerprint)
            exact = kept.entry.digest == member.entry.digest
            if gap <= options.distance and (exact or not options.exact):
                yield Doomed(member, kept, gap, exact, leader.entry.first_seen)


def _near(k: int, confirmer: Confirmer, kept: Member, members: Sequence[Member]) -> list[Member]:
    """Those that are duplicates of the one that is kept, whatever is stored of it: a run may have been cut off."""
    near = [one for one in members if one.key != kept.key and is_duplicate(kept.entry, one.entry, k)]
    confirmed = {entry.key for entry in confirmer.only([kept.entry], [[one.entry for one in near]])[0]}
    return [one for one in near if one.key in confirmed]


def _read(collection: Collection) -> Iterator[dict[str, Any]]:
    return read_all(
        collection.client,
        collection.name,
        {"exists": {"field": "esdedup.group"}},
        sort=[{"esdedup.group": "asc"}, {"_shard_doc": "asc"}],
        source_excludes=_NOT_READ,
        seq_no_primary_term=True,
    )


def _member(hit: dict[str, Any], keep: Keep) -> Member:
    source = hit["_source"]
    own = source["esdedup"]
    return Member(
        key=hit["_id"],
        id=source["doc_id"],
        title=source.get("title", ""),
        entry=entry_of(hit["_id"], own),
        place=place_of(own),
        rank=keep.rank(source),
        version={"if_seq_no": hit["_seq_no"], "if_primary_term": hit["_primary_term"]},
    )
