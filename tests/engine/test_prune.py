"""Pruning lists first, keeps what it deletes, and can take it back."""

import pytest

from esdedup.engine.mapping import Collection
from esdedup.engine.prune import PruneOptions, find_doomed, remove, restore
from esdedup.errors import InputError
from tests.engine.made import made, places, scattered, stored, take

pytestmark = pytest.mark.engine


def doomed_ids(collection: Collection, options: PruneOptions | None = None) -> dict[str, str]:
    return {one.id: one.leader for one in find_doomed(collection, options or PruneOptions())}


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
    lines = [one.as_line() for one in doomed]
    assert remove(collection, doomed) == len(doomed)
    collection.client.indices.refresh(index=collection.name)
    assert set(stored(collection)) == {key for key, own in before.items() if own["leader"]}
    assert restore(collection, lines) == (len(doomed), 0)
    assert stored(collection) == before
    assert restore(collection, lines) == (0, len(doomed))


def test_a_document_that_changed_meanwhile_stays(collection: Collection) -> None:
    take(collection, [made("lead", 0), made("near", 1), made("other", 3)])
    doomed = list(find_doomed(collection, PruneOptions()))
    collection.client.update(index=collection.name, id="near", doc={"title": "changed"}, refresh=True)
    assert remove(collection, doomed) == 1
    collection.client.indices.refresh(index=collection.name)
    assert set(stored(collection)) == {"lead", "near"}


def test_without_its_leader_nothing_goes(collection: Collection) -> None:
    take(collection, [made("lead", 0), made("near", 1)])
    collection.client.delete(index=collection.name, id="lead", refresh=True)
    assert doomed_ids(collection) == {}


@pytest.mark.parametrize("line", ["broken", "[]", '{"_id": "a"}', '{"_id": "a", "_source": 3}'])
def test_a_file_of_something_else_is_refused(collection: Collection, line: str) -> None:
    with pytest.raises(InputError, match="line 2 is not"):
        restore(collection, ["", line])
