"""Bug reports of other tools, from the collection beside this checkout."""

from esdedup import Fingerprinter, distance
from esdedup.document import Document, Skipped
from esdedup.readers import ReadOptions
from tests.readers.helpers import case, documents, only, read_all


def test_b04_empty_texts() -> None:
    results = read_all(case("b04_empty.jsonl"))
    assert [r.id for r in results if isinstance(r, Document)] == ["e1", "e2", "e3", "e4", "e5"]
    assert [r.reason for r in results if isinstance(r, Skipped)] == ["no text", "no text"]
    assert only(read_all(case("b04_empty.html"))).text == ""
    assert only(read_all(case("b04_zero_bytes.txt"))).text == ""


def test_b06_one_article_on_two_sites_and_two_on_one() -> None:
    names = ("b06_site1_storm.html", "b06_site2_storm.html", "b06_site1_bakery.html")
    one, other, bakery = (Fingerprinter().sketch(only(read_all(case(name))).text).fingerprint for name in names)
    assert distance(one, other) <= 3
    assert distance(one, bakery) > 11


def test_b06_menu_items_are_words_of_their_own() -> None:
    text = only(read_all(case("b06_site1_storm.html"), options=ReadOptions(main_text=False))).text
    assert "Home\nNews\n" in text


def test_b10_surrogates() -> None:
    found = documents(read_all(case("b10_surrogates.jsonl")))
    assert [d.id for d in found] == ["ok1", "lone", "pair", "ok2"]
    assert found[1].text.startswith("smile \ufffd then")
    assert [d.notes for d in found] == [(), ("1 lone surrogate replaced by U+FFFD",), (), ()]
    assert found[2].text.startswith("smile \U0001f600 A")


def test_b16_ids() -> None:
    path = case("b16_ids.jsonl")
    found = [d.id for d in documents(read_all(path))]
    assert found[:2] == ["a/b?c=d&e f+g", "文档一"]
    assert found[2] != found[3]
    assert min(len(found[2].encode()), len(found[3].encode())) > 512
    assert found[4:] == ["_leading_underscore", "17", f"{path.as_posix()}#7", f"{path.as_posix()}#8", "文档一"]


def test_b17_a_record_without_id_is_its_url() -> None:
    found = [d.id for d in documents(read_all(case("b17_gate.jsonl")))]
    assert found == ["http://a.example/1", "http://b.example/9", "http://a.example/1", "http://c.example/2"]


def test_b21_declared_gb2312() -> None:
    declared, unicode = only(read_all(case("b21_declared_gb2312.html"))), only(read_all(case("b21_utf8.html")))
    assert (declared.title, declared.text) == (unicode.title, unicode.text)
    assert "\ufffd" not in declared.text


def test_b22_bad_lines() -> None:
    results = read_all(case("b22_bad_lines.jsonl"))
    assert [r.id for r in results if isinstance(r, Document)] == ["l1", "l5", "l10", "l12"]
    skipped = [r for r in results if isinstance(r, Skipped)]
    assert [int(r.where.rpartition(":")[2]) for r in skipped] == [4, 6, 7, 8, 9, 11, 13]
    assert [r.raw for r in skipped][:2] == ["{broken json", "[1,2,3]"]
    assert skipped[-1].raw == '{"id":"l13","text":"cut off'


def test_b23_csv() -> None:
    big = documents(read_all(case("b23_csv_bom_big_field.csv")))
    assert [d.id for d in big] == ["c1", "c2", "c3", "c4"]
    assert len(big[2].text) == 200_000
    assert [d.text for d in documents(read_all(case("b23_csv_nul.csv")))] == ["before nul", "inside nul", "after nul"]
    gbk = documents(read_all(case("b23_csv_semicolon_gbk.csv")))
    assert [d.text[:4] for d in gbk] == ["港口办公", "火车站附"]


def test_b28_long_titles() -> None:
    assert [len(d.title) > 8191 for d in documents(read_all(case("b28_long_title.jsonl")))] == [True, False]
