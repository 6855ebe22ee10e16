"""How many twins slip through when several processes write at once, and how many are left after `regroup`.

python -m benchmarks.writers ../shared/data/big/ddtp_desc_en.jsonl.gz --writers 2
python -m benchmarks.writers ../shared/data/big/ddtp_desc_en.jsonl.gz --writers 4

Each process indexes the same documents in an order of its own (or, with --split, a part of its own) into one index.
A twin is a leader that has an older leader within k. Afterwards the groups are compared with the definition.
"""

import argparse
import os
import random
import time
from multiprocessing import Process
from pathlib import Path

from elasticsearch import Elasticsearch

from benchmarks.common import documents, drop
from esdedup.engine.candidates import LEADS, read_entries
from esdedup.engine.mapping import Collection, IndexOptions, create_index, open_index
from esdedup.engine.paging import read_all
from esdedup.engine.records import entry_of
from esdedup.engine.regroup import regroup
from esdedup.grouping import Leaders, place_batch
from esdedup.pipeline import index

_NAME = "bench-writers"
_URL = os.environ.get("ESDEDUP_URL", "http://127.0.0.1:9200")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", type=Path)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--split", action="store_true")
    arguments = parser.parse_args()
    client = Elasticsearch(_URL, request_timeout=120)
    drop(client, _NAME)
    collection = create_index(client, IndexOptions(_NAME))
    started = time.monotonic()
    writers = [Process(target=write, args=(arguments, number)) for number in range(arguments.writers)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    client.indices.refresh(index=_NAME)
    print(f"{arguments.writers} writers: {time.monotonic() - started:.0f} s, {count_twins(collection)} twins")
    started = time.monotonic()
    *_, found = regroup(collection)
    print(f"regroup: {found.changed} of {found.documents} changed, {time.monotonic() - started:.1f} s")
    print(
        f"then: {count_twins(collection)} twins, {count_wrong(collection)} documents not where the definition has them"
    )
    drop(client, _NAME)


def write(arguments: argparse.Namespace, number: int) -> None:
    mine = list(documents(arguments.docs, arguments.documents))
    if arguments.split:
        mine = mine[number :: arguments.writers]
    random.Random(number).shuffle(mine)
    with Elasticsearch(_URL, request_timeout=120) as client:
        for _ in index(mine, open_index(client, _NAME), workers=1):
            pass


def count_twins(collection: Collection) -> int:
    leaders, twins = Leaders(collection.k), 0
    for entry in sorted(read_entries(collection, dict(LEADS)), key=lambda one: one.order):
        twins += bool(leaders.near([entry])[0])
        leaders.add(entry)
    return twins


def count_wrong(collection: Collection) -> int:
    """By the definition, one document after the other."""
    hits = read_all(collection.client, collection.name, {"match_all": {}}, source_includes=["esdedup"])
    stored = {hit["_id"]: hit["_source"]["esdedup"] for hit in hits}
    leaders, wrong = Leaders(collection.k), 0
    for entry in sorted((entry_of(key, own) for key, own in stored.items()), key=lambda one: one.order):
        (place,) = place_batch([entry], leaders.near([entry]), collection.k)
        own = stored[entry.key]
        wrong += (place.group, place.leader, place.distance) != (own["group"], own["leader"], own["distance"])
        if place.leader:
            leaders.add(entry)
    return wrong


if __name__ == "__main__":
    main()
