"""Groups that the texts confirm, on a real node, against the definition computed here."""

import random
from collections.abc import Mapping

import pytest
from elasticsearch import Elasticsearch

from esdedup import Document, Fingerprinter
from esdedup.confirming import Confirmation, Differs, gather, overlap
from esdedup.engine.decisions import Decision, IngestOptions
from esdedup.engine.lookup import count_groups, delete_document, duplicates_of, duplicates_of_text
from esdedup.engine.mapping import Collection, IndexOptions, create_index, ensure_index, open_index
from esdedup.errors import InputError
from esdedup.grouping import Entry, cluster
from esdedup.pipeline import index
from tests.engine.made import places, stored, take

pytestmark = pytest.mark.engine

WORDS = (
    "harbour storm lamp ladder plank ferry rope river master boat crate apple tide wind pier net engine road".split()
)


@pytest.fixture
def confirmed(client: Elasticsearch, index_name: str) -> Collection:
    return create_index(client, IndexOptions(index_name, k=11, confirmation=Confirmation(0.6)))


def stories(count: int, seed: int) -> dict[str, str]:
    """Texts near each other in fingerprint, and by degrees in wording: each repeats a part of one before it."""
    rng = random.Random(seed)
    texts: dict[str, str] = {}
    for number in range(count):
        words = [rng.choice(WORDS) for _ in range(60)]
        if texts and rng.random() < 0.8:
            old = rng.choice(list(texts.values())).split()
            cut = rng.randrange(10, 60)
            words = old[:cut] + words[cut:]
        texts[f"s{number:03}"] = " ".join(words)
    return texts


def right_places(collection: Collection, texts: Mapping[str, str]) -> dict[str, tuple[str, bool, int]]:
    """The definition, with everything compared here."""
    entries = []
    for key, own in stored(collection).items():
        sketch = Fingerprinter().sketch(texts[key])
        entries.append(Entry(key, sketch.fingerprint, sketch.digest, sketch.status, own["first_seen"]))
    confirmation = collection.confirmation
    assert confirmation is not None

    def confirms(a: Entry, b: Entry) -> bool:
        return a.digest == b.digest or confirmation.confirms(overlap(gather(texts[a.key]), gather(texts[b.key])))

    found = cluster(entries, collection.k, confirms)
    return {key: (place.group, place.leader, place.distance) for key, place in found.items()}


def write(collection: Collection, texts: Mapping[str, str], size: int = 7, options: IngestOptions | None = None) -> int:
    fingerprinter = Fingerprinter()
    documents = [(Document(key, text), fingerprinter.sketch(text)) for key, text in texts.items()]
    return sum(decision.place.leader for decision in take(collection, documents, size, options))


@pytest.mark.parametrize("size", [1, 7, 200])
def test_groups_are_those_of_the_definition(confirmed: Collection, size: int) -> None:
    texts = stories(120, seed=size)
    write(confirmed, texts, size)
    assert places(confirmed) == right_places(confirmed, texts)
    assert 10 < count_groups(confirmed) < 110


def test_a_later_run_reads_the_texts_from_the_index(confirmed: Collection) -> None:
    texts = stories(80, seed=3)
    for part in (list(texts)[:40], list(texts)[40:]):
        write(confirmed, {key: texts[key] for key in part})
    assert places(confirmed) == right_places(confirmed, texts)


def test_groups_are_right_after_a_change_and_a_deletion(confirmed: Collection) -> None:
    texts = stories(60, seed=4)
    write(confirmed, texts)
    changed = {"s000": texts["s030"] + " boat", "s001": "quite another text " * 12}
    write(confirmed, changed)
    texts |= changed
    assert places(confirmed) == right_places(confirmed, texts)
    leader = next(key for key, (_, leads, _) in places(confirmed).items() if leads)
    delete_document(confirmed, leader)
    del texts[leader]
    assert places(confirmed) == right_places(confirmed, texts)


def test_a_dry_run_decides_the_same(client: Elasticsearch, confirmed: Collection) -> None:
    texts = stories(80, seed=5)
    dry = write(confirmed, texts, options=IngestOptions(dry_run=True))
    assert count_groups(confirmed) == 0
    assert dry == write(confirmed, texts)


def test_the_index_keeps_its_confirmation(client: Elasticsearch, confirmed: Collection) -> None:
    assert open_index(client, confirmed.name) == confirmed
    assert ensure_index(client, IndexOptions(confirmed.name)).confirmation == Confirmation(0.6)
    with pytest.raises(InputError, match=r"was made with --confirm 0\.6, not --confirm 0\.5"):
        ensure_index(client, IndexOptions(confirmed.name, confirmation=Confirmation(0.5)))


def test_duplicates_say_what_they_share(collection: Collection) -> None:
    report = (
        "Pigs today {0} head, {1} last week; cattle {2}, {3} last week. Traders called the market quiet and firm, and "
        "buyers from the river towns took most of what was shown before noon, as they did whenever the roads were dry. "
        "The auctioneer expects as many head next week unless the rain comes back, and thanked the drovers for waiting."
    )
    texts = {
        "monday": report.format(4100, 3900, 880, 870),
        "tuesday": report.format(4350, 4100, 910, 880),
        "copy": report.format(4100, 3900, 880, 870).upper(),
    }
    write(collection, texts)
    found = {one.id: one for one in duplicates_of(collection, "monday", 11)}
    assert (found["copy"].exact, found["copy"].similarity, found["copy"].differs) == (True, 1, Differs.NOTHING)
    assert found["tuesday"].differs is Differs.NUMBERS
    assert found["tuesday"].similarity == overlap(gather(texts["monday"]), gather(texts["tuesday"])).similarity
    assert found["tuesday"].similarity == overlap(gather(texts["monday"]), gather(texts["tuesday"])).similarity
    apart = Confirmation(0.5, distinct_numbers=True)
    assert [one.id for one in duplicates_of(collection, "monday", 11, apart)] == ["copy"]
    assert len(duplicates_of_text(collection, texts["monday"], 11, Confirmation(0.5))) == 3


def test_look_ups_use_the_confirmation_of_the_index(confirmed: Collection) -> None:
    text = " ".join(WORDS * 3)
    write(confirmed, {"a": text, "near": text + " boat", "other": " ".join(sorted(WORDS) * 3)})
    all_near = Confirmation(0, distinct_numbers=False)
    assert {one.id for one in duplicates_of(confirmed, "a", 11, all_near)} == {"near", "other"}
    assert [one.id for one in duplicates_of(confirmed, "a")] == ["near"]
    assert [one.id for one in duplicates_of_text(confirmed, text)] == ["a", "near"]


def test_a_threshold_widens_the_look_up(collection: Collection) -> None:
    write(collection, texts := stories(60, seed=7))
    wide, narrow = (
        {one.id for doc_id in texts for one in duplicates_of(collection, doc_id, k, Confirmation(0.6))}
        for k in (None, collection.k)
    )
    assert narrow < wide


def test_evidence_that_is_dropped_is_read_again(confirmed: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("esdedup.engine.confirm._MOST", 100)  # characters: each new text drops those before
    text = " ".join(WORDS * 4)
    decisions = index((Document(f"d{n}", f"{text} {WORDS[n]}") for n in range(9)), confirmed, batch_size=1)
    assert [decision.place.group for decision in decisions if isinstance(decision, Decision)] == ["d0"] * 9
