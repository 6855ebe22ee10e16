"""Where a run over many records has come to, kept in a file so that a killed run can go on."""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

__all__ = ["Checkpoint", "describe_input"]


class Checkpoint:
    """How many records of one input have been dealt with. `what`: the input and where it goes, as one string."""

    def __init__(self, folder: Path, what: str) -> None:
        self._what = hashlib.blake2b(what.encode("utf-8", "replace"), digest_size=16).hexdigest()
        self._path = folder / f"run-{self._what}.json"

    def load(self) -> int | None:
        """Records dealt with; None when there is no run to go on with, or its input has changed since."""
        try:
            found = json.loads(self._path.read_text("utf-8"))
            return int(found["records"]) if found["what"] == self._what else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def save(self, records: int) -> None:
        """Remember; a disk that takes no more only costs the chance to go on."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            new = self._path.with_suffix(".new")
            new.write_text(json.dumps({"what": self._what, "records": records}), "utf-8")
            new.replace(self._path)
        except OSError:
            return

    def clear(self) -> None:
        """Forget: the run is complete."""
        self._path.unlink(missing_ok=True)


def describe_input(paths: Sequence[str | Path]) -> str:
    """The paths with size and time of change of each file and directory: another string when one has changed."""
    return json.dumps([_describe(path) for path in paths])


def _describe(path: str | Path) -> list[object]:
    place = Path(path)
    try:
        status = place.stat()
    except (OSError, ValueError):  # standard input, an address, a pattern
        return [str(path)]
    below = sorted(_changes(place)) if place.is_dir() else []
    return [str(place.resolve()), status.st_size, status.st_mtime_ns, below]


def _changes(folder: Path) -> Iterator[tuple[str, int, int]]:
    """All files below that can be looked at, with size and time of change."""
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent, name)
            with suppress(OSError):
                status = path.stat()
                yield str(path), status.st_size, status.st_mtime_ns
