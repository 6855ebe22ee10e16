"""Shared by the tests of the readers."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from esdedup.document import Document, Skipped
from esdedup.readers import ReadOptions, read

CASES = Path(__file__).parents[3] / "shared" / "cases"


def read_all(*paths: str | Path, options: ReadOptions | None = None) -> list[Document | Skipped]:
    return list(read(paths, options or ReadOptions()))


def documents(results: Iterable[Document | Skipped]) -> list[Document]:
    """The results, when all of them are documents."""
    found = [result for result in results if isinstance(result, Document)]
    assert found == list(results)
    return found


def only(results: list[Document | Skipped]) -> Document:
    [document] = documents(results)
    return document


def only_skipped(results: list[Document | Skipped]) -> Skipped:
    [result] = results
    assert isinstance(result, Skipped)
    return result


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def case(name: str) -> Path:
    path = CASES / name
    if not path.exists():
        pytest.skip(f"the shared case {name} is not beside this checkout")
    return path
