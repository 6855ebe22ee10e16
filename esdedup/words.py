"""Cut normalised text into words: jieba's dictionary for Chinese, runs of letters and digits for the rest."""

import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from esdedup.errors import InputError
from esdedup.normalise import HAN

__all__ = ["LETTERS", "PIECE", "Cut", "segmenter", "split_words"]

#: Text to tokens: words, and each blank and mark between them.
Cut = Callable[[str], list[str]]

#: Runs of letters and digits.
LETTERS = re.compile(r"[^\W_]+")
_OTHER_RUNS = re.compile(f"[^\\W_{HAN}]+")
_finds_letter_of_other_script = re.compile(f"[^\\W_a-z0-9{HAN}]").search
#: Characters segmented at once: bounds memory on huge texts.
PIECE = 1 << 16
_IN_PLACE = "\0"

# Whether a token has a letter or digit; the others are punctuation and blanks.
_is_word = re.compile(f"[^\\W_]|[{HAN}]").search  # Python does not know all of the newest characters


def split_words(text: str, cut: Cut) -> Iterator[list[str]]:
    """The words of a normalised text in order, one list for each 65,536 characters or less; digits stay."""
    start = 0
    while start < len(text):
        end = start + PIECE
        if end < len(text):  # at a blank where there is one, so that no word is cut
            end = text.rfind(" ", start + 1, end) + 1 or end
        yield [token for token in _tokens_of_piece(text[start:end], cut) if _is_word(token)]
        start = end


def _tokens_of_piece(text: str, cut: Cut) -> list[str]:
    if text.isascii():
        return LETTERS.findall(text)
    if not _finds_letter_of_other_script(text):
        return cut(text)
    # jieba knows Chinese and ASCII; words of other scripts are kept from it.
    others: list[str] = []
    known = _OTHER_RUNS.sub(lambda run: _set_aside(run[0], others), text)
    in_place = iter(others)
    return [next(in_place) if token == _IN_PLACE else token for token in cut(known)]


def _set_aside(run: str, others: list[str]) -> str:
    if run.isascii():
        return run
    others.append(run)
    return _IN_PLACE


def segmenter(dictionary: Path | None = None) -> Cut:
    """jieba's dictionary without its hidden Markov model (quadratic on long runs), by rjieba.

    With a user dictionary jieba itself segments: rjieba cannot load one.
    """
    return _cut_with_rjieba() if dictionary is None else _cut_with_jieba(dictionary)


def _cut_with_rjieba() -> Cut:
    import rjieba  # noqa: PLC0415  # loads its dictionary

    return lambda text: rjieba.cut(text, False)


def _cut_with_jieba(dictionary: Path) -> Cut:
    tokenizer = _load_jieba()
    try:
        with dictionary.open("rb") as file:  # jieba would leave it open
            tokenizer.load_userdict(file)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot use the dictionary {dictionary}: {error}") from error
    return lambda text: list(tokenizer.cut(text, HMM=False))


def _load_jieba() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # jieba 0.42.1 imports the deprecated pkg_resources
        import jieba  # noqa: PLC0415  # slow, and only needed with a user dictionary
    tokenizer = jieba.Tokenizer()
    # Not through jieba's cache file: it lies in the shared temporary directory and belongs to its first user.
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer
