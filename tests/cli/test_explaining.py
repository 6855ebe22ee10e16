"""What `compare` and `dupes --explain` show of the texts."""

import json
import sys
from pathlib import Path

import pytest

from esdedup.cli.explaining import show_explanation
from esdedup.explaining import explain
from tests.cli.conftest import Esdedup

OLD = "The ferry left at nine. It was full. 船在港口停了一夜。"
NEW = "The ferry left at ten. It was full. 船在港口停了两夜。"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    for name, text in (("old.txt", OLD), ("new.txt", NEW)):
        (tmp_path / name).write_text(text, "utf-8")
    return str(tmp_path / "old.txt"), str(tmp_path / "new.txt")


def test_compare_shows_sentences_in_a_pipe(esdedup: Esdedup, files: tuple[str, str]) -> None:
    lines = esdedup("compare", *files).out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("differs: text; 1 equal sentence"))
    assert lines[at + 1 :] == [
        "- The ferry left at nine.",
        "+ The ferry left at ten.",
        "- 船在港口停了一夜。",
        "+ 船在港口停了两夜。",
    ]
    assert esdedup("compare", *files, "--limit", "1").out.splitlines()[-1] == "and 1 more: --limit shows them"


def test_compare_as_json(esdedup: Esdedup, files: tuple[str, str]) -> None:
    found = json.loads(esdedup("compare", *files, "--json").out)
    assert found["differs"] == "text"
    assert found["sentences"]["changes"][0] == {
        "a": "The ferry left at nine.",
        "b": "The ferry left at ten.",
        "a_spans": [[18, 22]],
        "b_spans": [[18, 21]],
    }
    assert (found["sentences"]["equal"], found["sentences"]["changed"]) == (1, 2)


def test_hidden_characters_are_told(esdedup: Esdedup, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The fer\u200bry left at nine o'clock.", "utf-8")
    (tmp_path / "b.txt").write_text("The ferry left at nine o'clock.", "utf-8")
    out = esdedup("compare", str(tmp_path / "a.txt"), str(tmp_path / "b.txt")).out
    assert "A: 1 hidden character left out of the comparison" in out
    assert "the same text; 1 equal sentence" in out


@pytest.mark.parametrize("no_color", ["", "1"])
def test_side_by_side_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], no_color: str
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    show_explanation(explain(f"{OLD} A \x1b[31m sign.", NEW), 10)
    out = capsys.readouterr().out
    assert "\x1b[31m sign" not in out and r"\x1b[31m sign" in out
    assert ("\x1b[1;31mnine" in out) == (not no_color)
    (row,) = [line for line in out.splitlines() if "left at" in line]
    assert row.index("nine") < row.index("ten")


def test_a_side_that_lost_nothing_is_not_coloured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("COLUMNS", "100"), ("TERM", "xterm-256color"), ("FORCE_COLOR", "1"), ("NO_COLOR", "")):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    show_explanation(explain("The bridge opened in May.", "The old bridge opened in May."), 10)
    out = capsys.readouterr().out
    assert "\x1b[1;31m" not in out
    assert "\x1b[1;32m old" in out


@pytest.mark.engine
def test_dupes_explain(indexed: Esdedup, tmp_path: Path) -> None:
    story = " ".join(f"Sentence number {n} of the harbour log tells of boats." for n in range(20))
    records = [{"id": "a", "text": story}, {"id": "b", "text": story.replace("number 7 of", "number 8 of")}]
    path = tmp_path / "two.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    indexed("index", str(path))
    ran = indexed("dupes", "a", "--explain", "-k", "11", "-f", "table")
    assert ran.out.splitlines()[0].startswith("b: distance ")
    assert "- Sentence number 7 of the harbour log tells of boats." in ran.out
    (row,) = json.loads(indexed("dupes", "a", "--explain", "-k", "11", "--json").out)
    assert row["sentences"]["changes"][0]["a_spans"] == [[16, 17]]
    assert {feature["feature"] for feature in row["features"]} >= {"7", "8"}
    assert indexed("dupes", "--fingerprint", "0" * 16, "--explain").code == 2
