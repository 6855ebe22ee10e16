"""One record of a JSON or CSV file to a document."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from esdedup.document import Document, Skipped
from esdedup.extract import Page, extract
from esdedup.readers.html import page_document
from esdedup.readers.mend import Mender
from esdedup.readers.options import ReadOptions

__all__ = ["Place", "to_document"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands: in which file, from which line, and which record it is; both from 1."""

    name: str
    line: int
    number: int

    @property
    def where(self) -> str:
        """For messages: `path:line`."""
        return f"{self.name}:{self.line}"

    @property
    def id(self) -> str:
        """For a record that has no id: `path#record number`, the same whenever the file is."""
        return f"{self.name}#{self.number}"

    def skipped(self, reason: str, raw: str | None = None) -> Skipped:
        """The record, passed over for `reason`."""
        return Skipped(self.where, reason, Mender().string(raw) if raw is not None else None)


class _Unusable(Exception):
    """Why a record is no document."""


def to_document(record: object, place: Place, raw: str, options: ReadOptions) -> Document | Skipped:
    """The document in `record` (as JSON knows values), or why there is none; `raw` is the record as read."""
    try:
        if not isinstance(record, dict):
            raise _Unusable(f"{_kind(record)} instead of an object")
        return _document(_Fields(record), place, options)
    except _Unusable as error:
        return place.skipped(str(error), raw)
    except RecursionError:
        return place.skipped("nested too deeply", raw)


class _Fields:
    """The fields of a record; `rest` holds those that were not taken."""

    def __init__(self, record: Mapping[str, object]) -> None:
        self._record = record
        self._taken: set[str] = set()

    @property
    def rest(self) -> dict[str, object]:
        return {name: value for name, value in self._record.items() if name not in self._taken}

    def take(self, name: str, *kinds: type) -> Any:
        """The value of the field if it is of one of the kinds; None if missing, null or of another kind."""
        value = self._record.get(name)
        if value is None or type(value) in kinds:  # not isinstance: True is no number
            self._taken.add(name)
            return value
        return None

    def complaint(self, name: str) -> str:
        """What the field is instead of what was wanted."""
        return f"{name} is {_kind(self._record[name])}"

    def has_other(self, name: str) -> bool:
        """Whether the field holds something that could not be taken."""
        return name in self._record and name not in self._taken


def _document(fields: _Fields, place: Place, options: ReadOptions) -> Document:
    mender = Mender()
    page = _page(fields, mender, options)
    url = mender.text(fields.take(options.url_field, str) or "")
    title = fields.take(options.title_field, str, int, float)
    date: str | int | None = fields.take(options.date_field, str, int)
    own_id = _own_id(fields, options.id_field)
    text = mender.text(page.text, options.max_chars)
    document = Document(
        id=mender.text(own_id) or url or place.id,
        text=text,
        title=mender.text("" if title is None else str(title)),
        url=url,
        source=place.where,
        date=mender.text(date) or None if isinstance(date, str) else date,
        meta=mender.mapping(fields.rest),
        notes=mender.notes,
    )
    return page_document(document, page._replace(text=text))


def _page(fields: _Fields, mender: Mender, options: ReadOptions) -> Page:
    """The text of a record: its own, else that of its HTML."""
    one_field = options.text_field == options.html_field
    text = None if one_field else fields.take(options.text_field, str)
    if not text and (html := fields.take(options.html_field, str)):
        return extract(mender.text(html, options.max_chars), main_text=options.main_text)
    if text is None and fields.has_other(options.text_field):
        raise _Unusable(f"{fields.complaint(options.text_field)}, not text")
    if text is None:
        raise _Unusable("no text")
    return Page("", text)


def _own_id(fields: _Fields, name: str) -> str:
    value = fields.take(name, str, int, float)
    if fields.has_other(name):
        raise _Unusable(f"{fields.complaint(name)}, not text or a number")
    own = "" if value is None else str(value)
    return own if own.strip() else ""


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "a list"
    return "an object"
