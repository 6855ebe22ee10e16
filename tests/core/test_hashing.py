"""Codes for enumerated values and Chinese strings."""

import random
from itertools import combinations

import pytest

from esdedup import chinese_string_code, distance, enumerated_codes, simhash
from esdedup.hashing import hash_feature


def nearest_pair(codes: dict[str, int]) -> int:
    return min(distance(a, b) for a, b in combinations(codes.values(), 2))


def test_two_values_are_opposite() -> None:
    assert enumerated_codes(["no", "yes"]) == {"no": 0, "yes": 2**64 - 1}


@pytest.mark.parametrize("count", range(3, 129))
def test_more_values_are_as_far_apart_as_promised(count: int) -> None:
    codes = enumerated_codes([f"v{n}" for n in range(count)])
    assert list(codes) == [f"v{n}" for n in range(count)]
    assert all(0 <= code < 2**64 for code in codes.values())
    assert nearest_pair(codes) >= (42 if count <= 4 else 36 if count <= 8 else 32)


def test_few_values_are_codes_too() -> None:
    assert enumerated_codes([]) == {}
    assert enumerated_codes(["only"]) == {"only": 0}


def test_enumerated_codes_decide_a_fingerprint_by_weight() -> None:
    codes = enumerated_codes(["no", "yes"])
    features: dict[str | int, float] = {codes["yes"]: 2, "storm": 1}
    assert simhash(features) == codes["yes"]
    assert simhash({**features, "storm": 3}) == hash_feature("storm")


@pytest.mark.parametrize("values", [["a", "a"], [str(n) for n in range(129)]])
def test_repeated_or_too_many_values_are_refused(values: list[str]) -> None:
    with pytest.raises(ValueError, match="at most 128"):
        enumerated_codes(values)


def gap(a: str, b: str) -> int:
    return distance(chinese_string_code(a), chinese_string_code(b))


def test_similar_strings_are_closer_than_others() -> None:
    assert gap("港口办公室", "港口办公厅") < gap("港口办公室", "火车站面包")
    assert gap("北京大学", "北京大学生") < gap("北京大学", "南方日报社")
    rng = random.Random(3)
    characters = [chr(rng.randrange(0x4E00, 0xA000)) for _ in range(400)]
    closer = 0
    for _ in range(200):
        word = rng.sample(characters, 6)
        changed, other = word.copy(), rng.sample(characters, 6)
        changed[rng.randrange(6)] = rng.choice(characters)
        closer += gap("".join(word), "".join(changed)) < gap("".join(word), "".join(other))
    assert closer >= 195


def test_characters_near_in_the_chart_are_close() -> None:
    rng = random.Random(4)
    near = far = 0
    for _ in range(300):
        code = rng.randrange(0x4E00, 0x9F00)
        near += gap(chr(code), chr(code + rng.randrange(1, 9)))
        far += gap(chr(code), chr(rng.randrange(0x4E00, 0x9F00)))
    assert near < far / 4


def test_names_with_one_other_character_are_closer() -> None:
    assert gap("上海浦东新区", "上海浦西新区") < gap("上海浦东新区", "青海湖旅游局")
    rng = random.Random(6)
    characters = [chr(rng.randrange(0x4E00, 0xA000)) for _ in range(400)]
    changed, others = [], []
    for _ in range(200):
        name, other = rng.sample(characters, 5), rng.sample(characters, 5)
        one_changed = [*name[:2], rng.choice(characters), *name[3:]]
        changed.append(gap("".join(name), "".join(one_changed)))
        others.append(gap("".join(name), "".join(other)))
    assert sum(changed) < 0.6 * sum(others)
    assert sum(a < b for a, b in zip(changed, others, strict=True)) >= 180


def test_the_order_of_characters_counts_but_less_than_which_they_are() -> None:
    rng = random.Random(7)
    characters = [chr(rng.randrange(0x4E00, 0xA000)) for _ in range(400)]
    anagrams, others = [], []
    for _ in range(200):
        name, other = rng.sample(characters, 6), rng.sample(characters, 6)
        anagrams.append(gap("".join(name), "".join(name[::-1])))
        others.append(gap("".join(name), "".join(other)))
    assert min(anagrams) > 0
    assert sum(anagrams) < 0.7 * sum(others)


def test_order_and_other_scripts_count() -> None:
    assert gap("上海", "海上") > 0
    assert gap("T恤", "T血") < gap("T恤", "K歌")
    assert chinese_string_code("") == 0


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("港口", 0xB8D81303226E44D8),
        ("港口办公室", 0xAAF850095A9613C2),
        ("T恤", 0x25DE77471A465D3C),
        ("storm", 0x9D8190CA70640948),
        ("\ud83d", 0x5C1983CEDF8E6FAA),
    ],
)
def test_codes_of_strings_are_for_ever(text: str, code: int) -> None:
    assert chinese_string_code(text) == code  # callers keep what they make of it
