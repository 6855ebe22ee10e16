from pathlib import Path

import pytest

from esdedup.readers import ReadOptions
from tests.readers.helpers import only, read_all, write

TEXT = "朱镕基的港口，€ 一百"


@pytest.mark.parametrize(
    ("declaration", "code"),
    [
        ("<meta charset=gb2312>", "gb18030"),
        ('<META HTTP-EQUIV="Content-Type" content="text/html; charset=GBK">', "gb18030"),
        ('<?xml version="1.0" encoding="gb2312"?>', "gb18030"),
        ("<meta charset='big5'>", "big5hkscs"),
        ("<!-- <meta charset=big5> --><meta charset=gb2312>", "gb18030"),
        ("<meta charset=utf-8>", "gb18030"),  # a wrong claim
        ("<meta charset=gb2312>", "utf-8"),  # converted, the claim left as it was
        ("<meta charset=no-such-code>", "gb18030"),
        ("<meta charset=hex>", "utf-8"),
        ("", "gb18030"),
        ("<meta charset=gbk>", "utf-8-sig"),
        ("<meta charset=utf-8>", "utf-16"),
    ],
)
def test_encodings_of_pages(tmp_path: Path, declaration: str, code: str) -> None:
    text = "清晨的港口很安靜" if code == "big5hkscs" else TEXT + "，清晨的海面很安静，渔船出海"
    page = f"{declaration}<title>{text[:2]}</title><p>{text}"
    document = only(read_all(write(tmp_path / "a.html", page.encode(code))))
    assert (document.title, document.text, document.notes) == (text[:2], text, ())


def test_western_pages_by_their_claim(tmp_path: Path) -> None:
    page = "<meta charset=iso-8859-1><p>it’s déjà vu".encode("cp1252")
    assert only(read_all(write(tmp_path / "a.htm", page))).text == "it’s déjà vu"


ARTICLE = (
    "<article><h1>Rope market</h1>"
    + "<p>The rope market opened before dawn, and by noon every coil had been sold twice over. </p>" * 3
    + "</article>"
)
MENU = "<ul>" + "".join(f"<li><a href=/{n}>Place number {n}</a></li>" for n in range(40)) + "</ul>"


def test_a_page_is_its_main_text_title_and_date(tmp_path: Path) -> None:
    head = "<title>Rope</title><meta property='article:published_time' content='2026-03-04T05:06:07+00:00'>"
    path = write(tmp_path / "a.html", f"{head}{MENU}{ARTICLE}".encode())
    document = only(read_all(path))
    assert document.text.splitlines()[0] == "Rope market"
    assert "Place number" not in document.text
    assert (document.title, document.date, document.whole_page) == ("Rope", "2026-03-04T05:06:07+00:00", False)
    assert "Place number 7" in only(read_all(path, options=ReadOptions(main_text=False))).text


def test_a_page_without_main_text_is_taken_whole_and_says_so(tmp_path: Path) -> None:
    document = only(read_all(write(tmp_path / "a.html", MENU.encode())))
    assert (document.whole_page, len(document.text.splitlines())) == (True, 40)
    assert document.notes == ("no main text found: all that is visible was taken",)


def test_a_record_says_more_than_its_page(tmp_path: Path) -> None:
    record = b'{"id": "1", "title": "Mine", "@timestamp": "2020-01-01", "html": "<title>Its</title><p>words"}'
    document = only(read_all(write(tmp_path / "a.jsonl", record)))
    assert (document.title, document.date, document.text) == ("Mine", "2020-01-01", "words")
