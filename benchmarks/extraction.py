"""Main-text extraction: ours beside libraries, for F1 of labelled pairs and pages a second on one core.

pip install trafilatura resiliparse readability-lxml lxml_html_clean
python -m benchmarks.extraction ../shared/data/{html_chrome_zh,debian_ig_html,lo_help_html_zh}

What a library leaves empty is taken as empty. `main` is the reference text that comes with the sets; overlap is
the mean F1 of the words of the extracted and of the reference text.
"""

import argparse
import gzip
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from esdedup import Fingerprinter
from esdedup.confirming import Confirmation
from esdedup.evaluating import evaluate
from esdedup.extract import extract
from esdedup.normalise import normalise
from esdedup.unrelated import LabelledPair
from esdedup.words import segmenter, split_words

_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_LABELS = {"1": True, "0": False, "?": None}

Extract = Callable[[str], str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    arguments = parser.parse_args()
    print("| set | text | F1, k = 3 | F1, 11 confirmed | precision, confirmed | overlap with main | pages/s |")
    print("|---|---|---|---|---|---|---|")
    for folder in arguments.folders:
        for name, function in extractors():
            print_row(folder, name, function)


def extractors() -> Iterator[tuple[str, Extract | None]]:
    yield "reference `main`", None
    yield "esdedup", lambda html: extract(html).text
    yield "visible text", lambda html: extract(html, main_text=False).text
    yield from trafilatura_extractors()
    yield "resiliparse", resiliparse_extractor()
    yield "readability-lxml", readability_extractor()


def trafilatura_extractors() -> Iterator[tuple[str, Extract]]:
    from trafilatura import extract as found  # noqa: PLC0415

    yield "trafilatura", lambda html: found(html, include_comments=False) or ""
    yield "trafilatura, precision", lambda html: found(html, include_comments=False, favor_precision=True) or ""


def resiliparse_extractor() -> Extract:
    from resiliparse.extract.html2text import extract_plain_text  # noqa: PLC0415

    return lambda html: str(extract_plain_text(html, main_content=True, alt_texts=False))


def readability_extractor() -> Extract:
    from readability import Document as Readable  # noqa: PLC0415

    return lambda html: extract(Readable(_DECLARATION.sub("", html)).summary(), main_text=False).text


def print_row(folder: Path, name: str, function: Extract | None) -> None:
    with gzip.open(folder / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    pages = [record for record in records if "html" in record]
    started = time.perf_counter()
    texts = {r["id"]: function(r["html"]) if function else r["main"] for r in pages}
    rate = len(pages) / (time.perf_counter() - started)
    texts |= {record["id"]: record["text"] for record in records if "html" not in record}
    closeness = sum(word_f1(texts[r["id"]], r["main"]) for r in pages) / len(pages)
    fingerprinter = Fingerprinter()
    sketches = {key: fingerprinter.sketch(text) for key, text in texts.items()}
    found = evaluate(sketches, texts, list(pairs_of(folder)), confirmation=Confirmation())
    assert found.confirmed is not None
    scores = f"{found.by_distance[3].f1:.3f} | {found.confirmed.f1:.3f} | {found.confirmed.precision:.3f}"
    speed = f"{rate:,.0f}" if function else ""
    print(f"| {folder.name} | {name} | {scores} | {closeness:.3f} | {speed} |", flush=True)


def pairs_of(folder: Path) -> Iterator[LabelledPair]:
    for line in (folder / "pairs.tsv").read_text("utf-8").splitlines():
        a, b, label, *_ = line.split("\t")
        yield LabelledPair(a, b, _LABELS[label])


def word_f1(text: str, reference: str) -> float:
    one, other = words(text), words(reference)
    shared = (one & other).total()
    return 2 * shared / max(1, one.total() + other.total())


def words(text: str, cut: Any = segmenter()) -> Counter[str]:  # noqa: B008  # made once
    return Counter(word for piece in split_words(normalise(text), cut) for word in piece)


if __name__ == "__main__":
    main()
