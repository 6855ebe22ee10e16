"""Show which sentences of two texts differ: side by side on a terminal, as lines with - and + elsewhere."""

import os
import shutil
import sys
from collections.abc import Sequence

from esdedup.cli.output import out
from esdedup.confirming import Differs
from esdedup.explaining import Change, Explanation, Span
from esdedup.report import counted, printable

__all__ = ["explanation_as_json", "show_explanation"]

_WIDE = 80  # columns, from which on texts stand side by side


def show_explanation(found: Explanation, limit: int, names: tuple[str, str] = ("A", "B")) -> None:
    """Print the changes, at most `limit` of them, and what is the same."""
    for name, hidden in zip(names, (found.hidden_a, found.hidden_b), strict=True):
        if hidden:
            out(f"{printable(name)}: {counted(hidden, 'hidden character')} left out of the comparison")
    same = f"{counted(found.equal, 'equal sentence')}, similarity {found.similarity:.3f}"
    out(f"differs: {found.differs}; {same}" if found.differs is not Differs.NOTHING else f"the same text; {same}")
    shown = found.changes[:limit]
    if shown and sys.stdout.isatty() and shutil.get_terminal_size().columns >= _WIDE:
        _show_side_by_side(shown, names)
    else:
        for change in shown:
            _show_lines(change)
    if len(found.changes) > limit:
        out(f"and {len(found.changes) - limit} more: --limit shows them")


def explanation_as_json(found: Explanation, limit: int) -> dict[str, object]:
    """The same for programs; spans are [start, end] in the sentence."""
    return {
        "equal": found.equal,
        "changed": len(found.changes),
        "hidden": [found.hidden_a, found.hidden_b],
        "changes": [
            {"a": c.a, "b": c.b, "a_spans": list(map(list, c.a_spans)), "b_spans": list(map(list, c.b_spans))}
            for c in found.changes[:limit]
        ],
    }


def _show_lines(change: Change) -> None:
    for sign, text in (("-", change.a), ("+", change.b)):
        if text:
            out(f"{sign} {printable(text)}")


def _show_side_by_side(changes: Sequence[Change], names: tuple[str, str]) -> None:
    from rich import box  # noqa: PLC0415  # slow to load
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    def marked(text: str, spans: Sequence[Span], style: str) -> Text:
        """The text with the parts that differ in colour."""
        shown, at = Text(), 0
        for start, end in spans:
            shown.append(printable(text[at:start]))
            shown.append(printable(text[start:end]), style)
            at = end
        return shown.append(printable(text[at:]))

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, show_lines=True, expand=True)
    for name in names:
        table.add_column(printable(name), ratio=1, overflow="fold")
    for change in changes:
        both = bool(change.a and change.b)
        table.add_row(
            marked(change.a, change.a_spans if both else [(0, len(change.a))], "bold red"),
            marked(change.b, change.b_spans if both else [(0, len(change.b))], "bold green"),
        )
    Console(no_color=bool(os.environ.get("NO_COLOR"))).print(table)
