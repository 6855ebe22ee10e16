"""`plan`: what a collection of any size will cost, on paper."""

import json as jsonlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from esdedup.cli.connecting import opened
from esdedup.cli.options import JsonObject, Profile, Url
from esdedup.cli.output import out, show_rows
from esdedup.engine.sampling import draw_fingerprints, mean_text
from esdedup.errors import InputError
from esdedup.measured import MEASURED
from esdedup.pairs import MOST_AT_ONCE
from esdedup.planning import Apart, Plan, Workload, apart, cheapest, in_use, regrouping, skew_of
from esdedup.planning import plan as plans_for
from esdedup.report import counted, in_unit
from esdedup.settings import DEFAULT_K, MAX_K

_STORED = ("plan", "keys", "disk", "shards", "cache")
_ASKED = ("plan", "terms", "postings", "candidates", "queries/s", "core-hours")
_MANY = 10**9  # documents; from here on fingerprints are better kept apart
_BYTES = (" B", " kB", " MB", " GB", " TB", " PB")
_COUNTS = ("", "k", "M", "G")


def plan(
    docs: Annotated[
        float | None, typer.Option("--docs", min=1, max=1e15, help="How many documents, such as 2e9.")
    ] = None,
    k: Annotated[int, typer.Option("--distance", "-k", min=0, max=MAX_K, help="Largest Hamming distance.")] = DEFAULT_K,
    text: Annotated[
        float | None,
        typer.Option("--bytes", min=0, max=1e9, help=f"Of text a document. [default: {MEASURED.text_bytes}]"),
    ] = None,
    skew: Annotated[
        float | None,
        typer.Option("--skew", min=1, max=65536, help="Candidates by blocks against uniform fingerprints'."),
    ] = None,
    sample: Annotated[
        str | None, typer.Option("--from-index", metavar="NAME", help="Take documents, bytes and skew from this index.")
    ] = None,
    shard_size: Annotated[float, typer.Option("--shard-size", min=1, max=1e6, help="Most GB in a shard.")] = 50,
    json: JsonObject = False,
    url: Url = None,
    profile: Profile = None,
) -> None:
    """On paper: the shards, disk, memory and time that a collection will need, by ways to look up.

    Times are of one core of the machine where the constants were measured (docs/scale.md). Replicas come on top.
    Needs no engine, unless --from-index is given.

    Example: esdedup plan --docs 2e9 -k 3
    """
    given = {"documents": docs and int(docs), "text": text and int(text), "skew": skew}
    found = _drawn(sample, url, profile) if sample is not None else {}
    known = {**found, **{name: value for name, value in given.items() if value is not None}}
    if "documents" not in known:
        raise InputError("say how many documents: --docs 2e9, or --from-index NAME")
    workload = Workload(**known, k=k, shard=int(shard_size * 1e9))
    if json:
        out(jsonlib.dumps(_as_json(workload)))
    else:
        _show(workload)


def _drawn(name: str, url: str | None, profile: str | None) -> dict[str, Any]:
    with opened(url, profile, name) as collection:
        documents, fingerprints = draw_fingerprints(collection)
        if not documents:
            raise InputError(f"index {name!r} holds no document to plan by: give --docs")
        return {"documents": documents, "text": mean_text(collection), "skew": skew_of(fingerprints)}


def _as_json(workload: Workload) -> dict[str, object]:
    plans = plans_for(workload)
    separate = apart(workload)
    return {
        **asdict(workload),
        "plans": [{"plan": one.scheme.name, **asdict(one)} for one in plans],
        "in_use": in_use(plans).scheme.name,
        "cheapest": cheapest(plans).scheme.name,
        "regroup": asdict(regrouping(workload)),
        "apart": {"plan": separate.scheme.name, **asdict(separate)},
    }


def _show(workload: Workload) -> None:
    plans = plans_for(workload)
    skewed = f"skew {workload.skew:g}" if workload.skew > 1 else "uniform fingerprints"
    out(f"{counted(workload.documents, 'document')} with {workload.text:,} bytes of text, k = {workload.k}, {skewed}\n")
    rows = [_row(one) for one in plans]
    show_rows(rows, _STORED)
    out("")
    show_rows(rows, _ASKED)
    groups = regrouping(workload)
    out(
        f"\nheap: {_bytes(max(one.heap for one in plans))}; regroup: {_figures(groups.hours)} core-hours, "
        f"{_bytes(groups.memory)} of memory"
    )
    for line in _advice(workload, plans):
        out(line)


def _row(one: Plan) -> Mapping[str, object]:
    return {
        "plan": one.scheme.name,
        "keys": one.scheme.keys,
        "disk": _bytes(one.disk),
        "shards": one.shards,
        "cache": _bytes(one.cache),
        "terms": one.terms,
        "postings": _scaled(one.postings, _COUNTS),
        "candidates": _scaled(one.candidates, _COUNTS),
        "queries/s": _figures(1e3 / one.look_up),
        "core-hours": _figures(one.index),
    }


def _advice(workload: Workload, plans: Sequence[Plan]) -> list[str]:
    best, now = cheapest(plans), in_use(plans)
    lines = [f"recommended: {best.scheme.name}"]
    if best is now:
        lines[0] += ", which esdedup stores and asks for"
    else:
        lines[0] += (
            f"; esdedup stores {now.scheme.name}, whose look-ups take {now.look_up / best.look_up:,.1f} times as long"
        )
    if workload.documents >= _MANY:
        separate = apart(workload)
        if separate.look_up < min(one.look_up for one in plans):
            lines.append(_told_apart(separate))
    if workload.documents >= MOST_AT_ONCE:
        lines.append(f"beyond {MOST_AT_ONCE:,} documents regroup cannot hold all fingerprints at once")
    return lines


def _told_apart(separate: Apart) -> str:
    return (
        f"beyond {_MANY:,} documents: fingerprints in an index of their own, a row for each key "
        f"({separate.scheme.name}) in the shard of its value: {_bytes(separate.disk)}, {separate.shards} shards of "
        f"which a look-up asks {separate.asked}, {_figures(1e3 / separate.look_up)} queries/s"
    )


def _bytes(number: float) -> str:
    return _scaled(number, _BYTES)


def _scaled(number: float, units: Sequence[str]) -> str:
    """A number in the unit in which it is short."""
    amount, unit = in_unit(number, units, 999.5)  # which is shown as 1,000
    return _figures(amount) + unit


def _figures(number: float) -> str:
    """With two figures at least, and none after the point of a large number."""
    if number >= 99.5:
        return f"{number:,.0f}"
    return f"{number:.2g}" if number >= 0.001 or not number else f"{number:.0e}"
