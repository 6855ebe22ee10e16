"""How rare words and Chinese characters are: inverse document frequencies on the scale of jieba's table."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from esdedup.errors import InputError
from esdedup.hashing import hash_feature

__all__ = ["Idf", "character_idf", "jieba_file", "load_idf"]

# A number of n digits: a few in a hundred words are numbers, and each place of theirs takes one of ten values.
# Those of four are often years.
_NUMBERS = {1: 3.9, 2: 6.8, 3: 9.8, 4: 8.0}


class Idf:
    """Inverse document frequencies of words, kept by their hashes: a tenth of the memory of a dictionary."""

    def __init__(self, table: dict[str, float], default: float) -> None:
        codes = np.fromiter(map(hash_feature, table), np.uint64, len(table))
        values = np.fromiter(table.values(), np.float32, len(table))
        order = codes.argsort()
        self._codes, self._values = codes[order], values[order]
        self.default = default

    def of(self, word: str) -> float:
        """The idf of a word: from the table, that of numbers by their length, else the default."""
        return self.of_all([word], np.array([hash_feature(word)], np.uint64))[0]

    def of_all(self, words: Sequence[str], codes: NDArray[np.uint64]) -> list[float]:
        """The same for many words. codes: what `hash_feature` gives for them."""
        places = np.minimum(self._codes.searchsorted(codes), len(self._codes) - 1)
        are_known = (self._codes.take(places) == codes).tolist()
        values = self._values.take(places).tolist()
        known = zip(words, are_known, values, strict=True)
        return [value if is_known else self._of_unknown(word) for word, is_known, value in known]

    def _of_unknown(self, word: str) -> float:
        return _NUMBERS.get(len(word), self.default) if word.isdecimal() else self.default


@cache
def load_idf() -> Idf:
    """Chinese words from jieba's table, English ones from ours; other words have the median of jieba's."""
    fields = jieba_file("analyse/idf.txt").lower().split()  # a word and its idf, and so on
    chinese = dict(zip(fields[::2], map(float, fields[1::2]), strict=True))
    median = sorted(chinese.values())[len(chinese) // 2]
    return Idf(dict(_read("english_idf.txt")) | chinese, median)


def jieba_file(name: str) -> str:
    """A table of the installed jieba, without importing it. Raises InputError where there is none."""
    package = find_spec("jieba")
    if package is None or package.origin is None:
        raise InputError("jieba is not installed: pip install jieba")
    return (Path(package.origin).parent / name).read_text("utf-8")


def character_idf() -> dict[str, float]:
    """The idf of 10,773 Chinese characters, from the counts of jieba's dictionary."""
    return dict(_read("characters_idf.txt"))


def _read(name: str) -> Iterator[tuple[str, float]]:
    """Word and idf from lines that begin with an idf and list the words that have it."""
    for line in resources.files("esdedup").joinpath(f"data/{name}").read_text("utf-8").splitlines():
        idf, *words = line.split(" ")
        for word in words:
            yield word, float(idf)
