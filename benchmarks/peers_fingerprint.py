"""Text to fingerprint on one core: esdedup beside other packages, as a table of ratios.

    python -m benchmarks.peers build/peers
    python -m benchmarks.peers_fingerprint CHINESE.jsonl.gz ENGLISH.jsonl.gz --peers build/peers

Conditions, the same for all:
- Texts of 3 kB in UTF-8, cut from the documents. What is timed starts at the text, a `str` in
  memory, and ends at the fingerprint. esdedup's time has its normalisation, weights and digest in it.
- One thread, also where a package has a pool. Time is that of the processor, which others on the machine disturb less
  than the clock's, and in which the work of a further thread would count.
- Each peer has a process of its own, that has done its imports and loaded its dictionary before it is timed. esdedup
  keeps the words that it has met: so it starts each round afresh, has met 100 other texts of the same collection, and
  is timed on texts that it has not met.
- The peers take turns, round by round, so that a drift of the machine's speed meets all; a ratio is the median of the
  ratios of the rounds. A turn takes about a second: slow peers do fewer texts.
- Words: Chinese by rjieba (by jieba for `simhash`, as most people have it), punctuation left in; English by
  a regular expression. Characters: runs of 4 of the lower-case text, made by a list comprehension; text-dedup and gaoya
  have n-grams of their own. All peers count each word once an occurrence, without weights; text-dedup once a text.
- tors takes texts alone, and of Chinese each character for a word.
"""

import argparse
import hashlib
import re
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.common import documents, write_rows
from benchmarks.peers import Peer, explain_missing, pin_threads, process_of
from esdedup import Fingerprinter
from esdedup.settings import FeatureKind, FeatureSettings

_SIZE = 4  # characters in a run
_KNOWN, _NEW = 100, 300  # texts to warm up on, and texts to time
_TURN = 1.0  # seconds
_BYTES = 3000  # of a text in UTF-8
_WORD = re.compile(r"\w+")

Work = Callable[[list[str]], object]
Split = Callable[[str], list[str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", type=Path, nargs="+")
    parser.add_argument("--peers", type=Path, default=Path("build/peers"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    pin_threads(1)
    missing: set[str] = set()
    rows: list[dict[str, object]] = []
    print("| text | features | peer | texts/s (lowest to highest) | esdedup, same features | esdedup, default |")
    print("|---|---|---|---:|---:|---:|")
    for path in arguments.docs:
        texts = _texts_of_3_kb(path)
        for kind in (FeatureKind.WORDS, FeatureKind.CHARS):
            rates = _take_turns(kind, texts, arguments)
            missing |= {
                peer.package for peer in _PEERS if peer.name not in rates and peer.package not in _without(kind)
            }
            rows += _print_rows(_language(texts), kind, rates)
    write_rows(arguments.json, rows)
    print()
    explain_missing(sorted(missing))


def _texts_of_3_kb(path: Path) -> list[str]:
    """As many as are wanted; a long document gives several, that no two are the same."""
    pieces = (piece for document in documents(path) for piece in _cut(document.text.encode()))
    return list(islice(dict.fromkeys(pieces), _KNOWN + _NEW))


def _cut(text: bytes) -> list[str]:
    whole = range(0, len(text) - _BYTES + 1, _BYTES)
    return [text[at : at + _BYTES].decode(errors="ignore") for at in whole]


def _is_chinese(text: str) -> bool:
    return sum("\u4e00" <= character <= "\u9fff" for character in text) > 0.2 * len(text)


def _language(texts: list[str]) -> str:
    return "Chinese" if _is_chinese("".join(texts)) else "English"


def _take_turns(kind: FeatureKind, texts: list[str], arguments: argparse.Namespace) -> dict[str, list[float]]:
    """Texts/s in each round, by the name of the peer; without those that are not installed."""
    processes = {peer: process_of(peer, arguments.peers) for peer in _PEERS if peer.package not in _without(kind)}
    rates: dict[str, list[float]] = {}
    for _ in range(arguments.rounds):
        for peer, process in list(processes.items()):
            rate = _turn(process, peer, kind, texts)
            if rate is None:
                processes.pop(peer).shutdown()
            else:
                rates.setdefault(peer.name, []).append(rate)
    for process in processes.values():
        process.shutdown()
    return rates


def _turn(process: ProcessPoolExecutor, peer: Peer, kind: FeatureKind, texts: list[str]) -> float | None:
    try:
        return process.submit(_rate, peer, kind, texts).result()
    except ImportError:
        return None


def _rate(peer: Peer, kind: FeatureKind, texts: list[str]) -> float:
    work = peer.prepare(kind, _language(texts) == "Chinese")
    known, new = texts[:_KNOWN], texts[_KNOWN:]
    work(known[:1])  # dictionaries are loaded
    first = known[:5]
    some = new[: max(20, int(_TURN * len(first) / _seconds(work, first)))]
    if not peer.package:
        work(known)
    return len(some) / _seconds(work, some)


def _seconds(work: Work, texts: list[str]) -> float:
    started = time.process_time()
    work(texts)
    return time.process_time() - started


def _print_rows(language: str, kind: FeatureKind, rates: dict[str, list[float]]) -> list[dict[str, object]]:
    features = "words" if kind is FeatureKind.WORDS else f"runs of {_SIZE} characters"
    rows: list[dict[str, object]] = []
    for name, theirs in rates.items():
        spread = f"{statistics.median(theirs):,.0f} ({min(theirs):,.0f} to {max(theirs):,.0f})"
        same, default = (_ratio(rates[ours], theirs) for ours in (_SAME, _DEFAULT))
        segmenter = _SEGMENTERS.get(name, "") if (language, kind) == ("Chinese", FeatureKind.WORDS) else ""
        print(
            f"| {language} | {features} | {segmenter}{name} | {spread} | {same:.2f} x | {default:.2f} x |", flush=True
        )
        row = {"text": language, "features": features, "peer": segmenter + name}
        rows.append({**row, "rate": statistics.median(theirs), "ratio": same, "default_ratio": default})
    return rows


def _ratio(ours: list[float], theirs: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))


# Each `_by_...` imports a peer and gives its work on a list of texts.


def _by_esdedup(kind: FeatureKind, chinese: bool) -> Work:
    return Fingerprinter(FeatureSettings(kind)).sketches


def _by_default(kind: FeatureKind, chinese: bool) -> Work:
    return Fingerprinter().sketches


def _by_simhash_with_jieba(kind: FeatureKind, chinese: bool) -> Work:
    import jieba  # noqa: PLC0415
    from simhash import Simhash  # noqa: PLC0415

    jieba.setLogLevel("ERROR")
    split = jieba.lcut if chinese and kind is FeatureKind.WORDS else _splitter(kind, chinese)
    return _one_by_one(split, lambda features: Simhash(features).value)


def _by_python_simhash(kind: FeatureKind, chinese: bool) -> Work:
    from simhash import hamming_distance, simhash  # noqa: F401, PLC0415 - the first only python-simhash has

    return _one_by_one(_splitter(kind, chinese), lambda features: simhash(features, hasher="xxh3"))


def _by_simhash_py(kind: FeatureKind, chinese: bool) -> Work:
    from simhash import compute, unsigned_hash  # noqa: PLC0415

    return _one_by_one(_splitter(kind, chinese), lambda fs: compute([unsigned_hash(f.encode()) for f in fs]))


def _by_pysimhash(kind: FeatureKind, chinese: bool) -> Work:
    from pysimhash import SimHash  # noqa: PLC0415

    def fingerprint(features: list[str]) -> str:
        made = SimHash(64, 16)
        made.build([hashlib.md5(f.encode()).hexdigest()[:16] for f in features], base=16)
        return str(made.hex())

    return _one_by_one(_splitter(kind, chinese), fingerprint)


def _by_text_dedup(kind: FeatureKind, chinese: bool) -> Work:
    from text_dedup.simhash import embed_func, xxh3_64_digest  # noqa: PLC0415

    settings = {"ngram": _SIZE, "permutations": [], "hash_func": xxh3_64_digest}
    return lambda texts: [embed_func(text, 0, **settings) for text in texts]


def _by_gaoya(kind: FeatureKind, chinese: bool) -> Work:
    from gaoya.simhash import SimHashStringIndex  # noqa: PLC0415

    if kind is FeatureKind.CHARS:
        signature = SimHashStringIndex(64, 4, 3, "char", True, (_SIZE, _SIZE)).index.doc2signature
        return lambda texts: [signature(text) for text in texts]
    signature = SimHashStringIndex(64, 4, 3, "word", True, (1, 1)).index.doc2signature
    split = _splitter(kind, chinese)
    return lambda texts: [signature(" ".join(split(text)) if chinese else text) for text in texts]


def _by_tors(kind: FeatureKind, chinese: bool) -> Work:
    from tors import simhash64  # noqa: PLC0415

    return lambda texts: [simhash64(text) for text in texts]


def _one_by_one(split: Split, fingerprint: Callable[[Any], object]) -> Work:
    return lambda texts: [fingerprint(split(text)) for text in texts]


def _splitter(kind: FeatureKind, chinese: bool) -> Split:
    if kind is FeatureKind.CHARS:
        return _runs
    if not chinese:
        return lambda text: _WORD.findall(text.lower())
    import rjieba  # noqa: PLC0415

    return lambda text: list(rjieba.cut(text))


def _runs(text: str) -> list[str]:
    folded = text.lower()
    return [folded[at : at + _SIZE] for at in range(len(folded) - _SIZE + 1)]


def _without(kind: FeatureKind) -> set[str]:
    """The packages that have no such features."""
    return {"text-dedup"} if kind is FeatureKind.WORDS else {"tors"}


_SAME, _DEFAULT = "esdedup", "esdedup, default (words and Chinese characters)"
_SEGMENTERS = dict.fromkeys(["gaoya", "pysimhash", "python-simhash", "simhash-py"], "rjieba + ")
_SEGMENTERS["simhash"] = "jieba + "
_PEERS = [
    Peer(_SAME, "", _by_esdedup),
    Peer(_DEFAULT, "", _by_default),
    Peer("simhash", "simhash", _by_simhash_with_jieba),
    Peer("python-simhash", "python-simhash", _by_python_simhash),
    Peer("simhash-py", "simhash-py", _by_simhash_py),
    Peer("pysimhash", "pysimhash", _by_pysimhash),
    Peer("gaoya", "gaoya", _by_gaoya),
    Peer("text-dedup", "text-dedup", _by_text_dedup),
    Peer("tors", "tors", _by_tors),
]

if __name__ == "__main__":
    main()
