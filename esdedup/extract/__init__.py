"""HTML pages to their main text, title, date and canonical address."""

from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser

from esdedup.extract.main import find_main
from esdedup.extract.metadata import canonical_of, date_of, title_of
from esdedup.extract.visible import flatten, visible_text

__all__ = ["Page", "extract"]

_HEAD = 50_000  # characters in which a page says what it is


class Page(NamedTuple):
    """What can be read on a page.

    title, text; date: ISO 8601, when the page tells its own; canonical: the address it prefers, as written.
    whole: the text is all that is visible, since there was no main text to be found in it.
    """

    title: str
    text: str
    date: str | None = None
    canonical: str = ""
    whole: bool = False


def extract(html: str, *, main_text: bool = True) -> Page:
    """Title and text of a page, however broken; a line for each block and table row.

    html: without lone surrogates. main_text: False takes all visible text, menus and all.
    The same page gives the same text, whatever was read before it.
    """
    head, flat = LexborHTMLParser(html[:_HEAD]), flatten(html)
    tree = LexborHTMLParser(flat)
    title = title_of(tree)
    main = _main_of(tree, flat) if main_text else None
    text = visible_text(flat if main is None else main)
    return Page(title, text, date_of(head), canonical_of(head), main_text and main is None and text != "")


def _main_of(tree: LexborHTMLParser, html: str) -> str | None:
    return find_main(tree, by_name=True) or find_main(LexborHTMLParser(html), by_name=False)
