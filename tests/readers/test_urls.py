"""Addresses that mean one page, and ids made of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from esdedup.readers.urls import is_url, normalise_url, page_id


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("HTTP://A.Example:80/x#part", "http://a.example/x"),
        ("https://a.example:443", "https://a.example/"),
        ("https://a.example:8443/x?b=2&a=1", "https://a.example:8443/x?b=2&a=1"),
        ("https://a.example/x?utm_source=y&id=3&gclid=z", "https://a.example/x?id=3"),
        ("https://a.example/x?spm=1", "https://a.example/x"),
        ("https://a.example/港口?q=船", "https://a.example/%E6%B8%AF%E5%8F%A3?q=船"),
        ("https://a.example/a%20b", "https://a.example/a%20b"),
        ("http://[::1]:80/x", "http://[::1]/x"),
        ("http://a.example:port/x", "http://a.example:port/x"),
    ],
)
def test_normal_forms(url: str, normal: str) -> None:
    assert normalise_url(url) == normal
    assert normalise_url(normal) == normal


@given(st.text(max_size=40))
def test_any_text_has_a_normal_form(text: str) -> None:
    once = normalise_url(f"http://a.example/{text}")
    assert normalise_url(once) == once


@pytest.mark.parametrize(
    ("canonical", "expected"),
    [
        ("", "http://a.example/x"),
        ("/y", "http://a.example/y"),
        ("http://a.example/y?utm_medium=z", "http://a.example/y"),
        ("http://other.example/y", "http://a.example/x"),
        ("javascript:alert(1)", "http://a.example/x"),
    ],
)
def test_a_canonical_address_counts_on_its_own_host(canonical: str, expected: str) -> None:
    assert page_id("http://a.example/x#top", canonical) == expected


def test_which_texts_are_addresses() -> None:
    assert is_url("HTTPS://a.example") and is_url("http://a")
    assert not is_url("httpx/readme.md") and not is_url("ftp://a.example") and not is_url(b"http://a")
