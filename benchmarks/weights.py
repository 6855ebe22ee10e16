"""How to weigh features: every choice on every labelled set, as the tables of docs/accuracy.md.

python -m benchmarks.weights ../shared/data > tables.md          (about three minutes)
python -m benchmarks.weights ../shared/data --draws 32            the spread over draws of the hash
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from esdedup import Document, Sketch
from esdedup.confirming import Confirmation
from esdedup.document import Status
from esdedup.evaluating import Evaluation, evaluate
from esdedup.hashing import hash_feature, signs
from esdedup.idf import character_idf, load_idf
from esdedup.normalise import normalise
from esdedup.readers import read
from esdedup.settings import FeatureSettings
from esdedup.unrelated import LabelledPair
from esdedup.weights import Weights
from esdedup.words import segmenter, split_words

_LABELS = {"1": True, "0": False, "?": None}
_LIMIT = Weights(FeatureSettings()).limit
_JIEBA_MEDIAN = load_idf().default


@dataclass(frozen=True)
class Choice:
    """One way to weigh: words, characters and pairs of characters count that much; each tf^a idf^b.

    centre: that share of the votes of average text of the language is taken off. cap: the square root of the number
    of different features limits tf. limit: no feature has more than a tenth of the weight. english: use our English
    table and numbers' lengths, else the median of jieba's for all that jieba does not know.
    """

    name: str
    a: float = 1.15
    b: float = 0.35
    words: float = 1.0
    characters: float = 1.0
    pairs: float = 0.0
    centre: float = 0.0
    cap: bool = False
    limit: bool = True
    english: bool = True


DEFAULT = Choice("**words + characters, tf^1.15 idf^0.35, share cap** (default)")
CHOICES = (
    Choice("words, tf", 1, 0, characters=0, limit=False),
    Choice("words, tf x jieba's idf", 1, 1, characters=0, limit=False, english=False),
    Choice("words, tf <= sqrt(n) x jieba's idf", 1, 1, characters=0, limit=False, english=False, cap=True),
    Choice("words, tf x idf, English table", 1, 1, characters=0, limit=False),
    Choice("words, tf x idf^0.5", 1, 0.5, characters=0, limit=False),
    Choice("words, tf^1.15 idf^0.35", characters=0, limit=False),
    Choice("words, tf^1.5 idf^0.35", 1.5, characters=0, limit=False),
    Choice("words, tf, centred", 1, 0, characters=0, centre=1, limit=False),
    Choice("words, tf x idf^0.5, half centred", 1, 0.5, characters=0, centre=0.5, limit=False),
    Choice("characters only, tf^1.15 idf^0.35", words=0, limit=False),
    Choice("words + pairs of characters", characters=0, pairs=1, limit=False),
    Choice("words + characters, tf idf^0", 1, 0, limit=False),
    Choice("words + characters, tf^1.15 idf^0.35", limit=False),
    Choice("words + 2 x characters", characters=2, limit=False),
    DEFAULT,
)


@dataclass(frozen=True)
class Kind:
    """One kind of feature of one text: codes, counts and idf, shape (n,) each, and which language each is of."""

    codes: NDArray[np.uint64]
    counts: NDArray[np.float64]
    idf: NDArray[np.float64]
    old_idf: NDArray[np.float64]
    chinese: NDArray[np.bool_]
    english: NDArray[np.bool_]


@dataclass(frozen=True)
class Set:
    """One labelled set, its texts cut into features."""

    name: str
    texts: dict[str, str]
    kinds: dict[str, tuple[Kind, Kind, Kind]]
    pairs: list[LabelledPair]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", nargs="*", help="only these")
    parser.add_argument("--draws", type=int, help="the default with so many draws of the hash")
    arguments = parser.parse_args()
    names = arguments.sets or sorted(p.parent.name for p in arguments.data.glob("*/pairs.tsv"))
    for name in names:
        loaded = load(arguments.data / name)
        print(f"{name}: {len(loaded.texts)} documents", file=sys.stderr)
        print(f"\n### {name}\n")
        if arguments.draws:
            print_spread(loaded, arguments.draws)
        else:
            print_choices(loaded)


def load(folder: Path) -> Set:
    found = [d for d in read([folder / "docs.jsonl.gz"]) if isinstance(d, Document)]
    texts = {document.id: document.text for document in found}
    lines = (line.split("\t") for line in (folder / "pairs.tsv").read_text("utf-8").splitlines())
    pairs = [LabelledPair(a, b, _LABELS[label]) for a, b, label, *_ in lines]
    cutter = Cutter()
    return Set(folder.name, texts, {key: cutter.cut(text) for key, text in texts.items()}, pairs)


class Cutter:
    """Cuts texts into words, characters and pairs of characters."""

    def __init__(self) -> None:
        self._cut = segmenter()
        self._idf = load_idf()
        self._characters = character_idf()

    def cut(self, text: str) -> tuple[Kind, Kind, Kind]:
        normal = normalise(text)
        words = Counter(word for piece in split_words(normal, self._cut) for word in piece)
        characters = Counter("·" + c for c in normal if is_chinese(c))
        pairs = Counter("··" + a + b for a, b in pairwise(normal) if is_chinese(a) and is_chinese(b))
        return (
            kind(words, self._idf.of),
            kind(characters, lambda name: self._characters.get(name[1:], 13.0)),
            kind(pairs, lambda _: 1.0),
        )


def kind(counts: Counter[str], idf: Callable[[str], float]) -> Kind:
    names = list(counts)
    chinese = np.array([is_chinese(name[-1]) for name in names], np.bool_)
    english = np.array([name.isascii() and name.isalpha() for name in names], np.bool_)
    values = np.array([idf(name) for name in names], np.float64)
    return Kind(
        codes=np.array([hash_feature(name) for name in names], np.uint64),
        counts=np.array(list(counts.values()), np.float64),
        idf=values,
        old_idf=np.where(chinese, values, _JIEBA_MEDIAN),
        chinese=chinese,
        english=english,
    )


def is_chinese(character: str) -> bool:
    return "\u3400" <= character <= "\u9fff"


Centres = Mapping[str, NDArray[np.float64]]


def sketched(loaded: Set, choice: Choice, centres: Centres, draw: int = 0) -> dict[str, Sketch]:
    sketches = {key: sketch(kinds, choice, centres, draw) for key, kinds in loaded.kinds.items()}
    return {key: one._replace(digest=normalise(loaded.texts[key])) for key, one in sketches.items()}


def sketch(kinds: tuple[Kind, Kind, Kind], choice: Choice, centres: Centres, draw: int) -> Sketch:
    shares = (choice.words, choice.characters, choice.pairs)
    used = [(one, share) for one, share in zip(kinds, shares, strict=True) if share and len(one.codes)]
    if not used:
        return Sketch(0, "", Status.EMPTY, 0)
    weights = np.concatenate([share * weigh(one, choice) for one, share in used])
    if choice.limit:
        weights = _LIMIT(np.rint(weights * 65536))
    votes = weights @ signs(redrawn(np.concatenate([one.codes for one, _ in used]), draw))
    for language in ("chinese", "english"):
        if choice.centre:
            count = sum(float(one.counts[getattr(one, language)].sum()) for one, _ in used)
            votes = votes - choice.centre * count * centres[language]
    status = Status.OK if len(kinds[0].codes) >= 8 else Status.TOO_SHORT
    return Sketch(int.from_bytes(np.packbits(votes > 0).tobytes(), "big"), "", status, len(kinds[0].codes))


def weigh(one: Kind, choice: Choice) -> NDArray[np.float64]:
    counts = np.minimum(one.counts, max(2, round(len(one.counts) ** 0.5))) if choice.cap else one.counts
    idf = one.idf if choice.english else one.old_idf
    weights: NDArray[np.float64] = counts**choice.a * idf**choice.b
    return weights


def redrawn(codes: NDArray[np.uint64], draw: int) -> NDArray[np.uint64]:
    """Other codes for another draw (the mixer of SplitMix64); draw 0 leaves them as they are."""
    if not draw:
        return codes
    mixed = codes ^ np.uint64(draw * 0x9E3779B97F4A7C15 & (1 << 64) - 1)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def centres_of(b: float) -> dict[str, NDArray[np.float64]]:
    """The votes of one word of average text: by the frequencies that the idf tables stand for, e^-(idf + 2.3)."""
    return {language: centre(table, b) for language, table in average_words().items()}


def centre(table: Mapping[str, float], b: float) -> NDArray[np.float64]:
    idf = np.array(list(table.values()))
    frequencies = np.exp(-(idf + 2.3))
    votes: NDArray[np.float64] = (frequencies * idf**b) @ signs([hash_feature(word) for word in table])
    return votes


def average_words() -> dict[str, dict[str, float]]:
    words = {word: load_idf().of(word) for word in known_words()}
    common = {word: idf for word, idf in words.items() if idf < 9}
    return {
        "chinese": {word: idf for word, idf in common.items() if is_chinese(word[-1])},
        "english": {word: idf for word, idf in common.items() if word.isascii() and word.isalpha()},
    }


def known_words() -> Iterator[str]:
    """The words of both idf tables."""
    from importlib import resources  # noqa: PLC0415

    for line in resources.files("esdedup").joinpath("data/english_idf.txt").read_text("utf-8").splitlines():
        yield from line.split(" ")[1:]
    for line in resources.files("jieba").joinpath("analyse/idf.txt").read_text("utf-8").splitlines():
        yield line.rpartition(" ")[0].lower()


def judge(loaded: Set, choice: Choice, draw: int = 0, confirm: bool = True) -> Evaluation:
    centres = centres_of(choice.b) if choice.centre else {}
    confirmation = Confirmation() if confirm else None
    return evaluate(sketched(loaded, choice, centres, draw), loaded.texts, loaded.pairs, confirmation=confirmation)


def print_choices(loaded: Set) -> None:
    print(
        "| weights | F1 at 3 | recall at 3 / 7 / 11 | false per million at 3 / 7 / 11 | F1, 11 confirmed | candidates |"
    )
    print("|---|---|---|---|---|---|")
    for choice in CHOICES:
        found = judge(loaded, choice)
        rows = [found.by_distance[k] for k in (3, 7, 11)]
        recalls = " / ".join(f"{row.recall:.2f}" for row in rows)
        false = " / ".join(f"{row.false_per_million:,.0f}" for row in rows)
        confirmed = found.confirmed.f1 if found.confirmed else 0
        c = found.candidates
        cost = f"{c.blocks:.2f}, {c.lanes:.2f}"
        print(f"| {choice.name} | {rows[0].f1:.3f} | {recalls} | {false} | {confirmed:.3f} | {cost} |", flush=True)


def print_spread(loaded: Set, draws: int) -> None:
    found = [judge(loaded, replace(DEFAULT), draw, confirm=False).by_distance[3] for draw in range(1, draws + 1)]
    f1 = np.array([row.f1 for row in found])
    false = np.array([row.false_per_million for row in found])
    print(
        f"F1 at 3 over {draws} draws: {f1.mean():.3f} +- {f1.std():.3f}; false per million {false.mean():.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
