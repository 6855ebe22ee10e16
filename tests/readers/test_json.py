import gzip
import json
from pathlib import Path

import pytest

from esdedup.document import Document, Skipped
from tests.readers.helpers import documents, only, only_skipped, read_all, write


def texts(path: Path) -> list[str]:
    return [document.text for document in documents(read_all(path))]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("code", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_arrays_are_read_however_laid_out(tmp_path: Path, indent: int | None, code: str) -> None:
    records = [{"text": f'第{n}篇 [{{"}}], 😀'} for n in range(5000)]
    path = write(tmp_path / "a.json", json.dumps(records, ensure_ascii=False, indent=indent).encode(code))
    found = documents(read_all(path))
    assert [document.text for document in found] == [record["text"] for record in records]
    assert found[2].id == f"{path.as_posix()}#3"
    assert found[2].source == f"{path.as_posix()}:{8 if indent else 1}"


def test_one_object_objects_in_a_row_and_json_lines_are_read(tmp_path: Path) -> None:
    assert texts(write(tmp_path / "one.json", '{\n "text": "a"\n}\n')) == ["a"]
    assert texts(write(tmp_path / "row.json", '{\n "text": "a"\n}\n{\n"text": "b"}{"text": "c"}')) == ["a", "b", "c"]
    good, bad, after = read_all(write(tmp_path / "lines.json", '{"text":"a"}\n{"text\n{"text":"b"}\n'))
    assert isinstance(good, Document) and isinstance(bad, Skipped) and isinstance(after, Document)
    assert texts(write(tmp_path / "two.json", '[{"text":"a"}]\n[{"text":"b"}]')) == ["a", "b"]


def test_empty_files_and_arrays_hold_nothing(tmp_path: Path) -> None:
    for content in ("", " \n", "[]", "[ \n ]\n"):
        assert read_all(write(tmp_path / "a.json", content)) == []


def test_elements_that_are_no_records_are_skipped(tmp_path: Path) -> None:
    one, two, text = read_all(write(tmp_path / "a.json", '[12, "x", {"text": "a"}]'))
    assert isinstance(one, Skipped) and isinstance(two, Skipped) and isinstance(text, Document)
    assert (one.reason, one.raw) == ("a number instead of an object", "12")
    assert two.raw == '"x"'


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ('[\n{"text": "a"},\n{"text": oops},\n{"text": "b"}]', 3, "broken JSON at character 10: expecting value"),
        ('[\n{"text": "a"},\n{"text": "b', 3, "broken JSON at character 10: unterminated string"),
        ('[\n{"text": "a"}\n', 3, "the file ends inside the array"),
    ],
)
def test_a_broken_array_gives_the_records_before(tmp_path: Path, content: str, line: int, reason: str) -> None:
    document, skipped = read_all(write(tmp_path / "a.json", content))
    assert isinstance(document, Document) and isinstance(skipped, Skipped)
    assert skipped.where.endswith(f"a.json:{line}")
    assert skipped.reason.startswith(reason)


def test_a_cut_compressed_array_gives_the_records_before(tmp_path: Path) -> None:
    records = [{"text": f"{n} {hash(str(n))}"} for n in range(20_000)]
    data = gzip.compress(json.dumps(records).encode())
    *found, skipped = read_all(write(tmp_path / "a.json.gz", data[: len(data) // 2]))
    assert len(found) > 5000
    assert isinstance(skipped, Skipped)
    assert skipped.reason.startswith("compressed file is cut short")


def test_text_that_is_no_json_is_one_skipped_record(tmp_path: Path) -> None:
    skipped = only_skipped(read_all(write(tmp_path / "a.json", "hello " * 100_000)))
    assert skipped.reason.startswith("broken JSON at character 1")


def test_long_values_are_read_whole(tmp_path: Path) -> None:
    text = "港" * 3_000_000
    assert only(read_all(write(tmp_path / "a.json", json.dumps([{"text": text}])))).text == text
