"""What a newcomer meets before anything runs: help, errors, output that other programs can read."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import esdedup
from esdedup.cli.app import app
from esdedup.cli.commands import LazyGroup, load_command
from tests.cli.conftest import Esdedup

COMMANDS = (
    "compare delete demo doctor down dupes eval fingerprint gate group groups index init plan prune "
    "regroup restore search show stats status up".split()
)


def test_every_command_has_help_with_an_example(esdedup: Esdedup) -> None:
    overview = esdedup("--help").out
    for command in COMMANDS:
        assert f" {command} " in overview
        ran = esdedup(command, "-h")
        assert ran.code == 0
        assert f"esdedup {command}" in ran.out.split("Usage:")[1].split("\n", 2)[2], command


def test_the_overview_says_what_the_commands_say() -> None:
    overview = typer.main.get_command(app)
    assert isinstance(overview, LazyGroup)
    assert sorted(overview.commands) == sorted(COMMANDS)
    for name, command in overview.commands.items():
        said = load_command(name).help.split("\n\n")[0]
        assert command.help == " ".join(said.split()), name


def test_help_loads_nothing_heavy() -> None:
    code = "import sys, esdedup.cli.app; print({'numpy', 'rjieba', 'elasticsearch', 'httpx'} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert ran.stdout == b"set()\n"


def test_completion_after_a_wrong_word_is_quiet() -> None:
    asked = {"_ESDEDUP_COMPLETE": "complete_bash", "COMP_WORDS": "esdedup nonsense ", "COMP_CWORD": "2"}
    code = "from esdedup.__main__ import main; import sys; sys.argv = ['esdedup']; main()"
    ran = subprocess.run([sys.executable, "-c", code], env={**os.environ, **asked}, capture_output=True, check=False)
    assert b"Traceback" not in ran.stderr


def test_the_package_offers_its_names_and_no_others() -> None:
    assert {name for name in dir(esdedup) if getattr(esdedup, name) is not None} >= set(esdedup.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = esdedup.nonsense


def test_every_command_is_documented() -> None:
    root = Path(__file__).parents[2]
    pages = "".join(page.read_text("utf-8") for page in (root / "README.md", *(root / "docs").glob("*.md")))
    assert [command for command in COMMANDS if f"esdedup {command}" not in pages] == []


def test_help_keeps_what_stands_in_brackets(esdedup: Esdedup) -> None:
    assert "esdedup[local]" in esdedup("up", "-h").out
    assert "[default: cores - 1]" in esdedup("index", "-h").out


def test_version(esdedup: Esdedup) -> None:
    assert esdedup("--version").out == "esdedup 0.1.0\n"


def test_no_engine_is_one_line(esdedup: Esdedup, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a text")
    for args in (["dupes", "x"], ["search", "x"], ["index", str(tmp_path)], ["groups"]):
        ran = esdedup(*args, "--url", "http://127.0.0.1:9")
        assert (ran.code, ran.out) == (3, ""), args
        assert len(ran.err.splitlines()) == 1
        assert "http://127.0.0.1:9" in ran.err
        assert "esdedup up" in ran.err


def test_nothing_to_index_is_one_line(esdedup: Esdedup, tmp_path: Path) -> None:
    empty = esdedup("index", str(tmp_path))
    assert (empty.code, len(empty.err.splitlines())) == (2, 1)
    assert "nothing to index" in empty.err
    for name in ("a.png", "b.jpg"):
        (tmp_path / name).write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    pictures = esdedup("index", str(tmp_path))
    assert (pictures.code, len(pictures.err.splitlines())) == (2, 1)
    assert "2 passed over" in pictures.err
    missing = esdedup("index", str(tmp_path / "nowhere"))
    assert (missing.code, len(missing.err.splitlines())) == (2, 1)
    assert "nowhere" in missing.err


def test_what_cannot_be_fetched_ends_with_1_and_is_kept(esdedup: Esdedup, tmp_path: Path) -> None:
    kept = tmp_path / "rejects.jsonl"
    address = "http://me:secret@127.0.0.1:9/page"
    ran = esdedup("index", address, "--reject", str(kept))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.splitlines()[-1] == "esdedup: nothing was indexed: 1 page skipped"
    (line,) = kept.read_text("utf-8").splitlines()
    assert json.loads(line)["where"] == "http://127.0.0.1:9/page"
    assert "secret" not in ran.err + line


@pytest.mark.parametrize("content", ["", "# nothing but a remark\n"])
def test_an_empty_list_of_addresses_is_one_line(esdedup: Esdedup, tmp_path: Path, content: str) -> None:
    (tmp_path / "urls.txt").write_text(content, "utf-8")
    ran = esdedup("index", "--urls", str(tmp_path / "urls.txt"))
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "holds no record" in ran.err


def test_compare_names_the_file_that_is_missing(esdedup: Esdedup, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("some words in a file", "utf-8")
    ran = esdedup("compare", str(tmp_path / "a.txt"), "missing.txt", "--url", "http://127.0.0.1:9")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert ran.err.startswith("esdedup: 'missing.txt': no such file, nor a stored document")


def test_compare_takes_names_that_no_file_can_have(esdedup: Esdedup) -> None:
    ran = esdedup("compare", "a" * 600, "b\0", "--url", "http://127.0.0.1:9")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)


def test_compare_of_empty_and_of_wide_texts(esdedup: Esdedup, tmp_path: Path) -> None:
    for name, text in {"e": "", "w": "Ｏｎｅ，ｔｗｏ．Ｔｈｒｅｅ！ｆｏｕｒ", "n": "One,two.Three!four"}.items():
        (tmp_path / name).write_text(text, "utf-8")
    empty, wide, narrow = (str(tmp_path / name) for name in "ewn")
    assert esdedup("compare", empty, empty).out.startswith("A and B are empty: empty texts are never duplicates\n")
    assert esdedup("compare", narrow, empty).out.startswith("B is empty: ")
    same = json.loads(esdedup("compare", wide, narrow, "--json").out)
    assert same["exact"]
    assert same["sentences"]["changes"] == []


def test_an_early_interrupt_is_quiet() -> None:
    code = """if True:
        import builtins, esdedup.__main__ as entry
        load = builtins.__import__
        def interrupted(name, *others):
            if name == "esdedup.cli.app":
                raise KeyboardInterrupt
            return load(name, *others)
        builtins.__import__ = interrupted
        entry.main()"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, b"", b"")


def test_fingerprint_prints_hex_and_needs_no_engine(esdedup: Esdedup, tmp_path: Path) -> None:
    (tmp_path / "zh.txt").write_text("港口办公室在风暴之前清点了四十二条船，风暴之后只剩下三十九条。", "utf-8")
    ran = esdedup("fingerprint", str(tmp_path / "zh.txt"), "--json")
    (one,) = json.loads(ran.out)
    assert ran.err == ""
    assert len(one["fingerprint"]) == 16
    assert one["status"] == "ok"


def test_secrets_are_in_no_output(esdedup: Esdedup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ESDEDUP_API_KEY", "SENTINEL")
    ran = esdedup("dupes", "x", "--url", "http://127.0.0.1:9")
    assert "SENTINEL" not in ran.out + ran.err


def test_wrong_options_end_with_2(esdedup: Esdedup) -> None:
    assert esdedup("dupes", "--no-such-option").code == 2
    assert esdedup("nonsense").code == 2


def _run(*args: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "esdedup", *args]
    return subprocess.run(command, capture_output=True, env={**os.environ, **env}, timeout=60, check=False)


def test_what_the_encoding_lacks_is_escaped(tmp_path: Path) -> None:
    path = tmp_path / "recipe.jsonl"
    path.write_text(json.dumps({"id": "面包", "text": "a text of some words"}), "utf-8")
    ran = _run("fingerprint", str(path), PYTHONIOENCODING="cp1252")
    assert ran.returncode == 0
    assert b"\\u9762\\u5305" in ran.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGPIPE there")
def test_a_reader_that_leaves_ends_it_quietly(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_text("".join(json.dumps({"id": n, "text": f"text number {n}"}) + "\n" for n in range(20_000)), "utf-8")
    shell = f"{sys.executable} -m esdedup fingerprint {path} | head -1; exit ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", shell], capture_output=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr, ran.stdout.count(b"\n")) == (141, b"", 1)
