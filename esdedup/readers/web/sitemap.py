"""The pages that a site lists (sitemaps.org): XML, lists of such files, and plain lists, each also gzip."""

import re
import zlib
from collections.abc import Callable, Iterator
from xml.parsers import expat

from esdedup.document import Skipped
from esdedup.readers.source import Unreadable
from esdedup.readers.text import usual_encoding
from esdedup.readers.urls import is_url, without_credentials

__all__ = ["parse_sitemap", "sitemap_urls"]

_DECLARED = re.compile(rb"""\s*<\?xml[^>]{0,100}?\sencoding\s*=\s*["']([\w.:-]{1,40})["']""")
_MOST = 50_000  # addresses in one file, by the protocol
_DEPTH = 3
_LIMIT = 64 << 20  # bytes

#: Fetches the body of an address; raises Unreadable.
GetBody = Callable[[str], bytes]


def sitemap_urls(url: str, get: GetBody, depth: int = _DEPTH, seen: set[str] | None = None) -> Iterator[str | Skipped]:
    """The addresses of a sitemap's pages in their order, through lists of sitemaps; files that cannot be read.

    Each file is read once. seen: those that were.
    """
    seen = set() if seen is None else seen
    if url in seen:
        return
    seen.add(url)
    where = without_credentials(url)
    try:
        is_index, found = parse_sitemap(get(url))
    except Unreadable as error:
        yield Skipped(where, error.reason)
        return
    if not is_index:
        yield from found
    elif depth == 0:
        yield Skipped(where, "a list of sitemaps inside too many others")
    else:
        for listed in found:
            yield from sitemap_urls(listed, get, depth - 1, seen)


def parse_sitemap(body: bytes) -> tuple[bool, list[str]]:
    """Whether a file lists sitemaps and not pages, and the addresses in it. Raises Unreadable when it is neither."""
    if body.startswith(b"\x1f\x8b"):
        try:
            body = zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(body, _LIMIT)
        except zlib.error as error:
            raise Unreadable(f"the sitemap is not valid gzip ({error})") from error
    if body.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<"):
        return _parse_xml(body)
    lines = (line.strip() for line in body.decode("utf-8-sig", "replace").splitlines())
    return False, [line for line in lines if is_url(line)][:_MOST]


def _parse_xml(body: bytes) -> tuple[bool, list[str]]:
    reader = _Reader()
    # Expat knows few encodings: it is given the text, and told so whatever the file declares.
    parser = expat.ParserCreate("utf-8", namespace_separator=" ")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = reader.refuse  # no entities, hence none that grow without bounds
    try:
        parser.Parse(_as_utf8(body), True)
    except expat.ExpatError as error:
        raise Unreadable(f"the sitemap is not valid XML ({error})") from error
    return reader.is_index, reader.urls


def _as_utf8(body: bytes) -> bytes:
    declared = _DECLARED.match(body)
    encoding = usual_encoding(declared[1].decode("ascii")) if declared else None
    return body.decode(encoding, "replace").encode() if encoding else body


class _Reader:
    def __init__(self) -> None:
        self.is_index = False
        self.urls: list[str] = []
        self._parents: list[str] = []
        self._parts: list[str] = []

    def start(self, name: str, _: object) -> None:
        self._parents.append(name.rpartition(" ")[2])
        self.is_index |= self._parents == ["sitemapindex"]
        self._parts.clear()

    def text(self, data: str) -> None:
        self._parts.append(data)

    def end(self, _: str) -> None:
        path, url = self._parents[-2:], "".join(self._parts).strip()
        if path in (["url", "loc"], ["sitemap", "loc"]) and is_url(url) and len(self.urls) < _MOST:
            self.urls.append(url)
        self._parents.pop()
        self._parts.clear()

    def refuse(self, *_: object) -> None:
        raise Unreadable("the sitemap declares entities, which no sitemap needs")
