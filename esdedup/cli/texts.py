"""The text that a command's argument stands for."""

import os
from itertools import islice
from pathlib import Path

from esdedup.document import Document
from esdedup.engine.lookup import get_document
from esdedup.engine.mapping import Collection
from esdedup.errors import InputError
from esdedup.readers import read
from esdedup.readers.source import Unreadable, open_source, open_standard_input
from esdedup.readers.text import read_all

__all__ = ["is_file", "read_lines", "text_of_file", "text_of_stored"]

_LONGEST = 200_000_000  # characters


def is_file(name: str) -> bool:
    """Whether it names a file; not when it is too long for that, as an address may be."""
    return os.path.isfile(name)  # noqa: PTH113  # Path.is_file raises for such a name


def text_of_file(path: Path) -> str:
    """The text of a file that holds one document. Raises InputError for none or several."""
    found = list(islice(read([path]), 2))
    if len(found) > 1:
        raise InputError(f"{path} holds more than one document: 'esdedup index' reads such files")
    if not found:
        raise InputError(f"{path} holds no document")
    if not isinstance(found[0], Document):
        raise InputError(f"cannot use {found[0].where}: {found[0].reason}")
    return found[0].text


def read_lines(path: Path) -> list[str]:
    """The lines of a file, also compressed and in any usual encoding, or of standard input for "-"."""
    try:
        if str(path) == "-":
            return read_all(open_standard_input(None), _LONGEST).splitlines()
        with open_source(path, str(path), None) as source:
            return read_all(source, _LONGEST).splitlines()
    except Unreadable as error:
        raise InputError(f"{path} {error.reason}") from error


def text_of_stored(collection: Collection, doc_id: str) -> str:
    """The text of a stored document."""
    return str(get_document(collection, doc_id).get("content", ""))
