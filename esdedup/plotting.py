"""Draw how the distances of duplicates and of other pairs are spread."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from esdedup.errors import InputError
from esdedup.evaluating import Evaluation
from esdedup.unrelated import NEVER

__all__ = ["plot_histogram", "require_matplotlib"]


def require_matplotlib() -> None:
    """Raise InputError when it is not installed: it is an extra."""
    if find_spec("matplotlib") is None:
        raise InputError("drawing needs matplotlib: pip install 'esdedup[plot]'")


def plot_histogram(evaluation: Evaluation, path: Path) -> None:
    """Write a histogram of the labelled pairs' distances; the format goes by the file's name.

    Each bar is the share of its kind of pairs. Raises InputError without matplotlib, for an unknown format, and
    when the file cannot be written.
    """
    require_matplotlib()
    from matplotlib.figure import Figure  # noqa: PLC0415  # an extra, and slow to load

    figure = Figure(figsize=(9, 4), layout="constrained")
    axes = figure.add_subplot()
    distances = np.arange(NEVER)
    for counts, label, shift in zip(evaluation.histogram, ("not duplicates", "duplicates"), (0.2, -0.2), strict=True):
        shares = np.array(counts[:NEVER]) / max(1, sum(counts))
        axes.bar(distances + shift, shares, width=0.4, label=f"{label} ({sum(counts):,})")
    axes.set_xlabel("Hamming distance")
    axes.set_ylabel("share of pairs")
    axes.legend()
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot draw {path}: {error}") from error
