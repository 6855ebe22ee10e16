import time
from pathlib import Path

import pytest

from esdedup.readers import Page, html, html_to_text
from tests.readers.helpers import only, read_all, write


def test_title_and_visible_text() -> None:
    page = """<!doctype html><html><head><title> The\n harbour </title><style>p{}</style><meta name=x></head>
    <body><script>var hidden = "<p>no</p>"</script><h1>Dawn</h1><p>W<b>or</b>d &amp; <i>more</i>
    words<br>next</p><noscript>no</noscript><template><p>no</template><ul><li>Home</li><li>News</li></ul>
    <table><tr><td>1</td><td>2</td></tr><tr><td>3<td>4</table><p hidden-from-none>end</body></html>"""
    assert html_to_text(page) == Page("The harbour", "Dawn\nWord & more words\nnext\nHome\nNews\n1 2\n3 4\nend")


def test_chinese_is_not_cut_by_inline_elements() -> None:
    assert html_to_text("<p>清晨的<em>港</em>口</p><div>很安静</div>").text == "清晨的港口\n很安静"


@pytest.mark.parametrize("source", ["", " ", "<", "</", "<!--", "<p", "<html>", "<frameset><frame src=a></frameset>"])
def test_pages_without_text(source: str) -> None:
    assert html_to_text(source).text in ("", source.strip())
    assert html_to_text(source).title == ""


def test_broken_pages() -> None:
    assert html_to_text("no markup at all").text == "no markup at all"
    assert html_to_text("text first<head><title>T</title></head>more").title == "T"
    assert html_to_text("<head></head><svg><title>icon</title></svg>text") == Page("", "text")
    assert html_to_text("a\ud83db\0c<p>&#xD83D;").text.startswith("a\ufffdb")
    assert html_to_text("<title>open title never closed").text == ""


HOSTILE = {
    "nested blocks": "<div>" * 100_000 + "{}" + "</div>" * 100_000,
    "unclosed blocks": "<div>" * 100_000 + "{}",
    "nested lists": "<ul><li>" * 100_000 + "{}",
    "nested tables": "<table><tr><td>" * 50_000 + "{}",
    "unclosed formatting": "".join(f"<p><font size={n}>" for n in range(20_000)) + "{}",
    "quotes outside values": "<div x=a'>" * 100_000 + "{}",
    "tags inside values": '<div x="<">' * 100_000 + "{}",
    "spans before blocks": "<span>" * 100_000 + "<div></div>" * 100_000 + "{}",
    "unknown elements": "<x/>" * 100_000 + "<div></div>" * 100_000 + "{}",
    "one tag of many attributes": "<div " + " ".join(f"a{n}" for n in range(200_000)) + ">{}",
    "many options": "<select>" + "<option>" * 100_000 + "</select>{}",
    "more tags than are read": "<p>" * 1_000_000 + "{}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_take_no_time(name: str) -> None:
    start = time.monotonic()
    assert html_to_text(HOSTILE[name].format("deep")).text == "deep"
    assert time.monotonic() - start < 5  # each took minutes or gigabytes once


@pytest.mark.parametrize("piece", ["<a", "<a '", "<a \"'", "<!--", "<script>", "</div a='", "<a   ", "<title>"])
def test_unfinished_markup_takes_no_time(piece: str) -> None:
    start = time.monotonic()
    html_to_text(piece * 200_000)
    assert time.monotonic() - start < 5


def test_flattening_changes_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    page = """<title>A <b> title</title><a href="x>y" title='<b>'>link</a><!-- <a title="never closed -->
    <script>if (a<b && c>"d) x()</script><p class=x>one <b>t</b>wo<textarea><p>typed</textarea>
    <svg><path d="M0"/><text>drawn</text></svg><div/>three<table><td>1<td>2</table><select><option>o</select>"""
    plain = html_to_text(page)
    monkeypatch.setattr(html, "_LONG", 0)
    monkeypatch.setattr(html, "_MANY_TAGS", 0)
    assert html_to_text(page) == plain
    assert "never" not in plain.text and "three" in plain.text


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
