"""Made documents: any fingerprint, any text, without segmenting."""

import random
from collections.abc import Iterable, Sequence
from typing import Any

from esdedup.document import Document, Status
from esdedup.engine.decisions import Decision, IngestOptions
from esdedup.engine.ingest import Ingest
from esdedup.engine.mapping import Collection
from esdedup.engine.paging import read_all
from esdedup.engine.records import entry_of
from esdedup.fingerprinter import Sketch, to_hex
from esdedup.grouping import Entry, Place, cluster
from esdedup.pipeline import index

Made = tuple[Document, Sketch]


def made(doc_id: str, fingerprint: int, text: str = "", status: Status = Status.OK) -> Made:
    """A document of this fingerprint; its digest follows from fingerprint and text."""
    text = text or f"text of {to_hex(fingerprint)}"
    return Document(doc_id, text), Sketch(fingerprint, f"{hash((fingerprint, text)) & (1 << 64) - 1:032x}", status, 20)


def scattered(count: int, seed: int, prefix: str = "d", spread: int = 7) -> list[Made]:
    """Documents in loose clusters, many of them near a leader's edge."""
    rng = random.Random(seed)
    centres = [rng.getrandbits(64) for _ in range(max(1, count // 6))]
    return [made(f"{prefix}{n:05}", flipped(rng, rng.choice(centres), rng.randrange(spread))) for n in range(count)]


def flipped(rng: random.Random, fingerprint: int, bits: int) -> int:
    """The fingerprint with that many bits turned."""
    for bit in rng.sample(range(64), bits):
        fingerprint ^= 1 << bit
    return fingerprint


def take(
    collection: Collection, documents: Sequence[Made], size: int = 50, options: IngestOptions | None = None
) -> list[Decision]:
    """One run over documents, in batches."""
    run = Ingest(collection, options)
    decisions: list[Decision] = []
    for start in range(0, len(documents), size):
        part = documents[start : start + size]
        decisions += run.take([d for d, _ in part], [s for _, s in part])
    run.finish()
    return decisions


def run(collection: Collection, *documents: Document) -> list[Decision]:
    """One run over documents as they are read."""
    return [result for result in index(documents, collection) if isinstance(result, Decision)]


def stored(collection: Collection) -> dict[str, dict[str, Any]]:
    """Every document's `esdedup` object, by key, in the order in which they were first seen."""
    hits = read_all(collection.client, collection.name, {"match_all": {}}, source_includes=["esdedup"])
    own = {hit["_id"]: hit["_source"]["esdedup"] for hit in hits}
    return dict(sorted(own.items(), key=lambda item: (item[1]["first_seen"], item[0])))


def places(collection: Collection) -> dict[str, tuple[str, bool, int]]:
    """Key to group, leader, distance, as stored."""
    return {key: (own["group"], own["leader"], own["distance"]) for key, own in stored(collection).items()}


def right_places(collection: Collection) -> dict[str, tuple[str, bool, int]]:
    """The same as the definition of groups has it, for what is stored."""
    entries: Iterable[Entry] = (entry_of(key, own) for key, own in stored(collection).items())
    return {key: _plain(place) for key, place in cluster(entries, collection.k).items()}


def _plain(place: Place) -> tuple[str, bool, int]:
    return place.group, place.leader, place.distance
