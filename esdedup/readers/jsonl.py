"""JSON lines: one object a line."""

import json
from collections.abc import Iterator

from esdedup.document import Document, Skipped
from esdedup.readers.lines import Lines, LineTooLong
from esdedup.readers.options import ReadOptions
from esdedup.readers.record import Place, to_document
from esdedup.readers.source import Source

__all__ = ["DECODER", "explain", "read_jsonl"]

#: Takes control characters inside strings, common and harmless; NaN, which no engine stores, is null.
DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None)


def read_jsonl(source: Source, options: ReadOptions) -> Iterator[Document | Skipped]:
    """A document or a skipped record for each line that is not blank."""
    lines = Lines(source)
    number = 0
    while True:
        try:
            line = next(lines, None)
        except LineTooLong as error:
            number += 1
            yield Place(source.name, lines.number, number).skipped(str(error))
            continue
        if line is None:
            return
        if line := line.strip():
            number += 1
            yield _read_line(line, Place(source.name, lines.number, number), options)


def explain(error: ValueError | RecursionError, start: int = 0) -> str:
    """Why the text from `start` on is not JSON, as a clause."""
    match error:
        case json.JSONDecodeError():
            problem = error.msg[:1].lower() + error.msg[1:].removesuffix(" starting at")
            return f"broken JSON at character {error.pos - start + 1}: {problem}"
        case RecursionError():
            return "nested too deeply"
    return "a number in it is too long"


def _read_line(line: str, place: Place, options: ReadOptions) -> Document | Skipped:
    if not line.strip("\0"):
        return place.skipped("nothing but NUL characters", line)
    try:
        record = DECODER.decode(line)
    except (ValueError, RecursionError) as error:
        return place.skipped(explain(error), line)
    return to_document(record, place, line, options)
