"""How many candidates a look-up at k = 3 must verify, against 4 N / 65536 for random fingerprints.

python -m benchmarks.candidates ../shared/data/big/*.jsonl.gz

For each kind of features: sharing one of four blocks, and of these sharing five of eight lanes as well. Real
duplicates count too.
"""

import argparse
from pathlib import Path

from benchmarks.common import documents
from esdedup import FeatureKind, FeatureSettings
from esdedup.document import Status
from esdedup.evaluating import count_candidates
from esdedup.sketching import sketch_batches


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--limit", type=int, default=20_000, help="documents of each file")
    arguments = parser.parse_args()
    print("| corpus | features | documents | blocks | blocks and lanes | random, blocks | times random |")
    print("|---|---|---|---|---|---|---|")
    for path in arguments.files:
        for kind in FeatureKind:
            settings = FeatureSettings(kind)
            batches = sketch_batches(documents(path, arguments.limit), settings)
            sketches = [s for batch in batches for s in batch.sketches if s.status is Status.OK]
            found = count_candidates(sketches)
            cost = f"{found.blocks:.2f} | {found.lanes:.2f} | {found.random:.2f} | {found.blocks / found.random:.1f}"
            print(f"| {path.name.partition('.')[0]} | {kind} | {len(sketches):,} | {cost} |", flush=True)


if __name__ == "__main__":
    main()
