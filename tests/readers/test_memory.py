"""Memory does not grow with the input."""

import gzip
import json
import tracemalloc
from pathlib import Path

from esdedup.document import Document
from esdedup.readers import read

MIB = 1 << 20
LINE = "The harbour office counted forty two boats; 港口办公室清点了四十二条船。\n"


def count_documents(path: Path) -> tuple[int, int]:
    """How many documents there are, and how many bytes Python needed at most to read them one by one."""
    tracemalloc.start()
    count = sum(isinstance(result, Document) for result in read([path]))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return count, peak


def test_a_text_of_120_mb_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "big.txt"
    with path.open("w", encoding="utf-8") as file:
        for _ in range(120):
            file.write(LINE * (MIB // len(LINE.encode()) + 1))
    assert path.stat().st_size > 120_000_000
    [document] = read([path])
    assert isinstance(document, Document)
    assert (len(document.text), document.notes) == (10_000_000, ("text cut at 10,000,000 characters",))
    del document
    assert count_documents(path)[1] < 250 * MIB


def test_records_are_read_one_by_one(tmp_path: Path) -> None:
    record = json.dumps({"id": "x", "text": LINE * 100}, ensure_ascii=False)
    forms = {"a.jsonl.gz": ("", "\n", ""), "a.json.gz": ("[", ",", "{}]")}
    for name, (start, between, end) in forms.items():
        with gzip.open(tmp_path / name, "wt", compresslevel=1, encoding="utf-8") as file:
            file.write(start)
            for _ in range(12_000):
                file.write(record + between)
            file.write(end)
        count, peak = count_documents(tmp_path / name)
        assert count == 12_000
        assert peak < 20 * MIB, name


def test_rows_are_read_one_by_one(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "a.csv.gz", "wt", compresslevel=1, encoding="utf-8") as file:
        file.write("id,text\n")
        for _ in range(12_000):
            file.write(f'x,"{LINE * 100}"\n')
    count, peak = count_documents(tmp_path / "a.csv.gz")
    assert (count, peak < 20 * MIB) == (12_000, True)
