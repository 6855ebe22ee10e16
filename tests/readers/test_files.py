"""Finding files and reading texts and pages."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from esdedup.document import Document
from esdedup.errors import InputError
from esdedup.readers import html_to_text, read
from tests.readers.test_records import CASES, needs_cases, split

posix = pytest.mark.skipif(sys.platform == "win32", reason="such files are not to be had there")


@posix
def test_a_tree_with_every_kind_of_trouble(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "doc.txt").write_text("once")
    (tmp_path / "a" / "loop").symlink_to("..")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "dangling.txt").symlink_to("nowhere")
    os.link(tmp_path / "a" / "doc.txt", tmp_path / "hard.txt")
    (tmp_path / ".hidden.txt").write_text("no")
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    (tmp_path / "new\nline.txt").write_text("named with a newline")
    Path(os.fsdecode(bytes(tmp_path) + b"/byte\xff.txt")).write_text("named with a byte")
    deep = tmp_path
    for _ in range(60):
        deep = deep / "d"
    deep.mkdir(parents=True)
    (deep / "deep.txt").write_text("deep")
    started = time.monotonic()
    documents, skipped = split(tmp_path)
    assert time.monotonic() - started < 1
    assert sorted(d.text for d in documents) == ["deep", "named with a byte", "named with a newline", "once"]
    assert [d.id for d in documents] == [d.id for d in split(tmp_path)[0]]
    reasons = {s.where.rpartition("/")[2]: s.reason for s in skipped}
    assert set(reasons) == {"dangling.txt", "pipe.txt", "picture.png"}
    assert "not a text format (.png)" in reasons["picture.png"]
    assert all(d.id.isprintable() for d in documents)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read every file")
def test_an_unreadable_file_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("x")
    (tmp_path / "secret.txt").chmod(0)
    assert "permission" in split(tmp_path)[1][0].reason


@posix
def test_a_socket_is_never_opened(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s.txt"))
        assert "socket" in split(tmp_path)[1][0].reason


def test_globs_and_missing_paths(tmp_path: Path) -> None:
    for name in ("news-1.txt", "news-2.txt", "other.md"):
        (tmp_path / name).write_text(name)
    assert [d.text for d in split(tmp_path / "news-*.txt")[0]] == ["news-1.txt", "news-2.txt"]
    with pytest.raises(InputError, match=r"news-3\.txt.*news-"):
        read([tmp_path / "other.md", tmp_path / "news-3.txt"])
    with pytest.raises(InputError, match="no file matches"):
        read([tmp_path / "*.csv"])


def test_a_named_file_of_unknown_kind(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("words", "utf-8")
    (tmp_path / "blob").write_bytes(bytes(range(256)))
    assert [d.text for d in split(tmp_path / "notes")[0]] == ["words"]
    assert split(tmp_path / "blob")[1][0].reason == "not text"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_encodings_are_recognised(tmp_path: Path, encoding: str) -> None:
    text = "火车站附近的一家小面包店重新开始按重量出售面包，顾客自己带袋子。" * 5
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    assert split(tmp_path / "a.txt")[0][0].text == text


def test_an_unknown_encoding_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="klingon"):
        split(tmp_path, encoding="klingon")


def test_pages() -> None:
    page = html_to_text(
        "<html><head><title> A  page </title><style>p{}</style></head><body><script>x()</script>"
        "<ul><li>Home</li><li>News</li></ul><p>one<br>two</p><table><tr><td>a</td><td>b</td></tr></table>"
        "<noscript>off</noscript><template>t</template></body>"
    )
    assert page.title == "A page"
    assert page.text.split() == ["Home", "News", "one", "two", "a", "b"]


@pytest.mark.parametrize("html", ["", "<", "<p", "<div>" * 100_000 + "deep", "\0", "<title>only"])
def test_broken_pages_come_through(html: str) -> None:
    html_to_text(html)


@needs_cases
def test_a_page_that_declares_gb2312_and_is_more(tmp_path: Path) -> None:
    ((declared,), _), ((plain,), _) = split(CASES / "b21_declared_gb2312.html"), split(CASES / "b21_utf8.html")
    assert declared.text == plain.text
    assert "\ufffd" not in declared.text


def test_a_declared_encoding_is_read_as_its_larger_set(tmp_path: Path) -> None:
    html = '<meta charset="gb2312"><title>朱镕基</title><p>價格 € 100，鎔鑄工藝。</p>'
    (tmp_path / "a.html").write_bytes(html.encode("gb18030"))
    ((page,), _) = split(tmp_path / "a.html")
    assert (page.title, page.text.strip()) == ("朱镕基", "價格 € 100，鎔鑄工藝。")


def test_standard_input() -> None:
    script = "from esdedup.readers import read\nfor d in read(['-']): print(d.id, d.text)"
    for given, expected in ((b'{"id": 1, "text": "a"}\n', b"1 a"), (b"plain words", b"- plain words")):
        ran = subprocess.run([sys.executable, "-c", script], input=given, capture_output=True, check=True, timeout=60)
        assert ran.stdout.strip() == expected


# The largest memory of the process itself, in kB; getrusage would count its parent's before the exec.
PEAK = "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
linux = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")


@linux
def test_a_huge_text_is_cut_and_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "huge.txt"
    with path.open("wb") as file:
        for _ in range(120):
            file.write(b"twelve words " * 80_000)
    script = (
        "import sys\nfrom esdedup.readers import read\n(d,) = read([sys.argv[1]])\nprint(len(d.text), len(d.notes))\n"
        + PEAK
    )
    ran = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, check=True, timeout=60)
    length, notes, peak = map(int, ran.stdout.split())
    assert (length, notes) == (10_000_000, 1)
    assert peak < 400_000


@linux
def test_reading_many_records_takes_no_more_memory_than_few(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    with path.open("w") as file:
        for n in range(100_000):
            file.write(f'{{"id": {n}, "text": "{"some words " * 40}"}}\n')
    script = "import sys\nfrom esdedup.readers import read\nprint(sum(1 for _ in read([sys.argv[1]])))\n" + PEAK
    ran = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, check=True, timeout=60)
    count, peak = map(int, ran.stdout.split())
    assert count == 100_000
    assert peak < 200_000


def test_a_single_path_may_be_given_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("words")
    (document,) = read([str(tmp_path / "a.txt")])
    assert isinstance(document, Document)
    assert document.id == (tmp_path / "a.txt").as_posix()
