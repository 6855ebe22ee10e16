"""`gate`: JSON lines in, verdicts out, at once and in order."""

import json as jsonlib
import queue
import threading
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated

import typer

from esdedup.cli.connecting import connected
from esdedup.cli.options import Confirm, DistinctNumbers, Index, KeepOption, Profile, Url, chosen_confirmation
from esdedup.cli.output import flush, out
from esdedup.document import Document, Skipped
from esdedup.engine.mapping import DEFAULT_INDEX, IndexOptions, ensure_index
from esdedup.gate import Gate, Judgement
from esdedup.keeping import Keep
from esdedup.readers import ReadOptions, read
from esdedup.readers.jsonl import read_jsonl
from esdedup.readers.source import open_standard_input

_AHEAD = 2000  # records read while a batch is decided


def gate(
    paths: Annotated[list[str] | None, typer.Argument(metavar="[PATH...]", help="JSON lines; stdin if none.")] = None,
    check_only: Annotated[bool, typer.Option("--check-only", help="Decide, but index nothing.")] = False,
    index: Index = DEFAULT_INDEX,
    k: Annotated[
        int | None, typer.Option("--distance", "-k", help="Distance within which a document is a duplicate.")
    ] = None,
    confirm: Confirm = None,
    distinct_numbers: DistinctNumbers = None,
    keep: KeepOption = "first",
    batch_size: Annotated[
        int, typer.Option("--batch-size", min=1, max=10_000, help="Records decided together, if so many wait.")
    ] = 500,
    id_field: Annotated[str, typer.Option("--id-field")] = "id",
    text_field: Annotated[str, typer.Option("--text-field")] = "text",
    url: Url = None,
    profile: Profile = None,
) -> None:
    """For each document of a crawler: insert, update, or trash. Answers each line at once, in order.

    Inserts and updates are indexed unless --check-only. A program can hold the pipe open: write a line, read a line.

    Example: crawler | esdedup gate -i news
    """
    options = ReadOptions(id_field=id_field, text_field=text_field)
    making = IndexOptions(index, k=k, confirmation=chosen_confirmation(confirm, distinct_numbers))
    wanted = Keep.parse(keep)
    with (
        connected(url, profile) as client,
        Gate(ensure_index(client, making), check_only=check_only, keep=wanted) as door,
    ):
        for batch in _batches(_read_aside(paths or ["-"], options), batch_size):
            for judgement in door.decide_many(batch):
                out(jsonlib.dumps(_row(judgement), ensure_ascii=False))
            flush()


def _row(judgement: Judgement) -> dict[str, object]:
    row = asdict(judgement)
    if row["message"] is None:
        del row["message"]
    return row


_Waiting = queue.Queue[Document | Skipped | BaseException | None]


def _read_aside(paths: list[str], options: ReadOptions) -> _Waiting:
    """Records as they come, read by another thread; an exception that ends it, or None, is the last."""
    waiting: _Waiting = queue.Queue(_AHEAD)
    records = _records(paths, options)

    def fill() -> None:
        try:
            for record in records:
                waiting.put(record)
        except BaseException as error:  # it is raised where the records are taken
            waiting.put(error)
        else:
            waiting.put(None)

    threading.Thread(target=fill, daemon=True).start()
    return waiting


def _records(paths: list[str], options: ReadOptions) -> Iterator[Document | Skipped]:
    """Standard input is always JSON lines, whatever the first one looks like."""
    for path in paths:
        yield from read_jsonl(open_standard_input(None), options) if path == "-" else read([path], options)


def _batches(waiting: _Waiting, size: int) -> Iterator[list[Document | Skipped]]:
    """What has come so far, at least one record at a time."""
    while True:
        batch: list[Document | Skipped] = []
        item = waiting.get()
        while isinstance(item, Document | Skipped):
            batch.append(item)
            if len(batch) == size or waiting.empty():
                break
            item = waiting.get()
        if batch:
            yield batch
        if isinstance(item, BaseException):
            raise item
        if item is None:
            return
