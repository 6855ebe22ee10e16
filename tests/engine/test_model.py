"""Random histories of adding, changing, deleting, gating and regrouping, on a real node, against a small model."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from esdedup import Document, Fingerprinter, Sketch
from esdedup.engine.lookup import delete_document, duplicates_of
from esdedup.engine.mapping import Collection, IndexOptions, create_index
from esdedup.engine.regroup import regroup
from esdedup.gate import Gate
from esdedup.grouping import Entry, cluster
from esdedup.matching import distance, is_duplicate
from tests.engine.made import places, run, stored

pytestmark = pytest.mark.engine

BASE = " ".join(f"word{n}" for n in range(90))
#: Texts near each other by degrees, one far from all, a short one and one without words.
FAR = " ".join(f"other{n}" for n in range(40))
TEXTS = [BASE, *(f"{BASE} {' '.join(f'more{n}' for n in range(size))}" for size in (1, 3, 6, 12, 25)), FAR]
TEXTS += ["cat", "Cat", "，。"]
IDS = st.sampled_from("abcdef")
STEPS = st.one_of(
    st.tuples(st.just("index"), st.lists(st.tuples(IDS, st.integers(0, len(TEXTS) - 1)), min_size=1, max_size=4)),
    st.tuples(st.just("gate"), st.lists(st.tuples(IDS, st.integers(0, len(TEXTS) - 1)), min_size=1, max_size=4)),
    st.tuples(st.just("delete"), IDS),
    st.tuples(st.just("regroup"), st.none()),
)
SKETCHES = {text: Fingerprinter().sketch(text) for text in TEXTS}


class Model:
    """What should be stored: id to text, and when each id was first seen."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.order: dict[str, int] = {}
        self.clock = count()

    def add(self, doc_id: str, text: str) -> None:
        self.order.setdefault(doc_id, next(self.clock))
        self.texts[doc_id] = text

    def delete(self, doc_id: str) -> None:
        del self.texts[doc_id], self.order[doc_id]

    def has_twin(self, doc_id: str, text: str, k: int) -> bool:
        """Whether a leader that is stored attracts the text."""
        led = {key for key, (_, leads, _) in self.places(k).items() if leads}
        return any(is_duplicate(SKETCHES[text], SKETCHES[self.texts[key]], k) for key in led if key != doc_id)

    def places(self, k: int) -> dict[str, tuple[str, bool, int]]:
        entries = [self._entry(doc_id) for doc_id in self.texts]
        return {key: (p.group, p.leader, p.distance) for key, p in cluster(entries, k).items()}

    def _entry(self, doc_id: str) -> Entry:
        sketch: Sketch = SKETCHES[self.texts[doc_id]]
        return Entry(doc_id, sketch.fingerprint, sketch.digest, sketch.status, f"{self.order[doc_id]:09}")


def play(collection: Collection, model: Model, step: tuple[str, Any]) -> None:
    kind, what = step
    match kind:
        case "index":
            run(collection, *(Document(doc_id, TEXTS[number]) for doc_id, number in what))
            for doc_id, number in what:
                model.add(doc_id, TEXTS[number])
        case "gate":
            for doc_id, number in what:
                with Gate(collection) as gate:
                    verdict = gate.decide(Document(doc_id, TEXTS[number])).verdict.value
                expected = expect(model, doc_id, TEXTS[number], collection.k)
                assert verdict == expected
                if verdict in ("insert", "update"):
                    model.add(doc_id, TEXTS[number])
        case "delete" if what in model.texts:
            delete_document(collection, what)
            model.delete(what)
        case "regroup":
            *_, found = regroup(collection)
            assert (found.changed, found.documents) == (0, len(model.texts))


def expect(model: Model, doc_id: str, text: str, k: int) -> str:
    if SKETCHES[text].features == 0:
        return "skip"
    if doc_id in model.texts:
        return "update"
    return "trash" if model.has_twin(doc_id, text, k) else "insert"


@pytest.fixture
def names(index_name: str) -> Iterator[str]:
    return (f"{index_name}-{number}" for number in count())


def test_any_history_ends_where_the_model_does(client: Elasticsearch, names: Iterator[str]) -> None:
    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(STEPS, max_size=7), st.sampled_from([3, 7, 11]))
    def check(history: list[tuple[str, Any]], k: int) -> None:
        name = next(names)
        collection = create_index(client, IndexOptions(name, k=k))
        model = Model()
        for step in history:
            play(collection, model, step)
        assert set(stored(collection)) == set(model.texts)
        assert places(collection) == model.places(k)
        for doc_id, text in model.texts.items():
            own = SKETCHES[text]
            near = {
                other: distance(own.fingerprint, SKETCHES[its].fingerprint)
                for other, its in model.texts.items()
                if other != doc_id and is_duplicate(own, SKETCHES[its], k)
            }
            assert {one.id: one.distance for one in duplicates_of(collection, doc_id)} == near
        client.indices.delete(index=f"{name}-000001")

    check()
