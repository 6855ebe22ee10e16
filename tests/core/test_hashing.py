"""Codes for enumerated values and Chinese strings."""

import random
from itertools import combinations

import pytest

from esdedup import chinese_string_code, distance, enumerated_codes


def nearest_pair(codes: dict[str, int]) -> int:
    return min(distance(a, b) for a, b in combinations(codes.values(), 2))


def test_two_values_are_opposite() -> None:
    assert enumerated_codes(["no", "yes"]) == {"no": 0, "yes": 2**64 - 1}


@pytest.mark.parametrize(
    ("count", "apart"), [(3, 42), (4, 42), (8, 36), (16, 32), (32, 32), (64, 32), (65, 32), (128, 32)]
)
def test_more_values_are_as_far_apart_as_promised(count: int, apart: int) -> None:
    codes = enumerated_codes([f"v{n}" for n in range(count)])
    assert len(codes) == count
    assert nearest_pair(codes) >= apart


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


def test_order_and_other_scripts_count() -> None:
    assert gap("上海", "海上") > 0
    assert gap("T恤", "T血") < gap("T恤", "K歌")
    assert chinese_string_code("") == 0
    assert chinese_string_code("港口") == chinese_string_code("港口")
