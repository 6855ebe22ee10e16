"""Where everything the command line prints goes through: data to stdout, the rest to stderr."""

import logging
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import typer

from esdedup.report import Format, Row, printable, to_lines

__all__ = ["default_format", "emit", "fail", "flush", "note", "out", "prepare_streams", "show_rows", "styled"]

_BETWEEN = 3  # columns of a terminal between two of a table
_LEAST_TITLE = 20


def prepare_streams() -> None:
    """Escape what the terminal's encoding lacks, instead of failing on it; keep libraries' logs off."""
    logging.getLogger("elastic_transport").addHandler(logging.NullHandler())
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def out(text: str) -> None:
    """One line of data."""
    with _quiet_pipe():
        sys.stdout.write(text + "\n")


def styled(text: str, **style: Any) -> str:
    """Text with `typer.style`, where colours are wanted: on a terminal, and without NO_COLOR."""
    wanted = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return typer.style(text, **style) if wanted else text


def flush() -> None:
    """Hand over what `out` has kept back."""
    with _quiet_pipe():
        sys.stdout.flush()


def note(text: str) -> None:
    """One line for the user, beside the data."""
    sys.stderr.write(printable(text) + "\n")


def fail(message: object, exit_code: int) -> NoReturn:
    """Say what went wrong in one line, and end."""
    note(f"esdedup: {message}")
    sys.exit(exit_code)


@contextmanager
def _quiet_pipe() -> Iterator[None]:
    """End without a word when the reader of the pipe has gone, as after `| head -1`."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)


def default_format() -> Format:
    """A table on a terminal, JSON lines in a pipe."""
    return Format.TABLE if sys.stdout.isatty() else Format.JSONL


def emit(rows: Iterable[Row], form: Format | None, columns: Sequence[str], empty: str) -> None:
    """Print a listing. columns: those of the table; empty: what to say on stderr when there is nothing."""
    form = form or default_format()
    if form is Format.TABLE:
        listed = list(rows)
        if listed:
            show_rows(listed, columns)
        else:
            note(empty)
        return
    for line in to_lines(rows, form):
        out(line)


def show_rows(rows: Sequence[Row], columns: Sequence[str]) -> None:
    """A table for people. Titles are cut where the terminal ends, so that a row stays a line."""
    from rich import box  # noqa: PLC0415  # slow to load
    from rich.cells import cell_len  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    cells = {column: [printable(_cell(row[column])) for row in rows] for column in columns}
    needed = {column: max(map(cell_len, [column, *cells[column]])) + _BETWEEN for column in columns}
    console = Console()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        numbers = all(isinstance(row[column], (int, float)) for row in rows)
        room = console.width - sum(needed.values()) + needed[column] - _BETWEEN
        table.add_column(
            column,
            justify="right" if numbers else "left",
            overflow="ellipsis" if column == "title" else "fold",
            no_wrap=column == "title",
            max_width=max(_LEAST_TITLE, room) if column == "title" else None,
        )
    for row in zip(*cells.values(), strict=True):
        table.add_row(*map(Text, row))
    console.print(table)


def _cell(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
