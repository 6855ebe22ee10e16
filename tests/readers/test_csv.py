import csv as stdlib_csv
from pathlib import Path

import pytest

from esdedup.document import Document, Skipped
from esdedup.errors import InputError
from esdedup.readers import ReadOptions, csv
from tests.readers.helpers import documents, only, only_skipped, read_all, write


def rows(path: Path, options: ReadOptions | None = None) -> list[tuple[str, str]]:
    return [(document.id, document.text) for document in documents(read_all(path, options=options))]


@pytest.mark.parametrize("delimiter", list(",;\t|"))
def test_the_delimiter_is_recognised(tmp_path: Path, delimiter: str) -> None:
    lines = [["id", "text", "a,b;c|d"], ["1", "one, two; three | four", "x"], ["2", "", ""]]
    content = "\r\n".join(delimiter.join(f'"{cell}"' for cell in line) for line in lines)
    for name in ("a.csv", "a.tsv"):
        path = write(tmp_path / name, content)
        assert rows(path) == [("1", "one, two; three | four"), ("2", "")]


def test_the_delimiter_may_be_given(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id^text\n1^a,b\n")
    assert rows(path, ReadOptions(delimiter="^")) == [("1", "a,b")]
    path = write(tmp_path / "b.csv", "id\ttext\n1\ta,b\n")
    assert rows(path, ReadOptions(delimiter="\\t")) == [("1", "a,b")]
    for wrong in ("", ";;", '"', "\n"):
        with pytest.raises(InputError, match="is not one character"):
            ReadOptions(delimiter=wrong)


def test_cells_may_be_large_hold_lines_and_quotes(tmp_path: Path) -> None:
    large = "word " * 60_000
    path = write(tmp_path / "a.csv", f'\ufeffid, text ,n\n1,"line one\nsays ""two""",x\n\n2,{large},y\n')
    first, second = documents(read_all(path))
    assert (first.text, first.source[-2:], first.meta) == ('line one\nsays "two"', ":2", {"n": "x"})
    assert (second.text, second.source[-2:]) == (large, ":5")
    assert stdlib_csv.field_size_limit() > 300_000


def test_gbk_nul_and_old_line_ends(tmp_path: Path) -> None:
    assert rows(write(tmp_path / "a.csv", "id;text\n1;清晨的港口很安静\n".encode("gbk"))) == [("1", "清晨的港口很安静")]
    assert rows(write(tmp_path / "b.csv", "id,text\r1,one\r2,two\r")) == [("1", "one"), ("2", "two")]
    document = only(read_all(write(tmp_path / "c.csv", b"id,text\n1,a\0b\n")))
    assert (document.text, document.notes) == ("ab", ("1 NUL character removed",))


def test_a_missing_text_column_is_an_error_that_lists_the_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,body\n1,a\n")
    with pytest.raises(InputError, match=r"a\.csv: no column 'text' for the text; columns: id, body$"):
        read_all(path)
    assert rows(path, ReadOptions(text_field="body")) == [("1", "a")]


def test_undecodable_column_names_can_be_printed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "编号,正文很长的一列,".encode() + b"b\xffdy\n1,a\n")
    with pytest.raises(InputError, match="columns: 编号, 正文很长的一列, b\ufffddy"):
        read_all(path)


def test_an_html_column_is_enough(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,html,text\n1,<p>one<p>two,\n")
    assert rows(path) == [("1", "one\ntwo")]
    assert rows(write(tmp_path / "b.csv", "id,html\n1,<p>one\n")) == [("1", "one")]


def test_rows_of_another_width(tmp_path: Path) -> None:
    content = "id,text,tag,\n1,short\n2\n3,a,b,,,\n4,not quoted, at all, no\n , ,\n"
    short, no_text, padded, long = read_all(write(tmp_path / "a.csv", content))
    assert isinstance(short, Document) and isinstance(padded, Document)
    assert (short.text, short.meta, short.notes) == ("short", {}, ("2 cells missing at the end of the row",))
    assert isinstance(no_text, Skipped) and isinstance(long, Document)
    assert (no_text.where[-2:], no_text.reason, no_text.raw) == (":3", "no text", "2")
    assert padded.meta == {"tag": "b", "column_4": ""}


def test_a_row_with_too_many_cells_is_skipped(tmp_path: Path) -> None:
    skipped = only_skipped(read_all(write(tmp_path / "a.csv", "id,text\n1,two, three, four\n")))
    assert skipped.reason == "4 cells for 2 columns: is a delimiter not quoted?"
    assert skipped.raw == "1,two, three, four"


def test_a_quote_that_is_never_closed_is_one_skipped_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = 'id,text\n1,a\n2,"open\n' + "3,next\n" * 3
    document, skipped = read_all(write(tmp_path / "a.csv", content))
    assert isinstance(document, Document) and isinstance(skipped, Skipped)
    assert (skipped.where[-2:], skipped.reason) == (":3", "a quote is opened and never closed")
    monkeypatch.setattr(csv, "_MAX_CELL", 1 << 20)
    stdlib_csv.field_size_limit(1 << 20)
    results = read_all(write(tmp_path / "b.csv", 'id,text\n2,"open\n' + "3,some more text\n" * 100_000))
    assert [r.reason for r in results if isinstance(r, Skipped)] == [
        "field larger than field limit (1048576): is a quote never closed?"
    ]
    assert len(results) > 30_000


def test_a_lone_quote_inside_a_cell_is_a_character(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", 'id,text,n\n1,"two\nlines",5" pipe\n2,6" pipe,n')
    assert rows(path) == [("1", "two\nlines"), ("2", '6" pipe')]


def test_files_without_rows_hold_nothing(tmp_path: Path) -> None:
    for content in ("", "\n\n", "id,text\n", "id,text"):
        assert read_all(write(tmp_path / "a.csv", content)) == []


def test_names_given_twice_lose_nothing(tmp_path: Path) -> None:
    assert only(read_all(write(tmp_path / "a.csv", "text,n,n\na,1,2\n"))).meta == {"n": "1", "n_3": "2"}
