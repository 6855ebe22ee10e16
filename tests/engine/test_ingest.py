"""Taking documents in: groups, updates, failures, nothing lost."""

import random
from dataclasses import replace

import pytest

from esdedup.document import Document, Status
from esdedup.engine.decisions import Fate, IngestOptions, OnDuplicate
from esdedup.engine.ingest import Ingest
from esdedup.engine.lookup import count_groups, get_document
from esdedup.engine.mapping import Collection, IndexOptions, create_index, open_index, planned_collection
from esdedup.errors import NoSuchIndex
from esdedup.pipeline import Summary, index
from tests.engine.made import made, places, right_places, run, scattered, stored, take

pytestmark = pytest.mark.engine

STORM = (
    "The harbour office counted forty boats before the storm and thirty eight after it. Nobody was hurt, "
    "but the old pier lost its lamp, two ladders and most of its planks, and the ferry will not run this week "
    "until the harbour master has looked at every rope. The harbour office will open the pier again when the "
    "lamp and the ladders are back, and the boats wait in the river. The master said that the storm was the "
    "worst in forty years: the wind turned before the tide did."
)


def test_groups_are_those_of_the_definition(collection: Collection) -> None:
    take(collection, scattered(400, seed=1))
    assert places(collection) == right_places(collection)
    assert 50 < count_groups(collection) < 400


@pytest.mark.parametrize("size", [1, 7, 400])
def test_batch_size_makes_no_difference(collection: Collection, size: int) -> None:
    documents = scattered(60 if size == 1 else 300, seed=2)
    take(collection, documents, size)
    assert places(collection) == right_places(collection)
    assert list(stored(collection)) == [document.id for document, _ in documents]


def test_many_small_runs_give_the_groups_of_one(collection: Collection) -> None:
    documents = scattered(90, seed=3)
    for start in range(0, 90, 15):
        take(collection, documents[start : start + 15])
    assert places(collection) == right_places(collection)


def test_groups_stay_right_beyond_the_window(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("esdedup.engine.placing._WINDOW", 20)
    monkeypatch.setattr("esdedup.engine.stored._MOST", 30)
    take(collection, scattered(300, seed=4), size=25)
    assert places(collection) == right_places(collection)


def test_running_twice_changes_nothing(collection: Collection) -> None:
    documents = scattered(100, seed=5)
    take(collection, documents)
    before = stored(collection)
    assert {decision.fate for decision in take(collection, documents)} == {Fate.UNCHANGED}
    assert stored(collection) == before


def test_updates_keep_their_place_in_the_order_and_groups_follow(collection: Collection) -> None:
    documents = scattered(120, seed=6)
    take(collection, documents)
    seen = {key: own["first_seen"] for key, own in stored(collection).items()}
    others = scattered(120, seed=7)
    changed = [(documents[n][0], others[n][1]) for n in random.Random(8).sample(range(120), 40)]
    fates = {decision.fate for decision in take(collection, changed)}
    assert fates == {Fate.UPDATED}
    assert {key: own["first_seen"] for key, own in stored(collection).items()} == seen
    assert places(collection) == right_places(collection)


def test_an_id_twice_in_one_batch_is_an_update(collection: Collection) -> None:
    decisions = take(collection, [made("a", 0, "first"), made("b", 1, "other"), made("a", 1 << 40, "second")])
    assert [decision.fate for decision in decisions] == [Fate.INDEXED, Fate.INDEXED, Fate.UPDATED]
    assert get_document(collection, "a")["content"] == "second"
    assert places(collection) == right_places(collection)


def test_short_texts_join_only_equal_ones_and_empty_ones_nobody(collection: Collection) -> None:
    short, empty = Status.TOO_SHORT, Status.EMPTY
    take(
        collection,
        [
            made("cat", 5, "cat", short),
            made("cap", 5, "cap", short),
            made("cat2", 5, "cat", short),
            made("e1", 0, " ", empty),
            made("e2", 0, " ", empty),
            made("zero", 0, "a text whose fingerprint is zero"),
        ],
        size=2,
    )
    groups = {key: group for key, (group, _, _) in places(collection).items()}
    assert groups == {"cat": "cat", "cap": "cap", "cat2": "cat", "e1": "e1", "e2": "e2", "zero": "zero"}
    assert "b0" not in stored(collection)["cat"]


def test_skip_leaves_duplicates_out(collection: Collection) -> None:
    options = IngestOptions(OnDuplicate.SKIP)
    decisions = take(collection, [made("a", 0), made("b", 3), made("c", 0xFF)], options=options)
    assert [d.fate for d in decisions] == [Fate.INDEXED, Fate.LEFT_OUT, Fate.INDEXED]
    assert (decisions[1].place.group, decisions[1].place.distance) == ("a", 2)
    assert list(stored(collection)) == ["a", "c"]


def test_a_dry_run_decides_alike_and_writes_nothing(collection: Collection) -> None:
    documents = [*scattered(80, seed=9), made("d00003", 77)]
    dry = take(collection, documents, size=10, options=IngestOptions(dry_run=True))
    assert not stored(collection)
    wet = take(collection, documents, size=10)
    assert [(d.fate, d.place.leader) for d in dry] == [(d.fate, d.place.leader) for d in wet]


def test_a_dry_run_needs_no_index(client_collection: Collection) -> None:
    dry = take(client_collection, scattered(30, seed=10), options=IngestOptions(dry_run=True))
    assert {d.fate for d in dry} == {Fate.INDEXED}
    assert not client_collection.client.indices.exists(index=client_collection.name)


@pytest.fixture
def client_collection(collection: Collection) -> Collection:
    return planned_collection(collection.client, IndexOptions(f"{collection.name}-absent"))


@pytest.mark.parametrize("mode", list(OnDuplicate))
def test_when_a_leader_is_rejected_its_duplicate_leads(collection: Collection, mode: OnDuplicate) -> None:
    document, sketch = made("bad", 0)
    bad = replace(document, date="not a date"), sketch
    decisions = take(collection, [bad, made("twin", 1), made("third", 3)], options=IngestOptions(mode))
    failed = [d for d in decisions if d.fate is Fate.FAILED]
    assert [d.document.id for d in failed] == ["bad"]
    assert "date" in failed[0].reason
    assert places(collection) == right_places(collection)
    assert stored(collection)["twin"]["leader"]
    assert ("third" in stored(collection)) is (mode is OnDuplicate.MARK)


def test_ids_of_every_kind_are_found_again(collection: Collection) -> None:
    long_id = "https://example.org/" + "新闻" * 100
    ids = ["a/b?c=d&e f+g", "文档一", long_id + "一", long_id + "二", "_under", "17", "x" * 512, "x" * 513]
    take(collection, [made(doc_id, n << 20, f"text {n}") for n, doc_id in enumerate(ids)])
    assert [get_document(collection, doc_id)["content"] for doc_id in ids] == [f"text {n}" for n in range(len(ids))]
    assert [get_document(collection, doc_id)["doc_id"] for doc_id in ids] == ids


def test_a_title_longer_than_a_keyword_may_be_is_stored(collection: Collection) -> None:
    document, sketch = made("long", 1)
    take(collection, [(replace(document, title="标题很长" * 3000, url="u" * 40_000), sketch)])
    assert get_document(collection, "long")["title"] == "标题很长" * 3000


def test_the_same_page_under_one_id_is_never_its_own_duplicate(collection: Collection) -> None:
    page = Document("http://a.example/1", STORM)
    first = run(collection, page)
    copy = run(collection, Document("http://b.example/2", STORM.replace(". ", ".\n\n")))
    again = run(collection, replace(page, title="a title now"))
    assert [result.fate for result in (*first, *copy, *again)] == [Fate.INDEXED, Fate.INDEXED, Fate.UPDATED]
    assert copy[0].place.group == page.id
    assert copy[0].place.exact
    assert again[0].place.leader


def test_the_summary_adds_up(collection: Collection) -> None:
    texts = [STORM, STORM, STORM.replace("this week", "next week"), "cat", "", "，。！"]
    records = [Document(f"d{n}", text) for n, text in enumerate(texts)]
    summary = Summary()
    for result in index(records, collection):
        summary.add(result)
    summary.close(count_groups(collection))
    s = summary
    assert s.read == 6 == s.indexed + s.updated + s.unchanged + s.left_out + s.failed
    assert (s.exact, s.near, s.too_short, s.empty) == (1, 1, 1, 2)
    assert s.groups == 4


def test_an_index_that_goes_in_mid_run_is_not_made_anew(collection: Collection) -> None:
    run = Ingest(collection)
    first, second = made("a", 0), made("b", 1 << 40)
    assert len(list(run.take([first[0]], [first[1]]))) == 1
    collection.client.indices.delete(index=f"{collection.name}-000001")
    with pytest.raises(NoSuchIndex, match="has gone"):
        list(run.take([second[0]], [second[1]]))
    assert not collection.client.indices.exists(index=collection.name)


def test_the_numbered_index_can_be_named_itself(collection: Collection) -> None:
    take(open_index(collection.client, f"{collection.name}-000001"), [made("a", 0)])
    assert list(stored(collection)) == ["a"]


def test_first_seen_rises_strictly(collection: Collection) -> None:
    take(collection, scattered(200, seed=11))
    seen = [own["first_seen"] for own in stored(collection).values()]
    assert len(set(seen)) == 200


def test_a_run_over_an_index_that_others_fill_sees_their_documents(collection: Collection) -> None:
    take(collection, [made("a", 0)])
    other = Ingest(collection)
    document, sketch = made("b", 1)
    (decision,) = other.take([document], [sketch])
    other.finish()
    assert decision.place.group == "a"


def test_workers_and_batches_give_the_same_index(collection: Collection) -> None:
    other = create_index(collection.client, IndexOptions(f"{collection.name}-other"))
    records = [Document(f"d{n}", f"{STORM} Number {n % 7} of the series, page {n}.") for n in range(60)]
    list(index(records, collection, batch_size=9, workers=2))
    list(index(records, other, batch_size=60, workers=1))
    assert places(collection) == places(other) == right_places(other)


def test_an_exact_copy_stays_one_when_only_its_title_changes(collection: Collection) -> None:
    texts = {"a": STORM, "copy": STORM.replace(". ", ".\n"), "near": STORM.replace("this week", "next week")}
    first = run(collection, *(Document(doc_id, text) for doc_id, text in texts.items()))
    again = run(collection, *(Document(doc_id, text, title="New") for doc_id, text in texts.items()))
    assert [decision.fate for decision in again] == [Fate.UPDATED] * 3
    assert [d.place for d in again] == [d.place for d in first]
    assert [d.place.exact for d in again] == [False, True, False]
