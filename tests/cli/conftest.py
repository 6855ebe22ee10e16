"""The command line in this process, as a user types it."""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from esdedup.__main__ import main


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str


Esdedup = Callable[..., Ran]


@pytest.fixture
def esdedup(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Esdedup:
    """Runs `esdedup ARGS...`, output not a terminal."""

    def run(*args: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["esdedup", *args])
        capsys.readouterr()
        try:
            main()
            code = 0
        except SystemExit as exit_:
            code = exit_.code if isinstance(exit_.code, int) else 0 if exit_.code is None else 1
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture
def indexed(esdedup: Esdedup, node_url: str, index_name: str, monkeypatch: pytest.MonkeyPatch) -> Esdedup:
    """The same, with ESDEDUP_URL set to the node and every command given a fresh index."""
    monkeypatch.setenv("ESDEDUP_URL", node_url)
    return lambda command, *args: esdedup(command, *args, "-i", index_name)
