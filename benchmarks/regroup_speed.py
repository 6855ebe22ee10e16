"""How long `regroup` takes on an index of random fingerprints, and how much memory.

python -m benchmarks.regroup_speed --stored 500000
"""

import argparse
import resource
import time

from elasticsearch import Elasticsearch

from benchmarks.common import drop
from benchmarks.filling import fill, randoms
from benchmarks.gate_speed import URL
from esdedup.engine.mapping import IndexOptions, create_index
from esdedup.engine.regroup import regroup

_NAME = "bench-gate"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stored", type=int, default=500_000)
    arguments = parser.parse_args()
    with Elasticsearch(URL, request_timeout=300) as client:
        drop(client, _NAME)
        collection = create_index(client, IndexOptions(_NAME))
        fill(collection, randoms(0, arguments.stored))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        started = time.monotonic()
        *_, last = regroup(collection)
        seconds = time.monotonic() - started
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        print(f"{last.documents:,} documents in {last.groups:,} groups: {seconds:.0f} s, {more:.0f} MB more")
        drop(client, _NAME)


if __name__ == "__main__":
    main()
