"""HTML pages: title and visible text."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from esdedup.document import Document
from esdedup.readers.mend import Mender
from esdedup.readers.options import ReadOptions
from esdedup.readers.source import Source
from esdedup.readers.text import read_all, usual_encoding

__all__ = ["Page", "html_to_text", "read_html"]

_INVISIBLE = ["head", "iframe", "noframes", "noscript", "script", "style", "template", "title"]
_BLOCKS = (
    "address article aside blockquote br button caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr legend li main menu nav ol optgroup option p "
    "pre search section select summary table tbody tfoot thead tr ul"
).split()
_CELLS = ["td", "th"]
_BREAK = "\x1e"  # stands for the edge of a block while white space is collapsed

_MANY_TAGS = 1000  # pages with more are flattened first
_MAX_DEPTH = 250
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)((?:[^<>\"']|\"[^\"]{0,4000}\"|'[^']{0,4000}')*+)>", re.IGNORECASE)
_FORMATS = frozenset("a b big code em font i nobr s small strike strong tt u".split())
_NEVER_DEEP = frozenset(
    "area base br col embed hr img input link meta param source track wbr "  # have no end tag
    "body caption colgroup dd dt html li optgroup option p tbody td tfoot th thead tr "  # may lack it
    "head iframe noframes noscript script style textarea template title".split()  # not for nesting
)

_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_DECLARATION = re.compile(
    rb"<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml\b[^>]*?\bencoding\s*=\s*[\"']([\w.:-]+)",
    re.IGNORECASE,
)
_WHERE_DECLARED = 8192  # bytes


class Page(NamedTuple):
    """What can be read on a page."""

    title: str
    text: str


def read_html(source: Source, options: ReadOptions) -> Iterator[Document]:
    """The page as one document whose id is the file's name."""
    mender = Mender()
    html = read_all(source, options.max_chars, _declared_encoding(source.head))
    page = html_to_text(mender.text(html, options.max_chars))
    yield Document(id=source.name, text=page.text, title=page.title, source=source.name, notes=mender.notes)


def html_to_text(html: str) -> Page:
    """Title and visible text of a page, however broken; a line for each block and table row."""
    tree = LexborHTMLParser(_flatten(Mender().string(html)))
    title = tree.css_first("head > title") or tree.css_first("body title")
    heading = _collapse(title.text()) if title else ""
    tree.strip_tags(_INVISIBLE)
    if tree.body is None:  # a page of frames
        return Page(heading, "")
    _surround(tree, _BLOCKS, _BREAK)
    _surround(tree, _CELLS, " ")
    lines = map(_collapse, tree.body.text().split(_BREAK))
    return Page(heading, "\n".join(filter(None, lines)))


def _surround(tree: LexborHTMLParser, names: list[str], mark: str) -> None:
    nodes: list[LexborNode] = tree.body.css(",".join(names)) if tree.body else []
    for node in nodes:
        node.insert_before(mark)
        node.insert_after(mark)


def _collapse(text: str) -> str:
    return re.sub(r"[ \t\n\r\f]+", " ", text).strip()


def _flatten(html: str) -> str:
    """The page for a parser that takes quadratic time for deep nesting, and quadratic memory for
    unclosed formatting: in a page with many tags, without formatting tags and levels that no reader sees.
    """
    if html.count("<") < _MANY_TAGS:
        return html
    depth = 0

    def keep(tag: re.Match[str]) -> str:
        nonlocal depth
        name = tag[2].lower()
        if name in _FORMATS:
            return ""
        if name in _NEVER_DEEP:
            return tag[0]
        level = depth + 1 if not tag[1] else depth
        depth = max(0, depth - 1) if tag[1] else level
        return tag[0] if level <= _MAX_DEPTH else _BREAK

    return _TAG.sub(keep, html)


def _declared_encoding(head: bytes) -> str | None:
    found = _DECLARATION.search(_COMMENT.sub(b"", head[:_WHERE_DECLARED]))
    return usual_encoding((found[1] or found[2]).decode("ascii", "replace")) if found else None
