"""CSV and TSV files: a line of column names, then a record a row."""

import csv
from collections.abc import Iterator
from dataclasses import replace

from esdedup.document import Document, Skipped
from esdedup.errors import InputError
from esdedup.readers.lines import Lines, LineTooLong
from esdedup.readers.mend import Mender
from esdedup.readers.options import ReadOptions
from esdedup.readers.record import Place, to_document
from esdedup.readers.source import Source, Unreadable
from esdedup.readers.text import decode

__all__ = ["read_csv"]

_MAX_CELL = 32 << 20  # characters; a quote that is never closed runs into it
_DELIMITERS = ",;\t|"
_HEADER = 1 << 16  # bytes in which the first line is looked for


def read_csv(source: Source, options: ReadOptions) -> Iterator[Document | Skipped]:
    """A document or a skipped record for each row that is not blank.

    Raises InputError when no column holds the text.
    """
    # The limit is one for the whole process; it is raised, never lowered.
    csv.field_size_limit(max(_MAX_CELL, csv.field_size_limit()))
    lines = _RowLines(source)
    rows = csv.reader(lines, delimiter=options.cell_delimiter or _recognise_delimiter(source, lines, options))
    columns = _read_columns(rows, lines, options)
    number = 0
    while columns:
        lines.begin_row()
        try:
            cells = next(rows, None)
        except (csv.Error, LineTooLong) as error:
            number += 1
            yield Place(source.name, lines.start, number).skipped(f"{error}: is a quote never closed?")
            continue
        if cells is None:
            return
        if any(map(str.strip, cells)):
            number += 1
            yield _read_row(cells, columns, lines, Place(source.name, lines.start, number), options)


class _RowLines(Iterator[str]):
    """The lines of a file; those of the current row are kept.

    start: number of the row's first line.
    ended: whether the end of the file was met; a row that then still comes was inside quotes.
    """

    def __init__(self, source: Source) -> None:
        self.name = source.name
        self._lines = Lines(source)
        self.encoding = self._lines.encoding
        self.ended = False
        self.begin_row()

    def begin_row(self) -> None:
        self.start = self._lines.number + 1
        self._kept: list[str] = []

    @property
    def raw(self) -> str:
        return "".join(self._kept).rstrip("\r\n")

    def __next__(self) -> str:
        line = next(self._lines, None)
        if line is None:
            self.ended = True
            raise StopIteration
        self._kept.append(line)
        return line


def _read_columns(rows: Iterator[list[str]], lines: _RowLines, options: ReadOptions) -> list[str]:
    """The names in the first row that is not blank; none in an empty file."""
    try:
        cells = next((cells for cells in rows if any(map(str.strip, cells))), [])
    except (csv.Error, LineTooLong) as error:
        raise Unreadable(f"no column names: {error}", lines.start) from error
    columns: list[str] = []
    for number, cell in enumerate(cells, start=1):
        name = Mender().text(cell).strip()
        columns.append(name if name and name not in columns else f"{name or 'column'}_{number}")
    if columns and options.text_field not in columns and options.html_field not in columns:
        raise InputError(f"{lines.name}: no column {options.text_field!r} for the text; columns: {', '.join(columns)}")
    return columns


def _read_row(
    cells: list[str], columns: list[str], lines: _RowLines, place: Place, options: ReadOptions
) -> Document | Skipped:
    while len(cells) > len(columns) and not cells[-1].strip():
        cells.pop()
    if lines.ended:
        return place.skipped("a quote is opened and never closed", lines.raw)
    if len(cells) > len(columns):
        reason = f"{len(cells)} cells for {len(columns)} columns: is a delimiter not quoted?"
        return place.skipped(reason, lines.raw)
    document = to_document(dict(zip(columns, cells, strict=False)), place, lines.raw, options)
    missing = len(columns) - len(cells)
    if missing and isinstance(document, Document):
        return replace(document, notes=(*document.notes, f"{missing} cells missing at the end of the row"))
    return document


def _recognise_delimiter(source: Source, lines: _RowLines, options: ReadOptions) -> str:
    """The delimiter that shows the column of the text, else the one that shows most columns."""
    first = source.head[:_HEADER].lstrip().splitlines()[:1]
    header = decode(b"".join(first), lines.encoding, whole=False)

    def fitness(delimiter: str) -> tuple[bool, int]:
        columns = [name.strip() for name in next(csv.reader([header], delimiter=delimiter), [])]
        return options.text_field in columns or options.html_field in columns, len(columns)

    return max(_DELIMITERS, key=fitness)
