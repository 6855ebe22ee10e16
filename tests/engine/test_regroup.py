"""Regrouping heals what writers at once have done, and touches nothing else."""

import random
import threading

import pytest
from elasticsearch import Elasticsearch

from esdedup.confirming import Confirmation
from esdedup.engine.ingest import Ingest
from esdedup.engine.mapping import Collection, IndexOptions, create_index
from esdedup.engine.regroup import Regrouped, regroup
from tests.engine.made import Made, made, places, right_places, scattered, stored, take

pytestmark = pytest.mark.engine


def done(collection: Collection, dry_run: bool = False) -> Regrouped:
    return list(regroup(collection, dry_run=dry_run))[-1]


def versions(collection: Collection) -> dict[str, int]:
    hits = collection.client.search(index=collection.name, size=10_000, seq_no_primary_term=True)["hits"]["hits"]
    return {hit["_id"]: hit["_seq_no"] for hit in hits}


def spoil(collection: Collection, rng: random.Random) -> None:
    """Every third document leads, whatever is near it; others are in a group that is not theirs."""
    for key in list(stored(collection)):
        if rng.random() < 0.3:
            place = {"group": key, "leader": True, "distance": 0}
            collection.client.update(index=collection.name, id=key, doc={"esdedup": place})
    collection.client.indices.refresh(index=collection.name)


@pytest.mark.parametrize("k", [3, 7, 11])
def test_spoilt_groups_are_healed(client: Elasticsearch, index_name: str, k: int) -> None:
    collection = create_index(client, IndexOptions(index_name, k=k))
    take(collection, scattered(300, seed=k, spread=10))
    right = places(collection)
    spoil(collection, random.Random(k))
    assert places(collection) != right
    found = done(collection)
    assert places(collection) == right == right_places(collection)
    assert (found.documents, found.conflicts) == (300, 0)
    assert found.groups == sum(leads for _, leads, _ in right.values())


def test_only_what_changes_is_written(collection: Collection) -> None:
    take(collection, scattered(200, seed=1))
    right = places(collection)
    assert done(collection).changed == 0
    spoil(collection, random.Random(2))
    before, spoilt = versions(collection), places(collection)
    assert done(collection, dry_run=True).changed == sum(spoilt[key] != right[key] for key in right)
    assert versions(collection) == before
    done(collection)
    written = {key for key, version in versions(collection).items() if version != before[key]}
    assert written == {key for key in right if spoilt[key] != right[key]}


def test_documents_of_other_programs_are_left_alone(collection: Collection) -> None:
    take(collection, [made("a", 0), made("b", 1)])
    collection.client.index(index=collection.name, id="foreign", document={"title": "x"}, refresh=True)
    assert done(collection).documents == 2


def test_documents_of_one_moment_go_by_their_keys(collection: Collection) -> None:
    take(collection, [made("b", 0), made("a", 1), made("c", 0b11)])
    moment = "2026-01-01T00:00:00.000000Z"
    for key in "abc":
        collection.client.update(index=collection.name, id=key, doc={"esdedup": {"first_seen": moment}}, refresh=True)
    done(collection)
    assert places(collection) == {"a": ("a", True, 0), "b": ("a", False, 1), "c": ("a", False, 1)}


def test_what_changes_meanwhile_is_settled_by_another_pass(collection: Collection) -> None:
    take(collection, scattered(120, seed=4))
    spoil(collection, random.Random(5))
    run = regroup(collection)
    first = next(run)
    assert first.documents == 120
    # The batch is written; now change what it has read, before the next pass.
    take(collection, [made(key, own) for key, own in (("d00003", 77), ("d00004", 78))])
    list(run)
    done(collection)
    assert places(collection) == right_places(collection)


@pytest.mark.parametrize("writers", [2, 4])
def test_writers_at_once(collection: Collection, writers: int) -> None:
    documents = scattered(400, seed=writers)

    def write(order: list[Made]) -> None:
        run = Ingest(collection)
        for start in range(0, len(order), 40):
            part = order[start : start + 40]
            list(run.take([d for d, _ in part], [s for _, s in part]))
        run.finish()

    orders = [random.Random(n).sample(documents, len(documents)) for n in range(writers)]
    threads = [threading.Thread(target=write, args=(order,)) for order in orders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done(collection)
    assert len(places(collection)) == 400
    assert places(collection) == right_places(collection)
    assert done(collection).changed == 0


def test_texts_confirm_here_too(client: Elasticsearch, index_name: str) -> None:
    from tests.engine.test_confirm import right_places as confirmed_places  # noqa: PLC0415
    from tests.engine.test_confirm import stories, write  # noqa: PLC0415

    collection = create_index(client, IndexOptions(index_name, k=11, confirmation=Confirmation(0.6)))
    texts = stories(80, seed=9)
    write(collection, texts)
    spoil(collection, random.Random(9))
    done(collection)
    assert places(collection) == confirmed_places(collection, texts)
