"""Pruning lists first, keeps what it deletes, and can take it back."""

import random
from dataclasses import replace

import pytest

from esdedup.document import Document
from esdedup.engine.decisions import Fate
from esdedup.engine.ingest import Ingest
from esdedup.engine.lookup import delete_document
from esdedup.engine.mapping import Collection
from esdedup.engine.prune import PruneOptions, find_doomed
from esdedup.engine.removal import mark, remove, restore, sources_of, unmark
from esdedup.engine.search import SearchOptions, search
from esdedup.errors import InputError
from esdedup.keeping import Keep
from tests.engine.made import Made, made, places, right_places, run, scattered, stored, take

pytestmark = pytest.mark.engine

STORY = " ".join(f"Entry {n} of the harbour log tells of boats and ropes." for n in range(30))


def doomed_ids(collection: Collection, options: PruneOptions | None = None) -> dict[str, str]:
    return {one.member.id: one.kept.id for one in find_doomed(collection, options or PruneOptions())}


def test_all_but_leaders_may_go(collection: Collection) -> None:
    take(collection, scattered(150, seed=1))
    expected = {key: group for key, (group, leads, _) in places(collection).items() if not leads}
    assert doomed_ids(collection) == expected
    assert len(expected) > 20


def test_what_may_go_is_limited(collection: Collection) -> None:
    take(collection, [made("lead", 0, "same"), made("near", 1), made("far", 7), made("copy", 0, "same")])
    assert set(doomed_ids(collection, PruneOptions(distance=1))) == {"near", "copy"}
    assert set(doomed_ids(collection, PruneOptions(exact=True))) == {"copy"}


def test_what_was_removed_comes_back_as_it_was(collection: Collection) -> None:
    take(collection, scattered(80, seed=2))
    before = stored(collection)
    doomed = list(find_doomed(collection, PruneOptions()))
    lines = [line for _, line in sources_of(collection, doomed)]
    assert remove(collection, doomed) == len(doomed)
    collection.client.indices.refresh(index=collection.name)
    assert set(stored(collection)) == {key for key, own in before.items() if own["leader"]}
    assert restore(collection, lines) == (len(doomed), 0, [])
    assert stored(collection) == before
    assert restore(collection, lines) == (0, len(doomed), [])


def test_a_document_that_changed_meanwhile_stays(collection: Collection) -> None:
    take(collection, [made("lead", 0), made("near", 1), made("other", 3)])
    doomed = list(find_doomed(collection, PruneOptions()))
    collection.client.update(index=collection.name, id="near", doc={"title": "changed"}, refresh=True)
    assert [one.member.id for one, _ in sources_of(collection, doomed)] == ["other"]
    assert remove(collection, doomed) == 1
    collection.client.indices.refresh(index=collection.name)
    assert set(stored(collection)) == {"lead", "near"}


def test_without_its_leader_nothing_goes(collection: Collection) -> None:
    take(collection, [made("lead", 0), made("near", 1)])
    collection.client.delete(index=collection.name, id="lead", refresh=True)
    assert doomed_ids(collection) == {}


def test_what_cannot_be_restored_is_said(collection: Collection) -> None:
    restored, present, failed = restore(collection, ['{"_id": "a", "_source": {"doc_id": "a", "no such field": 1}}'])
    assert (restored, present, [one.key for one in failed]) == (0, 0, ["a"])


def test_a_document_that_changed_in_a_run_that_was_cut_off_stays(collection: Collection) -> None:
    take(collection, [made("x", 0), made("y", 1)])
    cut_off = Ingest(collection)
    changed = made("x", (1 << 40) - 1)
    list(cut_off.take([changed[0]], [changed[1]]))  # never finished: y is still said to be a member of x
    collection.client.indices.refresh(index=collection.name)
    assert not stored(collection)["y"]["leader"]
    assert doomed_ids(collection) == {}


@pytest.mark.parametrize("line", ["broken", "[]", '{"_id": "a"}', '{"_id": "a", "_source": 3}'])
def test_a_file_of_something_else_is_refused(collection: Collection, line: str) -> None:
    with pytest.raises(InputError, match="line 2 is not"):
        restore(collection, ["", line])


LONGEST = PruneOptions(keep=Keep.parse("longest"))


def of_length(doc_id: str, fingerprint: int, length: int) -> Made:
    return made(doc_id, fingerprint, doc_id * length)


def test_the_longest_is_kept_and_what_is_not_near_it(collection: Collection) -> None:
    take(
        collection, [of_length("lead", 0, 1), of_length("long", 7, 5), of_length("near", 3, 2), of_length("far", 56, 3)]
    )
    assert doomed_ids(collection, LONGEST) == {"lead": "long", "near": "long"}
    assert remove(collection, list(find_doomed(collection, LONGEST))) == 2
    assert set(stored(collection)) == {"long", "far"}
    assert places(collection) == right_places(collection)


def test_of_equals_the_leader_is_kept(collection: Collection) -> None:
    take(collection, [of_length("lead", 0, 4), of_length("same", 1, 4)])
    assert doomed_ids(collection, LONGEST) == {"same": "lead"}


def test_whatever_the_policy_the_rest_is_grouped_rightly(collection: Collection) -> None:
    rng = random.Random(5)
    take(collection, [(replace(d, text=d.text * rng.randrange(1, 9)), s) for d, s in scattered(200, seed=4)])
    doomed = list(find_doomed(collection, LONGEST))
    assert any(one.member.place.leader for one in doomed)
    remove(collection, doomed)
    collection.client.indices.refresh(index=collection.name)
    assert places(collection) == right_places(collection)


def test_marked_documents_are_hidden_until_they_lead(collection: Collection) -> None:
    texts = {"a": STORY, "copy": STORY, "long": f"{STORY} And then the end."}
    run(collection, *(Document(doc_id, text) for doc_id, text in texts.items()))
    assert mark(collection, list(find_doomed(collection, LONGEST))) == 2
    collection.client.indices.refresh(index=collection.name)
    assert found(collection) == ["long"]
    assert places(collection) == right_places(collection)
    assert [d.fate for d in run(collection, *(Document(i, t) for i, t in texts.items()))] == [Fate.UNCHANGED] * 3
    delete_document(collection, "long")
    assert len(found(collection)) == 1  # another leads, and a leader is never hidden
    assert unmark(collection) == 2
    assert found(collection) == ["a", "copy"]


def found(collection: Collection) -> list[str]:
    return sorted(hit.id for hit in search(collection, "harbour", SearchOptions(collapse=False)).hits)
