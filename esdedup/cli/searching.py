"""`search`: one hit a group."""

import html
import json as jsonlib
import re
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from esdedup.cli.connecting import opened
from esdedup.cli.options import Index, JsonObject, Limit, Profile, Url
from esdedup.cli.output import out, styled
from esdedup.engine.mapping import DEFAULT_INDEX
from esdedup.engine.search import Hit, Results, SearchOptions
from esdedup.engine.search import search as run_search
from esdedup.report import counted, printable

_EM = re.compile(r"</?em>")


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help='Words; "double quotes" keep a phrase together.')],
    limit: Limit = 10,
    start: Annotated[int, typer.Option("--from", min=0, help="Leave out the first hits.")] = 0,
    where: Annotated[
        list[str] | None,
        typer.Option("--where", metavar="FIELD=VALUE", help="Only documents with this value."),
    ] = None,
    expand: Annotated[bool, typer.Option("--expand", help="List the similar documents under a hit.")] = False,
    collapse: Annotated[
        bool, typer.Option("--collapse/--no-collapse", help="One hit a group, or every document.")
    ] = True,
    index: Index = DEFAULT_INDEX,
    json: JsonObject = False,
    url: Url = None,
    profile: Profile = None,
) -> None:
    """Search titles and texts, near-duplicates collapsed into one hit.

    Examples: esdedup search 'harbour storm'; esdedup search 面包店 --where lang=zh --expand
    """
    options = SearchOptions(limit, start, collapse, expand, tuple(where or ()))
    with opened(url, profile, index) as collection:
        results = run_search(collection, query, options)
    if json:
        out(jsonlib.dumps(_as_json(results, expand), ensure_ascii=False))
    elif sys.stdout.isatty():
        show_results(results, start)
    else:
        for hit in results.hits:
            out(jsonlib.dumps(_hit_as_json(hit, expand), ensure_ascii=False))


def _as_json(results: Results, expand: bool) -> dict[str, object]:
    hits = [_hit_as_json(hit, expand) for hit in results.hits]
    about = {"about": True} if results.about else {}
    return {
        "groups": results.groups,
        **about,
        "documents": results.documents,
        "took_ms": results.took_ms,
        "hits": hits,
    }


def _hit_as_json(hit: Hit, expand: bool) -> dict[str, object]:
    fields = asdict(hit)
    members = fields.pop("members")
    if expand:
        fields["members"] = [{k: v for k, v in m.items() if k not in ("members", "similar")} for m in members]
    return fields


def show_results(results: Results, start: int = 0) -> None:
    """Results for people."""
    about = "about " if results.about else ""
    groups, documents = counted(results.groups, "group"), counted(results.documents, "document")
    out(f"{about}{groups}, {documents}, {results.took_ms} ms")
    for number, hit in enumerate(results.hits, start + 1):
        _show_hit(f"{number:>3}. ", hit)
        if hit.similar:
            out(styled(f"     +{hit.similar} similar", fg="cyan"))
        for member in hit.members:
            out(styled(f"       {printable(member.title or member.id)}  [{printable(member.id)}]", dim=True))
        if len(hit.members) < hit.similar and hit.members:
            out(f"       ... 'esdedup group {printable(hit.group)}' lists them all")


def _show_hit(lead: str, hit: Hit) -> None:
    name = styled(printable(hit.title or hit.id), bold=True)
    out(f"{lead}{name}  [{printable(hit.id)}]  {hit.score:.2f}")
    out("     " + highlighted(hit.snippet))


def highlighted(snippet: str) -> str:
    """A snippet for a terminal: what was found in bold."""
    parts = [printable(html.unescape(part)) for part in _EM.split(snippet)]
    return "".join(styled(part, fg="yellow", bold=True) if i % 2 else part for i, part in enumerate(parts))
