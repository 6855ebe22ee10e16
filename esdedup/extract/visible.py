"""What can be read on a page, however broken or hostile."""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

__all__ = ["BLOCKS", "LINK", "collapse", "flatten", "strip_unseen", "visible_text"]

_UNSEEN = ["head", "iframe", "noframes", "noscript", "script", "style", "template", "title"]
BLOCKS = (
    "address article aside blockquote br button caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr legend li main menu nav ol optgroup option p "
    "pre search section select summary table tbody tfoot thead tr ul"
).split()
_CELLS = ["td", "th"]
#: What links are called in a flattened page: the parser takes no time to mend those that are never closed.
LINK = "x-link"
_BREAK = "\x1e"  # stands for the edge of a block while white space is collapsed

_NAMES = re.compile(r"""\s(class|id|role)\s*=\s*("[^"<>]{1,200}"|'[^'<>]{1,200}')""", re.IGNORECASE)
_NEAR = 1000  # characters
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
_FORMATS = frozenset("b big code em font i nobr s small strike strong tt u".split())
_NEVER_DEEP = frozenset(
    "area base br col embed hr img input link meta param source track wbr "  # have no end tag
    "body caption colgroup dd dt head html li optgroup option p rb rp rt rtc tbody td tfoot th thead tr".split()
)


def visible_text(html: str) -> str:
    """All text that a reader can see, a line for each block, table row and line of preformatted text."""
    tree = LexborHTMLParser(html)
    if tree.body is None:  # a page of frames
        inner = "".join(node.text() for node in tree.css("noframes"))
        return visible_text(inner) if inner else ""
    strip_unseen(tree)
    _surround(tree, BLOCKS, _BREAK)
    _surround(tree, _CELLS, " ")
    _keep_lines(tree)
    lines = map(collapse, tree.body.text().split(_BREAK))
    return "\n".join(filter(None, lines))


def strip_unseen(tree: LexborHTMLParser) -> None:
    """Take what is no text for readers from a page. What is hidden stays: scripts show it, as in tabs."""
    tree.strip_tags(_UNSEEN)


def _keep_lines(tree: LexborHTMLParser) -> None:
    for block in tree.css("pre"):
        for node in list(block.traverse(include_text=True)):
            if node.is_text_node:
                node.replace_with((node.text_content or "").replace("\n", _BREAK))


def _surround(tree: LexborHTMLParser, names: list[str], mark: str) -> None:
    nodes: list[LexborNode] = tree.body.css(",".join(names)) if tree.body else []
    for node in nodes:
        node.insert_before(mark)
        node.insert_after(mark)


def collapse(text: str) -> str:
    return re.sub(r"[ \t\n\r\f]+", " ", text).strip()


def flatten(html: str) -> str:
    """The page without what makes the parser slow: attributes, formatting, tags deeper or later than anyone looks.

    Kept are the attributes that say what an element is for; links are named `LINK`.

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
        self._in_link = False

    def keep(self, markup: re.Match[str]) -> str:
        if raw := markup["raw"]:
            return markup[0] if raw.lower() in ("title", "textarea") else ""
        name = (markup["name"] or "").lower()
        if not name or name in _FORMATS:
            return ""
        self._tags += 1
        if self._tags > _MAX_TAGS or name == "select":
            return _BREAK
        return self._link(markup["end"]) if name == "a" else self._element(markup, name)

    def _element(self, markup: re.Match[str], name: str) -> str:
        tag = f"<{markup['end']}{name}{_names_in(markup[0])}>"
        if name in _NEVER_DEEP:
            return tag
        if markup[0].endswith("/>") and name not in BLOCKS:  # as in drawings
            return ""
        return tag if self._enter(markup["end"]) <= _MAX_DEPTH else _BREAK

    def _link(self, end: str) -> str:
        """A link as an element of no special meaning, which ends where the next begins."""
        closing = f"</{LINK}>" if self._in_link else ""
        self._in_link = not end
        return closing if end else f"{closing}<{LINK}>"

    def _enter(self, end: str) -> int:
        """The level of a tag that starts or ends an element."""
        level = self._depth if end else self._depth + 1
        self._depth = max(0, level - 1) if end else level
        return level


def _names_in(tag: str) -> str:
    """The attributes of a tag that say what it is for, each once; they stand near its beginning."""
    found = {name.lower(): value for name, value in _NAMES.findall(tag[:_NEAR])}
    return "".join(f" {name}={value}" for name, value in found.items())
