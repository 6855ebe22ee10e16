"""`eval`: how good are fingerprints on your own labelled pairs. Needs no engine."""

import json as jsonlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from esdedup.cli.options import Dictionary, DistinctNumbers, JsonObject, Kind, Quiet, Size, feature_settings
from esdedup.cli.output import note, out, show_rows
from esdedup.cli.progress import counting
from esdedup.cli.texts import read_lines
from esdedup.confirming import DEFAULT_THRESHOLD, Confirmation
from esdedup.errors import InputError
from esdedup.evaluating import Evaluation, evaluate
from esdedup.fingerprinter import Sketch
from esdedup.plotting import check_plot, plot_histogram
from esdedup.readers import read
from esdedup.report import counted
from esdedup.settings import MAX_K, FeatureSettings
from esdedup.sketching import sketch_batches
from esdedup.unrelated import LabelledPair

_LABELS = {"1": True, "0": False, "?": None}
_COLUMNS = ("k", "precision", "recall", "f1", "false_per_million")


def eval_(
    docs: Annotated[Path, typer.Argument(metavar="DOCS", help="Documents with ids: .jsonl, .jsonl.gz, .csv ...")],
    pairs: Annotated[Path, typer.Argument(metavar="PAIRS", help="TSV: id1, id2, label 1, 0 or ? (left out).")],
    k: Annotated[
        int, typer.Option("--distance", "-k", min=0, max=MAX_K, help="Distance within which texts are confirmed.")
    ] = MAX_K,
    confirm: Annotated[
        float, typer.Option("--confirm", metavar="SIMILARITY", min=0, max=1, help="Least similarity of the texts.")
    ] = DEFAULT_THRESHOLD,
    distinct_numbers: DistinctNumbers = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Histogram of distances, as .svg, .png or .pdf.")
    ] = None,
    features: Kind = None,
    size: Size = 0,
    dictionary: Dictionary = None,
    json: JsonObject = False,
    quiet: Quiet = False,
) -> None:
    """Precision, recall and F1 on labelled pairs, by distance, and when the texts confirm.

    Choose k and features for a corpus of your own with it.

    Example: esdedup eval docs.jsonl.gz pairs.tsv --features chars --plot distances.svg
    """
    settings = feature_settings(features, size, dictionary) or FeatureSettings()
    if plot is not None:
        check_plot(plot)
    listed = list(_read_pairs(pairs))
    documents, sketches = _sketched(docs, settings, quiet)
    labelled = _usable(listed, sketches, pairs)
    found = evaluate(sketches, documents, labelled, k, Confirmation(confirm, distinct_numbers))
    if plot is not None:
        plot_histogram(found, plot)
    if json:
        out(jsonlib.dumps(_as_json(found, settings)))
    else:
        _show(found, settings)


def _sketched(docs: Path, settings: FeatureSettings, quiet: bool) -> tuple[dict[str, str], dict[str, Sketch]]:
    """Texts and sketches by id."""
    texts: dict[str, str] = {}
    sketches: dict[str, Sketch] = {}
    with counting("document", quiet) as advance:
        for batch in sketch_batches(read([docs]), settings):
            for skipped in batch.skipped:
                note(f"{skipped.where}: {skipped.reason}")
            for document, sketch in zip(batch.documents, batch.sketches, strict=True):
                if document.id in texts:
                    raise InputError(f"{docs}: two documents have the id {document.id!r}")
                texts[document.id], sketches[document.id] = document.text, sketch
            advance(len(batch.documents))
    if not texts:
        raise InputError(f"{docs} holds no document")
    return texts, sketches


def _read_pairs(path: Path) -> Iterator[LabelledPair]:
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) < 3 or fields[2].strip() not in _LABELS:
            raise InputError(f"{path}:{number}: not a pair; a line is id1, id2 and label (1, 0 or ?), by tabs")
        yield LabelledPair(fields[0], fields[1], _LABELS[fields[2].strip()])


def _usable(pairs: Sequence[LabelledPair], sketches: Mapping[str, Sketch], path: Path) -> list[LabelledPair]:
    """The pairs whose documents are there. Raises InputError when there is no labelled one."""
    if all(pair.duplicate is None for pair in pairs):
        raise InputError(f"{path} has no pair with label 1 or 0" if pairs else f"{path} holds no pair")
    with_itself = sum(pair.a == pair.b for pair in pairs)
    known = [pair for pair in pairs if pair.a in sketches and pair.b in sketches and pair.a != pair.b]
    if missing := [doc for pair in pairs for doc in (pair.a, pair.b) if doc not in sketches]:
        note(f"{counted(len(pairs) - len(known) - with_itself, 'pair')} left out: no document {missing[0]!r} and such")
    if with_itself:
        note(f"{counted(with_itself, 'pair')} of a document with itself left out")
    labels: dict[frozenset[str], set[bool | None]] = {}
    for pair in known:
        labels.setdefault(frozenset((pair.a, pair.b)), set()).add(pair.duplicate)
    if contradictory := [names for names, given in labels.items() if len(given - {None}) > 1]:
        note(f"{counted(len(contradictory), 'pair')} labelled both 1 and 0, such as {sorted(contradictory[0])}")
    if not any(pair.duplicate is not None for pair in known):
        raise InputError(f"{path} has no labelled pair of these documents: do the ids agree?")
    return known


def _as_json(found: Evaluation, settings: FeatureSettings) -> dict[str, object]:
    return {
        "documents": found.documents,
        "pairs": found.pairs,
        "features": settings.stamp,
        "by_distance": [asdict(row) for row in found.by_distance],
        "confirmed": asdict(found.confirmed) if found.confirmed else None,
        "candidates": asdict(found.candidates),
    }


def _show(found: Evaluation, settings: FeatureSettings) -> None:
    out(f"{counted(found.documents, 'document')}, {counted(found.pairs, 'labelled pair')}, {settings.stamp}\n")
    show_rows([_rounded(asdict(row)) for row in found.by_distance], _COLUMNS)
    if (by_text := found.confirmed) is not None:
        out(
            f"\nwithin k = {by_text.k} and confirmed by the texts ({by_text.threshold}): "
            f"precision {by_text.precision:.3f}, recall {by_text.recall:.3f}, F1 {by_text.f1:.3f}"
        )
    c = found.candidates
    out(
        f"candidates a look-up at k = 3: {c.blocks:.2f} by blocks, {c.lanes:.2f} by blocks and lanes "
        f"({c.random:.2f} by blocks if fingerprints were random)"
    )


def _rounded(row: dict[str, float]) -> dict[str, object]:
    texts = {name: f"{value:.3f}" for name, value in row.items() if name not in ("k", "false_per_million")}
    if not row["recall"]:  # nothing was found, and nothing was found wrongly
        texts["precision"] = "-" if row["precision"] == 1 else texts["precision"]
    return {**row, **texts, "false_per_million": f"{row['false_per_million']:,.1f}"}
