"""WARC files (ISO 28500): pages as a crawler stored them.

A small reader of our own: compression is undone before (see `esdedup.readers.source`), so that one gzip stream
for all records, a file that is cut short, and damage in a single record are all the same to it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BufferedReader

from esdedup.document import Document, Skipped
from esdedup.readers.bodies import decompress, unchunk
from esdedup.readers.mend import Mender
from esdedup.readers.options import ReadOptions
from esdedup.readers.response import Response, body_limit, response_document
from esdedup.readers.source import Source, Unreadable

__all__ = ["read_warc"]

_MAX_DIGITS = 18  # of a size or status
_MAX_HEADER = 1 << 16  # bytes of one line, and of the headers of an answer
_CHUNK = 1 << 16
_HEADERS_END = (b"\r\n\r\n", b"\n\n")


@dataclass(frozen=True, slots=True)
class _Record:
    """headers: names in small letters; body: its first bytes, up to the limit; size: all of it."""

    headers: Mapping[str, str]
    body: bytes
    size: int

    @property
    def kind(self) -> str:
        return self.headers.get("warc-type", "").lower()

    @property
    def url(self) -> str:
        return self.headers.get("warc-target-uri", "").strip("<> ")


def read_warc(source: Source, options: ReadOptions) -> Iterator[Document | Skipped]:
    """The pages and plain texts in responses, resources and conversions; other records of these kinds are skipped.

    Revisits hold no page and are skipped too; requests, metadata and information about the archive are no pages.
    Raises Unreadable where the file is cut short or no record follows.
    """
    for number, record in enumerate(_records(source.stream, body_limit(options)), 1):
        where = f"{source.name}#{number}"
        match record.kind:
            case "response" | "resource" | "conversion":
                try:
                    yield response_document(_response(record, where, body_limit(options)), options)
                except Unreadable as error:
                    yield Skipped(where, error.reason)
            case "revisit":
                yield Skipped(where, "revisit: the page is in another record")


def _records(stream: BufferedReader, limit: int) -> Iterator[_Record]:
    while (headers := _record_headers(stream)) is not None:
        length = headers.get("content-length", "")
        if not length.isdecimal() or len(length) > _MAX_DIGITS:
            raise Unreadable("a record without a length: what follows is lost")
        size = int(length)
        body = _read(stream, min(size, limit))
        _skip(stream, size - len(body))
        yield _Record(headers, body, size)


def _record_headers(stream: BufferedReader) -> dict[str, str] | None:
    """The headers of the next record, None at the end of the file."""
    line = b"\n"
    while line in (b"\r\n", b"\n"):  # two of them part records
        line = stream.readline(_MAX_HEADER)
    if not line:
        return None
    if not line.startswith(b"WARC/"):
        raise Unreadable("no WARC record where one should begin: what follows is lost")
    lines, size = [], 0
    while (line := stream.readline(_MAX_HEADER)) not in (b"\r\n", b"\n"):
        if not line:
            raise Unreadable("the file is cut short inside a record, which is not read")
        lines.append(line)
        size += len(line)
        if size > _MAX_HEADER:
            raise Unreadable("a record with endless headers: what follows is lost")
    return _headers(b"".join(lines))


def _headers(block: bytes) -> dict[str, str]:
    """Header lines as names in small letters with their values; later ones of one name win."""
    lines = block.decode("utf-8", "replace").replace("\r\n", "\n").replace("\n ", " ").replace("\n\t", " ").split("\n")
    pairs = (line.partition(":") for line in lines if ":" in line)
    return {Mender().string(name.strip().lower()): value.strip() for name, _, value in pairs}


def _read(stream: BufferedReader, size: int) -> bytes:
    body = stream.read(size)
    if len(body) < size:
        raise Unreadable("the file is cut short inside a record, which is not read")
    return body


def _skip(stream: BufferedReader, size: int) -> None:
    while size > 0:
        size -= len(_read(stream, min(size, _CHUNK)))


def _response(record: _Record, where: str, limit: int) -> Response:
    date = record.headers.get("warc-date")
    complete = record.size == len(record.body)
    kind = record.headers.get("content-type", "")
    if not record.url:
        raise Unreadable("the record has no address")
    if not kind.lower().replace(" ", "").startswith("application/http"):
        return Response(record.url, where, 200, kind, record.body, complete, date)
    status, headers, body = _take_apart(record.body)
    if "chunked" in headers.get("transfer-encoding", "").lower():
        body = unchunk(body)
    plain = decompress(body, headers.get("content-encoding", ""), limit)
    complete = complete and len(plain) < limit
    return Response(record.url, where, status, headers.get("content-type", ""), plain, complete, date)


def _take_apart(answer: bytes) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of an HTTP answer."""
    ends = [(at, mark) for mark in _HEADERS_END if (at := answer.find(mark, 0, _MAX_HEADER)) >= 0]
    at, mark = min(ends, default=(len(answer), b""))
    first, _, rest = answer[:at].partition(b"\n")
    words = first.split()
    if len(words) < 2 or not words[0].startswith(b"HTTP/") or not words[1].isdigit() or len(words[1]) > _MAX_DIGITS:
        raise Unreadable("the record holds no HTTP answer")
    return int(words[1]), _headers(rest), answer[at + len(mark) :]
