"""What became of documents that were taken in, and what can be asked of a run."""

from dataclasses import dataclass
from enum import StrEnum

from esdedup.document import Document, Status
from esdedup.grouping import Place
from esdedup.keeping import KEEP_FIRST, Keep

__all__ = ["Decision", "Fate", "IngestOptions", "OnDuplicate"]


class OnDuplicate(StrEnum):
    """What happens to a new document that joins a group."""

    MARK = "mark"  # stored with its group, collapsed at search
    SKIP = "skip"  # left out


class Fate(StrEnum):
    """What became of a document that was read."""

    INDEXED = "indexed"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    LEFT_OUT = "left_out"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """on_duplicate: keep duplicates or leave them out; dry_run: decide, but write nothing.

    keep: when a new document takes over from the leader it would have joined. A dry run compares only with what is
    stored and what came in the same batch.
    """

    on_duplicate: OnDuplicate = OnDuplicate.MARK
    dry_run: bool = False
    keep: Keep = KEEP_FIRST


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of one document. reason: why it failed; took_over: the place it had before it became the leader."""

    document: Document
    fate: Fate
    place: Place
    status: Status
    reason: str = ""
    took_over: Place | None = None
