"""`stats`: what an index holds, and what a look-up in it costs."""

import json as jsonlib
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated

import typer

from esdedup.cli.connecting import opened
from esdedup.cli.options import Index, JsonObject, Profile, Url
from esdedup.cli.output import out
from esdedup.engine.mapping import DEFAULT_INDEX
from esdedup.engine.stats import LookupCost, Stats, read_stats
from esdedup.report import in_unit

_UNITS = ("B", "kB", "MB", "GB", "TB")


def stats(
    hottest: Annotated[int, typer.Option("--limit", "-n", min=0, max=100, help="How many hot blocks to list.")] = 5,
    index: Index = DEFAULT_INDEX,
    json: JsonObject = False,
    url: Url = None,
    profile: Profile = None,
) -> None:
    """What an index holds and takes on disk, what a look-up costs, and the blocks that most documents share.

    Of a large index 10,000 fingerprints are drawn at random; it says so.

    Example: esdedup stats -i news
    """
    with opened(url, profile, index) as collection:
        found = read_stats(collection, hottest)
    if json:
        out(jsonlib.dumps(_row(found)))
        return
    for name, value in _lines(found):
        out(f"{name:<21}{value}".rstrip())


def _row(found: Stats) -> dict[str, object]:
    return {**asdict(found), "bytes_a_document": _bytes_each(found)}


def _bytes_each(found: Stats) -> float | None:
    return None if found.size is None else round(found.size / max(1, found.documents), 1)


def _lines(found: Stats) -> Iterator[tuple[str, str]]:
    statuses = ", ".join(f"{count:,} {name}" for name, count in found.statuses.items() if count)
    bare = f", {found.bare:,} without a fingerprint" if found.bare else ""
    yield "documents", f"{found.documents:,}" + (f" ({statuses}{bare})" if statuses + bare else "")
    yield "groups", f"{found.groups:,}"
    yield "duplicates", f"{found.duplicates:,}"
    size = "not for these credentials" if found.size is None else _readable(found.size)
    each = _bytes_each(found)
    yield "on disk", size if each is None else f"{size}, {each:,.0f} bytes a document"
    yield from _cost_lines(found.cost, found.k)
    drawn = f" (of {found.sample:,} documents drawn)" if found.sampled else ""
    for number, hot in enumerate(found.hot):
        title = "hottest blocks" if number == 0 else ""
        yield title, f"{hot.block} {hot.value}  {hot.documents:,} documents{drawn if number == 0 else ''}"


def _cost_lines(cost: LookupCost, k: int) -> Iterator[tuple[str, str]]:
    yield (
        "a look-up, k = " + str(k),
        f"{cost.blocks:,.1f} others near in a block, {cost.random:,.1f} if they were random",
    )
    yield "", f"{cost.lanes:,.1f} near in lanes as well: these are read"
    yield "", f"{cost.most:,} near in a block at most (of {cost.asked:,} documents looked up)"


def _readable(size: int) -> str:
    amount, unit = in_unit(size, _UNITS)
    return f"{size} {unit}" if amount == size else f"{amount:.1f} {unit}"
