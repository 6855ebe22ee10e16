"""Draw how the distances of duplicates and of other pairs are spread."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from esdedup.errors import InputError
from esdedup.evaluating import Evaluation
from esdedup.unrelated import NEVER

__all__ = ["check_plot", "plot_histogram"]


def check_plot(path: Path) -> None:
    """Raise InputError when a plot of that name cannot be drawn: for want of matplotlib, format or directory."""
    if find_spec("matplotlib") is None:
        raise InputError("drawing needs matplotlib: pip install 'esdedup[plot]'")
    from matplotlib.figure import Figure  # noqa: PLC0415  # an extra, and slow to load

    kinds = Figure().canvas.get_supported_filetypes()
    if path.suffix.lower().removeprefix(".") not in kinds:
        raise InputError(f"cannot draw {path}: its name must end with one of .{' .'.join(sorted(kinds))}")
    if not path.parent.is_dir():
        raise InputError(f"cannot draw {path}: there is no directory {path.parent}")


def plot_histogram(evaluation: Evaluation, path: Path) -> None:
    """Write a histogram of the labelled pairs' distances; the format goes by the file's name.

    Each bar is the share of its kind of pairs. Raises InputError as `check_plot`, and when the file
    cannot be written.
    """
    check_plot(path)
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
