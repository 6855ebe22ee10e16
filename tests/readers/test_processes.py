"""Reading in processes of their own: standard input that is a pipe, and the memory that a reading takes."""

import subprocess
import sys
from pathlib import Path

import pytest

# The largest memory of the process itself, in kB; getrusage would count its parent's before the exec.
PEAK = "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
linux = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")


def run(script: str, *args: str, given: bytes = b"") -> str:
    command = [sys.executable, "-c", f"import sys\nfrom esdedup.readers import read\n{script}", *args]
    return subprocess.run(command, input=given, capture_output=True, check=True, timeout=60).stdout.decode()


@pytest.mark.parametrize(
    ("given", "expected"), [(b'{"id": 1, "text": "a"}\n', "1 a"), (b"plain words", "- plain words")]
)
def test_standard_input(given: bytes, expected: str) -> None:
    assert run("for d in read(['-']): print(d.id, d.text)", given=given).strip() == expected


@linux
def test_a_huge_text_is_cut_and_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "huge.txt"
    with path.open("wb") as file:
        for _ in range(120):
            file.write(b"twelve words " * 80_000)
    printed = run(f"(d,) = read([sys.argv[1]])\nprint(len(d.text), len(d.notes))\n{PEAK}", str(path))
    length, notes, peak = map(int, printed.split())
    assert (length, notes) == (10_000_000, 1)
    assert peak < 400_000


@linux
def test_reading_many_records_takes_no_more_memory_than_few(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    with path.open("w") as file:
        for n in range(100_000):
            file.write(f'{{"id": {n}, "text": "{"some words " * 40}"}}\n')
    count, peak = map(int, run(f"print(sum(1 for _ in read([sys.argv[1]])))\n{PEAK}", str(path)).split())
    assert count == 100_000
    assert peak < 200_000
