"""The packages that esdedup is compared with, each in a folder of its own: several are imported as `simhash`.

    python -m benchmarks.peers build/peers

installs each with pip, and says which do not install. One that needs more than pip (see NEEDS) may be put into its
folder by hand. A peer that has no folder is looked for where Python looks; the benchmarks name those they miss.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

__all__ = ["NEEDS", "PACKAGES", "Peer", "enter", "explain_missing", "pin_threads", "process_of"]

PACKAGES = ["faiss-cpu", "gaoya", "pysimhash", "python-simhash", "simhash", "simhash-py", "text-dedup", "tors"]
NEEDS = {
    "pysimhash": "needs the headers of Boost.Python, and its library under the name boost_python3",
    "simhash-py": "its C++, made by Cython 0.24, does not compile on CPython 3.10 or later; "
    "its .pyx does with Cython 3, once its imports and declarations, absent from its archive, are written by hand",
    "text-dedup": "brings 1.3 GB, and older urllib3 and rich than esdedup's: only in a folder of its own",
}
_THREADS = ["OMP_NUM_THREADS", "RAYON_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]


@dataclass(frozen=True, slots=True)
class Peer:
    """A way to do a piece of work.

    package: what pip calls it; empty for esdedup. prepare: imports it and gives the work to be timed; raises
    ImportError where it is not installed.
    """

    name: str
    package: str
    prepare: Callable[..., Callable[..., Any]]


def pin_threads(number: int) -> None:
    """What is started from here on uses so many threads."""
    os.environ.update(dict.fromkeys(_THREADS, str(number)))


def process_of(peer: Peer, folder: Path) -> ProcessPoolExecutor:
    """A process that has this peer before all others on its path."""
    return ProcessPoolExecutor(1, get_context("spawn"), enter, (folder, peer.package))


def enter(folder: Path, package: str) -> None:
    """Put a peer's folder first on the path, if it has one."""
    own = folder / package
    if package and own.is_dir():
        sys.path.insert(0, str(own.resolve()))


def explain_missing(packages: list[str]) -> None:
    """One line for each that is not installed."""
    for package in packages:
        reason = NEEDS.get(package)
        print(f"not installed: {package}" + (f" ({reason})" if reason else ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    explain_missing([package for package in PACKAGES if not _install(package, folder / package)])


def _install(package: str, target: Path) -> bool:
    if target.is_dir():
        return True
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(target), package]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0


if __name__ == "__main__":
    main()
