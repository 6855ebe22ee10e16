"""The hard inputs that lie beside the checkout of a maintainer; all of them are also told in our own words."""

import json
import runpy
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from esdedup import FeatureKind, FeatureSettings, Fingerprinter, Sketch, distance, from_hex, to_hex
from esdedup.document import Status
from esdedup.fingerprinter import blocks
from esdedup.matching import is_duplicate, pairs_within, within
from esdedup.settings import DEFAULT_K

CASES = Path(__file__).parents[3] / "shared" / "cases"

pytestmark = pytest.mark.skipif(
    not CASES.exists(), reason="no ../shared/cases beside this checkout: they are not tried"
)


def records(name: str) -> dict[str, dict[str, str]]:
    lines = (CASES / name).read_text("utf-8-sig").splitlines()
    return {record["id"]: record for record in map(json.loads, lines)}


def sketches(name: str, kind: FeatureKind = FeatureKind.WORDS) -> dict[str, Sketch]:
    sketch = Fingerprinter(FeatureSettings(kind)).sketch
    return {key: sketch(record.get("text") or "") for key, record in records(name).items()}


def gaps(name: str) -> Callable[[str, str], int]:
    made = sketches(name)
    return lambda a, b: distance(made[a].fingerprint, made[b].fingerprint)


def duplicates(name: str, kind: FeatureKind) -> list[tuple[str, str]]:
    pairs = combinations(sketches(name, kind).items(), 2)
    return [(key, other) for (key, a), (other, b) in pairs if is_duplicate(a, b, DEFAULT_K)]


def test_b01_unrelated_texts_are_far_apart() -> None:
    made = [sketch.fingerprint for sketch in sketches("b01_cjk_no_spaces.jsonl").values()]
    assert min(distance(a, b) for a, b in combinations(made, 2)) >= 10
    assert not {0, 2**64 - 1} & set(made)


def test_b02_repeats() -> None:
    texts = runpy.run_path(str(CASES / "b02_repeats.py"))["CASES"]
    made = {name: Fingerprinter().sketch(text).fingerprint for name, text in texts.items()}
    assert made["en-300"] == made["en-70000"] == made["en-1e6"]
    assert made["zh-char-1e5"] == made["zh-char-1e6"]


@pytest.mark.parametrize("kind", list(FeatureKind))
def test_b03_short_texts(kind: FeatureKind) -> None:
    assert duplicates("b03_short.jsonl", kind) == [("s1", "s3")]


@pytest.mark.parametrize("kind", list(FeatureKind))
def test_b04_empty_texts(kind: FeatureKind) -> None:
    made = sketches("b04_empty.jsonl")
    assert [key for key, sketch in made.items() if sketch.status is not Status.EMPTY] == ["e4"]
    assert duplicates("b04_empty.jsonl", kind) == []


def test_b05_numbers() -> None:
    assert duplicates("b05_numbers_short.jsonl", FeatureKind.WORDS) == []
    gap = gaps("b05_numbers_products.jsonl")
    assert gap("p1", "p1-copy") == 0
    assert gap("p1", "p2") > 0


def test_b07_width() -> None:
    gap = gaps("b07_width.jsonl")
    assert gap("half", "full") == gap("kana", "kana2") == 0


def test_b08_script() -> None:
    gap = gaps("b08_trad_simp.jsonl")
    assert gap("simp", "trad") <= DEFAULT_K
    assert gap("simp", "other") >= 10


def test_b09_forms_of_unicode() -> None:
    made = sketches("b09_unicode_forms.jsonl")
    assert made["nfc"] == made["nfd"]
    assert made["zw"] == made["shy"] == made["nbsp"] == made["bom"] == made["plain"]
    assert made["zhzw"] == made["zhplain"]


def test_b10_surrogates() -> None:
    assert gaps("b10_surrogates.jsonl")("lone", "pair") <= DEFAULT_K


def test_b11_hex() -> None:
    vectors = [json.loads(line) for line in (CASES / "b11_hex_vectors.jsonl").read_text("utf-8").splitlines()]
    assert len(vectors) >= 5
    for vector in vectors:
        assert to_hex(from_hex(vector["hex"])) == vector["hex"]
        assert list(blocks(from_hex(vector["hex"]))) == vector["blocks"]


def test_b12_pairs() -> None:
    found = records("b12_pairs.jsonl")
    values = np.array([from_hex(record["fp"]) for record in found.values()], np.uint64)
    names = list(found)
    assert [(names[i], names[j], gap) for i, j, gap in pairs_within(values, DEFAULT_K)] == [
        ("a", "b", 0),
        ("a", "c", 1),
        ("b", "c", 1),
    ]


def test_b13_what_k_finds() -> None:
    values = {key: from_hex(record["fp"]) for key, record in records("b13_k_and_blocks.jsonl").items()}
    others = [key for key in values if key != "q"]
    columns = np.array([values[key] for key in others], np.uint64)
    for k in range(3, 7):
        found = within(np.array([values["q"]], np.uint64), columns, k)[1]
        assert [others[i] for i in found] == ["d3", "d4", "d5"][: k - 2]
