from pathlib import Path

import pytest

from esdedup.errors import InputError
from esdedup.readers import ReadOptions
from esdedup.readers.text import choose_encoding, decode, looks_like_text
from tests.readers.helpers import only, read_all, write

CHINESE = "清晨的港口很安静，渔船一只接一只出海，灯塔的光慢慢暗下去。"
TRADITIONAL = "清晨的港口很安靜，漁船一隻接一隻出海，燈塔的光慢慢暗下去。"
FRENCH = "Le phare s’éteint, « déjà ! » crie le garçon à l’été."


@pytest.mark.parametrize("code", ["utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be", "utf-8"])
def test_unicode_is_recognised_with_and_without_mark(tmp_path: Path, code: str) -> None:
    text = "A harbour at dawn: 港口\r\nline two 😀\n"
    assert only(read_all(write(tmp_path / "a.txt", text.encode(code)))).text == text


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (CHINESE, "gbk"),
        (CHINESE[:4], "gbk"),
        ("朱镕基 € 㐀", "gb18030"),
        (TRADITIONAL, "gbk"),
        (TRADITIONAL, "big5"),
        (FRENCH, "cp1252"),
        ("a rather long English sentence with one apostrophe: it’s", "cp1252"),
    ],
)
def test_other_encodings_are_recognised(tmp_path: Path, text: str, code: str) -> None:
    document = only(read_all(write(tmp_path / "a.txt", text.encode(code))))
    assert (document.text, document.notes) == (text, ())


def test_a_late_first_foreign_byte_is_enough(tmp_path: Path) -> None:
    text = "plain ascii " * 200_000 + CHINESE
    assert only(read_all(write(tmp_path / "a.txt", text.encode("gbk")))).text == text


def test_damaged_utf8_stays_utf8(tmp_path: Path) -> None:
    data = (CHINESE.encode() + b"\xff\xfe") + CHINESE.encode()[:-1]
    document = only(read_all(write(tmp_path / "a.txt", data)))
    assert document.text == CHINESE + "\ufffd\ufffd" + CHINESE[:-1] + "\ufffd\ufffd"
    assert document.notes == ("4 undecodable bytes replaced by U+FFFD",)


def test_a_sample_may_end_inside_a_character() -> None:
    assert choose_encoding(CHINESE.encode()[:-1]) == "utf-8"
    assert decode(CHINESE.encode()[:-1], "utf-8", whole=False) == CHINESE[:-1]


def test_the_encoding_may_be_given_but_a_mark_wins(tmp_path: Path) -> None:
    options = ReadOptions(encoding="shift_jis")
    assert only(read_all(write(tmp_path / "a.txt", "灯台".encode("shift_jis")), options=options)).text == "灯台"
    assert only(read_all(write(tmp_path / "b.txt", "灯台".encode("utf-8-sig")), options=options)).text == "灯台"
    old = ReadOptions(encoding="GB2312")
    assert only(read_all(write(tmp_path / "d.txt", "镕€".encode("gb18030")), options=old)).text == "镕€"
    wide = ReadOptions(encoding="utf-16-le")
    assert only(read_all(write(tmp_path / "c.txt", "灯台".encode("utf-16-le")), options=wide)).text == "灯台"


@pytest.mark.parametrize("name", ["utf-9", "hex", "gb\0k", ""])
def test_unknown_encodings_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"unknown encoding .* such as utf-8"):
        ReadOptions(encoding=name)


def test_nul_is_removed_and_long_text_is_cut(tmp_path: Path) -> None:
    document = only(read_all(write(tmp_path / "a.txt", b"a\0bc\0")))
    assert (document.text, document.notes) == ("abc", ("2 NUL characters removed",))
    path = write(tmp_path / "b.txt", "港" * 30)
    document = only(read_all(path, options=ReadOptions(max_chars=10)))
    assert (document.text, document.notes) == ("港" * 10, ("text cut at 10 characters",))
    assert only(read_all(path, options=ReadOptions(max_chars=30))).notes == ()


def test_a_file_without_bytes_is_an_empty_document(tmp_path: Path) -> None:
    assert only(read_all(write(tmp_path / "a.txt", b""))).text == ""


def test_binary_does_not_look_like_text() -> None:
    assert looks_like_text(CHINESE.encode("gbk"))
    assert looks_like_text(b"\x1b[1mbold\x1b[0m\ttab\f")
    assert looks_like_text(b"")
    assert not looks_like_text(bytes(range(256)))
    assert not looks_like_text(b"%PDF-1.7\n\x00\x01\x02")
