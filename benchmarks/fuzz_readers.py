"""Feed the readers with damaged files for a while: whatever is in them, documents or reasons come out, no traceback.

python -m benchmarks.fuzz_readers --minutes 10 --seeds ../shared/cases tests
"""

import argparse
import gzip
import random
import tempfile
import time
import traceback
from pathlib import Path

from esdedup import Document, Fingerprinter
from esdedup.confirming import gather, overlap
from esdedup.errors import InputError
from esdedup.explaining import explain
from esdedup.readers import ReadOptions, read

_SUFFIXES = ".txt .md .html .jsonl .json .csv .tsv .warc .txt.gz .jsonl.gz .csv.zst .warc.gz .html.zst".split()
_LARGEST = 200_000  # bytes
_PIECES = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xf0\x9f\x98\x80", b"\xed\xa0\xbd", b"\r\n", b"\n", b'"', b"{", b"}", b"[",
    b"]", b"\\u0000", b"\\ud83d", b"1e999", b"-0", b"null", b",", b"\t", b"<", b"</", b"<!--", b"<script>", b"<table>",
    b"<meta charset=utf-7>", b"WARC/1.0\r\n", b"Content-Length: 99999999999\r\n", b"Content-Encoding: br\r\n",
    b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xc4\xe3\xba\xc3", "é".encode() * 50, "港口".encode() * 50, b"a" * 5000,
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seeds", type=Path, nargs="+", default=[Path("tests")])
    parser.add_argument("--start", type=int, default=int(time.time()))
    arguments = parser.parse_args()
    files = [f for folder in arguments.seeds for f in sorted(folder.rglob("*")) if f.is_file()]
    seeds = [data for f in files if 0 < len(data := f.read_bytes()) <= _LARGEST]
    fingerprinter = Fingerprinter()
    end, number, failures = time.monotonic() + 60 * arguments.minutes, arguments.start, 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            number += 1
            failures += not try_one(Path(folder), random.Random(number), seeds, fingerprinter, number)
    print(f"{number - arguments.start:,} files, {failures} failures")
    raise SystemExit(bool(failures))


def try_one(folder: Path, rng: random.Random, seeds: list[bytes], fingerprinter: Fingerprinter, number: int) -> bool:
    path = folder / f"fuzz{rng.choice(_SUFFIXES)}"
    content = damage(rng, rng.choice(seeds))
    if path.suffix == ".gz":
        content = gzip.compress(content, 1)
        content = damage(rng, content) if rng.random() < 0.3 else content
    path.write_bytes(content)
    started = time.monotonic()
    try:
        options = ReadOptions(main_text=rng.random() < 0.8, max_chars=rng.choice([100, 100_000]))
        texts = [one.text for one in read([path], options) if isinstance(one, Document)][:20]
        for text in texts:
            fingerprinter.sketch(text)
        if texts:
            overlap(gather(texts[0]), gather(texts[-1]))
            explain(texts[0][:5000], texts[-1][:5000])
    except InputError:
        pass  # a file that was named and cannot be used, in one line
    except Exception:
        print(f"{number} {path.name}", flush=True)
        traceback.print_exc()
        return False
    finally:
        path.unlink()
    if (took := time.monotonic() - started) > 10:
        print(f"{number} {path.name} took {took:.0f} s", flush=True)
        return False
    return True


def damage(rng: random.Random, data: bytes) -> bytes:
    """The data cut, spliced, repeated, and with odd pieces put into it."""
    content = bytearray(data)
    for _ in range(rng.randrange(12)):
        at, length = rng.randrange(len(content) + 1), rng.randrange(1, 200)
        match rng.randrange(5):
            case 0:
                del content[at : at + length]
            case 1:
                content[at:at] = rng.choice(_PIECES) * rng.choice([1, 1, 1, 30])
            case 2:
                content[at:at] = content[at : at + length] * rng.choice([1, 2, 50])
            case 3:
                content[at : at + length] = rng.randbytes(rng.randrange(20))
            case 4:
                del content[at:]
        content = content or bytearray(b" ")
    return bytes(content[:_LARGEST])


if __name__ == "__main__":
    main()
