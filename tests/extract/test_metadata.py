"""Title, date and canonical address of pages."""

import pytest

from esdedup.extract import extract


@pytest.mark.parametrize(
    ("markup", "date"),
    [
        ('<meta property="article:published_time" content="2026-03-04T05:06:07+08:00">', "2026-03-04T05:06:07+08:00"),
        ('<meta itemprop="datePublished" content="2026-03-04">', "2026-03-04"),
        ('<META NAME="PubDate" CONTENT="2026-03-04 05:06:07">', "2026-03-04T05:06:07"),
        ('<meta name="publishdate" content="2026年3月4日">', "2026-03-04"),
        ('<meta name="date" content="2026/3/4 05:06">', "2026-03-04"),
        ('<time datetime="2026-03-04T05:06Z">yesterday</time>', "2026-03-04T05:06:00+00:00"),
        ('<script type="application/ld+json">{"datePublished": "2026-03-04"}</script>', "2026-03-04"),
        ('<meta name="date" content="soon"><time datetime="2026-03-04">', "2026-03-04"),
        ('<meta name="date" content="2026-13-44">', None),
        ('<meta name="date" content="">', None),
        ("2026-03-04", None),
    ],
)
def test_dates(markup: str, date: str | None) -> None:
    assert extract(f"<head>{markup}</head><p>words").date == date


def test_the_article_tells_its_date_before_the_page_does() -> None:
    page = '<meta name="date" content="2020-01-01"><meta property="article:published_time" content="2026-03-04">'
    assert extract(page).date == "2026-03-04"


def test_canonical_and_title() -> None:
    page = extract('<title>\n A  title </title><link REL="Canonical" href=" https://a.example/x "><p>words')
    assert (page.title, page.canonical) == ("A title", "https://a.example/x")
    assert extract("<p>words").canonical == ""
