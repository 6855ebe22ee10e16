"""Normalising against its plain definition, on every character and on hostile texts."""

import re
import sys
import time
import unicodedata
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import esdedup
from esdedup import Fingerprinter
from esdedup.normalise import HAN, count_invisible, normalise

# What joins, parts, hides, changes width, case or script; and halves of surrogate pairs.
HOSTILE = st.sampled_from(
    "aAeEiIhHſßΣςſKÅ é̱́̌̈ がヾﾞｶＡ１，　 \t\n\r\x00\x1c\x85\xad\u00a0\u200b\u200d\ufeff\u2028\ufe0f\U000e0100"
    "한ᄀ각ᅡᆨﾡￂ漢汉後后麵面…½ﬁ㎏¨İı\ud83d\ude00😀👋🏽𠀀𠮟丽"
)
TEXTS = st.text(HOSTILE | st.characters(), max_size=40)  # st.characters() has the surrogates too


@cache
def simplified() -> dict[str, str]:
    table = Path(esdedup.__file__).parent / "data" / "simplified.txt"
    return {line[0]: line[1] for line in table.read_text("utf-8").splitlines()}


def is_seen(character: str) -> bool:
    is_selector = "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
    is_control = unicodedata.category(character) in ("Cc", "Cf", "Cs")
    return character.isspace() or not (is_selector or is_control)


def few_marks(text: str) -> str:
    """Without the marks after the 30th in a row."""
    kept, row = [], 0
    for character in text:
        row = row + 1 if unicodedata.combining(unicodedata.normalize("NFKC", character)[0]) else 0
        if row <= 30:
            kept.append(character)
    return "".join(kept)


def simple(character: str) -> str:
    while character in simplified():
        character = simplified()[character]
    return character


def plain(text: str) -> str:
    """The definition, character by character."""
    seen = unicodedata.normalize("NFKC", few_marks("".join(filter(is_seen, text))))
    small = [" " if c.isspace() else c.lower()[0] for c in seen if is_seen(c)]
    folded = unicodedata.normalize("NFKC", "".join(map(simple, small)))
    return re.sub(f"(?<=[{HAN}]) (?=[{HAN}])", "", re.sub(" +", " ", folded)).strip(" ")


@given(TEXTS)
@example("e\u200b\u0301")  # a letter and its mark, parted by what cannot be seen
@example("H\u0331")  # only the small letter has a composed form
@example("\u1100\u200d\u1161")
def test_equals_the_plain_definition_and_is_done_after_once(text: str) -> None:
    once = normalise(text)
    assert once == plain(text)
    assert normalise(once) == once
    once.encode("utf-8")


def test_every_character_equals_the_plain_definition() -> None:
    for separator in "|", "中", "e":
        text = separator.join(map(chr, range(0x32400))) + separator.join(map(chr, range(0xE0000, 0xE0400)))
        once = normalise(text)
        assert once == plain(text)
        assert normalise(once) == once


@given(TEXTS, TEXTS)
def test_hidden_characters_anywhere_change_nothing(before: str, after: str) -> None:
    assert normalise(f"{before}\u200b\u00ad\ufe0f\ud800{after}") == normalise(before + after)


@given(TEXTS)
def test_the_forms_of_unicode_are_one(text: str) -> None:
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert normalise(unicodedata.normalize(form, text)) == normalise(text)


def test_blanks_part_letters_but_not_chinese_characters() -> None:
    assert normalise("a bcd") != normalise("ab cd")
    assert normalise(" 港 口\u3000办\n公 室 ") == "港口办公室"
    assert normalise("港 a 口\t\tb  c 1 室") == "港 a 口 b c 1 室"
    assert normalise("𠮟 责 㐀 㐁") == "𠮟责㐀㐁"


def test_every_pair_of_the_script_table_is_folded_for_good() -> None:
    pairs = simplified()
    assert len(pairs) > 5000
    assert normalise("".join(pairs)) == "".join(map(simple, pairs))
    assert normalise("薴") == normalise("苧") == "苎"  # the simple form of one is the traditional form of another


@pytest.mark.parametrize(
    "pattern",
    [" ", "中 ", "a\u0301", "\u0301\u0316", "\u0344", "\u0f73\u0f81", "ﾞ\u0316", "\u200b", "\ud800", "가", "ﷺ"],
)
def test_no_text_makes_normalising_slow(pattern: str) -> None:
    text = pattern * (10**6 // len(pattern))
    started = time.process_time()
    normalise(text)
    assert time.process_time() - started < 5


def test_thirty_marks_in_a_row_count() -> None:
    rows = ["a" + "\u0316" * n for n in (29, 30, 31, 1000)]
    assert [len(normalise(row)) for row in rows] == [30, 31, 31, 31]
    long = "\u0316\u0301" * 500
    assert normalise(f"{long}Zalgo{long} a\u0301") == plain(f"{long}Zalgo{long} a\u0301")


def test_hidden_characters_are_counted() -> None:
    assert count_invisible("a\u200bb\u00adc\ufe0f 港") == 3
    assert count_invisible("") == 0
    assert count_invisible(chr(sys.maxunicode)) == 0


def test_what_was_read_is_not_what_is_compared() -> None:
    """Two texts that read the same have one digest, whatever is hidden in the letters of one."""
    shown = "Le café près de la forêt a fermé hier soir"
    hidden = "\u200b".join(unicodedata.normalize("NFD", shown))
    fingerprinter = Fingerprinter()
    assert fingerprinter.sketch(hidden) == fingerprinter.sketch(shown)
