"""What was skipped or failed: a line each on stderr, the first of them, and all in the `--reject` file."""

import json
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from esdedup.cli.output import note
from esdedup.document import Document, Skipped
from esdedup.engine.decisions import Decision, Fate
from esdedup.errors import InputError

__all__ = ["Rejects"]

_SHOWN = 20


class Rejects:
    """Takes the results of a run. In the file: one {"where", "reason", "record"} a line."""

    def __init__(self, path: Path | None, overwrite: bool, quiet: bool) -> None:
        self._file = _open(path, overwrite) if path else None
        self._path = path
        self._quiet = quiet
        self._noted = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._file:
            self._file.close()
        if self._noted > _SHOWN:
            kept = f"all are in {self._path}" if self._path else "--reject FILE keeps them all"
            self._note(f"... and {self._noted - _SHOWN} more; {kept}")

    def add(self, result: Decision | Skipped) -> None:
        """Note a result, if there is trouble with it."""
        if isinstance(result, Skipped):
            self._count(f"{result.where}: {result.reason}")
            self.keep(result)
            return
        document = result.document
        for mended in document.notes:
            self._count(f"{document.source}: {mended}")
        if result.fate is Fate.FAILED:
            where = f"{document.source} (id {document.id})"
            self._count(f"{where}: {result.reason}")
            self._write(where, result.reason, _record(document))

    def keep(self, skipped: Skipped) -> None:
        """Write it to the file only."""
        self._write(skipped.where, skipped.reason, skipped.raw)

    def _write(self, where: str, reason: str, record: object) -> None:
        if self._file:
            line = {"where": where, "reason": reason, "record": record}
            self._file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def _count(self, text: str) -> None:
        self._noted += 1
        if self._noted <= _SHOWN:
            self._note(text)

    def _note(self, text: str) -> None:
        if not self._quiet:
            note(text)


def _open(path: Path, overwrite: bool) -> TextIO:
    try:
        return path.open("w" if overwrite else "x", encoding="utf-8", errors="backslashreplace")
    except FileExistsError:
        raise InputError(f"{path} exists already: choose another --reject file, or add --overwrite") from None
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def _record(document: Document) -> dict[str, object]:
    fields = {"id": document.id, "title": document.title, "text": document.text, "url": document.url}
    return {**document.meta, **fields, "@timestamp": document.date}
