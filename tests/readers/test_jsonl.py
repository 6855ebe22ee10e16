import json
from pathlib import Path

import pytest

from esdedup.document import Document, Skipped
from esdedup.readers import ReadOptions, lines
from tests.readers.helpers import documents, only, only_skipped, read_all, write


def read_line(tmp_path: Path, line: str | bytes, options: ReadOptions | None = None) -> Document | Skipped:
    [result] = read_all(write(tmp_path / "a.jsonl", line), options=options)
    return result


def test_fields_go_where_the_options_say(tmp_path: Path) -> None:
    record = {"key": 7, "head": "H", "body": "B", "link": "http://a/", "day": "2020-01-02", "n": [1, {"x": None}]}
    options = ReadOptions("key", "head", "body", "page", "link", "day")
    path = write(tmp_path / "a.ndjson", json.dumps(record))
    assert only(read_all(path, options=options)) == Document(
        id="7",
        title="H",
        text="B",
        url="http://a/",
        date="2020-01-02",
        source=f"{path.as_posix()}:1",
        meta={"n": [1, {"x": None}]},
    )


def test_ids_come_from_the_record_its_url_or_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    records: list[dict[str, object]] = [
        {"id": "a/b?c=d&e f+g"},
        {"id": 0},
        {"id": 2.5},
        {"id": "", "url": "http://a/"},
        {"id": None},
        {},
        {"id": "  "},
        {"id": " x "},
    ]
    text = "\n\n".join(json.dumps({**record, "text": "t"}) for record in records)
    write(tmp_path / "sub/a.jsonl", text)
    found = documents(read_all(Path("sub") / "a.jsonl"))
    place = "sub/a.jsonl#"
    expected = ["a/b?c=d&e f+g", "0", "2.5", "http://a/", f"{place}5", f"{place}6", f"{place}7", " x "]
    assert [document.id for document in found] == expected
    assert found[4].source == "sub/a.jsonl:9"
    assert all(document.meta == {} for document in found)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{broken", "broken JSON at character 2: expecting property name"),
        ('{"text": "cut', "broken JSON at character 10: unterminated string"),
        ("[1]", "a list instead of an object"),
        ('"words"', "a string instead of an object"),
        ("null", "null instead of an object"),
        ("NaN", "null instead of an object"),
        ('{"id": "x"}', "no text"),
        ('{"text": null}', "no text"),
        ('{"text": NaN}', "no text"),
        ('{"text": 42}', "text is a number, not text"),
        ('{"text": true}', "text is true or false, not text"),
        ('{"text": ["a"]}', "text is a list, not text"),
        ('{"text": "t", "id": ["a"]}', "id is a list, not text or a number"),
        ('{"text": "t", "id": true}', "id is true or false, not text or a number"),
        ("\0\0\0", "nothing but NUL characters"),
        ('{"text": "t", "x": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
        ('{"text": "t", "x": ' + "[" * 101 + "]" * 101 + "}", "nested too deeply"),
        ('{"text": "t", "x": ' + "9" * 5000 + "}", "a number in it is too long"),
    ],
)
def test_bad_lines_are_skipped_with_reason_and_line(tmp_path: Path, line: str, reason: str) -> None:
    before, skipped, after = read_all(write(tmp_path / "a.jsonl", f'{{"text":"1"}}\r\n\r\n{line}\r\n{{"text":"2"}}'))
    assert isinstance(before, Document) and isinstance(after, Document)
    assert isinstance(skipped, Skipped)
    assert skipped.where.endswith("a.jsonl:3")
    assert skipped.reason.startswith(reason)
    assert skipped.raw == line


def test_empty_text_is_a_document(tmp_path: Path) -> None:
    assert [d.text for d in documents(read_all(write(tmp_path / "a.jsonl", '{"text":""}\n{"text":" \\n"}')))] == [
        "",
        " \n",
    ]


def test_html_is_read_when_there_is_no_text(tmp_path: Path) -> None:
    line = json.dumps({"html": "<title>T</title><p>one<p>two", "text": None})
    document = read_line(tmp_path, line)
    assert isinstance(document, Document)
    assert (document.title, document.text, document.meta) == ("T", "one\ntwo", {})
    both = read_line(tmp_path, json.dumps({"html": "<p>one", "text": "two", "title": "own"}))
    assert isinstance(both, Document)
    assert (both.title, both.text, both.meta) == ("own", "two", {"html": "<p>one"})
    named = read_line(tmp_path, line, ReadOptions(text_field="html"))
    assert isinstance(named, Document)
    assert named.text == "one\ntwo"


def test_what_no_engine_stores_is_mended_and_noted(tmp_path: Path) -> None:
    line = (
        b"\xef\xbb\xbf"
        rb'{"id":"i\ud83d","title":"t\u0000","text":"a\ud83d b\ude00\u0000 '
        b'\xff","tags":[{"k\\udfff":"\\ud83d\\ude00"}]}'
    )
    document = read_line(tmp_path, line)
    assert isinstance(document, Document)
    assert (document.id, document.title, document.text) == ("i\ufffd", "t", "a\ufffd b\ufffd \ufffd")
    assert document.meta == {"tags": [{"k\ufffd": "😀"}]}
    assert "2 NUL characters removed" in document.notes
    assert "1 undecodable byte" in " ".join(document.notes)


def test_fields_of_other_kinds_stay_in_meta(tmp_path: Path) -> None:
    document = read_line(tmp_path, '{"text":"t","title":["a"],"url":5,"@timestamp":1.5}')
    assert isinstance(document, Document)
    assert (document.title, document.url, document.date) == ("", "", None)
    assert document.meta == {"title": ["a"], "url": 5, "@timestamp": 1.5}


def test_gbk_and_utf16_lines_are_read(tmp_path: Path) -> None:
    lines_ = "".join(json.dumps({"text": text}, ensure_ascii=False) + "\r\n" for text in ("港口很安静", "渔船出海"))
    for code in ("gbk", "utf-16", "utf-16-le", "utf-8-sig"):
        found = documents(read_all(write(tmp_path / f"{code}.jsonl", lines_.encode(code))))
        assert [document.text for document in found] == ["港口很安静", "渔船出海"]


def test_a_line_without_end_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", 1 << 20)
    content = b'{"text":"' + b"a" * (3 << 20) + b'"}\n{"text":"next"}\n'
    skipped, document = read_all(write(tmp_path / "a.jsonl", content))
    assert isinstance(skipped, Skipped) and isinstance(document, Document)
    assert (skipped.where[-2:], skipped.reason) == (":1", "line longer than 1 MiB")
    assert (document.text, document.source[-2:], document.id[-2:]) == ("next", ":2", "#2")


def test_the_last_line_may_be_exactly_as_long_as_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = b'{"text":"abc"}'
    monkeypatch.setattr(lines, "MAX_LINE", len(line) + 1)
    assert only(read_all(write(tmp_path / "a.jsonl", line + b"\n"))).text == "abc"


def test_only_skipped_lines_leave_no_document(tmp_path: Path) -> None:
    assert only_skipped(read_all(write(tmp_path / "a.jsonl", "\n \n[]\n\n"))).where.endswith(":3")
