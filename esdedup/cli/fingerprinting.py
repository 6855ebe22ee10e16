"""`fingerprint` and `compare`: what a text's fingerprint is, and why two differ. They need no engine for files."""

import json as jsonlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from esdedup.cli.connecting import opened
from esdedup.cli.explaining import explanation_as_json, show_explanation
from esdedup.cli.options import (
    Csv,
    Dictionary,
    FormatOption,
    Index,
    Json,
    Jsonl,
    JsonObject,
    Kind,
    Profile,
    Size,
    Url,
    chosen_format,
    feature_settings,
)
from esdedup.cli.output import emit, note, out, show_rows
from esdedup.cli.texts import is_file, text_of_file, text_of_stored
from esdedup.comparing import Comparison, FeatureDifference
from esdedup.comparing import compare as compare_texts
from esdedup.document import Document, Status
from esdedup.engine.mapping import DEFAULT_INDEX, Collection
from esdedup.errors import ConnectionFailed, InputError, NoSuchIndex
from esdedup.explaining import explain
from esdedup.fingerprinter import Fingerprinter, to_hex
from esdedup.readers import read
from esdedup.report import counted
from esdedup.settings import DEFAULT_K, FeatureSettings

_COLUMNS = ("fingerprint", "features", "status", "id")


def fingerprint(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Files, directories, globs, - for stdin.")],
    features: Kind = None,
    size: Size = 0,
    dictionary: Dictionary = None,
    form: FormatOption = None,
    json: Json = False,
    jsonl: Jsonl = False,
    csv: Csv = False,
) -> None:
    """Print the fingerprints of documents. Needs no engine.

    Example: esdedup fingerprint page.html other.txt --json
    """
    asked = chosen_format(form, json, jsonl, csv)
    settings = feature_settings(features, size, dictionary) or FeatureSettings()
    emit(_fingerprints(paths, settings), asked, _COLUMNS, "no documents")


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="A file, or the id of a stored document.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The same.")],
    k: Annotated[int, typer.Option("--distance", "-k", min=0, max=64)] = DEFAULT_K,
    fail_on_match: Annotated[bool, typer.Option("--fail-on-match", help="Exit code 4 if they are within k.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Features and sentences to show.")] = 10,
    features: Kind = None,
    size: Size = 0,
    dictionary: Dictionary = None,
    index: Index = DEFAULT_INDEX,
    json: JsonObject = False,
    url: Url = None,
    profile: Profile = None,
) -> None:
    """How far two documents are apart, and the features and sentences that differ.

    Example: esdedup compare old.txt new.txt
    """
    settings = feature_settings(features, size, dictionary)
    if is_file(a) and is_file(b):
        texts = [text_of_file(Path(name)) for name in (a, b)]
    else:
        with _opened(url, profile, index, [name for name in (a, b) if not is_file(name)]) as collection:
            texts = [_text(collection, name) for name in (a, b)]
            settings = settings or collection.features
    found = compare_texts(texts[0], texts[1], Fingerprinter(settings), limit)
    explanation = explain(*texts)
    if json:
        sentences = explanation_as_json(explanation, limit)
        why = {"differs": explanation.differs, "similarity": explanation.similarity, "sentences": sentences}
        out(jsonlib.dumps(_as_json(found, k) | why, ensure_ascii=False))
    else:
        _show(found, k)
        out("")
        show_explanation(explanation, limit)
    if fail_on_match and found.within(k):
        raise typer.Exit(4)


@contextmanager
def _opened(url: str | None, profile: str | None, index: str, names: list[str]) -> Iterator[Collection]:
    """The index, to look up names that are no files."""
    try:
        with opened(url, profile, index) as collection:
            yield collection
    except (ConnectionFailed, NoSuchIndex) as error:
        raise InputError(f"{' and '.join(map(repr, names))}: no such file, nor a stored document ({error})") from None


def _text(collection: Collection, name: str) -> str:
    if is_file(name):
        return text_of_file(Path(name))
    try:
        return text_of_stored(collection, name)
    except InputError:
        raise InputError(f"{name!r} is neither a file nor a document of index {collection.name!r}") from None


def _fingerprints(paths: list[str], settings: FeatureSettings) -> Iterator[dict[str, object]]:
    fingerprinter = Fingerprinter(settings)
    for record in read(paths):
        if isinstance(record, Document):
            sketch = fingerprinter.sketch(record.text)
            yield {
                "id": record.id,
                "fingerprint": to_hex(sketch.fingerprint),
                "digest": sketch.digest,
                "status": sketch.status.value,
                "features": sketch.features,
            }
        else:
            note(f"{record.where}: {record.reason}")


def _rounded(feature: FeatureDifference) -> dict[str, object]:
    return {"feature": feature.feature, "a": round(feature.a, 2), "b": round(feature.b, 2)}


def _as_json(found: Comparison, k: int) -> dict[str, object]:
    return {
        "distance": found.distance,
        "k": k,
        "within": found.within(k),
        "exact": found.exact,
        "weak": found.weak,
        "bits": list(found.bits),
        "fingerprints": [to_hex(found.a.fingerprint), to_hex(found.b.fingerprint)],
        "features": [asdict(feature) for feature in found.features],
    }


def _verdict(found: Comparison, k: int) -> str:
    empty = [name for name, sketch in (("A", found.a), ("B", found.b)) if sketch.status is Status.EMPTY]
    if empty:
        return f"{' and '.join(empty)} {'is' if len(empty) == 1 else 'are'} empty: empty texts are never duplicates"
    verdict = "exact duplicates" if found.exact else f"distance {found.distance}"
    return f"{verdict}: {'within' if found.within(k) else 'not within'} k = {k}"


def _show(found: Comparison, k: int) -> None:
    out(_verdict(found, k))
    out(f"A {to_hex(found.a.fingerprint)}  {counted(found.a.features, 'feature')}")
    out(f"B {to_hex(found.b.fingerprint)}  {counted(found.b.features, 'feature')}")
    if found.bits:
        out(f"bits {' '.join(map(str, found.bits))}")
    if found.weak and Status.EMPTY not in (found.a.status, found.b.status):
        note("short: the fingerprint of so few features is weak")
    if found.features:
        out("")
        show_rows([_rounded(feature) for feature in found.features], ("feature", "a", "b"))
