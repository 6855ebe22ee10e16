"""Groups stay right: random histories of adding, changing and deleting against the definition."""

import random

import pytest

from esdedup.engine.lookup import delete_document
from esdedup.engine.mapping import Collection
from esdedup.engine.repair import repair
from tests.engine.made import made, places, right_places, scattered, stored, take

pytestmark = pytest.mark.engine


def test_the_oldest_member_leads_when_the_leader_goes(collection: Collection) -> None:
    take(collection, [made("lead", 0b0000), made("old", 0b0001), made("near", 0b0011), made("far", 0b1110)])
    assert delete_document(collection, "lead") == 3
    assert places(collection) == {"old": ("old", True, 0), "near": ("old", False, 1), "far": ("far", True, 0)}


def test_a_promoted_member_takes_over_newer_leaders_near_it(collection: Collection) -> None:
    take(
        collection,
        [made("lead", 0), made("member", 0b111), made("other", 0b111111), made("its", 0b111111111)],
    )
    assert places(collection)["other"] == ("other", True, 0)
    delete_document(collection, "lead")
    assert places(collection) == right_places(collection)
    assert places(collection)["other"] == ("member", False, 3)
    assert places(collection)["its"] == ("its", True, 0)


def test_deleting_a_member_moves_nobody(collection: Collection) -> None:
    take(collection, [made("lead", 0), made("member", 1), made("third", 3)])
    assert delete_document(collection, "member") == 0
    assert places(collection) == {"lead": ("lead", True, 0), "third": ("lead", False, 2)}


@pytest.mark.parametrize("seed", range(6))
def test_random_histories(collection: Collection, seed: int) -> None:
    rng = random.Random(seed)
    pool = scattered(70, seed=seed, spread=5)
    for _ in range(6):
        change = rng.random()
        alive = list(stored(collection))
        if change < 0.4 and len(alive) > 5:
            delete_document(collection, rng.choice(alive))
        else:
            ids = rng.sample(range(70), 15)
            take(collection, [(pool[n][0], pool[rng.randrange(70)][1]) for n in ids], size=4)
        assert places(collection) == right_places(collection)


def test_repairing_what_is_right_changes_nothing(collection: Collection) -> None:
    take(collection, scattered(60, seed=20))
    before = stored(collection)
    assert repair(collection, list(before)[:20]) == 0
    assert stored(collection) == before
