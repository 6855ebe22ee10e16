"""The bodies of web responses, decompressed within bounds."""

import sys
import zlib
from collections.abc import Callable

import brotli

from esdedup.readers.source import Unreadable

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["decompress", "unchunk"]


def decompress(body: bytes, codings: str, limit: int) -> bytes:
    """The body without its content codings, as the header `Content-Encoding` lists them, up to `limit` bytes.

    Raises Unreadable for a coding that is not known, and for damage from the first byte on.
    """
    for coding in reversed([name.strip().lower() for name in codings.split(",") if name.strip()]):
        if coding == "identity":
            continue
        decode = _DECODERS.get(coding)
        if decode is None:
            raise Unreadable(f"its content coding {coding!r} is not known")
        try:
            body = decode(body, limit)
        except (zlib.error, zstd.ZstdError, brotli.error) as error:
            raise Unreadable(f"its body is not valid {coding} ({error})") from error
    return body[:limit]


def unchunk(body: bytes) -> bytes:
    """The body without chunked transfer coding; unchanged when it is not in chunks, whatever the header claims."""
    parts: list[bytes] = []
    at = 0
    while True:
        end = body.find(b"\r\n", at, at + 100)
        size = _chunk_size(body[at:end]) if end >= 0 else None
        if size is None:
            return b"".join(parts) if parts else body
        if size == 0:
            return b"".join(parts)
        parts.append(body[end + 2 : end + 2 + size])
        at = end + 2 + size + 2


def _chunk_size(line: bytes) -> int | None:
    digits = line.split(b";")[0].strip()
    return int(digits, 16) if digits and all(byte in b"0123456789abcdefABCDEF" for byte in digits) else None


def _gunzip(body: bytes, limit: int) -> bytes:
    return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(body, limit)


def _inflate(body: bytes, limit: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(body, limit)
    except zlib.error:  # many servers send it without the header
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(body, limit)


def _unbrotli(body: bytes, limit: int) -> bytes:
    plain: bytes = brotli.Decompressor().process(body, output_buffer_limit=limit)
    return plain


def _unzstd(body: bytes, limit: int) -> bytes:
    return zstd.ZstdDecompressor().decompress(body, limit)


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _inflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}
