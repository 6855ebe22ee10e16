"""A stream as lines of text, of bounded length."""

from collections.abc import Iterator

from esdedup.readers.source import Source, Unreadable, from_chunks
from esdedup.readers.text import choose_encoding, decode

__all__ = ["MAX_LINE", "LineTooLong", "Lines"]

MAX_LINE = 64 << 20  # bytes
_CHUNK = 1 << 16


class LineTooLong(Exception):
    """A line of more than `MAX_LINE` bytes. The iterator stands behind it and can go on."""


class Lines(Iterator[str]):
    """The lines with their ends; undecodable bytes are lone surrogates (a `Mender` replaces them).

    number: of the line last read, from 1.
    Raises LineTooLong, and Unreadable with the number of the line that could not be read.
    """

    def __init__(self, source: Source) -> None:
        self.number = 0
        self.encoding = source.encoding or choose_encoding(source.head)
        self._stream = source.stream
        if b"\r" in source.head and b"\n" not in source.head:  # as spreadsheets on a Mac once wrote
            chunks = iter(lambda: source.stream.read1(_CHUNK), b"")
            self._stream = from_chunks(chunk.replace(b"\r", b"\n") for chunk in chunks)

    def __next__(self) -> str:
        try:
            line = self._stream.readline(MAX_LINE)
            self.number += bool(line)
            if len(line) == MAX_LINE and not line.endswith(b"\n"):
                self._skip_line()
                raise LineTooLong(f"line longer than {MAX_LINE >> 20} MiB")
        except Unreadable as error:
            raise Unreadable(error.reason, self.number + 1) from error
        if not line:
            raise StopIteration
        return decode(line, self.encoding)

    def _skip_line(self) -> None:
        while (part := self._stream.readline(_CHUNK)) and not part.endswith(b"\n"):
            pass
