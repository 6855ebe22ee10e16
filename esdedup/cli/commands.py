"""Commands are loaded when they are called: what one needs, and all others do not, costs the others no time."""

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

__all__ = ["LazyGroup", "add_commands", "load_command"]

# Module, function, and the line of the overview: the first paragraph of the function's help.
_COMMANDS = (
    ("demo", "demo", "Start a local Elasticsearch, index a small corpus, and show duplicates suppressed."),
    ("indexing", "init", "Make an empty index and its alias. `index` does it as well, with the defaults."),
    ("indexing", "index", "Fingerprint documents, find the group of each, and store them."),
    (
        "gating",
        "gate",
        "For each document of a crawler: insert, update, or trash. Answers each line at once, in order.",
    ),
    ("finding", "dupes", "All documents within distance k of one, nearest first."),
    ("looking", "groups", "The largest groups of near-duplicates, with their leaders."),
    ("looking", "group", "All members of one group, with their distances to its leader."),
    (
        "counting",
        "stats",
        "What an index holds and takes on disk, what a look-up costs, and the blocks that most documents share.",
    ),
    ("looking", "show", "One stored document: its fields, fingerprint and group."),
    (
        "looking",
        "delete",
        "Delete a document. If it led a group, the oldest member takes over and the rest are verified anew.",
    ),
    ("searching", "search", "Search titles and texts, near-duplicates collapsed into one hit."),
    ("healing", "regroup", "Make all groups anew, in place, as one writer would have made them."),
    (
        "healing",
        "prune",
        "List the duplicates that could go, and with --apply delete or mark them: of each group, all but one.",
    ),
    ("healing", "restore", "Bring back what `prune` has deleted. A document that is there again is left as it is."),
    ("fingerprinting", "fingerprint", "Print the fingerprints of documents. Needs no engine."),
    ("fingerprinting", "compare", "How far two documents are apart, and the features and sentences that differ."),
    ("evaluating", "eval_", "Precision, recall and F1 on labelled pairs, by distance, and when the texts confirm."),
    (
        "planning",
        "plan",
        "On paper: the shards, disk, memory and time that a collection will need, by ways to look up.",
    ),
)
_LOCAL_COMMANDS = (
    (
        "local",
        "up",
        "Start a local Elasticsearch; the first time it is downloaded (46 MB). Needs `pip install 'esdedup[local]'`.",
    ),
    ("local", "status", "Whether the local Elasticsearch runs, and where. Exit code 3 when it does not."),
    ("local", "down", "Stop the local Elasticsearch. Its data stays for the next `up`."),
    (
        "doctor",
        "doctor",
        "Show what is connected to and as whom, and check the engine and the index. Exit code 3 if a check fails.",
    ),
)


class LazyGroup(TyperGroup):
    """Knows of its commands the names and a line of help; the one that is called is loaded."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that the arguments begin with, its name, and the other arguments."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and load_command(str(name)), rest  # none where a completion has a wrong word before it


def add_commands(app: typer.Typer) -> None:
    """Make all commands known to an app whose class is LazyGroup."""
    for panel, commands in ((None, _COMMANDS), ("Local Elasticsearch", _LOCAL_COMMANDS)):
        for _, function, line in commands:
            app.command(_name(function), help=line, rich_help_panel=panel)(_not_loaded)


def load_command(name: str) -> Any:
    """The command of that name, with its options. Raises StopIteration for an unknown one."""
    module, function, _ = next(one for one in _COMMANDS + _LOCAL_COMMANDS if _name(one[1]) == name)
    alone = typer.Typer(add_completion=False, rich_markup_mode="markdown")
    alone.command(name)(getattr(import_module(f"esdedup.cli.{module}"), function))
    return typer.main.get_command(alone)


def _name(function: str) -> str:
    return function.rstrip("_")


def _not_loaded() -> None:
    pass
