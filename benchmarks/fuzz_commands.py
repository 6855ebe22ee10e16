"""Type nonsense for a while: commands, options and standard input at random. Codes and words come back, no traceback.

python -m benchmarks.fuzz_commands --minutes 10 --url http://localhost:9200

Uses and deletes indexes whose names begin with `fuzz-`. `up`, `down`, `demo` and `doctor` are left out.
"""

import argparse
import contextlib
import io
import os
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from elasticsearch import Elasticsearch

from esdedup.cli.commands import load_command

_COMMANDS = (
    "compare delete dupes eval fingerprint gate group groups index init prune regroup restore search show".split()
)
_NUMBERS = ("0", "1", "3", "7", "11", "64", "65", "-1", "0.5", "1e9", "nan", "inf", "99999999999999", "x", "")
_NAMES = "a copy near storm docs.jsonl docs.jsonl pairs.tsv page.html dead.txt.gz - new.svg".split()
_VALUES = (
    "", " ", "-", "--", "first", "longest", "prefer a=b", "prefer", "zh=", "=", "lang=zh", "table", "chars", "utf-8",
    "utf-7", "no-such-encoding", "\t", ";", "\x00", "\x1b[31m", "\ud800", "\udcff", "港口", "a" * 600, "*", "[",
    "/nowhere/x", "http://127.0.0.1:1/x", "http://[", "http://u:p@127.0.0.1:1/", "f" * 16, "xyz", "$(x)",
    "*:*", '"港口" storm', "content:x", "fuzz-1", "FUZZ", "_all", ".x", "fuzz-*",
)  # fmt: skip
_CODES = frozenset((0, 1, 2, 3, 4, 130, 141))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--url", required=True)
    parser.add_argument("--start", type=int, default=int(time.time()))
    arguments = parser.parse_args()
    os.environ["ESDEDUP_URL"] = arguments.url
    end, number, failures = time.monotonic() + 60 * arguments.minutes, arguments.start, 0
    codes: Counter[object] = Counter()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        while time.monotonic() < end:
            number += 1
            _write_files()
            code, trouble = try_one(random.Random(number))
            codes[code] += 1
            if trouble:
                failures += 1
                print(f"--start {number - 1}: {trouble}", file=sys.stderr)
    with Elasticsearch(arguments.url) as client:
        client.options(ignore_status=404).indices.delete(index="fuzz-1-000001,fuzz-2-000001", ignore_unavailable=True)
    print(f"{number - arguments.start:,} commands, {failures} failures, exit codes {dict(codes)}")
    raise SystemExit(bool(failures))


def try_one(rng: random.Random) -> tuple[object, str]:
    """The exit code, and what is wrong with it."""
    from esdedup.__main__ import main as run  # noqa: PLC0415  # after ESDEDUP_URL is set

    words = command_line(rng)
    given = bytes(rng.randrange(256) for _ in range(rng.randrange(200))) + rng.choice(
        [b"", b'{"id": 1, "text": "x y"}\n']
    )
    said, wrong = io.StringIO(), io.StringIO()
    kept = sys.argv, sys.stdin
    sys.argv, sys.stdin = ["esdedup", *words], io.TextIOWrapper(io.BytesIO(given), "utf-8", errors="replace")
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
            code: object = 0
            run()
    except SystemExit as ended:
        code = ended.code or 0
    except BaseException:
        return "traceback", f"{words!r}\n{traceback.format_exc()}"
    finally:
        sys.argv, sys.stdin = kept
    if code not in _CODES:
        return code, f"{words!r} ended with {code!r}"
    if "\x1b[31m" in wrong.getvalue() or "Traceback" in wrong.getvalue():
        return code, f"{words!r} said {wrong.getvalue()!r}"
    return code, ""


def command_line(rng: random.Random) -> list[str]:
    """A command with some of its own options, half of the values of the right kind."""
    name = rng.choice(_COMMANDS)
    parameters = load_command(name).params
    options = [one for one in parameters if one.param_type_name == "option" and one.name not in ("url", "watch")]
    words = [name]
    for option in rng.sample(options, min(len(options), rng.randrange(5))):
        words.append(rng.choice([*option.opts, *option.secondary_opts]))
        if not option.is_flag:
            numeric = option.type_descriptor.annotation in (int, float)
            words.append(rng.choice((_NUMBERS if numeric else _NAMES) if rng.random() < 0.7 else _VALUES))
    arguments = [one for one in parameters if one.param_type_name == "argument"]
    words += [rng.choice(_NAMES if rng.random() < 0.7 else _VALUES) for _ in range(len(arguments))]
    if name not in ("eval", "fingerprint"):
        words += ["-i", rng.choice(["fuzz-1", "fuzz-2"] if rng.random() < 0.9 else _VALUES)]
    return words


def _write_files() -> None:
    story = " ".join(f"Entry {n} of the harbour log tells of boats and ropes." for n in range(9))
    lines = [
        f'{{"id": "{name}", "text": "{story}{more}"}}' for name, more in (("a", ""), ("copy", ""), ("near", " End."))
    ]
    Path("docs.jsonl").write_text("\n".join(lines), "utf-8")
    Path("pairs.tsv").write_text("a\tcopy\t1\na\tnear\t0\n", "utf-8")
    Path("dead.txt.gz").write_bytes(b"\x1f\x8b\x08damaged")
    Path("page.html").write_text(f"<title>\x1b[31m</title><p>{story}", "utf-8")


if __name__ == "__main__":
    main()
