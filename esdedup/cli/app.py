"""The command line: commands are in the modules beside this one, by what they are for; `commands` lists them."""

from typing import Annotated

import typer

from esdedup import __version__
from esdedup.cli.commands import LazyGroup, add_commands

__all__ = ["app"]

_HELP = """Duplicate suppression for Elasticsearch, for Chinese and English.

- `esdedup demo`: see it work on a small corpus
- `esdedup index corpus/`: fingerprint, group and store documents
- `esdedup dupes DOC_ID`: all near-duplicates of a document
- `esdedup search 'harbour storm'`: one hit for each group of near-duplicates
"""

app = typer.Typer(
    cls=LazyGroup,
    help=_HELP,
    no_args_is_help=True,
    rich_markup_mode="markdown",  # not "rich", which would take [local] for a style
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"esdedup {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    pass


add_commands(app)
