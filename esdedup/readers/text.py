"""Bytes to text, for every format; and the plain text format itself."""

import codecs
from collections.abc import Iterator, Mapping

from charset_normalizer import from_bytes

from esdedup.document import Document
from esdedup.readers.mend import Mender
from esdedup.readers.options import ReadOptions
from esdedup.readers.source import Source, is_ascii_based

__all__ = ["choose_encoding", "decode", "looks_like_text", "read_all", "read_text", "usual_encoding"]

_SAMPLE = 1 << 16  # bytes; enough to tell encodings apart
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\f\r\x1b"))
_HALF = range(0x80, 0x100)  # bytes that are not ASCII

#: Pages name the smaller set and use the larger, as browsers know.
_LARGER: Mapping[str, str] = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
}
_TWO_BYTE = frozenset(("gb18030", "big5hkscs", "cp950", "cp932", "shift_jis_2004", "cp949", "johab", "euc_jp"))


def read_text(source: Source, options: ReadOptions) -> Iterator[Document]:
    """The whole file as one document whose id is the file's name."""
    mender = Mender()
    text = mender.text(read_all(source, options.max_chars), options.max_chars)
    yield Document(id=source.name, text=text, source=source.name, notes=mender.notes)


def read_all(source: Source, max_chars: int, declared: str | None = None) -> str:
    """The text of the file, or more than `max_chars` characters from its beginning.

    declared: the encoding that the file claims, used when nothing better is known and all bytes fit.
    Undecodable bytes come as lone surrogates; a `Mender` counts and replaces them.
    """
    limit = 4 * (max_chars + 1)  # no character takes more bytes
    data = source.stream.read(limit)
    whole = len(data) < limit
    return decode(data, source.encoding or choose_encoding(data, declared, whole), whole)


def decode(data: bytes, encoding: str, whole: bool = True) -> str:
    """The text, undecodable bytes as surrogates; unless `whole`, without an unfinished last character."""
    return codecs.getincrementaldecoder(encoding)("surrogateescape").decode(data, whole)


def choose_encoding(data: bytes, declared: str | None = None, whole: bool = False) -> str:
    """The encoding of bytes that, unless `whole`, may end inside a character.

    Valid UTF-8 comes first: hardly any text in another encoding is valid UTF-8. Then `declared`, if it fits.
    """
    bad = _first_undecodable(data, "utf-8", whole)
    if bad is None:
        return "utf-8"
    if declared and _first_undecodable(data, declared, whole) is None:
        return declared
    return _guess(data[max(0, bad - _SAMPLE // 2) :][:_SAMPLE])


def usual_encoding(name: str) -> str | None:
    """The encoding meant by a declared name, gb18030 for gb2312; None when unknown or not based on ASCII."""
    try:
        name = codecs.lookup(name.lower().removeprefix("x-")).name
        return _LARGER.get(name, name) if is_ascii_based(name) else None
    except (LookupError, UnicodeError, ValueError):
        return None


def looks_like_text(data: bytes) -> bool:
    """Whether bytes of an unknown format can be text: hardly any control characters."""
    controls = len(data) - len(data.translate(None, _CONTROLS))
    return controls * 1000 <= len(data)


def _first_undecodable(data: bytes, encoding: str, whole: bool) -> int | None:
    try:
        codecs.getincrementaldecoder(encoding)().decode(data, whole)
    except UnicodeDecodeError as error:
        return error.start
    return None


def _guess(sample: bytes) -> str:
    if _share_of_common_chinese(sample) > 0.8:
        return "gb18030"
    if _is_damaged_utf8(sample):
        return "utf-8"
    match = from_bytes(sample).best()
    name = usual_encoding(match.encoding) if match else None
    if name in _TWO_BYTE:
        return name
    # Guesses between the many codes of one byte are poor; few such bytes mean a Western language.
    high = len(sample.translate(None, bytes(range(128))))
    return name if name and high * 3 > len(sample) else "cp1252"


def _is_damaged_utf8(sample: bytes) -> bool:
    text = sample.decode("utf-8", "surrogateescape")
    good = sum(character > "\x7f" and not "\udc80" <= character <= "\udcff" for character in text)
    bad = sum("\udc80" <= character <= "\udcff" for character in text)
    return good > bad


def _share_of_common_chinese(sample: bytes) -> float:
    """Of the characters that gb18030 sees, the share of GB 2312's punctuation and everyday characters."""
    text = sample.decode("gb18030", "surrogateescape")
    others = [character for character in text if character > "\x7f"]
    common = sum(map(_is_common_chinese, others))
    return common / len(others) if others else 0.0


def _is_common_chinese(character: str) -> bool:
    code = character.encode("gb18030", "surrogateescape")
    return len(code) == 2 and code[1] >= 0xA1 and (0xA1 <= code[0] <= 0xA3 or 0xB0 <= code[0] <= 0xD7)
