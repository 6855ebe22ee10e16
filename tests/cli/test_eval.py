"""`esdedup eval`: literal output, JSON of the documented shape, clear words for bad input."""

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Esdedup

STORY = (
    "The harbour office counted forty boats before the storm and thirty eight after it. Nobody was hurt, but the old "
    "pier lost its lamp, two ladders and most of its planks, and the ferry will wait until the ropes have been checked."
)
BAKERY = "火车站附近的一家小面包店重新开始按重量出售面包。顾客自己带袋子，挑选一个面包，按照秤上的数字付款。" * 3


@pytest.fixture
def labelled(tmp_path: Path) -> tuple[str, str]:
    texts = {"storm": STORY, "again": f"{STORY} The end.", "bread": BAKERY, "bread2": f"{BAKERY}欢迎。"}
    records = [json.dumps({"id": doc_id, "text": text}, ensure_ascii=False) for doc_id, text in texts.items()]
    (tmp_path / "docs.jsonl.gz").write_bytes(gzip.compress("\n".join(records).encode()))
    pairs = ["storm\tagain\t1\tedit\t0.9", "bread\tbread2\t1", "storm\tbread\t0", "again\tbread2\t?", ""]
    (tmp_path / "pairs.tsv").write_text("\n".join(pairs), "utf-8")
    return str(tmp_path / "docs.jsonl.gz"), str(tmp_path / "pairs.tsv")


def test_a_table_and_two_sentences(esdedup: Esdedup, labelled: tuple[str, str]) -> None:
    ran = esdedup("eval", *labelled)
    lines = ran.out.splitlines()
    assert ran.code == 0
    assert lines[0].startswith("4 documents, 3 labelled pairs, simhash64-")
    assert lines[2].split() == ["k", "precision", "recall", "f1", "false_per_million"]
    assert [line.split()[0] for line in lines[4:16]] == [str(k) for k in range(12)]
    assert lines[15].split() == ["11", "1.000", "1.000", "1.000", "0.0"]
    assert lines[17] == ("within k = 11 and confirmed by the texts (0.5): precision 1.000, recall 1.000, F1 1.000")
    assert lines[18].startswith("candidates a look-up at k = 3: ")


def test_json_has_the_documented_keys(esdedup: Esdedup, labelled: tuple[str, str]) -> None:
    found = json.loads(esdedup("eval", *labelled, "--json", "-k", "7", "--confirm", "0.4", "--same-numbers").out)
    assert list(found) == ["documents", "pairs", "features", "by_distance", "confirmed", "candidates"]
    assert (found["documents"], found["pairs"]) == (4, 3)
    assert [list(row) for row in found["by_distance"]] == [
        ["k", "precision", "recall", "f1", "false_per_million"] for _ in range(12)
    ]
    assert found["confirmed"] == {
        "k": 7,
        "threshold": 0.4,
        "distinct_numbers": False,
        "precision": 1.0,
        "recall": 1.0,
        "f1": 1.0,
    }


def test_other_features(esdedup: Esdedup, labelled: tuple[str, str]) -> None:
    assert (
        "-chars3-"
        in json.loads(esdedup("eval", *labelled, "--features", "chars", "--size", "3", "--json").out)["features"]
    )


@pytest.mark.parametrize(("name", "magic"), [("plot.svg", b"<?xml"), ("plot.png", b"\x89PNG")])
def test_a_plot(esdedup: Esdedup, labelled: tuple[str, str], tmp_path: Path, name: str, magic: bytes) -> None:
    assert esdedup("eval", *labelled, "--plot", str(tmp_path / name)).code == 0
    assert (tmp_path / name).read_bytes().startswith(magic)


def test_a_plot_of_an_unknown_format_is_one_line(esdedup: Esdedup, labelled: tuple[str, str], tmp_path: Path) -> None:
    ran = esdedup("eval", *labelled, "--plot", str(tmp_path / "plot.docx"))
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "plot.docx" in ran.err


def test_pairs_of_unknown_documents_are_left_out_and_said(esdedup: Esdedup, labelled: tuple[str, str]) -> None:
    pairs = Path(labelled[1])
    pairs.write_text(pairs.read_text("utf-8") + "storm\tnobody\t1\n", "utf-8")
    ran = esdedup("eval", *labelled, "--json")
    assert json.loads(ran.out)["pairs"] == 3
    assert "1 pair left out: no document 'nobody' and such" in ran.err


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("storm\tagain\n", "pairs.tsv:1: not a pair"),
        ("\nstorm\tagain\tyes\n", "pairs.tsv:2: not a pair"),
        ("storm\tagain\t?\n", "no pair with label 1 or 0"),
        ("x\ty\t1\n", "no labelled pair"),
        ("", "holds no pair"),
        ("storm\tstorm\t1\n", "do the ids agree"),
    ],
)
def test_pairs_that_cannot_be_used(esdedup: Esdedup, labelled: tuple[str, str], content: str, reason: str) -> None:
    Path(labelled[1]).write_text(content, "utf-8")
    ran = esdedup("eval", *labelled, "-q")
    assert ran.code == 2
    assert reason in ran.err


def test_odd_pairs_are_said(esdedup: Esdedup, labelled: tuple[str, str]) -> None:
    pairs = Path(labelled[1])
    pairs.write_text(pairs.read_text("utf-8") + "storm\tstorm\t1\nagain\tstorm\t0\n", "utf-8")
    ran = esdedup("eval", *labelled, "-q", "--json")
    assert json.loads(ran.out)["pairs"] == 4
    assert ran.err.splitlines() == [
        "1 pair of a document with itself left out",
        "1 pair labelled both 1 and 0, such as ['again', 'storm']",
    ]


@pytest.mark.parametrize("encoding", ["utf-16", "gb18030", "gzip"])
def test_pairs_in_other_encodings(esdedup: Esdedup, labelled: tuple[str, str], tmp_path: Path, encoding: str) -> None:
    text = Path(labelled[1]).read_text("utf-8")
    path = tmp_path / ("pairs.tsv.gz" if encoding == "gzip" else "pairs2.tsv")
    path.write_bytes(gzip.compress(text.encode()) if encoding == "gzip" else text.encode(encoding))
    assert json.loads(esdedup("eval", labelled[0], str(path), "-q", "--json").out)["pairs"] == 3


def test_no_precision_where_nothing_was_found(esdedup: Esdedup, labelled: tuple[str, str]) -> None:
    Path(labelled[1]).write_text("storm\tbread\t1\n", "utf-8")
    assert esdedup("eval", *labelled).out.splitlines()[4].split()[:3] == ["0", "-", "0.000"]


def test_a_plot_that_cannot_be_drawn_is_refused_at_once(esdedup: Esdedup, tmp_path: Path) -> None:
    ran = esdedup("eval", "nowhere.jsonl", "nowhere.tsv", "--plot", str(tmp_path / "missing" / "plot.svg"))
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "there is no directory" in ran.err


def test_one_id_twice_is_refused(esdedup: Esdedup, labelled: tuple[str, str], tmp_path: Path) -> None:
    docs = tmp_path / "docs.jsonl"
    docs.write_text('{"id": "a", "text": "one"}\n{"id": "a", "text": "two"}\n', "utf-8")
    ran = esdedup("eval", str(docs), labelled[1])
    assert (ran.code, ran.out) == (2, "")
    assert "two documents have the id 'a'" in ran.err


def test_missing_files_are_one_line(esdedup: Esdedup, labelled: tuple[str, str]) -> None:
    for arguments in (("nowhere.jsonl", labelled[1]), (labelled[0], "nowhere.tsv")):
        ran = esdedup("eval", *arguments)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert "nowhere" in ran.err
