"""How good are fingerprints on labelled pairs: precision, recall and F1 by distance, with and without confirmation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from esdedup.confirming import Confirmation, Evidence, gather, overlap
from esdedup.document import Status
from esdedup.fingerprinter import Sketch, blocks, lanes
from esdedup.settings import MAX_K
from esdedup.unrelated import NEVER, LabelledPair, Space, false_matches

__all__ = ["AtDistance", "Candidates", "Confirmed", "Evaluation", "count_candidates", "evaluate"]

_ROWS = 512  # of the matrix of all distances, held at once


@dataclass(frozen=True, slots=True)
class AtDistance:
    """What calling everything within k a duplicate gives. false_per_million: of unrelated pairs."""

    k: int
    precision: float
    recall: float
    f1: float
    false_per_million: float


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What it gives to call those within k duplicates that the texts confirm."""

    k: int
    threshold: float
    distinct_numbers: bool | None
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Candidates:
    """The mean number that a look-up of these documents among themselves must verify at k = 3.

    blocks: sharing one of four blocks; lanes: of these, those that share five of eight lanes as well;
    random: how many share a block when fingerprints are random, 4 N / 65536.
    """

    blocks: float
    lanes: float
    random: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """documents, pairs: how many; histogram: labelled pairs by distance, [not duplicates, duplicates][0 to 65].

    In a histogram 65 stands for documents that cannot be duplicates, such as empty ones.
    """

    documents: int
    pairs: int
    by_distance: tuple[AtDistance, ...]
    confirmed: Confirmed | None
    candidates: Candidates
    histogram: tuple[tuple[int, ...], tuple[int, ...]] = field(repr=False)


def evaluate(
    sketches: Mapping[str, Sketch],
    texts: Mapping[str, str],
    pairs: Sequence[LabelledPair],
    k: int = MAX_K,
    confirmation: Confirmation | None = None,
) -> Evaluation:
    """Measure the sketches of documents, by id, against labelled pairs of these ids.

    Unrelated pairs, for false_per_million, are those of two documents that no chain of labelled pairs connects,
    whether duplicate or left open. texts: by id, read only with a `confirmation`, for the pairs within k.
    Compares all documents with all: n^2 / 2 comparisons.
    """
    space = Space(sketches)
    labelled = [pair for pair in pairs if pair.duplicate is not None]
    gaps = np.array([space.gap(pair.a, pair.b) for pair in labelled], np.int64)
    truth = np.array([bool(pair.duplicate) for pair in labelled], np.bool_)
    false = false_matches(space, pairs)
    return Evaluation(
        documents=len(sketches),
        pairs=len(labelled),
        by_distance=tuple(AtDistance(d, *_scores(gaps <= d, truth), false[d]) for d in range(MAX_K + 1)),
        confirmed=_confirmed(labelled, (gaps <= k), truth, texts, (k, confirmation)) if confirmation else None,
        candidates=count_candidates(list(sketches.values())),
        histogram=(_histogram(gaps[~truth]), _histogram(gaps[truth])),
    )


def _scores(said: NDArray[np.bool_], truth: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Precision (1 when nothing is said), recall and F1."""
    hits = int((said & truth).sum())
    precision = hits / int(said.sum()) if said.any() else 1.0
    recall = hits / int(truth.sum()) if truth.any() else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0


def _confirmed(
    pairs: Sequence[LabelledPair],
    near: NDArray[np.bool_],
    truth: NDArray[np.bool_],
    texts: Mapping[str, str],
    how: tuple[int, Confirmation],
) -> Confirmed:
    k, confirmation = how
    evidence: dict[str, Evidence] = {}
    said = near.copy()
    for number in np.flatnonzero(near).tolist():
        pair = pairs[number]
        for doc_id in (pair.a, pair.b):
            if doc_id not in evidence:
                evidence[doc_id] = gather(texts[doc_id])
        said[number] = confirmation.confirms(overlap(evidence[pair.a], evidence[pair.b]))
    return Confirmed(k, confirmation.threshold, confirmation.distinct_numbers, *_scores(said, truth))


def _histogram(gaps: NDArray[np.int64]) -> tuple[int, ...]:
    return tuple(np.bincount(gaps, minlength=NEVER + 1).tolist())


def count_candidates(sketches: Sequence[Sketch]) -> Candidates:
    """The mean cost of looking up each of these among the others: n^2 comparisons."""
    ok = [sketch.fingerprint for sketch in sketches if sketch.status is Status.OK]
    number = max(1, len(ok))
    as_blocks = np.array([[int(block, 16) for block in blocks(value)] for value in ok], np.int64).reshape(-1, 4)
    as_lanes = np.array([[int(lane[1:], 16) for lane in lanes(value)] for value in ok], np.int64).reshape(-1, 8)
    by_blocks = by_lanes = 0
    for start in range(0, len(ok), _ROWS):
        part = slice(start, start + _ROWS)
        share_block = np.zeros((len(as_blocks[part]), len(ok)), np.bool_)
        for block in range(4):
            share_block |= as_blocks[part, block][:, None] == as_blocks[:, block]
        row, column = np.nonzero(share_block)
        by_blocks += len(row)
        by_lanes += int(((as_lanes[start + row] == as_lanes[column]).sum(axis=1) >= 5).sum())
    others = number - 1
    return Candidates((by_blocks - len(ok)) / number, (by_lanes - len(ok)) / number, 4 * others / 65536)
