"""Paths to documents: finds the files, opens each, and hands it to the reader of its format."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from esdedup.document import Document, Skipped
from esdedup.errors import InputError
from esdedup.readers.csv import read_csv
from esdedup.readers.html import read_html
from esdedup.readers.json import read_json
from esdedup.readers.jsonl import read_jsonl
from esdedup.readers.options import ReadOptions
from esdedup.readers.source import Source, Unreadable, open_source, open_standard_input, suffix_of
from esdedup.readers.text import looks_like_text, read_text, usual_encoding
from esdedup.readers.urls import is_url
from esdedup.readers.walk import Found, expand, show_path, walk
from esdedup.readers.warc import read_warc

__all__ = ["read"]

_Reader = Callable[[Source, ReadOptions], Iterator[Document | Skipped]]

_READERS: Mapping[str, _Reader] = {
    ".txt": read_text,
    ".md": read_text,
    ".html": read_html,
    ".htm": read_html,
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
    ".json": read_json,
    ".csv": read_csv,
    ".tsv": read_csv,
    ".warc": read_warc,
}
_DEFAULTS = ReadOptions()


def read(paths: Iterable[str | Path], options: ReadOptions = _DEFAULTS) -> Iterator[Document | Skipped]:
    """Documents, and what could not become one, from files, directories, patterns, the web and standard input.

    paths: files; directories, read with all below them; patterns such as `news/**/*.jsonl`; addresses that begin
        with http:// or https://, fetched after all else; "-" for standard
        input, which is JSON lines when its first byte that is not blank is `{`, and else one plain text.
    Formats go by the name: .txt .md .html .htm .jsonl .ndjson .json .csv .tsv .warc, each also with .gz or .zst.
    Another file is plain text when it was named and looks like it; in a directory it is skipped.

    Paths come in the given order, below a directory by name; a file reached twice is read once. Ids: the
    record's own, else its URL, else `path#record number`; of a text or page, the path as given, with `/`.
    Raises InputError at once for paths that do not exist, and while reading for a CSV file that was named and
    has no text column; one found in a directory is skipped.
    """
    listed = [paths] if isinstance(paths, str | Path) else list(paths)
    urls = [path for path in listed if isinstance(path, str) and is_url(path)]
    files = [path for path in listed if path not in urls]
    for path in files:
        if isinstance(path, str) and "://" in path:
            raise InputError(f"{path} cannot be fetched: only http:// and https:// addresses can")
    return chain(_read(expand(files), options), _fetch(urls, options))


def _fetch(urls: list[str], options: ReadOptions) -> Iterator[Document | Skipped]:
    if urls:
        from esdedup.readers.web import fetch_all  # noqa: PLC0415  # slow to load

        yield from fetch_all(urls, options)


def _read(roots: list[Path | None], options: ReadOptions) -> Iterator[Document | Skipped]:
    for found in walk(roots):
        match found:
            case Skipped():
                yield found
            case None:
                yield from _read_standard_input(options)
            case Found():
                yield from _read_file(found, options)


def _read_file(found: Found, options: ReadOptions) -> Iterator[Document | Skipped]:
    name = show_path(found.path)
    reader = _READERS.get(suffix_of(found.path))
    if reader is None and not found.named:
        yield Skipped(name, f"not a text format ({suffix_of(found.path) or 'no extension'})")
        return
    try:
        with open_source(found.path, name, _encoding(options)) as source:
            yield from (reader or _read_unknown)(source, options)
    except Unreadable as error:
        yield _skipped(name, error)
    except InputError as error:
        if found.named:
            raise
        yield Skipped(name, str(error).removeprefix(f"{name}: "))


def _read_standard_input(options: ReadOptions) -> Iterator[Document | Skipped]:
    source = open_standard_input(_encoding(options))
    is_jsonl = source.head.lstrip().startswith(b"{")
    try:
        yield from (read_jsonl if is_jsonl else _read_unknown)(source, options)
    except Unreadable as error:
        yield _skipped(source.name, error)


def _read_unknown(source: Source, options: ReadOptions) -> Iterator[Document | Skipped]:
    if looks_like_text(source.head):
        yield from read_text(source, options)
    else:
        yield Skipped(source.name, "not text")


def _encoding(options: ReadOptions) -> str | None:
    """The encoding asked for, or the larger one that people mean by it."""
    return options.encoding and (usual_encoding(options.encoding) or options.encoding)


def _skipped(name: str, error: Unreadable) -> Skipped:
    return Skipped(name if error.line is None else f"{name}:{error.line}", error.reason)
