"""`regroup`, `prune`, `restore`: put groups right, and remove duplicates for good."""

import json as jsonlib
import os
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from esdedup.batching import batched
from esdedup.cli.connecting import opened
from esdedup.cli.options import (
    FormatOption,
    Index,
    Json,
    Jsonl,
    JsonObject,
    KeepOption,
    Profile,
    Quiet,
    Url,
    chosen_format,
)
from esdedup.cli.output import emit, flush, note, out
from esdedup.cli.progress import counting
from esdedup.engine.mapping import DEFAULT_INDEX, Collection
from esdedup.engine.prune import Doomed, PruneOptions, find_doomed
from esdedup.engine.regroup import Regrouped
from esdedup.engine.regroup import regroup as run_regroup
from esdedup.engine.removal import mark as mark_doomed
from esdedup.engine.removal import remove, sources_of, unmark
from esdedup.engine.removal import restore as restore_lines
from esdedup.errors import InputError
from esdedup.keeping import Keep
from esdedup.report import counted

_BATCH = 500
_SHOWN = 20
_COLUMNS = ("distance", "exact", "id", "kept", "title")


def regroup(
    watch: Annotated[
        float | None, typer.Option("--watch", metavar="SECONDS", min=1, help="Do it again and again, so long apart.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count what would change, write nothing.")] = False,
    index: Index = DEFAULT_INDEX,
    json: JsonObject = False,
    quiet: Quiet = False,
    url: Url = None,
    profile: Profile = None,
) -> None:
    """Make all groups anew, in place, as one writer would have made them.

    Heals what several writers at once have done. Writes only documents whose group changes; can be ended and started
    again at any time.

    Example: esdedup regroup -i news --watch 60
    """
    with opened(url, profile, index) as collection:
        while True:
            _print(_regrouped(collection, dry_run, quiet), json, dry_run)
            if watch is None:
                return
            flush()
            time.sleep(watch)


def prune(
    apply: Annotated[bool, typer.Option("--apply", help="Do it. Without it they are only listed.")] = False,
    backup: Annotated[
        Path | None, typer.Option("--backup", metavar="FILE", help="Where all that goes is kept; must not exist.")
    ] = None,
    mark: Annotated[bool, typer.Option("--mark", help="Hide them from search instead of deleting them.")] = False,
    show_again: Annotated[bool, typer.Option("--unmark", help="Show again all that was marked.")] = False,
    keep: KeepOption = "first",
    k: Annotated[int, typer.Option("--distance", "-k", min=0, max=64, help="Largest distance to what is kept.")] = 64,
    exact: Annotated[bool, typer.Option("--exact", help="Only documents that read as the one kept.")] = False,
    index: Index = DEFAULT_INDEX,
    form: FormatOption = None,
    json: Json = False,
    jsonl: Jsonl = False,
    url: Url = None,
    profile: Profile = None,
) -> None:
    """List the duplicates that could go, and with --apply delete or mark them: of each group, all but one.

    Nothing is deleted before it is written to the --backup file, from which `esdedup restore` brings it back.

    Examples: esdedup prune -i news --exact --apply --backup pruned.jsonl; esdedup prune --keep longest --mark --apply
    """
    asked = chosen_format(form, json, jsonl, False)
    options = PruneOptions(k, exact, Keep.parse(keep))
    if apply and not mark and backup is None:
        raise InputError("name a file that keeps what is deleted: --backup FILE; or hide it: --mark")
    with opened(url, profile, index) as collection:
        if show_again:
            out(f"{counted(unmark(collection), 'document')} shown again")
            return
        found = find_doomed(collection, options)
        if not apply:
            emit(map(_row, found), asked, _COLUMNS, f"no duplicates to prune in {index!r}")
        elif mark:
            hidden = sum(mark_doomed(collection, batch) for batch in batched(found, _BATCH))
            collection.client.indices.refresh(index=collection.name)
            out(f"hid {counted(hidden, 'document')} from search; 'esdedup prune --unmark -i {index}' shows them again")
        elif backup is not None:
            gone = _prune(collection, found, backup)
            out(f"deleted {counted(gone, 'document')}; 'esdedup restore {backup} -i {index}' brings them back")


def restore(
    backup: Annotated[Path, typer.Argument(metavar="FILE", help="What `prune` wrote.")],
    index: Index = DEFAULT_INDEX,
    url: Url = None,
    profile: Profile = None,
) -> None:
    """Bring back what `prune` has deleted. A document that is there again is left as it is.

    Example: esdedup restore pruned.jsonl -i news
    """
    with opened(url, profile, index) as collection:
        try:
            with backup.open(encoding="utf-8") as lines:
                restored, present, failed = restore_lines(collection, lines)
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot read {backup}: {error}") from error
    out(f"restored {counted(restored, 'document')}, {present} were there")
    note("the groups of what came in the meantime: 'esdedup regroup' puts them right")
    for outcome in failed[:_SHOWN]:
        note(f"{outcome.key}: {outcome.reason}")
    if failed:
        note(f"{counted(len(failed), 'document')} could not be restored: keep {backup}")
        raise typer.Exit(1)


def _regrouped(collection: Collection, dry_run: bool, quiet: bool) -> Regrouped:
    found = Regrouped(0, 0, 0, 0)
    seen = 0
    with counting("document", quiet) as advance:
        for found in run_regroup(collection, dry_run=dry_run):
            advance(max(0, found.documents - seen))
            seen = found.documents
    return found


def _print(found: Regrouped, json: bool, dry_run: bool) -> None:
    if json:
        out(jsonlib.dumps(asdict(found)))
        return
    changed = "would change" if dry_run else "changed"
    left = f"; {found.conflicts} still change, run it again" if found.conflicts else ""
    out(f"{counted(found.documents, 'document')} in {counted(found.groups, 'group')}: {found.changed} {changed}{left}")


def _row(doomed: Doomed) -> dict[str, object]:
    member = doomed.member
    return {
        "id": member.id,
        "kept": doomed.kept.id,
        "distance": doomed.distance,
        "exact": doomed.exact,
        "title": member.title,
    }


def _prune(collection: Collection, found: Iterator[Doomed], backup: Path) -> int:
    """Delete batch after batch, each once it is safely on disk."""
    gone = 0
    try:
        with backup.open("x", encoding="utf-8") as file:
            for batch in batched(found, _BATCH):
                kept = sources_of(collection, batch)
                file.writelines(line + "\n" for _, line in kept)
                file.flush()
                os.fsync(file.fileno())
                gone += remove(collection, [one for one, _ in kept])
    except FileExistsError:
        raise InputError(f"{backup} exists already: name another file") from None
    except OSError as error:
        raise InputError(f"cannot write {backup}: {error.strerror}; {gone} were deleted and are in it") from error
    collection.client.indices.refresh(index=collection.name)
    return gone
