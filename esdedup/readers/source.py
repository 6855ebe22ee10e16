"""Files and standard input as bytes: decompressed, without byte order mark, in a code based on ASCII."""

import codecs
import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import cast

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

from esdedup.errors import InputError

__all__ = [
    "Source",
    "Unreadable",
    "from_chunks",
    "is_ascii_based",
    "open_source",
    "open_standard_input",
    "suffix_of",
]

HEAD = 1 << 20  # bytes looked at before reading
_CHUNK = 1 << 16
_BOMS = (  # the longer first: UTF-32 begins as UTF-16 does
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    ("\ufeff".encode("gb18030"), "gb18030"),
)


class Unreadable(Exception):
    """A file that cannot be read (further). `line` is where, when the reader counts lines."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(frozen=True, slots=True)
class Source:
    """What a reader reads.

    name: for messages and ids.
    stream: the bytes from the beginning, without byte order mark; ASCII bytes mean ASCII characters.
    head: the first of these bytes, at most 1 MiB of a file and whatever is at hand of standard input.
    encoding: of the stream, when the byte order mark or the user told it.
    """

    name: str
    stream: io.BufferedReader
    head: bytes
    encoding: str | None


def suffix_of(path: PurePath) -> str:
    """What the file's name says about its format, such as `.csv` for a.CSV.gz; empty when nothing."""
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    if suffixes and suffixes[-1] in (".gz", ".zst"):
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


@contextmanager
def open_source(path: Path, name: str, encoding: str | None) -> Iterator[Source]:
    """The regular file `path` as a source. Raises `Unreadable`, also later, from the stream."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise Unreadable(f"cannot be read ({_why(error)})") from error
    with file, _decompressed(file, path.suffix.lower()) as plain:
        yield _source(name, _chunks(plain), encoding, HEAD)


def open_standard_input(encoding: str | None) -> Source:
    """Standard input as the source "-"; it waits for one byte that is not blank, no longer."""
    if sys.stdin is None:
        raise InputError("there is no standard input to read: name a file instead of '-'")
    return _source("-", _chunks(cast(io.BufferedIOBase, sys.stdin.buffer)), encoding, 1)


def from_chunks(chunks: Iterator[bytes]) -> io.BufferedReader:
    """A stream of the chunks; what they raise, its methods raise."""
    return io.BufferedReader(_ChunkReader(chunks), _CHUNK)


def is_ascii_based(encoding: str) -> bool:
    """Whether ASCII bytes always mean ASCII characters, so that bytes can be split into lines."""
    ascii_bytes = bytes(range(128))
    return ascii_bytes.decode(encoding, "replace") == ascii_bytes.decode("ascii")


class _ChunkReader(io.RawIOBase):
    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def _decompressed(file: io.BufferedReader, suffix: str) -> io.BufferedIOBase:
    match suffix:
        case ".gz":
            return gzip.GzipFile(fileobj=file)
        case ".zst":
            return zstd.ZstdFile(file)
    return file


def _chunks(stream: io.BufferedIOBase) -> Iterator[bytes]:
    try:
        while chunk := stream.read1(_CHUNK):
            yield chunk
    except EOFError as error:
        raise Unreadable("compressed file is cut short: what follows is lost") from error
    except (zlib.error, zstd.ZstdError, gzip.BadGzipFile) as error:
        raise Unreadable("damaged, or not compressed as its name says: what follows is lost") from error
    except OSError as error:
        raise Unreadable(f"cannot be read ({_why(error)})") from error


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _source(name: str, chunks: Iterator[bytes], encoding: str | None, enough: int) -> Source:
    head, chunks = _take(chunks, enough)
    mark, found = next(((mark, code) for mark, code in _BOMS if head.startswith(mark)), (b"", None))
    encoding = found or _wide_ascii(head) or encoding
    if mark:
        chunks = _without(mark, chunks)
    if encoding and not is_ascii_based(encoding):
        chunks, encoding = _recoded(chunks, encoding), "utf-8"
    head, chunks = _take(chunks, enough)
    return Source(name, from_chunks(chunks), head, encoding)


def _take(chunks: Iterator[bytes], enough: int) -> tuple[bytes, Iterator[bytes]]:
    """The first bytes, up to `enough` and one that is not blank; and all chunks again."""
    head = bytearray()
    try:
        while len(head) < (enough if head.strip() else HEAD) and (chunk := next(chunks, None)) is not None:
            head += chunk
    except Unreadable as error:
        chunks = _failing(error)  # what was read before is still good
    taken = bytes(head)
    return taken, _chain(taken, chunks)


def _chain(head: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield from chunks


def _failing(error: Unreadable) -> Iterator[bytes]:
    yield from ()
    raise error


def _without(mark: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
    yield next(chunks)[len(mark) :]
    yield from chunks


def _wide_ascii(head: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of Latin text is zero."""
    if len(head) % 2 and len(head) < HEAD:
        return None
    even, odd = head[::2].count(0), head[1::2].count(0)
    if odd * 4 > len(head) and even * 8 < odd:
        return "utf-16-le"
    return "utf-16-be" if even * 4 > len(head) and odd * 8 < even else None


def _recoded(chunks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decode: Callable[..., str] = codecs.getincrementaldecoder(encoding)("replace").decode
    for chunk in chunks:
        yield decode(chunk).encode("utf-8", "replace")
    yield decode(b"", True).encode("utf-8", "replace")
