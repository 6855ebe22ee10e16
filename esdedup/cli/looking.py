"""`dupes`, `groups`, `group`, `show`, `delete`: look at what is stored."""

import json as jsonlib
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from esdedup.cli.connecting import opened
from esdedup.cli.options import (
    Confirm,
    Csv,
    Distance,
    DistinctNumbers,
    FormatOption,
    Index,
    Json,
    Jsonl,
    Limit,
    Profile,
    Url,
    chosen_confirmation,
    chosen_format,
)
from esdedup.cli.output import default_format, emit, note, out
from esdedup.cli.texts import text_of_file
from esdedup.document import Status
from esdedup.engine.lookup import (
    Duplicate,
    delete_document,
    duplicates_of,
    duplicates_of_fingerprint,
    duplicates_of_text,
    get_document,
    group_members,
    largest_groups,
)
from esdedup.engine.mapping import DEFAULT_INDEX, Collection
from esdedup.errors import InputError
from esdedup.fingerprinter import Fingerprinter, from_hex
from esdedup.report import Format, counted, printable
from esdedup.settings import MAX_K

_DUPLICATE_COLUMNS = ("distance", "similarity", "differs", "id", "title", "group")
_MEMBER_COLUMNS = ("distance", "exact", "id", "title", "url")
_GROUP_COLUMNS = ("size", "leader", "title", "url")
_NOT_SHOWN = ("content", "esdedup", "b0", "b1", "b2", "b3", "lanes")

DocId = Annotated[str, typer.Argument(metavar="DOC_ID", help="The id that the document was given.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    for command in (dupes, groups, group, show, delete):
        app.command()(command)


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
    with opened(url, profile, index) as collection:
        asked_for = chosen_confirmation(confirm, distinct_numbers)
        confirmation = asked_for or collection.confirmation
        used = _distance(k, confirm, collection)
        if doc_id is not None:
            found = duplicates_of(collection, doc_id, used, confirmation)
        elif fingerprint is not None:
            if asked_for is not None:
                raise InputError("a fingerprint has no text to confirm with: give DOC_ID, --text or --file")
            found = duplicates_of_fingerprint(collection, _digits(fingerprint), used)
        else:
            found = duplicates_of_text(collection, _text(collection, text, file), used, confirmation)
        what = f"within k = {used}" + (" and confirmed" if confirmation else "")
        emit(map(_row, found), asked, _DUPLICATE_COLUMNS, f"no document of {index!r} {what}")
        if (asked or default_format()) is Format.TABLE and found:
            note(f"{len(found)} {what}")


def groups(
    limit: Limit = 10,
    smallest: Annotated[int, typer.Option("--min-size", min=1, help="Leave out smaller groups.")] = 2,
    index: Index = DEFAULT_INDEX,
    form: FormatOption = None,
    json: Json = False,
    jsonl: Jsonl = False,
    csv: Csv = False,
    url: Url = None,
    profile: Profile = None,
) -> None:
    """The largest groups of near-duplicates, with their leaders.

    Example: esdedup groups -n 20
    """
    asked = chosen_format(form, json, jsonl, csv)
    with opened(url, profile, index) as collection:
        found = largest_groups(collection, limit, smallest)
        emit(
            map(asdict, found),
            asked,
            _GROUP_COLUMNS,
            f"no group of {smallest} or more documents in {index!r}",
        )


def group(
    group_id: Annotated[str, typer.Argument(metavar="GROUP", help="As `groups` and `dupes` show it.")],
    index: Index = DEFAULT_INDEX,
    form: FormatOption = None,
    json: Json = False,
    jsonl: Jsonl = False,
    csv: Csv = False,
    url: Url = None,
    profile: Profile = None,
) -> None:
    """All members of one group, with their distances to its leader.

    Example: esdedup group en-storm
    """
    asked = chosen_format(form, json, jsonl, csv)
    with opened(url, profile, index) as collection:
        emit(_members(collection, group_id), asked, _MEMBER_COLUMNS, "")


def show(
    doc_id: DocId,
    index: Index = DEFAULT_INDEX,
    json: Annotated[bool, typer.Option("--json", help="The stored document as one JSON object.")] = False,
    url: Url = None,
    profile: Profile = None,
) -> None:
    """One stored document: its fields, fingerprint and group.

    Example: esdedup show en-storm
    """
    with opened(url, profile, index) as collection:
        source = get_document(collection, doc_id)
    if json or not sys.stdout.isatty():
        out(jsonlib.dumps(source, ensure_ascii=False))
        return
    for name, value in {**source, **source.get("esdedup", {})}.items():
        if name not in _NOT_SHOWN:
            text = value if isinstance(value, str) else jsonlib.dumps(value, ensure_ascii=False)
            out(f"{name:>12}  {printable(text)}")
    out("\n" + "\n".join(map(printable, source.get("content", "").splitlines())))


def delete(
    doc_id: DocId,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    index: Index = DEFAULT_INDEX,
    url: Url = None,
    profile: Profile = None,
) -> None:
    """Delete a document. If it led a group, the oldest member takes over and the rest are verified anew.

    Example: esdedup delete en-storm --yes
    """
    with opened(url, profile, index) as collection:
        get_document(collection, doc_id)
        if not yes and not _confirmed(f"Delete {doc_id!r} from {index!r}?"):
            raise InputError(f"{doc_id!r} was not deleted: add --yes")
        regrouped = delete_document(collection, doc_id)
    out(f"deleted {printable(doc_id)!r}; {counted(regrouped, 'document')} changed group")


def _confirmed(question: str) -> bool:
    return sys.stdin.isatty() and typer.confirm(question, err=True)


def _members(collection: Collection, group_id: str) -> Iterator[dict[str, object]]:
    return (asdict(member) for member in sorted(group_members(collection, group_id), key=_nearest_first))


def _nearest_first(member: Duplicate) -> tuple[int, str]:
    return member.distance, member.id


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
    status = Fingerprinter(collection.features).sketch(text or "").status
    if status is not Status.OK:
        note("the text is too short to compare: only equal texts are found" if text else "the text is empty")
    return text or ""
