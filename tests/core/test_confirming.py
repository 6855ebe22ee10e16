"""The second stage: what two texts share, and whether that makes them duplicates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from esdedup.confirming import Confirmation, Differs, gather, overlap
from esdedup.errors import InputError
from esdedup.normalise import normalise

LAMP = (
    "The desk lamp model {0} throws warm light over the whole table. It weighs {1} grams, stands on a round foot of "
    "{2} centimetres and takes any bulb of up to {3} watts. Spare shades cost {4} euros and arrive within {5} days."
)
PIER = "码头办公室在台风以前清点了四十二条木船，台风以后只剩下三十九条，没有人受伤，可是栈桥丢了最后三块木板。"
TEXTS = st.text(alphabet="ab 港口12。", max_size=40)


def shingles(text: str) -> set[str]:
    plain = normalise(text).replace(" ", "")
    return {plain[i : i + 5] for i in range(max(1, len(plain) - 4))} if plain else set()


@given(TEXTS, TEXTS)
def test_overlap_is_that_of_sets_of_shingles(a: str, b: str) -> None:
    one, other = shingles(a), shingles(b)
    found = overlap(gather(a), gather(b))
    if not one or not other:
        assert (found.jaccard, found.containment, found.similarity) == (0, 0, 0)
        return
    shared = len(one & other)
    assert found.jaccard == pytest.approx(shared / len(one | other))
    assert found.containment == pytest.approx(shared / min(len(one), len(other)))
    assert found.similarity == pytest.approx(shared / (len(one) * len(other)) ** 0.5)


@given(TEXTS, TEXTS)
def test_overlap_has_no_direction_and_similarity_lies_between(a: str, b: str) -> None:
    found = overlap(gather(a), gather(b))
    assert found == overlap(gather(b), gather(a))
    assert 0 <= found.jaccard <= found.similarity + 1e-9
    assert found.similarity <= found.containment + 1e-9 <= 1 + 2e-9


@given(TEXTS)
def test_what_reads_the_same_shares_all_and_differs_in_nothing(text: str) -> None:
    found = overlap(gather(text), gather(f"  {text.upper()}\n"))
    assert found.differs is Differs.NOTHING
    assert found.similarity == pytest.approx(1 if normalise(text) else 0)


def test_a_text_inside_another_is_contained() -> None:
    long = PIER + LAMP.format(*range(6))
    found = overlap(gather(PIER), gather(long))
    assert found.containment == pytest.approx(1)
    assert found.jaccard < 0.4 < found.similarity


@pytest.mark.parametrize(
    ("numbers", "differs"),
    [
        (["X200", 900, 14, 40, 25, 3], Differs.NUMBERS),
        (["X-310", 1150, 15, 60, 31, 3], Differs.NUMBERS),
        (["X200", 900, 14, 40, 25, 5], Differs.TEXT),  # one of seven: the same lamp, delivered later
    ],
)
def test_other_numbers_in_the_same_words(numbers: list[object], differs: Differs) -> None:
    a, b = LAMP.format("X-300", 1100, 16, 45, 28, 3), LAMP.format(*numbers)
    base = LAMP.format("X200", 900, 14, 40, 25, 3) if differs is Differs.TEXT else a
    found = overlap(gather(base), gather(b))
    assert found.differs is differs
    assert Confirmation(0.5, distinct_numbers=False).confirms(found)
    assert Confirmation(0.5).confirms(found) == (differs is Differs.TEXT)


def test_numbers_that_only_one_text_has_are_no_disagreement() -> None:
    found = overlap(gather(PIER), gather(f"{PIER} 2026-05-01 08:30"))
    assert found.differs is Differs.TEXT
    assert Confirmation().confirms(found)


@pytest.mark.parametrize("threshold", [0, 0.3, 0.5, 1])
def test_the_threshold_is_the_least_similarity(threshold: float) -> None:
    found = overlap(gather(PIER), gather(PIER[:20] + PIER[30:]))
    assert Confirmation(threshold).confirms(found) == (found.similarity >= threshold)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_out_of_range_is_refused(threshold: float) -> None:
    with pytest.raises(InputError, match="out of range"):
        Confirmation(threshold)
