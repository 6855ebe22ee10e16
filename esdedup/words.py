"""Cut normalised text into words: jieba's dictionary for Chinese, runs of letters and digits for the rest."""

import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import rjieba

from esdedup.errors import InputError
from esdedup.normalise import HAN

__all__ = ["Cut", "segmenter", "split_words"]

#: Chinese text to words. Line feeds and U+0000 come out as words of their own.
Cut = Callable[[str], list[str]]

_RUNS = re.compile(f"[{HAN}]+|[^\\W_{HAN}]+")
_starts_with_han = re.compile(f"[{HAN}]").match
_PIECE = 1 << 16  # characters segmented at once: bounds memory on huge texts


def split_words(text: str, cut: Cut) -> Iterator[list[str]]:
    """The words of a normalised text in order, one list for each 65,536 characters or less.

    Punctuation is left out; digits stay.
    """
    start = 0
    while start < len(text):
        end = start + _PIECE
        if end < len(text):  # at a blank where there is one, so that no word is cut
            end = text.rfind(" ", start + 1, end) + 1 or end
        yield _words_of_piece(text[start:end], cut)
        start = end


def _words_of_piece(text: str, cut: Cut) -> list[str]:
    runs = _RUNS.findall(text)
    if text.isascii():
        return runs
    # One call segments all Chinese runs; U+0000 keeps the place of each other run.
    others = [run for run in runs if _is_other(run)]
    chinese = "\n".join("\0" if _is_other(run) else run for run in runs)
    in_place = iter(others)
    return [next(in_place) if word == "\0" else word for word in cut(chinese) if word != "\n"]


def _is_other(run: str) -> bool:
    return run < "\u3400" or not _starts_with_han(run)


def segmenter(dictionary: Path | None = None) -> Cut:
    """jieba's dictionary without its hidden Markov model (quadratic on long runs), by rjieba.

    With a user dictionary jieba itself segments: rjieba cannot load one.
    """
    return _cut_with_rjieba if dictionary is None else _cut_with_jieba(dictionary)


def _cut_with_rjieba(text: str) -> list[str]:
    return rjieba.cut(text, False)


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
