"""Policies: which of two versions is better."""

import pytest

from esdedup.errors import InputError
from esdedup.keeping import Keep, Rule


@pytest.mark.parametrize(
    ("text", "keep"),
    [
        ("first", Keep()),
        ("newest", Keep(Rule.NEWEST)),
        ("prefer lang=zh", Keep(Rule.PREFER, "lang", "zh")),
        ("site=a=b", Keep(Rule.PREFER, "site", "a=b")),
    ],
)
def test_policies_as_they_are_written(text: str, keep: Keep) -> None:
    assert Keep.parse(text) == keep


@pytest.mark.parametrize("text", ["", "oldest", "prefer", "prefer lang", "=zh", "lang="])
def test_what_is_no_policy(text: str) -> None:
    with pytest.raises(InputError, match="cannot keep"):
        Keep.parse(text)


def test_the_first_has_no_better() -> None:
    assert Keep().rank({"content": "long", "@timestamp": "2026-01-01"}) == Keep().rank({})


def test_longer_and_newer() -> None:
    assert Keep.parse("longest").rank({"content": "ab"}) > Keep.parse("longest").rank({})
    newest = Keep.parse("newest")
    dates = ["0", None, "2020/01/31", "2020-02-01", "2020-02-01 10:00:00", "2020-02-01T12:00+01:00", 1580557200001]
    ranks = [newest.rank({"@timestamp": date}) for date in dates]
    assert ranks == sorted(ranks)
    assert ranks[0] == ranks[1] == float("-inf")
    assert len(set(ranks)) == 6


@pytest.mark.parametrize(
    ("condition", "is_better"),
    [
        ("lang=zh", True),
        ("site=official", True),
        ("meta.site=official", True),
        ("url=https://a.example/*", True),
        ("id=7", True),
        ("checked=true", True),
        ("lang=en", False),
        ("nothing=x", False),
    ],
)
def test_a_preferred_value(condition: str, is_better: bool) -> None:
    source = {"doc_id": "7", "lang": "zh", "url": "https://a.example/1", "meta": {"site": "official", "checked": True}}
    assert bool(Keep.parse(f"prefer {condition}").rank(source)) == is_better
