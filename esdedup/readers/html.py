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

_LONG, _MANY_TAGS = 100_000, 1000  # a page with more characters or tags is flattened first
_MAX_TAGS = 500_000
_MAX_DEPTH = 250
# Splits a page as the HTML tokenizer does; each alternative also ends with the page, so it never searches in vain.
_MARKUP = re.compile(
    r"""<!--.*?(?:-->|\Z)
    | <(?P<raw>script|style|iframe|noframes|title|textarea)(?=[\s/>]).*?(?:</(?P=raw)(?=[\s/>])[^>]*>?|\Z)
    | <(?P<end>/?)(?P<name>[a-z][^\s/>]*+)
      (?: [\s/]++
        | =?+[^\s/>=]++(?: \s*+=\s*+(?: "[^"]*+(?:"|\Z) | '[^']*+(?:'|\Z) | [^\s>"'][^\s>]*+ )?+ )?+
        | =
      )*+ (?:>|\Z)""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_FORMATS = frozenset("a b big code em font i nobr s small strike strong tt u".split())
_NEVER_DEEP = frozenset(
    "area base br col embed hr img input link meta param source track wbr "  # have no end tag
    "body caption colgroup dd dt head html li optgroup option p rb rp rt rtc tbody td tfoot th thead tr".split()
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
    title = tree.css_first("head > title") or tree.css_first("body > title")
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
    """The page without what makes the parser slow: attributes, formatting, tags deeper or later than anyone looks.

    Many attributes, options and deep nesting cost it quadratic time, unclosed formatting quadratic memory.
    """
    if len(html) <= _LONG and html.count("<") <= _MANY_TAGS:
        return html
    return _MARKUP.sub(_Flattener().keep, html)


class _Flattener:
    """What to put for each piece of markup, in order."""

    def __init__(self) -> None:
        self._tags = 0
        self._depth = 0

    def keep(self, markup: re.Match[str]) -> str:
        if raw := markup["raw"]:
            return markup[0] if raw.lower() in ("title", "textarea") else ""
        name = (markup["name"] or "").lower()
        if not name or name in _FORMATS:
            return ""
        self._tags += 1
        if self._tags > _MAX_TAGS or name == "select":
            return _BREAK
        tag = f"<{markup['end']}{name}>"
        if name in _NEVER_DEEP:
            return tag
        if markup[0].endswith("/>") and name not in _BLOCKS:  # as in drawings
            return ""
        return tag if self._enter(markup["end"]) <= _MAX_DEPTH else _BREAK

    def _enter(self, end: str) -> int:
        """The level of a tag that starts or ends an element."""
        level = self._depth if end else self._depth + 1
        self._depth = max(0, level - 1) if end else level
        return level


def _declared_encoding(head: bytes) -> str | None:
    found = _DECLARATION.search(_COMMENT.sub(b"", head[:_WHERE_DECLARED]))
    return usual_encoding((found[1] or found[2]).decode("ascii", "replace")) if found else None
