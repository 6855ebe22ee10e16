"""From the figures of the benchmarks to plots: rates side by side, and the growth over the sizes."""

from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from benchmarks.suite_report import OURS, Row, read_rows

__all__ = ["draw"]

_OURS_COLOUR, _OTHERS = "#c2410c", "#64748b"
_COLOURS = ("#2563eb", "#0f766e", "#7c3aed", "#64748b", "#0891b2", "#a16207")


def draw(outdir: Path) -> Iterator[Path]:
    """A picture for each part that has figures, as .png beside them; the paths."""
    for name, make in (("fingerprint", _fingerprint), ("pairs", _pairs), ("lookup", _look_ups), ("end_to_end", _end)):
        figure = make(outdir)
        if figure is not None:
            path = outdir / f"{name}.png"
            figure.savefig(path, dpi=120)
            yield path


def _figure(columns: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, list(figure.subplots(1, columns, squeeze=False)[0])


def _fingerprint(outdir: Path) -> Figure | None:
    rows = read_rows(outdir, "fingerprint")
    kinds = list(dict.fromkeys((row["text"], row["features"]) for row in rows))
    if not kinds:
        return None
    figure, panels = _figure(len(kinds), 4.2 * len(kinds), 4)
    for axes, kind in zip(panels, kinds, strict=True):
        some = sorted((r for r in rows if (r["text"], r["features"]) == kind), key=lambda r: float(r["rate"]))
        colours = [_OURS_COLOUR if str(row["peer"]).startswith(OURS) else _OTHERS for row in some]
        labels = [str(row["peer"]).partition(" (")[0] for row in some]
        axes.barh(labels, [row["rate"] for row in some], color=colours)
        axes.set_title(", ".join(kind))
        axes.set_xlabel("texts of 3 kB a second")
    return figure


def _pairs(outdir: Path) -> Figure | None:
    rows = read_rows(outdir, "pairs")
    if not rows:
        return None
    figure, (times, memory) = _figure(2, 10, 4.6)
    _lines(times, rows, ("fingerprints", "busy", "peer"), "processor seconds", scale="log")
    _lines(memory, rows, ("fingerprints", "megabytes", "peer"), "MB at most")
    return figure


def _look_ups(outdir: Path) -> Figure | None:
    rows = read_rows(outdir, "lookup")
    distances = sorted({row["k"] for row in rows if row["index"] == "random"})
    if not distances:
        return None
    figure, panels = _figure(len(distances), 4.6 * len(distances), 5)
    for axes, k in zip(panels, distances, strict=True):
        some = [row for row in rows if row["k"] == k and row["index"] == "random"]
        _lines(axes, some, ("documents", "batched", "way"), "look-ups a second, batched", scale="log")
        axes.set_title(f"k = {k}")
    return figure


def _end(outdir: Path) -> Figure | None:
    index, search, gate = (read_rows(outdir, name) for name in ("index-", "search", "gate-"))
    if not index and not search and not gate:
        return None
    figure, (left, middle, right) = _figure(3, 14, 4.6)
    _lines(left, index, ("documents", "rate", "way"), "documents a second")
    left.set_title("index")
    ways = ("collapsed", "uncollapsed", "plain")
    times = [{"documents": r["documents"], "ms": r[f"{way}_p50_ms"], "way": way} for r in search for way in ways]
    _lines(middle, times, ("documents", "ms", "way"), "milliseconds, p50", ours="collapsed")
    middle.set_title("search")
    _lines(right, gate, ("stored", "rate", "how"), "documents a second, in batches", ours="writing")
    right.set_title("gate")
    return figure


def _lines(
    axes: Axes, rows: Sequence[Row], columns: tuple[str, str, str], label: str, *, ours: str = OURS, scale: str = ""
) -> None:
    """A line for each name: one figure over another. scale: of the figure; from 0 on, if nothing is said."""
    size, value, name = columns
    colours = iter(cycle(_COLOURS))
    for one in dict.fromkeys(row[name] for row in rows):
        points: list[tuple[Any, Any]] = [(row[size], row[value]) for row in rows if row[name] == one]
        colour, width = (_OURS_COLOUR, 2.5) if one == ours else (next(colours), 1.2)
        axes.plot(*zip(*points, strict=True), marker="o", label=one, color=colour, linewidth=width)
    axes.set_xscale("log")
    axes.set_xticks(sorted({row[size] for row in rows}), minor=False)
    axes.minorticks_off()
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    if scale:
        axes.set_yscale(scale)
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    else:
        axes.set_ylim(bottom=0)
    axes.set_xlabel(size)
    axes.set_ylabel(label)
    axes.grid(alpha=0.3)
    if rows:
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), frameon=False, fontsize="small")
