"""What the benchmarks share: documents of a JSON-lines file, and an index that is made anew."""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from elasticsearch import Elasticsearch

from esdedup import Document

__all__ = ["documents", "drop", "write_rows"]


def documents(path: Path, limit: int | None = None) -> Iterator[Document]:
    """The first `limit` records of a .jsonl.gz file with id, text and title, each id once."""
    seen: set[str] = set()
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(islice(lines, limit), 1):
            record = json.loads(line)
            if record["id"] not in seen:
                seen.add(record["id"])
                source = f"{path.name}:{number}"
                yield Document(record["id"], record["text"], record.get("title", ""), source=source)


def drop(client: Elasticsearch, name: str) -> None:
    """Delete the index behind an alias, if there is one."""
    client.options(ignore_status=404).indices.delete(index=f"{name}-000001")


def write_rows(path: Path | None, rows: Sequence[Mapping[str, object]]) -> None:
    """What a benchmark found, a JSON object a row, for `benchmarks.suite`; nothing without a path."""
    if path is not None:
        path.write_text(json.dumps(rows, indent=1), "utf-8")
