"""WARC files made by the tests: every kind of record, of compression, and of damage."""

import gzip
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import brotli
import pytest

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

from esdedup.document import Document, Skipped
from esdedup.readers import ReadOptions
from esdedup.readers.bodies import unchunk
from tests.readers.helpers import case, documents, only, only_skipped, read_all, write

TEXT = "The tide table for the harbour hangs in the office, beside the barometer."
PAGE = f"<html><title>Tide</title><p>{TEXT}</p></html>"


def record(kind: str, body: bytes, content_type: str = "application/http; msgtype=response", **more: str) -> bytes:
    headers = {
        "WARC-Type": kind,
        "WARC-Target-URI": "http://a.example/tide",
        "WARC-Date": "2026-03-04T05:06:07Z",
        "Content-Type": content_type,
        "Content-Length": str(len(body)),
        **{name.replace("_", "-"): value for name, value in more.items()},
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"WARC/1.1\r\n{lines}\r\n".encode() + body + b"\r\n\r\n"


def answer(body: bytes = PAGE.encode(), status: int = 200, **headers: str) -> bytes:
    all_headers = {"Content-Type": "text/html; charset=utf-8"} | {n.replace("_", "-"): v for n, v in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in all_headers.items())
    return f"HTTP/1.1 {status} whatever\r\n{lines}\r\n".encode() + body


def response(body: bytes = PAGE.encode(), status: int = 200, **headers: str) -> bytes:
    return record("response", answer(body, status, **headers))


def results(tmp_path: Path, content: bytes, name: str = "a.warc") -> list[Document | Skipped]:
    return read_all(write(tmp_path / name, content))


def test_a_response_is_a_document(tmp_path: Path) -> None:
    document = only(results(tmp_path, record("warcinfo", b"software: x") + response()))
    assert (document.id, document.url) == ("http://a.example/tide", "http://a.example/tide")
    assert (document.title, document.text, document.date) == ("Tide", TEXT, "2026-03-04T05:06:07Z")
    assert document.source.endswith("a.warc#2")


def chunked(body: bytes) -> bytes:
    parts = [body[i : i + 10] for i in range(0, len(body), 10)]
    return b"".join(f"{len(part):x};x=1\r\n".encode() + part + b"\r\n" for part in parts) + b"0\r\n\r\n"


@pytest.mark.parametrize(
    ("coding", "encode"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda body: zlib.compress(body)[2:-4]),
        ("br", brotli.compress),
        ("zstd", zstd.compress),
        ("gzip, br", lambda body: brotli.compress(gzip.compress(body))),
        ("identity", lambda body: body),
    ],
)
@pytest.mark.parametrize("in_chunks", [False, True])
def test_every_coding(tmp_path: Path, coding: str, encode: Callable[[bytes], bytes], in_chunks: bool) -> None:
    body = encode(PAGE.encode())
    headers = {"Content_Encoding": coding}
    if in_chunks:
        body, headers = chunked(body), {**headers, "Transfer_Encoding": "chunked"}
    assert only(results(tmp_path, response(body, 200, **headers))).text == TEXT


def test_a_false_claim_of_chunks(tmp_path: Path) -> None:
    assert only(results(tmp_path, response(Transfer_Encoding="chunked"))).text == TEXT
    assert unchunk(b"5\r\nhello\r\n3\r\nab") == b"helloab"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (response(status=404), "status 404"),
        (response(b"\x89PNG", Content_Type="image/png"), "image/png is not a page"),
        (response(b"\0\1\2\3" * 9, Content_Type=""), "not text"),
        (response(b"not compressed", Content_Encoding="gzip"), "its body is not valid gzip"),
        (response(b"not compressed", Content_Encoding="br"), "its body is not valid br"),
        (response(Content_Encoding="rot13"), "its content coding 'rot13' is not known"),
        (record("revisit", b""), "revisit: the page is in another record"),
        (record("response", b"no answer at all"), "the record holds no HTTP answer"),
        (record("response", answer(), WARC_Target_URI=""), "the record has no address"),
    ],
)
def test_what_is_no_page_is_skipped_and_the_next_is_read(tmp_path: Path, content: bytes, reason: str) -> None:
    skipped, after = results(tmp_path, content + response())
    assert isinstance(skipped, Skipped) and isinstance(after, Document)
    assert skipped.where.endswith("a.warc#1")
    assert skipped.reason.startswith(reason)


def test_other_kinds_of_record(tmp_path: Path) -> None:
    silent = record("request", b"GET / HTTP/1.1") + record("metadata", b"x: y")
    resource = record("resource", PAGE.encode(), "text/html")
    conversion = record("conversion", TEXT.encode(), "text/plain")
    found = documents(results(tmp_path, silent + resource + conversion))
    assert [document.text for document in found] == [TEXT, TEXT]


@pytest.mark.parametrize("name", ["a.warc.gz", "one.warc.gz", "a.warc.zst"])
def test_compressed_files(tmp_path: Path, name: str) -> None:
    records = [response(), response(status=500), response()]
    match name:
        case "a.warc.gz":
            content = b"".join(map(gzip.compress, records))
        case "one.warc.gz":
            content = gzip.compress(b"".join(records))
        case _:
            content = zstd.compress(b"".join(records))
    assert [isinstance(r, Document) for r in results(tmp_path, content, name)] == [True, False, True]


@pytest.mark.parametrize("lost", [1, 100, 300, len(response()) - 30])
def test_a_file_cut_short(tmp_path: Path, lost: int) -> None:
    whole = response() * 2
    first, *rest = results(tmp_path, whole[: -4 - lost])
    assert isinstance(first, Document)
    assert [r.reason for r in rest if isinstance(r, Skipped)] == [
        "the file is cut short inside a record, which is not read"
    ]


def test_compressed_and_cut_short(tmp_path: Path) -> None:
    content = gzip.compress(response()) * 2
    first, second = results(tmp_path, content[:-20], "a.warc.gz")
    assert isinstance(first, Document) and isinstance(second, Skipped)
    assert "cut short" in second.reason


@pytest.mark.parametrize("content", [b"hello", b"WARC/1.0\r\nContent-Length: x\r\n\r\n", b"WARC/1.0\r\n\r\n"])
def test_no_warc_at_all(tmp_path: Path, content: bytes) -> None:
    assert "what follows is lost" in only_skipped(results(tmp_path, content)).reason


def test_a_bomb_is_cut_at_the_limit(tmp_path: Path) -> None:
    bomb = response(gzip.compress(b"<p>" + b"boom " * 20_000_000, 9), Content_Encoding="gzip")
    path = write(tmp_path / "a.warc", bomb + response())
    bombed, after = documents(read_all(path, options=ReadOptions(max_chars=1000)))
    assert len(bombed.text) <= 1000
    assert bombed.notes == ("text cut at 1,000 characters",)
    assert after.text == TEXT


def test_charsets_by_header_then_by_page(tmp_path: Path) -> None:
    page = "<meta charset=big5><p>朱镕基的港口，€ 一百，清晨的海面很安静，渔船出海"
    by_header = response(page.encode("gb18030"), Content_Type="text/html; charset=gb2312")
    by_page = response(page.replace("big5", "gb2312").encode("gb18030"), Content_Type="text/html")
    for document in documents(results(tmp_path, by_header + by_page)):
        assert document.text == page[page.index("<p>") + 3 :]


@pytest.mark.parametrize("name", ["b24_mixed.warc.gz", "b24_plain.warc", "b24_one_gzip_stream.warc.gz"])
def test_b24(name: str) -> None:
    found = read_all(case(name))
    ids = [r.id.rpartition("/")[2] for r in found if isinstance(r, Document)]
    assert ids == ["storm", "bread-gzip", "harbour-br", "storm-chunked", "gbk", "last"]
    assert len([r for r in found if isinstance(r, Skipped)]) == 5


def test_b24_truncated() -> None:
    found = read_all(case("b24_truncated.warc.gz"))
    assert len([r for r in found if isinstance(r, Document)]) == 5
    assert isinstance(found[-1], Skipped) and "cut short" in found[-1].reason


def test_endless_headers_and_numbers_end_the_file_with_a_reason(tmp_path: Path) -> None:
    for number, content in enumerate(
        (
            b"WARC/1.0\r\n" + b"a: b\r\n" * 500_000 + b"\r\n",
            b"WARC/1.0\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
            record("response", b"HTTP/1.1 " + b"2" * 5000 + b" OK\r\n\r\nbody"),
        )
    ):
        path = tmp_path / f"{number}.warc"
        path.write_bytes(content)
        assert all(isinstance(one, Skipped) for one in read_all(path))
