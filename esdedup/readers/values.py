"""A stream as JSON values, however long the array that holds them."""

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

from esdedup.readers.jsonl import DECODER, explain
from esdedup.readers.source import Source, Unreadable
from esdedup.readers.text import choose_encoding

__all__ = ["Value", "Values"]

_MAX_VALUE = 64 << 20  # characters
_CHUNK = 1 << 16
_BETWEEN = re.compile(r"[\s,]*")


class Value(NamedTuple):
    """One value, the line where it begins, and how it was written."""

    value: object
    line: int
    raw: str


class Values(Iterator[Value]):
    """The elements of a top-level array, or the top-level values one after the other.

    Raises Unreadable at the first value that is broken: nobody can tell where the next one begins.
    """

    def __init__(self, source: Source) -> None:
        self._stream = source.stream
        encoding = source.encoding or choose_encoding(source.head)
        self._decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")
        self._text = ""
        self._at = 0
        self._line = 1
        self._in_array = False
        self._failure: Unreadable | None = None

    def __next__(self) -> Value:
        while True:
            self._skip_to_value()
            match self._text[self._at : self._at + 1]:
                case "[" if not self._in_array:
                    self._in_array = True
                case "]" if self._in_array:
                    self._in_array = False
                case "" if self._in_array:
                    raise Unreadable("the file ends inside the array", self._line)
                case "":
                    raise StopIteration
                case _:
                    return self._parse()
            self._at += 1

    def _skip_to_value(self) -> None:
        while True:
            start, self._at = self._at, _BETWEEN.match(self._text, self._at).end()  # type: ignore[union-attr]
            self._line += self._text.count("\n", start, self._at)
            if self._at < len(self._text) or not self._read_more():
                return

    def _parse(self) -> Value:
        while True:
            try:
                value, end = DECODER.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                reason = f"{explain(error, self._at)}; the rest of the file is not read"
                if not self._read_more():
                    raise Unreadable(reason, self._line) from error
            else:
                if end < len(self._text) or not self._read_more():  # a number may go on
                    break
        line, raw = self._line, self._text[self._at : end]
        self._line += raw.count("\n")
        self._at = end
        return Value(value, line, raw)

    def _read_more(self) -> bool:
        """Append as much again as there is after the current place, so that retries stay few."""
        rest = self._text[self._at :]
        if len(rest) > _MAX_VALUE:
            raise Unreadable(f"a value longer than {_MAX_VALUE >> 20} million characters", self._line)
        more = self._decode(self._gather(max(_CHUNK, len(rest))))
        self._text, self._at = rest + more, 0
        return bool(more)

    def _gather(self, size: int) -> bytes:
        data = bytearray()
        try:
            while not self._failure and len(data) < size and (part := self._stream.read1(_CHUNK)):
                data += part
        except Unreadable as error:
            self._failure = error
        if self._failure and not data:  # first what came before it
            raise Unreadable(self._failure.reason, self._line) from self._failure
        return bytes(data)

    def _decode(self, data: bytes) -> str:
        return self._decoder.decode(data, final=not data)
