"""JSON lines, JSON and CSV: what is read, what is skipped and why, and that nothing vanishes."""

import gzip
import json
import sys
from pathlib import Path

import pytest

from esdedup.document import Document, Skipped
from esdedup.errors import InputError
from esdedup.readers import ReadOptions, read

CASES = Path(__file__).parents[3] / "shared" / "cases"
needs_cases = pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not beside this checkout")


def split(paths: Path | list[Path], **options: str | int) -> tuple[list[Document], list[Skipped]]:
    """The documents and the skipped of one reading."""
    found = list(read(paths if isinstance(paths, list) else [paths], ReadOptions(**options)))  # type: ignore[arg-type]
    return [r for r in found if isinstance(r, Document)], [r for r in found if isinstance(r, Skipped)]


def write(path: Path, *lines: bytes | str) -> Path:
    path.write_bytes(b"".join(line if isinstance(line, bytes) else line.encode() + b"\n" for line in lines))
    return path


def test_bad_lines_are_named_and_good_ones_kept(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl",
        b'\xef\xbb\xbf{"id": "bom", "text": "first"}\r\n',
        "",
        "{broken",
        '{"id": "nul", "text": "a \\u0000 b"}',
        "[1]",
        '{"id": "none"}',
        '{"id": "number", "text": 7}',
        b'{"id": "bytes", "text": "bad \xff byte"}\n',
        '{"id": "cut", "text": "cut o',
    )
    documents, skipped = split(path)
    assert [d.id for d in documents] == ["bom", "nul", "bytes"]
    assert [d.text for d in documents] == ["first", "a  b", "bad \ufffd byte"]
    assert [s.where.rpartition(":")[2] for s in skipped] == ["3", "5", "6", "7", "9"]
    assert skipped[0].raw == "{broken"
    assert all(s.reason and "\n" not in s.reason for s in skipped)
    assert [bool(d.notes) for d in documents] == [False, True, True]


@needs_cases
def test_the_shared_bad_lines() -> None:
    documents, skipped = split(CASES / "b22_bad_lines.jsonl")
    assert [d.id for d in documents] == ["l1", "l5", "l10", "l12"]
    assert len(skipped) == 7


def test_ids_of_records(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"id": 17},
        {"id": ""},
        {"id": None},
        {},
        {"url": "http://a.example/1"},
        {"id": "x", "url": "http://b.example"},
    ]
    path = write(tmp_path / "ids.jsonl", *(json.dumps({**row, "text": "t"}) for row in rows))
    ids = [d.id for d in split(path)[0]]
    assert ids[0] == "17"
    assert ids[4:] == ["http://a.example/1", "x"]
    assert len(set(ids)) == 6
    assert ids == [d.id for d in split(path)[0]]
    assert all(f"#{n}" in ids[n - 1] for n in (2, 3, 4))


def test_fields_are_named_and_the_rest_is_kept(tmp_path: Path) -> None:
    record = {
        "key": "1",
        "head": "H",
        "body": "B",
        "link": "http://x",
        "day": "2024-05-01",
        "n": [1, {"a": None}],
        "id": "?",
    }
    path = write(tmp_path / "a.jsonl", json.dumps(record))
    named = {"id_field": "key", "title_field": "head", "text_field": "body", "url_field": "link", "date_field": "day"}
    ((document,), _) = split(path, **named)
    assert (document.id, document.title, document.text, document.url) == ("1", "H", "B", "http://x")
    assert (document.date, document.meta) == ("2024-05-01", {"n": [1, {"a": None}], "id": "?"})
    assert document.source.endswith("a.jsonl:1")


def test_html_in_a_record_is_read_as_a_page(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", json.dumps({"id": "p", "html": "<title>T</title><ul><li>a<li>b</ul>"}))
    ((document,), _) = split(path)
    assert (document.title, document.text.split()) == ("T", ["a", "b"])


@pytest.mark.parametrize(
    "content", ['[{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]', '{"id": 1, "text": "a"}\n{"id": 2, "text": "b"}\n']
)
def test_json_arrays_and_lines(tmp_path: Path, content: str) -> None:
    assert [d.id for d in split(write(tmp_path / "a.json", content))[0]] == ["1", "2"]


def test_one_json_object(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", json.dumps({"id": 1, "text": "a"}, indent=2))
    assert [d.text for d in split(path)[0]] == ["a"]


def test_lone_surrogates_are_replaced_and_told(tmp_path: Path) -> None:
    ((document,), _) = split(write(tmp_path / "a.jsonl", '{"id": 1, "text": "smile \\ud83d end"}'))
    assert document.text == "smile \ufffd end"
    assert "surrogate" in document.notes[0]


def test_csv_as_spreadsheets_write_it(tmp_path: Path) -> None:
    big = "word " * 50_000
    path = tmp_path / "a.csv"
    path.write_text(f'\ufeffid,title,text\n1,T,"two\nlines ""quoted"""\n2,U,{big}\n3,V,nul\x00here\n', "utf-8")
    documents, skipped = split(path)
    assert skipped == []
    assert [d.id for d in documents] == ["1", "2", "3"]
    assert documents[0].text == 'two\nlines "quoted"'
    assert len(documents[1].text) >= len(big) - 1
    assert documents[2].text == "nulhere"


def test_csv_with_semicolons_in_gbk(tmp_path: Path) -> None:
    rows = (
        "编号;标题;正文\n1;面包;火车站附近的面包店重新开始按重量出售面包。\n2;港口;风暴扯断了渔船的缆绳，没有人受伤。\n"
    )
    path = tmp_path / "a.csv"
    path.write_bytes(rows.encode("gbk"))
    documents, _ = split(path, id_field="编号", title_field="标题", text_field="正文")
    assert [(d.id, d.title) for d in documents] == [("1", "面包"), ("2", "港口")]
    assert split(path, id_field="编号", text_field="正文", encoding="gb18030", delimiter=";")[0][1].text.startswith(
        "风暴"
    )


def test_a_missing_text_column_is_an_error_that_lists_the_others(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,body", "1,words")
    with pytest.raises(InputError, match=r"id.*body"):
        split(path)


def test_tab_separated(tmp_path: Path) -> None:
    assert split(write(tmp_path / "a.tsv", "id\ttext", "1\ta, b"))[0][0].text == "a, b"


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_compressed_records(tmp_path: Path, suffix: str) -> None:
    content = b'{"id": 1, "text": "a"}\n{"id": 2, "text": "b"}\n'
    path = tmp_path / f"a.jsonl.{suffix}"
    path.write_bytes(gzip.compress(content) if suffix == "gz" else _zstd(content))
    assert [d.id for d in split(path)[0]] == ["1", "2"]


def _zstd(content: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415
    else:
        from backports import zstd  # noqa: PLC0415
    return bytes(zstd.compress(content))


def test_a_truncated_archive_gives_what_it_has_and_says_so(tmp_path: Path) -> None:
    rows = "".join(json.dumps({"id": n, "text": f"text {n} {hash(n)}"}) + "\n" for n in range(5000)).encode()
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(rows)[:-4000])
    documents, skipped = split(path)
    assert 100 < len(documents) < 5000
    assert "cut short" in skipped[-1].reason
