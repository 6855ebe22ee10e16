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


LAMP_NUMBERS = ("X200", 900, 14, 40, 25, 3)
PRICES = "Apples {} pears {} plums {} figs {} nuts {}; the market was firm, and every stall had sold out before noon."


def judge(a: str, b: str) -> tuple[Differs, list[bool]]:
    found = overlap(gather(a), gather(b))
    assert found.similarity > 0.5
    return found.differs, [Confirmation(0.5, numbers).confirms(found) for numbers in (None, True, False)]


def test_one_product_in_two_models() -> None:
    a = LAMP.format(*LAMP_NUMBERS)
    assert judge(a, LAMP.format("X300", *LAMP_NUMBERS[1:])) == (Differs.NUMBERS, [True, False, True])
    assert judge(a, LAMP.format("Y200", *LAMP_NUMBERS[1:])) == (Differs.TEXT, [True, True, True])


def test_one_template_on_two_days() -> None:
    monday, tuesday = PRICES.format(12, 15, 9, 31, 44), PRICES.format(13, 18, 8, 31, 47)
    assert judge(monday, tuesday) == (Differs.NUMBERS, [False, False, True])
    assert judge(monday, tuesday + " It rained later.") == (Differs.NUMBERS, [False, False, True])


def test_few_numbers_in_a_long_text_are_a_revision() -> None:
    words = PRICES.replace("{} ", "").split()
    long = " ".join(f"{a} {b}" for a in words for b in words)
    old, new = (f"{long} {PRICES.format(*numbers)}" for numbers in ((1, 2, 3, 4, 5), (6, 7, 8, 9, 5)))
    assert overlap(gather(old), gather(new)).other_numbers is False
    assert judge(old + " The end.", new) == (Differs.TEXT, [True, True, True])


def test_numbers_that_only_one_text_has_are_no_template() -> None:
    assert judge(PIER, f"{PIER} 2026-05-01 08:30") == (Differs.NUMBERS, [True, False, True])


@pytest.mark.parametrize("threshold", [0, 0.3, 0.5, 1])
def test_the_threshold_is_the_least_similarity(threshold: float) -> None:
    found = overlap(gather(PIER), gather(PIER[:20] + PIER[30:]))
    assert Confirmation(threshold).confirms(found) == (found.similarity >= threshold)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_out_of_range_is_refused(threshold: float) -> None:
    with pytest.raises(InputError, match="out of range"):
        Confirmation(threshold)
