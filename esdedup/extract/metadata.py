"""What a page says about itself: its title, its date, and the address that it prefers."""

import re
from collections.abc import Iterator
from datetime import datetime

from selectolax.lexbor import LexborHTMLParser

from esdedup.extract.visible import collapse

__all__ = ["canonical_of", "date_of", "title_of"]

_DATES = (
    'meta[property="article:published_time"]',
    '[itemprop="datePublished"]',
    'meta[name="pubdate" i]',
    'meta[name="publishdate" i]',
    'meta[name="publication_date" i]',
    'meta[name="dc.date" i]',
    'meta[name="dc.date.issued" i]',
    'meta[name="date" i]',
    "time[datetime]",
)
_IN_JSON = re.compile(r'"datePublished"\s*:\s*"([^"\\<>]{4,40})"')
_DAY = re.compile(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?")


def title_of(tree: LexborHTMLParser) -> str:
    """The page's `<title>`, else empty."""
    title = tree.css_first("head > title") or tree.css_first("body > title")
    return collapse(title.text()) if title else ""


def canonical_of(tree: LexborHTMLParser) -> str:
    """Where the page's canonical link points, as it is written, else empty."""
    link = tree.css_first('link[rel="canonical" i][href]')
    return (link.attributes.get("href") or "").strip() if link else ""


def date_of(tree: LexborHTMLParser) -> str | None:
    """When the page says that it was published, as ISO 8601; None when it says nothing that can be read."""
    return next(filter(None, map(_read_date, _said(tree))), None)


def _said(tree: LexborHTMLParser) -> Iterator[str]:
    for selector in _DATES[:2]:
        yield from _values(tree, selector)
    for script in tree.css('script[type="application/ld+json"]'):
        yield from map(str.strip, _IN_JSON.findall(script.text()))
    for selector in _DATES[2:]:
        yield from _values(tree, selector)


def _values(tree: LexborHTMLParser, selector: str) -> Iterator[str]:
    for node in tree.css(selector)[:3]:
        attributes = node.attributes
        yield (attributes.get("content") or attributes.get("datetime") or node.text()).strip()


def _read_date(text: str) -> str | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return _read_day(text)
    has_time = len(text) > len("2026-01-31")
    return moment.isoformat() if has_time else moment.date().isoformat()


def _read_day(text: str) -> str | None:
    """The day in a date of another form, such as 2026/1/31 or 2026年1月31日."""
    found = _DAY.match(text)
    if found is None:
        return None
    try:
        return datetime(*map(int, found.groups())).date().isoformat()  # type: ignore[arg-type]
    except ValueError:
        return None
