"""The main text of a page: what is left without menus, comments and related links, where most sentences stand.

Blocks whose text is mostly links go (Kohlschuetter, Fankhauser, Nejdl, WSDM 2010: link density tells boilerplate);
so do those whose class or id names them as comments, recommendations and such. Of the rest, the smallest part that
holds most of the prose, at each level of the tree, is the main text. No state is kept from page to page.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from esdedup.extract.visible import BLOCKS, LINK, strip_unseen

__all__ = ["find_main"]

_LINKS = 0.5  # share of a block's characters from which on it is a menu
_FEW = 100  # characters outside of links; a block with more is not dropped as a whole
_MOST = 0.6  # share of the prose that a part must hold to stand for the whole
_MOST_BOXES = 200_000  # elements; a page that has more is taken whole
_LEAST = 0.1  # of the text there is; less is a list of links or a mistake, and not the main text
_LEAST_OF_ALL = 0.5  # the same where names do not count, and nothing but menus goes
_SENTENCE = 12  # characters; shorter pieces of text are labels
_has_sentence_mark = re.compile(r"[，。！？；：,;!?:]|\.(?:\s|$)").search
_says_what_it_is = re.compile(
    r"comment(?!ary|at)|disqus|(?<![a-z])related|recommend|sidebar|breadcrumb|copyright|pager|pagination|share-|footer"
    r"|navbar|navigation",
    re.IGNORECASE,
).search
_NEVER_MAIN = frozenset(["nav", "aside", "footer", "select", "button", "textarea"])
_MAY_GO = frozenset([*BLOCKS, "td", "th", "tbody", "span"]) - {"body", "h1"}
_NOT_ENTERED = frozenset("p li td pre tr tbody table ul ol dl dd".split())  # parts of a text, not the whole


@dataclass(slots=True)
class _Box:
    """An element: characters of its text, of its links, and of the sentences outside links, all without blanks."""

    node: LexborNode
    parent: int
    text: int = 0
    links: int = 0
    prose: int = 0
    gone: bool = False


def find_main(tree: LexborHTMLParser, *, by_name: bool) -> str | None:
    """The HTML of the part that holds the main text; None when too little is left to be it. The tree is changed.

    by_name: drop also what is named as comments and the like. On some pages, such as a forum's, these are all there is.
    """
    strip_unseen(tree)
    if tree.body is None:
        return None
    boxes = _measure(tree.body)
    if len(boxes) > _MOST_BOXES:
        return None
    whole = boxes[0].text
    named = _drop(boxes, by_name)
    chosen = boxes[_choose(boxes)]
    for box in boxes:
        if box.gone and not boxes[box.parent].gone:
            box.node.decompose()
    if not by_name:
        return chosen.node.html if chosen.text >= _LEAST_OF_ALL * whole else None
    is_enough = chosen.text >= _LEAST * whole or chosen.prose >= _FEW
    return chosen.node.html if is_enough and chosen.text >= _LEAST * (whole - named) else None


def _measure(body: LexborNode) -> list[_Box]:
    """All elements, each before those inside it, with what is inside them counted."""
    boxes = [_Box(body, 0)]
    places = {body.mem_id: 0}
    for node in body.traverse(include_text=True):
        parent = places.get(node.parent.mem_id) if node.parent is not None else None
        if parent is None:
            continue
        if node.is_text_node:
            _count(boxes[parent], node.text_content or "")
        else:
            places[node.mem_id] = len(boxes)
            boxes.append(_Box(node, parent))
            if len(boxes) > _MOST_BOXES:
                break
    for box in reversed(boxes[1:]):
        if box.node.tag in ("a", LINK):
            box.links, box.prose = box.text, 0
        _add(boxes[box.parent], box, 1)
    return boxes


def _count(box: _Box, text: str) -> None:
    text = text.strip()
    box.text += len("".join(text.split()))
    if len(text) >= _SENTENCE and _has_sentence_mark(text):
        box.prose += len(text)


def _add(box: _Box, part: _Box, sign: int) -> None:
    box.text += sign * part.text
    box.links += sign * part.links
    box.prose += sign * part.prose


def _drop(boxes: Sequence[_Box], by_name: bool) -> int:
    """Mark what is not main text, and take it off the counts of all around it.

    How many characters went because of a name.
    """
    whole, named = boxes[0].text, 0
    for box in boxes[1:]:
        is_named = by_name and _is_named_so(box, whole)
        if boxes[box.parent].gone:
            box.gone = True
        elif is_named or _is_menu(box):
            box.gone = True
            named += is_named * box.text
            _take_off(boxes, box)
    return named


def _take_off(boxes: Sequence[_Box], box: _Box) -> None:
    place = box.parent
    while True:
        _add(boxes[place], box, -1)
        if place == 0:
            return
        place = boxes[place].parent


def _is_named_so(box: _Box, whole: int) -> bool:
    if box.node.tag in _NEVER_MAIN:
        return True
    attributes = box.node.attributes
    names = f"{attributes.get('class')} {attributes.get('id')} {attributes.get('role')}"
    is_wrapper = box.node.tag in ("article", "main") or box.text >= whole / 2
    return not is_wrapper and _says_what_it_is(names) is not None


def _is_menu(box: _Box) -> bool:
    few = box.text - box.links < _FEW
    return few and box.links > _LINKS * box.text and box.node.tag in _MAY_GO


def _choose(boxes: Sequence[_Box]) -> int:
    """Go down from the body as long as one part holds most of what its parent has."""
    best: dict[int, int] = {}
    for place, box in enumerate(boxes[1:], 1):
        if not box.gone and box.prose > boxes[best.get(box.parent, 0)].prose * (box.parent in best):
            best[box.parent] = place
    chosen = 0
    while (part := best.get(chosen)) is not None:
        is_most = 0 < _MOST * boxes[chosen].prose <= boxes[part].prose
        if not is_most or boxes[part].node.tag in _NOT_ENTERED:
            break
        chosen = part
    return chosen
