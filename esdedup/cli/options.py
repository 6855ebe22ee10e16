"""Options that several commands share: the same letter means the same everywhere."""

from pathlib import Path
from typing import Annotated

import typer

from esdedup.confirming import Confirmation
from esdedup.errors import InputError
from esdedup.report import Format
from esdedup.settings import FeatureKind, FeatureSettings

__all__ = [
    "Confirm",
    "Csv",
    "Dictionary",
    "Distance",
    "DistinctNumbers",
    "FormatOption",
    "Index",
    "Json",
    "JsonObject",
    "Jsonl",
    "KeepOption",
    "Kind",
    "Limit",
    "Profile",
    "Quiet",
    "Size",
    "Url",
    "chosen_confirmation",
    "chosen_format",
    "feature_settings",
]


def _complete_index(incomplete: str) -> list[str]:
    from esdedup.cli.connecting import index_names  # noqa: PLC0415

    return [name for name in index_names() if name.startswith(incomplete)]


Url = Annotated[
    str | None,
    typer.Option("--url", help="Address of Elasticsearch.", metavar="URL", rich_help_panel="Connection"),
]
Profile = Annotated[
    str | None,
    typer.Option("--profile", help="Profile of the config file.", metavar="NAME", rich_help_panel="Connection"),
]
Index = Annotated[
    str,
    typer.Option("--index", "-i", help="Index (its alias).", metavar="NAME", autocompletion=_complete_index),
]
Distance = Annotated[
    int | None,
    typer.Option("--distance", "-k", help="Largest Hamming distance, 0 to 11. [default: that of the index]"),
]
Confirm = Annotated[
    float | None,
    typer.Option(
        "--confirm",
        metavar="SIMILARITY",
        min=0,
        max=1,
        help="The texts must share as much, such as 0.5.",
        rich_help_panel="Confirmation",
    ),
]
DistinctNumbers = Annotated[
    bool | None,
    typer.Option(
        "--distinct-numbers/--same-numbers",
        help="Keep texts apart that differ in numbers only. [default: if they have many, and most differ]",
        rich_help_panel="Confirmation",
    ),
]
KeepOption = Annotated[
    str,
    typer.Option("--keep", metavar="POLICY", help="Who leads a group: first, longest, newest, 'prefer FIELD=VALUE'."),
]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, help="How many to show.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON array.", rich_help_panel="Output")]
JsonObject = Annotated[bool, typer.Option("--json", help="One JSON object.", rich_help_panel="Output")]
Jsonl = Annotated[bool, typer.Option("--jsonl", help="One JSON object a line.", rich_help_panel="Output")]
Csv = Annotated[bool, typer.Option("--csv", help="CSV with a header.", rich_help_panel="Output")]
FormatOption = Annotated[
    Format | None,
    typer.Option("--format", "-f", help="[default: table on a terminal, jsonl in a pipe]", rich_help_panel="Output"),
]
Kind = Annotated[
    FeatureKind | None,
    typer.Option("--features", help="What is counted. [default: mixed]", rich_help_panel="Fingerprint"),
]
Size = Annotated[
    int,
    typer.Option(
        "--size",
        min=0,
        help="Words or characters in one feature. [default: 1, shingles 3, chars 4]",
        rich_help_panel="Fingerprint",
    ),
]
Dictionary = Annotated[
    Path | None,
    typer.Option(
        "--dictionary",
        help="User dictionary in jieba's format.",
        metavar="FILE",
        rich_help_panel="Fingerprint",
    ),
]


def chosen_format(form: Format | None, json: bool, jsonl: bool, csv: bool) -> Format | None:
    """The format asked for, None when none was. Raises InputError for two at once."""
    flags = {Format.JSON: json, Format.JSONL: jsonl, Format.CSV: csv}
    asked = {name for name, given in flags.items() if given} | ({form} if form else set())
    if len(asked) > 1:
        raise InputError(f"choose one format, not {' and '.join(sorted(asked))}")
    return next(iter(asked), None)


def chosen_confirmation(
    threshold: float | None, distinct_numbers: bool | None, default: Confirmation | None = None
) -> Confirmation | None:
    """The confirmation that the options ask for, on top of the default."""
    if threshold is None and distinct_numbers is None:
        return default
    if threshold is None:
        threshold = default.threshold if default else 0.0
    return Confirmation(threshold, distinct_numbers)


def feature_settings(kind: FeatureKind | None, size: int, dictionary: Path | None) -> FeatureSettings | None:
    """The settings that the options ask for, None when they ask for none."""
    if kind is None and not size and dictionary is None:
        return None
    return FeatureSettings(kind=kind or FeatureKind.MIXED, size=size, dictionary=dictionary)
