"""The commands on a real node: literal output, exit codes, JSON of the documented shape."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Esdedup

pytestmark = pytest.mark.engine

STORM = (
    "The harbour office counted forty boats before the storm and thirty eight after it. Nobody was hurt, "
    "but the old pier lost its lamp, two ladders and most of its planks, and the ferry will not run this week "
    "until the harbour master has looked at every rope. The harbour office will open the pier again when the "
    "lamp and the ladders are back, and the boats wait in the river. The master said that the storm was the "
    "worst in forty years: the wind turned before the tide did."
)
BAKERY = "火车站附近的一家小面包店重新开始按重量出售面包。顾客自己带袋子，挑选一个面包，按照秤上的数字付款。"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    records = [
        {
            "id": "storm",
            "title": "Storm at the harbour",
            "text": STORM,
            "place": "Ayr",
            "url": "http://a.example/1",
        },
        {"id": "copy", "title": "The same", "text": STORM.replace(". ", ".\n")},
        {"id": "near", "title": "Nearly the same", "text": STORM.replace("this week", "next week")},
        {"id": "bakery", "title": "面包店", "text": BAKERY, "lang": "zh"},
        {"id": "cat", "text": "cat"},
    ]
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records) + "{broken\n", "utf-8")
    return path


def test_index_prints_a_summary_that_adds_up(indexed: Esdedup, corpus: Path) -> None:
    ran = indexed("index", str(corpus))
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "read 5, skipped 1: 5 indexed, 0 updated, 0 unchanged, 0 left out, 0 failed"
    assert lines[1] == "duplicates: 1 exact, 1 near; 1 too short to compare, 0 empty"
    assert lines[2].startswith("3 groups in the index, ")
    assert f"{corpus}:6: " in ran.err


def test_index_twice_changes_nothing(indexed: Esdedup, corpus: Path) -> None:
    indexed("index", str(corpus))
    summary = json.loads(indexed("index", str(corpus), "--json").out)
    assert (summary["read"], summary["unchanged"], summary["groups"], summary["skipped"]) == (5, 5, 3, 1)


def test_same_numbers_is_an_option_like_others(indexed: Esdedup, corpus: Path) -> None:
    indexed("index", str(corpus), "--confirm", "0.5")
    ran = indexed("index", str(corpus), "--same-numbers")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "was made with --confirm 0.5, not --same-numbers" in ran.err
    assert len(indexed("dupes", "storm", "--same-numbers", "--json").out) > 2


def test_short_documents_are_said_to_be_so(indexed: Esdedup, corpus: Path) -> None:
    indexed("index", str(corpus))
    assert "the document is too short to compare: only equal texts are found" in indexed("dupes", "cat").err


def test_cells_of_several_lines_are_quoted(indexed: Esdedup, tmp_path: Path) -> None:
    record = {"id": "a\nb", "title": "one\r\ntwo", "text": STORM}
    path = tmp_path / "lines.jsonl"
    path.write_text(json.dumps(record) + "\n" + json.dumps({"id": "c", "text": STORM}), "utf-8")
    indexed("index", str(path))
    header, row = csv.reader(io.StringIO(indexed("dupes", "c", "--csv").out, newline=""))
    assert dict(zip(header, row, strict=True))["id"] == "a\nb"


def test_index_json_has_every_count(indexed: Esdedup, corpus: Path) -> None:
    summary = json.loads(indexed("index", str(corpus), "--json", "--on-duplicate", "skip").out)
    assert set(summary) >= set("read indexed updated exact near too_short empty skipped failed groups seconds".split())
    parts = ("indexed", "updated", "unchanged", "left_out", "failed")
    assert summary["read"] == sum(summary[part] for part in parts)
    assert (summary["indexed"], summary["left_out"]) == (3, 2)


def test_a_dry_run_writes_nothing_and_makes_no_index(indexed: Esdedup, corpus: Path) -> None:
    ran = indexed("index", str(corpus), "--dry-run")
    assert "(dry run: nothing was written)" in ran.out
    assert "3 groups in the index" in ran.out
    assert indexed("dupes", "storm").code == 3


def test_strict_and_rejects(indexed: Esdedup, corpus: Path, tmp_path: Path) -> None:
    rejects = tmp_path / "rejects.jsonl"
    assert indexed("index", str(corpus), "--strict", "--reject", str(rejects)).code == 1
    (line,) = map(json.loads, rejects.read_text("utf-8").splitlines())
    assert line["where"] == f"{corpus}:6"
    assert line["record"] == "{broken"
    again = indexed("index", str(corpus), "--reject", str(rejects))
    assert (again.code, "exists already" in again.err) == (2, True)


def test_a_rejected_document_is_named_and_ends_with_1(indexed: Esdedup, tmp_path: Path) -> None:
    records = [{"id": n, "text": f"{STORM} {n}", "date": date} for n, date in (("a", "2024-05-01"), ("b", "never"))]
    path = tmp_path / "dates.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), "utf-8")
    ran = indexed("index", str(path), "--date-field", "date")
    assert ran.code == 1
    assert f"{path}:2 (id b): " in ran.err
    assert "1 indexed" in ran.out
    assert "1 failed" in ran.out
    assert indexed("index", str(path), "--date-field", "date", "--ignore-errors").code == 0


def test_dupes_in_every_format(indexed: Esdedup, corpus: Path) -> None:
    indexed("index", str(corpus))
    array = json.loads(indexed("dupes", "storm", "--json").out)
    assert [(d["id"], d["distance"], d["exact"], d["group"]) for d in array] == [
        ("copy", 0, True, "storm"),
        ("near", 3, False, "storm"),
    ]
    keys = "id distance exact title url group fingerprint similarity jaccard containment differs"
    assert list(array[0]) == keys.split()
    assert [json.loads(line) for line in indexed("dupes", "storm").out.splitlines()] == array
    table = indexed("dupes", "storm", "-f", "table")
    assert [line.split()[:4] for line in table.out.splitlines()[2:]] == [
        ["0", "1.0", "nothing", "copy"],
        ["3", "0.976", "text", "near"],
    ]
    assert indexed("dupes", "storm", "--csv", "-k", "0").out.splitlines()[0].startswith("id,distance,exact")


def test_dupes_of_texts_files_and_fingerprints(indexed: Esdedup, corpus: Path, tmp_path: Path) -> None:
    indexed("index", str(corpus))
    draft = tmp_path / "draft.txt"
    draft.write_text(STORM, "utf-8")
    digits = json.loads(indexed("dupes", "copy", "--json").out)[0]["fingerprint"]
    for query in (["--text", STORM], ["--file", str(draft)], ["--fingerprint", digits]):
        assert [d["id"] for d in json.loads(indexed("dupes", *query, "--json").out)] == [
            "storm",
            "copy",
            "near",
        ]


def test_dupes_finds_none(indexed: Esdedup, corpus: Path) -> None:
    indexed("index", str(corpus))
    ran = indexed("dupes", "bakery", "-f", "table")
    assert (ran.code, ran.out) == (0, "")
    assert "no document of" in ran.err
    assert "within k = 3" in ran.err
    assert indexed("dupes", "bakery", "--json").out == "[\n]\n"


def test_wrong_usage_of_dupes(indexed: Esdedup, corpus: Path) -> None:
    indexed("index", str(corpus))
    for args, words in (
        (["storm", "-k", "12"], "up to k = 11"),
        ([], "name one thing"),
        (["storm", "--text", "x"], "name one thing"),
        (["nobody"], "no document 'nobody'"),
        (["--fingerprint", "12"], "16 hex digits"),
        (["storm", "--json", "--csv"], "choose one format"),
    ):
        ran = indexed("dupes", *args)
        assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1), args
        assert words in ran.err


def test_groups_group_show_delete(indexed: Esdedup, corpus: Path) -> None:
    indexed("index", str(corpus))
    (group,) = json.loads(indexed("groups", "--json").out)
    assert (group["group"], group["size"], group["leader"]) == ("storm", 3, "storm")
    members = [json.loads(line) for line in indexed("group", "storm").out.splitlines()]
    assert [(m["id"], m["distance"]) for m in members] == [("copy", 0), ("storm", 0), ("near", 3)]
    shown = json.loads(indexed("show", "storm").out)
    assert (shown["title"], shown["meta"], shown["esdedup"]["leader"]) == (
        "Storm at the harbour",
        {"place": "Ayr"},
        True,
    )
    refused = indexed("delete", "storm")
    assert (refused.code, "--yes" in refused.err) == (2, True)
    assert "2 documents changed group" in indexed("delete", "storm", "--yes").out
    assert json.loads(indexed("groups", "--json").out)[0]["leader"] == "copy"


def test_search_collapses(indexed: Esdedup, corpus: Path) -> None:
    indexed("index", str(corpus))
    found = json.loads(indexed("search", "harbour storm", "--json").out)
    assert set(found) == {"groups", "documents", "took_ms", "hits"}
    assert (found["groups"], found["documents"]) == (1, 3)
    (hit,) = found["hits"]
    assert set(hit) >= {"id", "title", "score", "snippet", "group", "similar"}
    assert (hit["group"], hit["similar"]) == ("storm", 2)
    assert len(json.loads(indexed("search", "harbour storm", "--json", "--no-collapse").out)["hits"]) == 3
    expanded = json.loads(indexed("search", "harbour storm", "--json", "--expand").out)["hits"][0]
    assert len(expanded["members"]) == 2
    assert json.loads(indexed("search", "面包", "--where", "lang=zh").out)["id"] == "bakery"
    assert indexed("search", "nothing like it").out == ""


def test_compare_stored_documents_and_files(indexed: Esdedup, corpus: Path, tmp_path: Path) -> None:
    indexed("index", str(corpus))
    found = json.loads(indexed("compare", "storm", "near", "--json").out)
    assert (found["distance"], found["within"], found["exact"], len(found["bits"])) == (3, True, False, 3)
    assert {feature["feature"] for feature in found["features"][:2]} == {"this", "next"}
    draft = tmp_path / "draft.txt"
    draft.write_text(BAKERY, "utf-8")
    assert indexed("compare", "storm", str(draft), "--fail-on-match").code == 0
    assert indexed("compare", "bakery", str(draft), "--fail-on-match").code == 4


def test_init_makes_an_index_once(indexed: Esdedup) -> None:
    assert indexed("init", "--shards", "2", "-k", "5").out.endswith("k = 5\n")
    assert indexed("init").code == 2
    ran = indexed("index", __file__, "-k", "4")
    assert (ran.code, "k = 5, not k = 4" in ran.err) == (2, True)


def test_a_directory_with_an_odd_table_is_indexed_without_it(indexed: Esdedup, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(STORM, "utf-8")
    (tmp_path / "b.csv").write_text("id,body\n1,words\n", "utf-8")
    ran = indexed("index", str(tmp_path))
    assert (ran.code, ran.out.splitlines()[0][:18]) == (0, "read 1, skipped 1:")
    assert "b.csv: no column 'text'" in ran.err
    assert indexed("index", str(tmp_path / "b.csv")).code == 2


def test_a_run_in_which_every_record_is_skipped_says_why(indexed: Esdedup, corpus: Path) -> None:
    ran = indexed("index", str(corpus), "--text-field", "nope")
    assert "read 0, skipped 6" in ran.out
    assert "--text-field" in ran.err.splitlines()[-1]


def test_a_missing_index_is_named(indexed: Esdedup) -> None:
    ran = indexed("search", "storm")
    assert (ran.code, ran.out) == (3, "")
    assert "no index" in ran.err
