"""Which reader a path gets; compressed files; standard input."""

import gzip
import io
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from esdedup.document import Document, Skipped
from esdedup.errors import InputError
from esdedup.readers import ReadOptions, read
from tests.readers.helpers import documents, only, only_skipped, read_all, write

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

CONTENT = {
    ".txt": "words",
    ".MD": "words",
    ".html": "<p>words",
    ".htm": "<p>words",
    ".jsonl": '{"text": "words"}',
    ".ndjson": '{"text": "words"}',
    ".json": '[{"text": "words"}]',
    ".csv": "text\nwords\n",
    ".tsv": "id\ttext\n1\twords\n",
}


@pytest.mark.parametrize("suffix", CONTENT)
def test_every_format_is_read_plain_and_compressed(tmp_path: Path, suffix: str) -> None:
    data = CONTENT[suffix].encode()
    write(tmp_path / f"a{suffix}", data)
    write(tmp_path / f"b{suffix}.gz", gzip.compress(data))
    write(tmp_path / f"c{suffix}.zst", zstd.compress(data))
    assert [document.text for document in documents(read_all(tmp_path))] == ["words"] * 3


def test_a_file_that_was_named_is_text_if_it_looks_like_it(tmp_path: Path) -> None:
    assert only(read_all(write(tmp_path / "letter.eml", "Dear harbour"))).text == "Dear harbour"
    assert only(read_all(write(tmp_path / "LICENSE", "As is"))).text == "As is"
    assert only(read_all(write(tmp_path / "notes.gz", gzip.compress(b"As is")))).text == "As is"
    picture = write(tmp_path / "cat.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)))
    assert only_skipped(read_all(picture)) == Skipped(picture.as_posix(), "not text")


def test_a_cut_compressed_file_gives_the_records_before_the_cut(tmp_path: Path) -> None:
    lines = [f'{{"text": "{n} {os.urandom(20).hex()}"}}\n' for n in range(20_000)]
    for name, data in (
        ("a.jsonl.gz", gzip.compress("".join(lines).encode())),
        ("a.jsonl.zst", zstd.compress("".join(lines).encode())),
    ):
        *found, skipped = read_all(write(tmp_path / name, data[: len(data) // 2]))
        assert len(found) > 5000
        assert all(isinstance(document, Document) for document in found)
        assert isinstance(skipped, Skipped)
        assert skipped.where.endswith(f"{name}:{len(found) + 1}")
        assert skipped.reason.startswith("compressed file is cut short")


def test_damaged_and_wrongly_named_compressed_files_are_skipped(tmp_path: Path) -> None:
    for name in ("a.txt.gz", "a.jsonl.gz", "a.csv.zst", "a.json.zst", "a.html.gz"):
        skipped = only_skipped(read_all(write(tmp_path / name, "not compressed")))
        assert skipped.reason.startswith("damaged, or not compressed")
    data = bytearray(gzip.compress(b'{"text": "words"}\n'))
    data[-8] ^= 0xFF  # the checksum
    document, skipped_ = read_all(write(tmp_path / "b.jsonl.gz", bytes(data)))
    assert isinstance(document, Document) and isinstance(skipped_, Skipped)
    assert skipped_.where.endswith("b.jsonl.gz:2")


def test_a_cut_compressed_text_is_no_document(tmp_path: Path) -> None:
    data = gzip.compress(os.urandom(5000).hex().encode())
    assert only_skipped(read_all(write(tmp_path / "a.txt.gz", data[:2000]))).where.endswith("a.txt.gz")


def test_one_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl.gz", "no")
    write(tmp_path / "b.txt", "words")
    assert len(read_all(tmp_path)) == 2


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_standard_input_is_json_lines_by_its_first_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, b'\xef\xbb\xbf\r\n {"text": "one"}\n{bad\n{"id": "x", "text": "two"}')
    one, bad, two = read_all("-", "-")
    assert isinstance(one, Document) and isinstance(bad, Skipped) and isinstance(two, Document)
    assert (one.id, one.source, bad.where, two.id, two.source) == ("-#1", "-:2", "-:3", "x", "-:4")


def test_other_standard_input_is_one_text(monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, "\n港口\n第二行\n".encode("gbk"))
    assert only(read_all("-")) == Document(id="-", text="\n港口\n第二行\n", source="-")
    feed(monkeypatch, b"")
    assert only(read_all("-")).text == ""
    feed(monkeypatch, bytes(range(256)))
    assert only_skipped(read_all("-")) == Skipped("-", "not text")


def test_standard_input_is_read_while_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = os.pipe()
    late = threading.Timer(5, os.close, [target])
    with os.fdopen(source) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        late.start()
        start = time.monotonic()
        results = read(["-"])
        for text in ("one", "two"):
            os.write(target, f'{{"text": "{text}"}}\n'.encode())
            document = next(results)
            assert isinstance(document, Document)
            assert document.text == text
        assert time.monotonic() - start < 4
        late.cancel()
        os.close(target)
        assert list(results) == []


def test_no_standard_input_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="no standard input"):
        read_all("-")


def test_nothing_to_read() -> None:
    assert read_all() == []
    with pytest.raises(InputError, match="leaves no text"):
        ReadOptions(max_chars=0)
