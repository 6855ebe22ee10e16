"""`init` and `index`: make an index, put documents into it."""

import json as jsonlib
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from elasticsearch import Elasticsearch
from platformdirs import user_state_path

from esdedup.checkpoint import Checkpoint, describe_input
from esdedup.cli.connecting import connected
from esdedup.cli.fetching import (
    AllowPrivate,
    NoRobots,
    OnlyChanged,
    Sitemap,
    Urls,
    Wanted,
    not_nothing,
    read_wanted,
    web_options,
)
from esdedup.cli.options import (
    Confirm,
    Dictionary,
    DistinctNumbers,
    Index,
    JsonObject,
    KeepOption,
    Kind,
    Profile,
    Quiet,
    Size,
    Url,
    chosen_confirmation,
    feature_settings,
)
from esdedup.cli.output import note, out
from esdedup.cli.progress import counting
from esdedup.cli.rejects import Rejects
from esdedup.engine.decisions import Decision, IngestOptions, OnDuplicate
from esdedup.engine.lookup import count_groups
from esdedup.engine.mapping import (
    DEFAULT_INDEX,
    Collection,
    IndexOptions,
    create_index,
    ensure_index,
    index_exists,
    planned_collection,
)
from esdedup.keeping import Keep
from esdedup.pipeline import Summary
from esdedup.pipeline import index as run_index
from esdedup.readers import ReadOptions
from esdedup.readers.urls import is_url
from esdedup.readers.walk import expand
from esdedup.report import counted

_READ = "Reading"
_MADE = "New index"

K = Annotated[
    int | None,
    typer.Option("--distance", "-k", help="Documents within this Hamming distance join a group. [default: 3]"),
]
Shards = Annotated[int | None, typer.Option("--shards", min=1, help="[default: 1]", rich_help_panel=_MADE)]
Replicas = Annotated[
    int | None,
    typer.Option("--replicas", min=0, help="[default: 0 on one node, else 1]", rich_help_panel=_MADE),
]
Analyzer = Annotated[
    str | None, typer.Option("--analyzer", help="Analysis of title and content.", rich_help_panel=_MADE)
]


def init(
    index: Index = DEFAULT_INDEX,
    k: K = None,
    confirm: Confirm = None,
    distinct_numbers: DistinctNumbers = None,
    features: Kind = None,
    size: Size = 0,
    dictionary: Dictionary = None,
    shards: Shards = None,
    replicas: Replicas = None,
    analyzer: Analyzer = None,
    url: Url = None,
    profile: Profile = None,
) -> None:
    """Make an empty index and its alias. `index` does it as well, with the defaults.

    Example: esdedup init -i news --shards 3 -k 3
    """
    settings = feature_settings(features, size, dictionary)
    confirmation = chosen_confirmation(confirm, distinct_numbers)
    options = IndexOptions(index, shards, replicas, analyzer, k, settings, confirmation)
    with connected(url, profile) as client:
        made = create_index(client, options)
    out(f"made index {index!r}: {made.features.stamp}, k = {made.k}")


def index(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH...", help="Files, directories, globs, web addresses, - for stdin."),
    ] = None,
    index: Index = DEFAULT_INDEX,
    on_duplicate: Annotated[
        OnDuplicate, typer.Option("--on-duplicate", help="Keep duplicates, marked, or leave them out.")
    ] = OnDuplicate.MARK,
    keep: KeepOption = "first",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Decide and count, but write nothing.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run over the same input that was killed.")
    ] = False,
    reject: Annotated[
        Path | None,
        typer.Option("--reject", metavar="FILE", help="Keep what failed or was skipped, with reasons."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing --reject file.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit code 1 if anything was skipped.")] = False,
    ignore_errors: Annotated[
        bool, typer.Option("--ignore-errors", help="Exit code 0 even if documents failed.")
    ] = False,
    batch_size: Annotated[int, typer.Option("--batch-size", min=1, max=10_000)] = 1000,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="[default: cores - 1]")] = None,
    json: JsonObject = False,
    quiet: Quiet = False,
    id_field: Annotated[str, typer.Option("--id-field", rich_help_panel=_READ)] = "id",
    title_field: Annotated[str, typer.Option("--title-field", rich_help_panel=_READ)] = "title",
    text_field: Annotated[str, typer.Option("--text-field", rich_help_panel=_READ)] = "text",
    url_field: Annotated[str, typer.Option("--url-field", rich_help_panel=_READ)] = "url",
    date_field: Annotated[str, typer.Option("--date-field", rich_help_panel=_READ)] = "@timestamp",
    whole_pages: Annotated[
        bool, typer.Option("--whole-pages", help="All that is visible on HTML pages, menus too.", rich_help_panel=_READ)
    ] = False,
    urls: Urls = None,
    sitemap: Sitemap = None,
    only_changed: OnlyChanged = False,
    no_robots: NoRobots = False,
    allow_private: AllowPrivate = False,
    encoding: Annotated[str | None, typer.Option("--encoding", rich_help_panel=_READ)] = None,
    delimiter: Annotated[str | None, typer.Option("--delimiter", help="Of CSV.", rich_help_panel=_READ)] = None,
    k: K = None,
    confirm: Confirm = None,
    distinct_numbers: DistinctNumbers = None,
    features: Kind = None,
    size: Size = 0,
    dictionary: Dictionary = None,
    shards: Shards = None,
    replicas: Replicas = None,
    analyzer: Analyzer = None,
    url: Url = None,
    profile: Profile = None,
) -> None:
    """Fingerprint documents, find the group of each, and store them.

    With --confirm the texts of two documents within k must share as much before they join: then -k 7 or more is safe.

    Reads .txt .md .html .jsonl .json .csv .tsv .warc, each also .gz or .zst, and pages of the web. Running it again
    changes nothing.

    Example: esdedup index news.jsonl.gz --id-field url --text-field body
    """
    reading = ReadOptions(
        id_field=id_field,
        title_field=title_field,
        text_field=text_field,
        url_field=url_field,
        date_field=date_field,
        encoding=encoding,
        main_text=not whole_pages,
        web=web_options(only_changed and not dry_run, no_robots, allow_private, f"{url} {profile} {index}"),
        delimiter=delimiter,
    )
    settings = feature_settings(features, size, dictionary)
    confirmation = chosen_confirmation(confirm, distinct_numbers)
    making = IndexOptions(index, shards, replicas, analyzer, k, settings, confirmation)
    wanted = Wanted(paths or [], urls, sitemap or [])
    wanted_keep = Keep.parse(keep)
    summary = Summary()
    with ExitStack() as stack:
        rejects = stack.enter_context(Rejects(reject, overwrite, quiet))
        records = not_nothing(read_wanted(wanted, reading), wanted, rejects)
        client = stack.enter_context(connected(url, profile))
        collection = _collection(client, making, dry_run)
        taking = IngestOptions(on_duplicate, dry_run, wanted_keep)
        checkpoint = None if dry_run else _checkpoint(wanted, f"{reading} {making} {taking} {url} {profile}", resume)
        results = run_index(records, collection, taking, batch_size=batch_size, workers=workers, checkpoint=checkpoint)
        try:
            with counting("document", quiet) as advance:
                for result in results:
                    summary.add(result)
                    rejects.add(result)
                    advance(isinstance(result, Decision))
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                note("interrupted: run it again with --resume to go on")
            summary.close(None, dry_run=dry_run)  # the engine may be what failed: it is not asked
            _print(summary, json, dry_run)
            raise
        summary.close(count_groups(collection), dry_run=dry_run)
        _print(summary, json, dry_run)
    if summary.skipped and not summary.read:
        note("nothing was indexed: is the text in another field? --text-field names it")
    if (summary.failed and not ignore_errors) or (summary.skipped and strict):
        raise typer.Exit(1)


def _checkpoint(wanted: Wanted, how: str, resume: bool) -> Checkpoint:
    """Where the run keeps how far it is; a new run begins at the beginning."""
    paths = [path for path in wanted.paths if not is_url(path)]
    files = [*expand(paths), *([wanted.urls] if wanted.urls else [])]
    urls = [path for path in wanted.paths if is_url(path)]
    what = f"{describe_input([path or '-' for path in files])} {urls} {wanted.sitemaps} {how}"
    checkpoint = Checkpoint(user_state_path("esdedup"), what)
    if not resume:
        checkpoint.clear()
    elif (done := checkpoint.load()) is not None:
        note(f"going on after {done:,} records")
    else:
        note("nothing to resume: no run over this input was killed, or the input has changed; starting anew")
    return checkpoint


def _collection(client: Elasticsearch, making: IndexOptions, dry_run: bool) -> Collection:
    if dry_run and not index_exists(client, making.name):
        return planned_collection(client, making)
    return ensure_index(client, making)


def _print(summary: Summary, json: bool, dry_run: bool) -> None:
    if json:
        out(jsonlib.dumps(summary.as_dict()))
        return
    s = summary
    out(
        f"read {s.read}, skipped {s.skipped}: {s.indexed} indexed, {s.updated} updated, "
        f"{s.unchanged} unchanged, {s.left_out} left out, {s.failed} failed"
    )
    out(f"duplicates: {s.exact} exact, {s.near} near; {s.too_short} too short to compare, {s.empty} empty")
    groups = "" if s.groups is None else f"{counted(s.groups, 'group')} in the index, "
    out(f"{groups}{s.seconds:.1f} s" + (" (dry run: nothing was written)" if dry_run else ""))
