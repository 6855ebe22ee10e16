"""`doctor`: what is connected to, and whether all is well."""

from collections.abc import Iterator
from dataclasses import asdict

import typer

from esdedup.cli.options import Csv, FormatOption, Index, Json, Jsonl, Profile, Url, chosen_format
from esdedup.cli.output import emit
from esdedup.engine.connect import connect
from esdedup.engine.doctor import Check, State, examine
from esdedup.engine.mapping import DEFAULT_INDEX
from esdedup.engine.target import resolve
from esdedup.engine.trouble import translating
from esdedup.errors import EsdedupError


def doctor(
    index: Index = DEFAULT_INDEX,
    form: FormatOption = None,
    json: Json = False,
    jsonl: Jsonl = False,
    csv: Csv = False,
    url: Url = None,
    profile: Profile = None,
) -> None:
    """Show what is connected to and as whom, and check the engine and the index. Exit code 3 if a check fails.

    Example: esdedup doctor -i news
    """
    checks = list(_checks(url, profile, index))
    emit(map(asdict, checks), chosen_format(form, json, jsonl, csv), ("name", "state", "found"), "")
    if any(check.state is State.FAIL for check in checks):
        raise typer.Exit(3)


def _checks(url: str | None, profile: str | None, index: str) -> Iterator[Check]:
    target = resolve(url=url, profile=profile)
    with connect(target) as client:
        try:
            with translating(target):
                yield from examine(client, target, index)
        except EsdedupError as error:
            yield Check("engine", State.FAIL, str(error))
