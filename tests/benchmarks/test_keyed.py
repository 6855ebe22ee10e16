"""Keys that are asked for meet those that are stored, whenever two fingerprints are near."""

import random

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.keyed import asked_terms, stored_terms
from esdedup.keys import schemes_for
from tests.engine.made import flipped


@given(st.integers(0, 2**64 - 1), st.integers(0, 3), st.randoms(use_true_random=False))
def test_near_fingerprints_share_a_key(value: int, k: int, rng: random.Random) -> None:
    other = flipped(rng, value, k)
    for scheme in schemes_for(3)[2:]:
        stored, asked = stored_terms(scheme, other), asked_terms(scheme, value)
        assert (len(set(stored)), len(set(asked))) == (scheme.keys, scheme.terms)
        assert set(stored) & set(asked)
