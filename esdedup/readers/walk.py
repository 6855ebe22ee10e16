"""From what the user named to the files to read: each once, in a fixed order."""

import difflib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import NoReturn

from esdedup.document import Skipped
from esdedup.errors import InputError

__all__ = ["Found", "expand", "show_path", "walk"]

_WILD = re.compile(r"[*?\[]")
_UNPRINTABLE = re.compile("[\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Found:
    """A regular file. `named`: the user gave its name, not that of a directory above it."""

    path: Path
    named: bool


def show_path(path: str | PurePath) -> str:
    """The path on one printable line, with `/`; different for different paths.

    Escaped are control characters, backslashes, and bytes that the file system could not decode (`\\xff`).
    """
    return _UNPRINTABLE.sub(_escape, PurePath(path).as_posix())


def expand(paths: Iterable[str | Path]) -> list[Path | None]:
    """The paths with wildcards replaced by what they match, None for standard input ("-").

    Raises InputError for a path that does not exist, and for a pattern that matches nothing.
    """
    roots: list[Path | None] = []
    for path in [paths] if isinstance(paths, str | Path) else paths:
        if path == "-":
            roots.append(None)
        elif not str(path):
            raise InputError("a path is empty: name a file, a directory or '-'")
        else:
            roots.extend(_expand_one(Path(path)))
    return roots


def walk(roots: Iterable[Path | None]) -> Iterator[Found | Skipped | None]:
    """The regular files at and below the roots, by name, and what cannot be one; None for standard input.

    Links are followed; hidden entries are passed over. A file that is reached twice is found once.
    """
    seen: set[object] = set()
    for root in roots:
        if root is not None:
            yield from _walk_one(root, seen)
        elif None not in seen:
            seen.add(None)
            yield None


def _walk_one(root: Path, seen: set[object]) -> Iterator[Found | Skipped]:
    waiting = [Found(root, named=True)]
    while waiting:
        entry = waiting.pop()
        try:
            status = entry.path.stat()
            identity = _identity(entry.path, status)
            if identity in seen:
                continue
            seen.add(identity)
            if stat.S_ISDIR(status.st_mode):
                below = sorted((path for path in entry.path.iterdir() if path.name[0] != "."), reverse=True)
                waiting += [Found(path, named=False) for path in below]
            elif stat.S_ISREG(status.st_mode):
                yield entry
            else:
                yield Skipped(show_path(entry.path), _what(status.st_mode))
        except OSError as error:
            yield Skipped(show_path(entry.path), _why(entry.path, error))


def _identity(path: Path, status: os.stat_result) -> object:
    """One number: there may be millions. The path where the file system numbers nothing."""
    return status.st_dev << 64 | status.st_ino if status.st_ino else os.path.realpath(path)


def _what(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a named pipe, not a file: give it as standard input, with '-'"
    return "a socket, not a file" if stat.S_ISSOCK(mode) else "a device, not a file"


def _why(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError) and path.is_symlink():
        return "a link to nothing"
    return f"cannot be read ({(error.strerror or str(error)).lower()})"


def _expand_one(path: Path) -> list[Path]:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return _matches(path) or _missing(path)
    except (OSError, ValueError) as error:
        # Windows does not allow wildcards in names.
        if matches := _matches(path):
            return matches
        raise InputError(f"cannot read {show_path(path)}: {error}") from error
    return [path]


def _matches(pattern: Path) -> list[Path]:
    """What a pattern matches, sorted; hidden entries only if it asks for them."""
    wild = next((at for at, part in enumerate(pattern.parts) if _WILD.search(part)), None)
    if wild is None:
        return []
    base, parts = Path(*pattern.parts[:wild]), pattern.parts[wild:]
    try:
        # Not the module glob: it follows links while it descends, so loops would cost it hours.
        found = sorted(base.glob("/".join(parts)))
    except ValueError as error:
        raise InputError(f"the pattern {show_path(pattern)} cannot be used: {error}") from error
    if any(part.startswith(".") for part in parts):
        return found
    return [path for path in found if not any(part[0] == "." for part in path.relative_to(base).parts)]


def _missing(path: Path) -> NoReturn:
    if _WILD.search(str(path)):
        raise InputError(f"no file matches {show_path(path)}")
    try:
        close = difflib.get_close_matches(path.name, (other.name for other in path.parent.iterdir()))
    except OSError:
        close = []
    hint = f"; close to it: {', '.join(map(show_path, close))}" if close else ""
    raise InputError(f"no such file or directory: {show_path(path)}{hint}")


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:  # how Python carries a byte that it could not decode
        return f"\\x{code - 0xDC00:02x}"
    if 0x7F < code < 0xA0:
        return f"\\u{code:04x}"  # not \x, which stands for a byte
    return match[0].encode("unicode_escape").decode("ascii")
