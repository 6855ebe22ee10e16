"""The command line, for the demo."""

from tests.cli.conftest import esdedup

__all__ = ["esdedup"]
