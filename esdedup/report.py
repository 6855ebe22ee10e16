"""Results as text, for programs (JSON, CSV) and safe for terminals. Printing is for the caller."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

__all__ = ["Format", "Row", "counted", "in_unit", "printable", "to_lines"]

Row = Mapping[str, object]

_LINE_END = "\r\n"  # the writer puts cells in quotes that hold any of its characters
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


class Format(StrEnum):
    """How results are written."""

    TABLE = "table"
    JSON = "json"  # one array
    JSONL = "jsonl"  # one object a line
    CSV = "csv"


def to_lines(rows: Iterable[Row], form: Format) -> Iterator[str]:
    """The lines of a listing for programs, as the rows come."""
    if form is Format.CSV:
        return _csv(rows)
    objects = (json.dumps(row, ensure_ascii=False) for row in rows)
    return objects if form is Format.JSONL else _array(objects)


def printable(text: object) -> str:
    """Text for a terminal: characters that could steer it are escaped."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), str(text))


def counted(number: int, noun: str) -> str:
    """A number and what it counts: `1 document`, `2,000 documents`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _array(objects: Iterable[str]) -> Iterator[str]:
    waiting = None
    yield "["
    for text in objects:
        if waiting is not None:
            yield waiting + ","
        waiting = text
    if waiting is not None:
        yield waiting
    yield "]"


def _csv(rows: Iterable[Row]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(buffer, list(row), lineterminator=_LINE_END)
            writer.writeheader()
            yield _taken(buffer)
        writer.writerow({name: _cell(value) for name, value in row.items()})
        yield _taken(buffer)


def _taken(buffer: io.StringIO) -> str:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text.removesuffix(_LINE_END)


def _cell(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list, tuple)) else value


def in_unit(number: float, units: Sequence[str], full: float = 1000.0) -> tuple[float, str]:
    """A number in the unit in which it is short, and that unit. units: each a thousand of the one before.

    full: from where on the next unit is taken.
    """
    unit = 0
    while number >= full and unit < len(units) - 1:
        number, unit = number / 1000, unit + 1
    return number, units[unit]
