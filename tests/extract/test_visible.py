"""All that can be read on a page, however broken or hostile."""

import time

import pytest

from esdedup.extract import Page, extract, visible


def read(html: str) -> Page:
    return extract(html, main_text=False)


def test_title_and_visible_text() -> None:
    page = """<!doctype html><html><head><title> The\n harbour </title><style>p{}</style><meta name=x></head>
    <body><script>var hidden = "<p>no</p>"</script><h1>Dawn</h1><p>W<b>or</b>d &amp; <i>more</i>
    words<br>next</p><noscript>no</noscript><template><p>no</template><ul><li>Home</li><li>News</li></ul>
    <table><tr><td>1</td><td>2</td></tr><tr><td>3<td>4</table><p hidden-from-none>end</body></html>"""
    assert read(page) == Page("The harbour", "Dawn\nWord & more words\nnext\nHome\nNews\n1 2\n3 4\nend")


def test_chinese_is_not_cut_by_inline_elements() -> None:
    assert read("<p>清晨的<em>港</em>口</p><div>很安静</div>").text == "清晨的港口\n很安静"


@pytest.mark.parametrize("source", ["", " ", "<", "</", "<!--", "<p", "<html>", "<frameset><frame src=a></frameset>"])
def test_pages_without_text(source: str) -> None:
    assert read(source).text in ("", source.strip())
    assert read(source).title == ""


def test_broken_pages() -> None:
    assert read("no markup at all").text == "no markup at all"
    assert read("text first<head><title>T</title></head>more").title == "T"
    assert read("<head></head><svg><title>icon</title></svg>text") == Page("", "text")
    assert read("a<p>&#xD83D;").text == "a\n\ufffd"
    assert read("<title>open title never closed").text == ""


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
    page = HOSTILE[name].format("deep")
    assert read(page).text == "deep"
    assert extract(page).text == "deep"
    assert time.monotonic() - start < 20  # each took minutes or gigabytes once; this is two readings


@pytest.mark.parametrize("piece", ["<a", "<a '", "<a \"'", "<!--", "<script>", "</div a='", "<a   ", "<title>"])
def test_unfinished_markup_takes_no_time(piece: str) -> None:
    start = time.monotonic()
    read(piece * 200_000)
    extract(piece * 200_000)
    assert time.monotonic() - start < 5


def test_flattening_changes_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    page = """<title>A <b> title</title><a href="x>y" title='<b>'>link</a><!-- <a title="never closed -->
    <script>if (a<b && c>"d) x()</script><p class=x>one <b>t</b>wo<textarea><p>typed</textarea>
    <svg><path d="M0"/><text>drawn</text></svg><div/>three<table><td>1<td>2</table><select><option>o</select>"""
    plain = read(page)
    monkeypatch.setattr(visible, "_LONG", 0)
    monkeypatch.setattr(visible, "_MANY_TAGS", 0)
    assert read(page) == plain
    assert "never" not in plain.text and "three" in plain.text


def test_what_is_hidden_is_read_since_scripts_show_it() -> None:
    assert read('<p hidden>a</p><div style="display:none">b</div>c').text == "a\nb\nc"


def test_pages_of_frames_say_what_they_say_without() -> None:
    page = "<frameset><frame src=a><noframes><body><p>Hi <b>there</b></p></body></noframes></frameset>"
    assert read(page).text == "Hi there"


def test_preformatted_lines_stay_lines() -> None:
    assert read("<p>code:<pre>x = 1\n<b>y = 2\nz</b> = 3</pre>end").text == "code:\nx = 1\ny = 2\nz = 3\nend"
