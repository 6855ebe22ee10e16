"""What travels through the pipeline: documents, and records that could not become one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["Document", "Skipped", "Status"]


class Status(StrEnum):
    """How much a document's fingerprint can be trusted."""

    OK = "ok"
    WHOLE_PAGE = "whole_page"  # compared, but with menus and all: no main text was found
    TOO_SHORT = "too_short"  # duplicate only of an equal text
    EMPTY = "empty"  # never a duplicate

    @property
    def is_comparable(self) -> bool:
        """Whether the fingerprint says which documents are near."""
        return self in (Status.OK, Status.WHOLE_PAGE)


@dataclass(frozen=True, slots=True)
class Document:
    """One text to index or to look up.

    id: the caller's id as given, or a stable one made from `source` when the caller gave none.
    text, title: as read; only lone surrogates and NUL are replaced, nothing is folded.
    source: where it came from, `path` or `path:line` (`-:line` on standard input).
    date: the caller's date as given; the engine parses it.
    meta: the caller's other fields, unchanged.
    whole_page: the text is all that is visible on a page, since no main text was found in it.
    notes: what the reader had to mend (cut at the limit, bytes replaced ...), for the user.
    """

    id: str
    text: str
    title: str = ""
    url: str = ""
    source: str = ""
    date: str | int | None = None
    meta: Mapping[str, object] = field(default_factory=dict)
    whole_page: bool = False
    notes: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Skipped:
    """One record or file that did not become a document.

    where: `path` or `path:line`.
    reason: one short clause, no capital, no full stop.
    raw: the record as read, kept for `--reject`; None when there is none (a directory, a device).
    """

    where: str
    reason: str
    raw: str | None = None
