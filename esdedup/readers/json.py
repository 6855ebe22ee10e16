"""JSON files: an array of objects, one object, objects one after the other, or in truth JSON lines."""

from collections.abc import Iterator

from esdedup.document import Document, Skipped
from esdedup.readers.jsonl import DECODER, read_jsonl
from esdedup.readers.options import ReadOptions
from esdedup.readers.record import Place, to_document
from esdedup.readers.source import Source
from esdedup.readers.values import Values

__all__ = ["read_json"]


def read_json(source: Source, options: ReadOptions) -> Iterator[Document | Skipped]:
    """A document or a skipped record for each object; arrays are not loaded as a whole."""
    if _is_jsonl(source.head):
        yield from read_jsonl(source, options)  # one broken line does not hide the others
        return
    for number, (value, line, raw) in enumerate(Values(source), start=1):
        yield to_document(value, Place(source.name, line, number), raw, options)


def _is_jsonl(head: bytes) -> bool:
    first, newline, _ = head.lstrip().partition(b"\n")
    try:
        return bool(newline) and isinstance(DECODER.decode(first.decode("utf-8", "replace")), dict)
    except (ValueError, RecursionError):
        return False
