"""The queries that find candidates, by what they say: no true match is lost, and few others pass."""

import random
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from esdedup.document import Status
from esdedup.engine.candidates import _TOGETHER, match_query
from esdedup.fingerprinter import blocks, lanes
from esdedup.grouping import Entry
from tests.engine.made import flipped

FINGERPRINTS = st.integers(0, 2**64 - 1)


def passes(query: Mapping[str, Any], stored: Mapping[str, set[str]]) -> bool:
    """Whether a document with these terms satisfies a query, as the engine reads it."""
    ((kind, body),) = query.items()
    if kind in ("term", "terms"):
        ((field, wanted),) = body.items()
        return bool(stored[field] & ({wanted} if kind == "term" else set(wanted)))
    found = sum(passes(clause, stored) for clause in body.get("should", ()))
    return found >= body.get("minimum_should_match", 0) and all(passes(c, stored) for c in body.get("filter", ()))


def terms_of(fingerprint: int) -> dict[str, set[str]]:
    fields = {f"esdedup.b{i}": {block} for i, block in enumerate(blocks(fingerprint))}
    return {**fields, "esdedup.lanes": set(lanes(fingerprint))}


def query_for(fingerprint: int, k: int) -> dict[str, Any]:
    return match_query(Entry("", fingerprint, "", Status.OK, ""), k)


@given(FINGERPRINTS, st.integers(0, 11), st.data())
def test_whatever_is_within_k_passes(fingerprint: int, k: int, data: st.DataObject) -> None:
    bits = data.draw(st.sets(st.integers(0, 63), max_size=k))
    near = fingerprint ^ sum(1 << bit for bit in bits)
    assert passes(query_for(fingerprint, k), terms_of(near))


@pytest.mark.parametrize(("k", "most"), [(3, 2), (5, 80), (7, 60), (9, 300), (11, 600)])
def test_of_those_with_an_equal_block_few_others_pass(k: int, most: int) -> None:
    rng = random.Random(k)
    query = query_for(0x0123456789ABCDEF, k)
    others = [rng.getrandbits(48) | 0x0123 << 48 for _ in range(10_000)]
    assert sum(passes(query, terms_of(other)) for other in others) <= most


@pytest.mark.parametrize("k", range(12))
def test_those_asked_together_have_no_more_clauses_than_every_engine_takes(k: int) -> None:
    def clauses(query: Mapping[str, Any]) -> int:
        ((kind, body),) = query.items()
        if kind in ("term", "terms"):
            return 1
        return sum(map(clauses, (*body.get("should", ()), *body.get("filter", ()))))

    fingerprint = flipped(random.Random(1), 0, 32)
    assert _TOGETHER[k // 4] * clauses(query_for(fingerprint, k)) + 1 <= 1024
