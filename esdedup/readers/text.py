"""Bytes to text, for every format: which encoding, and what cannot be kept."""

import codecs
import re
from collections.abc import Iterator, Mapping

from charset_normalizer import from_bytes

from esdedup.document import Document
from esdedup.readers.source import Source, is_ascii_based

__all__ = ["Mender", "canonical_encoding", "decode", "guess_encoding", "is_known_encoding", "looks_like_text"]

REPLACEMENT = "\ufffd"

_SAMPLE = 65_536  # bytes; enough to tell encodings apart
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNDECODABLE = re.compile("[\udc80-\udcff]")  # what the error handler "surrogateescape" makes of bytes
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\f\r\x1b"))

#: Pages and programs name the smaller set and use the larger, as browsers know.
_LARGER: Mapping[str, str] = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
}
_MANY_BYTES = frozenset({"gb18030", "big5hkscs", "cp950", "cp932", "shift_jis_2004", "euc_jp", "euc_jis_2004", "cp949"})


def is_known_encoding(name: str) -> bool:
    """Whether Python can decode text in the encoding of that name."""
    try:
        b"".decode(name)  # does not even look up the name when there is nothing to decode
        b" ".decode(name, "replace")
    except (LookupError, UnicodeError, ValueError):
        return False
    return True


def canonical_encoding(name: str) -> str | None:
    """Python's name of the encoding to use for a declared one: gb18030 for gb2312. None when unknown."""
    name = name.lower().removeprefix("x-")
    if not is_known_encoding(name):
        return None
    name = codecs.lookup(name).name
    return _LARGER.get(name, name)


def guess_encoding(sample: bytes) -> str:
    """The likeliest encoding of a sample, which may end inside a character; "utf-8" when nothing speaks against it."""
    bad = _first_undecodable(sample)
    if bad is None:
        return "utf-8"
    sample = sample[max(0, bad - _SAMPLE // 2) :][:_SAMPLE]
    if _is_damaged_utf8(sample):
        return "utf-8"
    if _common_chinese(sample) >= 0.9:
        return "gb18030"
    return _ask_charset_normalizer(sample)


def decode(data: bytes, declared: str | None = None) -> str:
    """All of `data` as text, undecodable bytes as lone surrogates (a `Mender` counts and replaces them).

    Valid UTF-8 first: hardly any text in another encoding is valid UTF-8. Then `declared`, then a guess.
    """
    for encoding in ("utf-8", declared):
        try:
            return data.decode(encoding) if encoding else ""
        except UnicodeDecodeError:
            continue
    return data.decode(guess_encoding(data), "surrogateescape")
