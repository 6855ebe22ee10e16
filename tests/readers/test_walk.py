import os
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from esdedup.document import Skipped
from esdedup.errors import InputError
from esdedup.readers import read, show_path
from tests.readers.helpers import documents, only, only_skipped, read_all, write

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and modes as on POSIX are needed")


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ids(*paths: str | Path) -> list[str]:
    return [document.id for document in documents(read_all(*paths))]


def test_a_directory_is_read_by_name_and_hidden_entries_are_not(inside: Path) -> None:
    for name in ("b.txt", "a/z.txt", "a/b/c.txt", "a.txt", ".hidden.txt", ".git/config.txt", "a/.x/y.txt"):
        write(inside / name, name)
    assert ids(".") == ["a/b/c.txt", "a/z.txt", "a.txt", "b.txt"]
    assert ids("a.txt", "a") == ["a.txt", "a/b/c.txt", "a/z.txt"]


def test_hidden_entries_are_read_when_named(inside: Path) -> None:
    write(inside / ".notes/x.txt", "text")
    assert ids(".notes") == [".notes/x.txt"]


def test_an_empty_directory_holds_nothing(inside: Path) -> None:
    assert read_all(".") == []


def test_a_file_reached_twice_is_read_once(inside: Path) -> None:
    write(inside / "a/x.txt", "text")
    assert ids("a/x.txt", "a", "a/x.txt", "*/x.txt") == ["a/x.txt"]


def test_other_formats_in_a_directory_are_skipped(inside: Path) -> None:
    write(inside / "photos/cat.PNG", b"\x89PNG")
    write(inside / "photos/Makefile", "all:")
    results = read_all("photos")
    assert [(r.where, r.reason) for r in results if isinstance(r, Skipped)] == [
        ("photos/Makefile", "not a text format (no extension)"),
        ("photos/cat.PNG", "not a text format (.png)"),
    ]


@posix_only
def test_a_hostile_tree_is_read_at_once_and_each_text_once(inside: Path) -> None:
    write(inside / "a/doc.txt", "the text")
    (inside / "a/loop").symlink_to("..")
    (inside / "a/self").symlink_to("self")
    (inside / "b").symlink_to("a")
    (inside / "dangling").symlink_to("nowhere")
    (inside / "hard.txt").hardlink_to(inside / "a/doc.txt")
    deep = inside / Path(*["d"] * 60) / "deep.txt"
    write(deep, "deep")
    os.mkfifo(inside / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("sock.txt")
        start = time.monotonic()
        results = read_all(".")
    assert time.monotonic() - start < 1
    assert [r.id for r in results if not isinstance(r, Skipped)] == [
        "a/doc.txt",
        deep.relative_to(inside).as_posix(),
    ]
    reasons = {r.where: r.reason for r in results if isinstance(r, Skipped)}
    assert reasons.keys() == {"a/self", "dangling", "pipe.txt", "sock.txt"}
    assert reasons["dangling"] == "a link to nothing"
    assert reasons["pipe.txt"].startswith("a named pipe")
    assert reasons["sock.txt"].startswith("a socket")
    assert reasons["a/self"].startswith("cannot be read")


@posix_only
def test_devices_are_not_opened() -> None:
    assert only_skipped(read_all("/dev/zero")).reason == "a device, not a file"


@posix_only
def test_names_of_any_bytes_are_read_and_shown_on_one_line(inside: Path) -> None:
    try:
        write(inside / os.fsdecode(b"\xf6.txt"), "odd")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    write(inside / "new\nline.txt", "line")
    assert sorted(ids(".")) == ["\\xf6.txt", "new\\nline.txt"]


@posix_only
def test_different_paths_are_shown_differently() -> None:
    names = ["a\udcffb", "a\\xffb", "a\nb", "a\\nb", "a\x85b", "a\udc85b", "港口 一.txt"]
    shown = [show_path(name) for name in names]
    assert len(set(shown)) == len(names)
    assert "".join(shown).isprintable()
    assert shown[0] == "a\\xffb"
    assert shown[-1] == names[-1]


@pytest.fixture
def without_rights() -> Iterator[Path]:
    """A directory everybody may enter, and nobody's rights while the test runs, should root run it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        write(folder / "closed.txt", "secret").chmod(0)
        write(folder / "locked/x.txt", "secret").parent.chmod(0)
        write(folder / "open.txt", "text").chmod(0o644)
        root = hasattr(os, "geteuid") and os.geteuid() == 0
        if root:
            os.seteuid(65534)
        try:
            yield folder
        finally:
            if root:
                os.seteuid(0)
            (folder / "locked").chmod(0o755)


@posix_only
def test_what_may_not_be_read_is_reported(without_rights: Path) -> None:
    results = read_all(without_rights)
    assert [r.where.rpartition("/")[2] for r in results if isinstance(r, Skipped)] == ["closed.txt", "locked"]
    assert {r.reason for r in results if isinstance(r, Skipped)} == {"cannot be read (permission denied)"}
    assert len(results) == 3


def test_patterns_are_expanded_sorted_and_without_hidden_files(inside: Path) -> None:
    for name in ("b.txt", "a.txt", ".c.txt", "x/d.txt", "x/y/e.txt", "x/.z/f.txt", "a.md"):
        write(inside / name, name)
    assert ids("*.txt") == ["a.txt", "b.txt"]
    assert ids("**/*.txt") == ["a.txt", "b.txt", "x/d.txt", "x/y/e.txt"]
    assert ids("?.md") == ["a.md"]
    assert ids(".*.txt") == [".c.txt"]
    assert ids(str(inside / "x" / "*.txt")) == [(inside / "x/d.txt").as_posix()]


@posix_only
def test_a_name_with_wildcards_in_it_is_itself_first(inside: Path) -> None:
    write(inside / "a[1].txt", "brackets")
    write(inside / "a1.txt", "one")
    assert ids("a[1].txt") == ["a[1].txt"]


@posix_only
def test_patterns_do_not_follow_loops(inside: Path) -> None:
    write(inside / "a/x.txt", "text")
    for name in ("one", "two"):
        (inside / "a" / name).symlink_to("..")
    start = time.monotonic()
    assert ids("**/*.txt") == ["a/x.txt"]
    assert time.monotonic() - start < 1


def test_a_missing_path_is_an_error_before_anything_is_read(inside: Path) -> None:
    write(inside / "news.jsonl", "{}")
    with pytest.raises(InputError, match=r"no such file or directory: new\.jsonl; close to it: news\.jsonl"):
        read(["news.jsonl", "new.jsonl"])
    with pytest.raises(InputError, match=r"^no such file or directory: nowhere/x\.txt$"):
        read(["nowhere/x.txt"])
    with pytest.raises(InputError, match=r"no file matches \*\.csv"):
        read(["*.csv"])
    with pytest.raises(InputError, match="a path is empty"):
        read([""])
    with pytest.raises(InputError, match="cannot read"):
        read(["a\0b"])


def test_one_path_may_stand_alone(inside: Path) -> None:
    write(inside / "a.txt", "text")
    assert only(list(read("a.txt"))).text == "text"
    assert only(list(read(Path("a.txt")))).text == "text"  # type: ignore[arg-type]
