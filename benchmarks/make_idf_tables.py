"""Writes esdedup/data/{english,characters}_idf.txt: how rare English words and Chinese characters are.

Both come from word counts, put on the scale of jieba's idf table. For the 240,000 words that jieba gives an idf and a
count, the idf is the negative logarithm of the frequency less 2.3, within about 1, from the most frequent words to
those of one in a million; so is ours, between the idf of jieba's most frequent word and 13.

English: the frequency dictionary of SymSpell (MIT), which is the intersection of Google's Books Ngrams and SCOWL:
82,765 words. Those rarer than the median of jieba's table are left out: unknown words get the median.
Characters: jieba's dictionary (MIT), the counts of all words that hold the character; one that is itself a word in
jieba's idf table has at most that idf.

Run once by a maintainer:  pip install symspellpy && python -m benchmarks.make_idf_tables
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from esdedup.normalise import normalise

_BELOW = 2.3
_LEAST, _MOST = 0.88, 13.0
_DATA = Path(__file__).parents[1] / "esdedup" / "data"


def main() -> None:
    jieba = _folder_of("jieba")
    known = _read_idf(jieba / "analyse" / "idf.txt")
    median = sorted(known.values())[len(known) // 2]
    english = _to_idf(_counts(_folder_of("symspellpy") / "frequency_dictionary_en_82_765.txt"))
    _write("english_idf.txt", {word: idf for word, idf in english.items() if idf < median})
    characters = _to_idf(_characters(_counts(jieba / "dict.txt")))
    _write("characters_idf.txt", {c: min(idf, known.get(c, _MOST)) for c, idf in characters.items()})


def _folder_of(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{package} is not installed: pip install {package}")
    return Path(spec.origin).parent


def _read_idf(path: Path) -> dict[str, float]:
    lines = (line.rpartition(" ") for line in path.read_text("utf-8").splitlines())
    return {word.lower(): float(idf) for word, _, idf in lines}


def _counts(path: Path) -> Counter[str]:
    """Words as `normalise` leaves them, to how often they occur."""
    counts: Counter[str] = Counter()
    for line in path.read_text("utf-8-sig").splitlines():
        word, count = line.split(" ")[:2]
        counts[normalise(word)] += int(count)
    return counts


def _characters(words: Mapping[str, int]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for character in word:
            if "\u3400" <= character <= "\u9fff":
                counts[character] += count
    return counts


def _to_idf(counts: Mapping[str, int]) -> dict[str, float]:
    total = sum(counts.values())
    return {word: max(_LEAST, min(_MOST, math.log(total / n) - _BELOW)) for word, n in counts.items() if n}


def _write(name: str, table: Mapping[str, float]) -> None:
    """A line for each idf, to one decimal: the idf, then all that have it."""
    lines: defaultdict[str, list[str]] = defaultdict(list)
    for word, idf in table.items():
        lines[f"{idf:.1f}"].append(word)
    rows = [" ".join([idf, *sorted(lines[idf])]) for idf in sorted(lines, key=float)]
    (_DATA / name).write_text("\n".join(rows) + "\n", "utf-8")
    print(f"{name}: {len(table)} entries")


if __name__ == "__main__":
    main()
