"""Sentences that differ: found, paired, and marked where they do."""

import random
import time

from hypothesis import given
from hypothesis import strategies as st

from esdedup.confirming import Differs
from esdedup.explaining import Change, explain, sentences
from esdedup.normalise import normalise

OLD = "The ferry left at nine. It was full. 船在港口停了一夜。没有人下船！\nThe lamp cost 40 euros."
NEW = "The ferry left at ten. It was full. 船在港口停了两夜。没有人下船！\nThe lamp cost 40 euros. It broke."
TEXTS = st.lists(
    st.sampled_from(["The ferry left. ", "It was full! ", "船走了。", "灯坏了。", "3.5 euros? ", "\n", "x"])
).map("".join)


def test_what_changed_where() -> None:
    found = explain(OLD, NEW)
    assert (found.equal, found.differs) == (3, Differs.TEXT)
    ferry, night, broke = found.changes
    assert (ferry.a, ferry.b) == ("The ferry left at nine.", "The ferry left at ten.")
    assert [ferry.a[slice(*span)] for span in ferry.a_spans] == ["nine"]
    assert [ferry.b[slice(*span)] for span in ferry.b_spans] == ["ten"]
    assert ([night.a[slice(*s)] for s in night.a_spans], [night.b[slice(*s)] for s in night.b_spans]) == (
        ["一"],
        ["两"],
    )
    assert broke == Change("", "It broke.")


def test_sentences_of_both_languages() -> None:
    assert list(sentences("One 3.5 kg. Two?! “三。”四；五\nsix")) == [
        "One 3.5 kg.",
        "Two?!",
        "“三。”",
        "四；",
        "五",
        "six",
    ]
    assert list(sentences("")) == []
    assert all(len(sentence) <= 300 for sentence in sentences("word, " * 1000 + "长" * 1000))
    assert "".join(sentences("长" * 1000)) == "长" * 1000


def test_what_reads_the_same_is_no_change() -> None:
    found = explain("Ｔｈｅ ferry. 臺灣的船。", "the  FERRY. 台湾的船。")
    assert (found.differs, found.equal, found.changes) == (Differs.NOTHING, 2, ())
    hidden = explain("The fer\u200bry.\u00ad", "The ferry.")
    assert (hidden.differs, hidden.hidden_a, hidden.hidden_b) == (Differs.NOTHING, 2, 0)


@given(TEXTS)
def test_a_text_differs_in_nothing_from_itself(text: str) -> None:
    found = explain(text, text)
    assert found.changes == ()
    assert found.equal == len(list(sentences(text)))


@given(TEXTS, TEXTS)
def test_changes_and_equal_sentences_make_up_both_texts(a: str, b: str) -> None:
    found = explain(a, b)
    for text, mine in ((a, [c.a for c in found.changes if c.a]), (b, [c.b for c in found.changes if c.b])):
        all_of_it = [normalise(sentence) for sentence in sentences(text)]
        assert len(mine) + found.equal == len(all_of_it)
        for sentence in mine:
            all_of_it.remove(normalise(sentence))
    for change in found.changes:
        assert all(0 <= start < end <= len(change.a) for start, end in change.a_spans)
        assert all(0 <= start < end <= len(change.b) for start, end in change.b_spans)


def test_long_texts_take_no_time() -> None:
    rng = random.Random(1)
    long = [f"Sentence {rng.randrange(10**9)} of the harbour log." for _ in range(30_000)]
    other = [line for line in long if rng.random() < 0.98]
    started = time.monotonic()
    assert len(list(sentences("." * 1_000_000 + "x"))) > 3000
    assert len(list(sentences("中" * 10_000_000))) > 30_000
    assert explain("\n".join(long), "\n".join(other)).equal == len(other)
    assert explain("The same. " * 100_000, "The same. " * 99_000).equal == 99_000
    assert time.monotonic() - started < 10
