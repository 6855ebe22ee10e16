"""Leaders that are foreseen attract as those that are compared one by one."""

import random

import numpy as np
import pytest

from esdedup.document import Status
from esdedup.foreseen import ForeseenLeaders
from esdedup.grouping import Entry, Leaders, cluster, place_batch
from tests.engine.made import flipped


def entries(count: int, seed: int) -> list[Entry]:
    rng = random.Random(seed)
    centres = [rng.getrandbits(64) for _ in range(count // 5)]
    found = []
    for number in range(count):
        status = rng.choice([Status.OK] * 8 + [Status.TOO_SHORT, Status.EMPTY, Status.WHOLE_PAGE])
        is_short = status is Status.TOO_SHORT
        value = rng.randrange(9) if is_short else flipped(rng, rng.choice(centres), rng.randrange(6))
        digest = f"short{value}" if is_short else f"{value:x}"
        found.append(Entry(f"d{number:03}", value, digest, status, f"{number:06}"))
    return found


@pytest.mark.parametrize("k", [0, 3, 7, 11])
def test_places_are_those_of_the_definition(k: int) -> None:
    documents = entries(400, seed=k)
    comparable = [one.fingerprint for one in documents if one.status.is_comparable]
    leaders = ForeseenLeaders(np.array(comparable, np.uint64), k)
    brute = Leaders(k)
    places = {}
    for start in range(0, 400, 30):
        batch = documents[start : start + 30]
        near = leaders.near(batch)
        assert [sorted(e.key for e in some) for some in near] == [sorted(e.key for e in n) for n in brute.near(batch)]
        for one, place in zip(batch, place_batch(batch, near, k), strict=True):
            places[one.key] = place
            if place.leader:
                leaders.add(one)
                brute.add(one)
    assert places == cluster(documents, k)


def test_what_was_not_foreseen_has_nobody_near() -> None:
    leaders = ForeseenLeaders(np.array([1], np.uint64), 3)
    stranger = Entry("s", 2, "s", Status.OK, "1")
    leaders.add(stranger)
    assert leaders.near([stranger, Entry("t", 2, "t", Status.OK, "2")]) == [[], []]
