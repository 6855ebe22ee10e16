"""Progress on stderr: a bar on a terminal, a line every ten seconds elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from esdedup.cli.output import note
from esdedup.report import counted

__all__ = ["counting", "measuring"]

_EVERY = 10.0  # seconds between lines where there is no terminal

#: Called with how much more has been done.
Advance = Callable[[int], None]
#: Called with (what is being done, done, total).
Measure = Callable[[str, int, int], None]


@contextmanager
def counting(what: str, quiet: bool) -> Iterator[Advance]:
    """Progress of unknown length: how many, and how many a second."""
    if quiet:
        yield lambda more: None
    elif sys.stderr.isatty():
        with _bar(BarColumn(pulse_style="cyan"), _Count(what), TimeElapsedColumn()) as progress:
            task = progress.add_task(what, total=None)
            yield lambda more: progress.advance(task, more)
    else:
        yield _Lines(what).advance


@contextmanager
def measuring(quiet: bool) -> Iterator[Measure]:
    """Progress of one thing after another, each towards a known total."""
    if quiet or not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    with _bar(TextColumn("{task.description}"), BarColumn(), TaskProgressColumn()) as progress:
        task = progress.add_task("", total=None)
        yield lambda what, done, total: progress.update(task, description=what, completed=done, total=total)


def _bar(*columns: ProgressColumn) -> Progress:
    return Progress(*columns, console=Console(stderr=True), transient=True)


class _Count(ProgressColumn):
    def __init__(self, what: str) -> None:
        super().__init__()
        self._what = what

    def render(self, task: Task) -> Text:
        return Text(f"{counted(int(task.completed), self._what)}, {task.completed / (task.elapsed or 1):,.0f}/s")


class _Lines:
    def __init__(self, what: str) -> None:
        self._what = what
        self._done = 0
        self._started = self._last = time.monotonic()

    def advance(self, more: int) -> None:
        self._done += more
        now = time.monotonic()
        if now - self._last >= _EVERY:
            self._last = now
            note(f"{counted(self._done, self._what)}, {self._done / (now - self._started):,.0f}/s")
