"""`dupes`: what is near a document or a text."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from esdedup.cli.connecting import opened
from esdedup.cli.explaining import explanation_as_json, show_explanation
from esdedup.cli.options import (
    Confirm,
    Csv,
    Distance,
    DistinctNumbers,
    FormatOption,
    Index,
    Json,
    Jsonl,
    Profile,
    Url,
    chosen_confirmation,
    chosen_format,
)
from esdedup.cli.output import default_format, emit, note, out, show_rows
from esdedup.cli.texts import text_of_file, text_of_stored
from esdedup.comparing import compare
from esdedup.document import Status
from esdedup.engine.lookup import (
    Duplicate,
    duplicates_of,
    duplicates_of_fingerprint,
    duplicates_of_text,
    get_document,
)
from esdedup.engine.mapping import DEFAULT_INDEX, Collection
from esdedup.errors import InputError
from esdedup.explaining import explain as explain_texts
from esdedup.fingerprinter import Fingerprinter, from_hex
from esdedup.report import Format, printable
from esdedup.settings import MAX_K

_COLUMNS = ("distance", "similarity", "differs", "id", "title")
_EXPLAINED = 10  # sentences and features of each


def dupes(
    doc_id: Annotated[str | None, typer.Argument(metavar="[DOC_ID]", help="A stored document.")] = None,
    text: Annotated[str | None, typer.Option("--text", help="A text instead; - reads stdin.")] = None,
    file: Annotated[Path | None, typer.Option("--file", help="The text of a file instead.")] = None,
    fingerprint: Annotated[
        str | None, typer.Option("--fingerprint", metavar="HEX", help="16 hex digits instead.")
    ] = None,
    k: Distance = None,
    confirm: Confirm = None,
    distinct_numbers: DistinctNumbers = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the features and sentences that differ.")] = False,
    index: Index = DEFAULT_INDEX,
    form: FormatOption = None,
    json: Json = False,
    jsonl: Jsonl = False,
    csv: Csv = False,
    url: Url = None,
    profile: Profile = None,
) -> None:
    """All documents within distance k of one, nearest first.

    Nothing within k is missed, up to k = 11: every candidate is verified. With --confirm the texts decide among
    those within 11 (or -k).

    Examples: esdedup dupes en-storm; esdedup dupes --file page.html -k 7 --json; esdedup dupes en-storm --confirm 0.5
    """
    asked = chosen_format(form, json, jsonl, csv)
    if sum(given is not None for given in (doc_id, text, file, fingerprint)) != 1:
        raise InputError("name one thing to compare with: DOC_ID, --text, --file or --fingerprint")
    if fingerprint is not None and (confirm is not None or distinct_numbers is not None or explain):
        raise InputError("a fingerprint has no text to compare: give DOC_ID, --text or --file")
    with opened(url, profile, index) as collection:
        confirmation = chosen_confirmation(confirm, distinct_numbers, collection.confirmation)
        used = _distance(k, confirm, collection)
        own = None if doc_id is not None or fingerprint is not None else _text(collection, text, file)
        if doc_id is not None:
            found = duplicates_of(collection, doc_id, used, confirmation)
            _note_status(Status(get_document(collection, doc_id)["esdedup"]["status"]), "document")
        elif fingerprint is not None:
            found = duplicates_of_fingerprint(collection, _digits(fingerprint), used)
        else:
            found = duplicates_of_text(collection, own or "", used, confirmation)
        what = f"within k = {used}" + (" and confirmed" if confirmation and fingerprint is None else "")
        if explain and found:
            own = own if doc_id is None else text_of_stored(collection, doc_id)
            _explain(collection, own or "", found, asked)
        else:
            emit(map(_row, found), asked, _COLUMNS, f"no document of {index!r} {what}")
    if (asked or default_format()) is Format.TABLE and found:
        note(f"{len(found)} {what}")


def show_duplicates(found: Sequence[Duplicate]) -> None:
    """The table of duplicates."""
    show_rows([_row(duplicate) for duplicate in found], _COLUMNS)


def _distance(k: int | None, confirm: float | None, collection: Collection) -> int:
    """The k asked for; else the widest when the texts decide, or that of the index."""
    if k is not None:
        return k
    return collection.k if confirm is None else MAX_K


def _row(duplicate: Duplicate) -> dict[str, object]:
    row = asdict(duplicate)
    for name in ("similarity", "jaccard", "containment"):
        if row[name] is not None:
            row[name] = round(row[name], 3)
    return row


def _explain(collection: Collection, own: str, found: list[Duplicate], form: Format | None) -> None:
    """Each duplicate with the features and the sentences that make the difference."""
    fingerprinter = Fingerprinter(collection.features)
    if form not in (None, Format.TABLE):
        emit(_explained(collection, own, found, fingerprinter), form, (), "")
        return
    for duplicate in found:
        other = text_of_stored(collection, duplicate.id)
        out(f"{printable(duplicate.id)}: distance {duplicate.distance}")
        differing = compare(own, other, fingerprinter, _EXPLAINED).features
        rows = [{"feature": f.feature, "this": round(f.a, 2), "other": round(f.b, 2)} for f in differing]
        show_explanation(explain_texts(own, other), _EXPLAINED, ("this", "other"))
        if rows:
            show_rows(rows, ("feature", "this", "other"))
        out("")


def _explained(
    collection: Collection, own: str, found: list[Duplicate], fingerprinter: Fingerprinter
) -> Iterator[dict[str, object]]:
    for duplicate in found:
        other = text_of_stored(collection, duplicate.id)
        features = [asdict(f) for f in compare(own, other, fingerprinter, _EXPLAINED).features]
        sentences = explanation_as_json(explain_texts(own, other), _EXPLAINED)
        yield {**_row(duplicate), "features": features, "sentences": sentences}


def _digits(fingerprint: str) -> int:
    try:
        return from_hex(fingerprint)
    except ValueError as error:
        raise InputError(str(error)) from None


def _text(collection: Collection, text: str | None, file: Path | None) -> str:
    """The text to compare with."""
    if file is not None:
        text = text_of_file(file)
    elif text == "-":
        text = sys.stdin.read()
    _note_status(Fingerprinter(collection.features).sketch(text or "").status, "text")
    return text or ""


def _note_status(status: Status, what: str) -> None:
    if status is Status.TOO_SHORT:
        note(f"the {what} is too short to compare: only equal texts are found")
    elif status is Status.EMPTY:
        note(f"the {what} is empty: it has no duplicates")
