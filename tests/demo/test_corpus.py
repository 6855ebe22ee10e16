"""The demo's corpus holds what it promises: families within k, look-alikes beyond."""

import json
from itertools import combinations

import pytest

from esdedup import Fingerprinter, distance
from esdedup.demo import corpus_path
from esdedup.settings import DEFAULT_K
from tests.cli.conftest import Esdedup

Record = dict[str, str]


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return [json.loads(line) for line in corpus_path().read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def fingerprints(records: list[Record]) -> dict[str, int]:
    fingerprinter = Fingerprinter()
    return {record["id"]: fingerprinter.sketch(record["text"]).fingerprint for record in records}


def test_about_forty_documents_in_two_languages(records: list[Record]) -> None:
    assert 36 <= len(records) <= 46
    assert len({record["id"] for record in records}) == len(records)
    assert abs(sum(record["lang"] == "zh" for record in records) - len(records) / 2) <= 2


def test_every_kind_of_edit_is_there_in_both_languages(records: list[Record]) -> None:
    edits = {(record["lang"], record["edit"]) for record in records if "edit" in record}
    kinds = "base,other title,advertisement,counter,time stamp,document id,exact copy,other line breaks".split(",")
    assert edits == {(lang, kind) for lang in ("en", "zh") for kind in kinds}


def test_families_are_within_k_and_others_beyond(records: list[Record], fingerprints: dict[str, int]) -> None:
    for a, b in combinations(records, 2):
        gap = distance(fingerprints[a["id"]], fingerprints[b["id"]])
        one_family = a.get("family", a["id"]) == b.get("family", b["id"])
        if one_family and a["id"] == a["family"]:
            assert gap <= DEFAULT_K, (a["id"], b["id"])
        if not one_family:
            assert gap > DEFAULT_K, (a["id"], b["id"])


@pytest.mark.engine
def test_the_demo_shows_it(esdedup: Esdedup, node_url: str, records: list[Record]) -> None:
    ran = esdedup("demo", "--url", node_url)
    assert ran.code == 0
    assert f"{len(records)} documents in " in ran.out
    assert "+6 similar" in ran.out
    assert "esdedup index YOUR_FILES" in ran.out
    assert "\x1b" not in ran.out
    again = esdedup("demo", "--url", node_url)
    assert [line for line in again.out.splitlines() if "[en-" in line] == [
        line for line in ran.out.splitlines() if "[en-" in line
    ]
