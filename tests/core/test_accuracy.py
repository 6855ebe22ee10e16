"""What must hold on the labelled sets beside this checkout, with the default settings."""

from pathlib import Path

import pytest

from esdedup import Document, Fingerprinter
from esdedup.confirming import Confirmation
from esdedup.evaluating import evaluate
from esdedup.readers import read
from esdedup.unrelated import LabelledPair

DATA = Path(__file__).parents[3] / "shared" / "data"
LABELS = {"1": True, "0": False, "?": None}


@pytest.mark.parametrize(
    ("name", "at_3", "confirmed", "precision"),
    [
        ("cn_laws", 0.84, 0.97, 0.99),
        ("zh_translation_revisions", 0.88, 0.98, 0.99),
        ("zh_docs_snapshots", 0.89, 0.98, 0.99),
        ("lo_help_html_zh", 0.86, 0.98, 0.99),
        ("debian_ig_html", 0.94, 0.985, 0.99),
        ("manpages_zh_simptrad", 0.25, 0.80, 0.99),
        ("perturb_zh", 0.60, 0.95, 0.99),
        ("perturb_en", 0.75, 0.985, 0.99),
        ("wiki_versions", 0.60, 0.96, 0.99),
        ("html_chrome_zh", 0.70, 0.88, 0.99),
        ("reuters_reissue_traps", 0.72, 0.80, 0.80),
    ],
)
def test_the_labelled_sets(name: str, at_3: float, confirmed: float, precision: float) -> None:
    folder = DATA / name
    if not folder.exists():
        pytest.skip(f"no ../shared/data/{name} beside this checkout: accuracy is not measured")
    texts = {one.id: one.text for one in read([folder / "docs.jsonl.gz"]) if isinstance(one, Document)}
    lines = (line.split("\t") for line in (folder / "pairs.tsv").read_text("utf-8").splitlines())
    pairs = [LabelledPair(a, b, LABELS[label]) for a, b, label, *_ in lines]
    fingerprinter = Fingerprinter()
    sketches = {key: fingerprinter.sketch(text) for key, text in texts.items()}
    found = evaluate(sketches, texts, pairs, confirmation=Confirmation())
    assert found.by_distance[3].f1 >= at_3
    assert found.by_distance[3].false_per_million <= 50
    assert found.confirmed is not None
    assert found.confirmed.f1 >= confirmed
    assert found.confirmed.precision >= precision
