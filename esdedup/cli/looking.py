"""`groups`, `group`, `show`, `delete`: look at what is stored."""

import json as jsonlib
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated

import typer

from esdedup.cli.connecting import opened
from esdedup.cli.options import (
    Csv,
    FormatOption,
    Index,
    Json,
    Jsonl,
    Limit,
    Profile,
    Url,
    chosen_format,
)
from esdedup.cli.output import emit, out
from esdedup.engine.lookup import (
    Duplicate,
    delete_document,
    get_document,
    group_members,
    largest_groups,
)
from esdedup.engine.mapping import DEFAULT_INDEX, Collection
from esdedup.errors import InputError
from esdedup.report import counted, printable

_MEMBER_COLUMNS = ("distance", "exact", "id", "title", "url")
_GROUP_COLUMNS = ("size", "leader", "title", "url")
_NOT_SHOWN = ("content", "esdedup", "b0", "b1", "b2", "b3", "lanes")

DocId = Annotated[str, typer.Argument(metavar="DOC_ID", help="The id that the document was given.")]


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
