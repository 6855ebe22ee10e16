"""Why two texts are near each other, or not: the sentences that differ, side by side, and where in them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain

from esdedup.confirming import Differs, gather, overlap
from esdedup.normalise import HAN, count_invisible, normalise, normalise_all

__all__ = ["Change", "Explanation", "Span", "explain", "sentences"]

_LONGEST = 300  # characters of a sentence; a longer one is cut, at a blank or comma if there is one
# A run of marks is tried once, from its beginning.
_END = re.compile(r"[。！？；…]++[\"'”’」』）)]*+|(?<![.!?])[.!?]++[\"'”’)]*+(?=\s|$)|\n")
_TOKENS = re.compile(f"[{HAN}]|[^\\W{HAN}]+|\\s+|.", re.DOTALL)
_MANY = 2000  # sentences; of more, those that are repeated often align nothing
_NEAR = 5  # how far on the sentence is looked for that one has become
_ALIKE = 0.5  # share of two sentences that must be equal for one to have become the other

#: Start and end of a part of a string.
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Change:
    """A sentence of each text, or of one only (the other is empty), as read; spans: the parts that differ."""

    a: str
    b: str
    a_spans: tuple[Span, ...] = ()
    b_spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """differs: in what; equal: how many sentences read the same; changes: those that do not, in order.

    hidden_a, hidden_b: characters that leave no mark on paper, and are no difference.
    """

    differs: Differs
    similarity: float
    equal: int
    changes: tuple[Change, ...]
    hidden_a: int
    hidden_b: int


def explain(a: str, b: str) -> Explanation:
    """Compare two texts sentence by sentence. Sentences are equal when they read the same (see `normalise`)."""
    found = overlap(gather(a), gather(b))
    one, other = list(sentences(a)), list(sentences(b))
    if found.differs is Differs.NOTHING and normalise(a) == normalise(b):  # however its sentences are cut
        other = one
    codes = _align(normalise_all(one).texts(), normalise_all(other).texts())
    return Explanation(
        differs=found.differs,
        similarity=found.similarity,
        equal=sum(end - start for kind, start, end, _, _ in codes if kind == "equal"),
        changes=tuple(
            change for kind, i, j, m, n in codes if kind != "equal" for change in _changes(one[i:j], other[m:n])
        ),
        hidden_a=count_invisible(a),
        hidden_b=count_invisible(b),
    )


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text as read, without the white space around them; none is longer than 300 characters."""
    start = 0
    for end in chain((found.end() for found in _END.finditer(text)), [len(text)]):
        while end - start > _LONGEST:
            cut = max(text.rfind(mark, start + 1, start + _LONGEST) for mark in " ，,、") + 1 or start + _LONGEST
            yield from filter(None, [text[start:cut].strip()])
            start = cut
        yield from filter(None, [text[start:end].strip()])
        start = end


_Code = tuple[str, int, int, int, int]


def _align(a: Sequence[str], b: Sequence[str]) -> list[_Code]:
    """How one list becomes the other, as `difflib` says it, in linear time for what begins and ends alike."""
    start = _equal_at_start(a, b)
    end = _equal_at_start(a[: start - 1 : -1] if start else a[::-1], b[: start - 1 : -1] if start else b[::-1])
    last_a, last_b = len(a) - end, len(b) - end
    many = max(last_a, last_b) - start > _MANY
    inside = SequenceMatcher(None, a[start:last_a], b[start:last_b], autojunk=many).get_opcodes()
    shifted = [(kind, i + start, j + start, m + start, n + start) for kind, i, j, m, n in inside]
    return [("equal", 0, start, 0, start), *shifted, ("equal", last_a, len(a), last_b, len(b))]


def _equal_at_start(a: Sequence[str], b: Sequence[str]) -> int:
    return next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _changes(a: Sequence[str], b: Sequence[str]) -> Iterator[Change]:
    """Sentences that stand in for each other: those that became another, and those without a partner."""
    taken = 0
    for sentence in a:
        near = b[taken : taken + _NEAR]
        partner = next((at for at, other in enumerate(near) if _are_alike(sentence, other)), None)
        if partner is None:
            yield Change(sentence, "")
            continue
        yield from (Change("", other) for other in near[:partner])
        yield _changed(sentence, near[partner])
        taken += partner + 1
    yield from (Change("", other) for other in b[taken:])


def _are_alike(a: str, b: str) -> bool:
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    return matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE


def _changed(a: str, b: str) -> Change:
    one, other = _TOKENS.findall(a), _TOKENS.findall(b)
    codes = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    different = [code for code in codes if code[0] != "equal"]
    return Change(
        a,
        b,
        tuple(_span(one, i, j) for _, i, j, _, _ in different if i < j),
        tuple(_span(other, m, n) for _, _, _, m, n in different if m < n),
    )


def _span(tokens: Sequence[str], first: int, last: int) -> Span:
    start = sum(map(len, tokens[:first]))
    return start, start + sum(map(len, tokens[first:last]))
