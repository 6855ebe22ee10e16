"""Memory at the height of `regroup`'s first step, all fingerprints at once, and its processor time.

python -m benchmarks.foreseen_memory --sizes 1e6,1e7
"""

import argparse
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from benchmarks.filling import randoms
from esdedup.foreseen import ForeseenLeaders
from esdedup.pairs import work

_K = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1e6,1e7")
    for size in (int(float(size)) for size in parser.parse_args().sizes.split(",")):
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            grown, seconds = process.submit(_measure, size).result()
        each = f"{grown / size:.0f} bytes a fingerprint, {seconds * 1e6 / work(size, _K):.3f} us a unit of work"
        print(f"{size:,}: {grown / 1e6:,.0f} MB, {seconds:.1f} s of the processor; {each}", flush=True)


def _measure(size: int) -> tuple[int, float]:
    """Bytes by which the process has grown, and seconds."""
    values = randoms(0, size)
    before, started = _most_bytes(), time.process_time()
    ForeseenLeaders(values, _K)
    return _most_bytes() - before + values.nbytes, time.process_time() - started


def _most_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
