"""`evaluate` against counting by hand, on made fingerprints."""

import random
from itertools import combinations

import pytest

from esdedup import Sketch, distance, from_hex
from esdedup.confirming import Confirmation
from esdedup.document import Status
from esdedup.evaluating import Evaluation, evaluate
from esdedup.fingerprinter import blocks, lanes
from esdedup.matching import is_duplicate
from esdedup.unrelated import LabelledPair

BASE = 0x0123456789ABCDEF


def sketch(fingerprint: int, status: Status = Status.OK, digest: str = "") -> Sketch:
    return Sketch(fingerprint, digest or f"{fingerprint:032x}", status, 20)


def scattered(count: int, seed: int) -> dict[str, Sketch]:
    rng = random.Random(seed)
    states = [Status.OK] * 6 + [Status.TOO_SHORT, Status.EMPTY]
    sketches = {}
    for number in range(count):
        turned = sum(1 << bit for bit in rng.sample(range(64), rng.randrange(9)))
        status = rng.choice(states)
        sketches[f"d{number}"] = sketch(BASE ^ turned, status, f"{status.value}{rng.randrange(3)}")
    return sketches


def judged(sketches: dict[str, Sketch], count: int, seed: int) -> list[LabelledPair]:
    rng = random.Random(seed)
    pairs = rng.sample(list(combinations(sketches, 2)), count)
    return [LabelledPair(a, b, rng.choice([True, False, None])) for a, b in pairs]


@pytest.mark.parametrize("seed", range(6))
def test_scores_are_those_counted_by_hand(seed: int) -> None:
    sketches = scattered(30, seed)
    pairs = judged(sketches, 40, seed)
    found = evaluate(sketches, {}, pairs)
    for row in found.by_distance:
        said = {p for p in pairs if is_duplicate(sketches[p.a], sketches[p.b], row.k)}
        hits = sum(p.duplicate is True for p in said)
        wrong = sum(p.duplicate is False for p in said)
        real = sum(p.duplicate is True for p in pairs)
        assert row.precision == pytest.approx(hits / (hits + wrong) if hits + wrong else 1)
        assert row.recall == pytest.approx(hits / real)
    assert found.pairs == sum(p.duplicate is not None for p in pairs)
    assert [row.k for row in found.by_distance] == list(range(12))


@pytest.mark.parametrize("seed", range(6))
def test_false_matches_are_counted_among_unrelated_pairs(seed: int) -> None:
    sketches = scattered(30, seed)
    pairs = judged(sketches, 20, seed)
    family = {doc_id: {doc_id} for doc_id in sketches}
    for pair in pairs:
        if pair.duplicate is not False:
            joined = family[pair.a] | family[pair.b]
            family |= dict.fromkeys(joined, joined)
    labelled = {frozenset((pair.a, pair.b)) for pair in pairs}
    unrelated = [(a, b) for a, b in combinations(sketches, 2) if b not in family[a] and {a, b} not in labelled]
    for row in evaluate(sketches, {}, pairs).by_distance:
        false = sum(is_duplicate(sketches[a], sketches[b], row.k) for a, b in unrelated)
        assert row.false_per_million == pytest.approx(false / len(unrelated) * 1e6)


@pytest.mark.parametrize("seed", range(3))
def test_candidates_are_those_of_blocks_and_lanes(seed: int) -> None:
    sketches = scattered(40, seed)
    values = [one.fingerprint for one in sketches.values() if one.status is Status.OK]
    sharing = [(a, b) for a, b in combinations(values, 2) if any(x == y for x, y in zip(blocks(a), blocks(b)))]  # noqa: B905
    in_lanes = [(a, b) for a, b in sharing if len(set(lanes(a)) & set(lanes(b))) >= 5]
    found = evaluate(sketches, {}, judged(sketches, 9, seed)).candidates
    assert found.blocks == pytest.approx(2 * len(sharing) / len(values))
    assert found.lanes == pytest.approx(2 * len(in_lanes) / len(values))
    assert found.random == pytest.approx(4 * (len(values) - 1) / 65536)


def test_the_texts_decide_within_k() -> None:
    story = "The ferry came back at noon with forty crates of apples and a very wet dog on board."
    texts = {
        "a": story,
        "b": f"{story} Later it rained.",
        "c": "Nothing of this is anywhere else in these texts at all.",
    }
    sketches = {"a": sketch(BASE), "b": sketch(BASE ^ 0b1111), "c": sketch(BASE ^ 0b11)}
    pairs = [LabelledPair("a", "b", True), LabelledPair("a", "c", False)]

    def confirmed(k: int) -> tuple[float, float]:
        found = evaluate(sketches, texts, pairs, k, Confirmation()).confirmed
        assert found is not None
        assert (found.k, found.threshold) == (k, 0.5)
        return found.precision, found.recall

    assert confirmed(11) == (1, 1)
    assert confirmed(3) == (1, 0)


def test_histograms_hold_every_labelled_pair() -> None:
    sketches = scattered(30, 1)
    found: Evaluation = evaluate(sketches, {}, judged(sketches, 40, 1))
    assert sum(map(sum, found.histogram)) == found.pairs
    assert all(len(counts) == 66 for counts in found.histogram)


def test_distances_are_those_of_the_field() -> None:
    sketches = {"a": sketch(from_hex("00000000000000ff")), "b": sketch(from_hex("00000000000000fe"))}
    found = evaluate(sketches, {}, [LabelledPair("a", "b", True)])
    assert distance(sketches["a"].fingerprint, sketches["b"].fingerprint) == 1
    assert [row.recall for row in found.by_distance] == [0] + [1] * 11
