"""What `index` reads: files, and pages of the web."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer
from platformdirs import user_cache_path

from esdedup.cli.rejects import Rejects
from esdedup.cli.texts import read_lines
from esdedup.document import Document, Skipped
from esdedup.errors import InputError, NothingRead
from esdedup.readers import ReadOptions, WebOptions, read
from esdedup.readers.urls import is_url, without_credentials
from esdedup.report import counted

__all__ = [
    "AllowPrivate",
    "NoRobots",
    "OnlyChanged",
    "Sitemap",
    "Urls",
    "Wanted",
    "not_nothing",
    "read_wanted",
    "web_options",
]

_KINDS = ".txt .md .html .jsonl .json .csv .tsv .warc, also .gz and .zst"
_WEB = "Web"

Urls = Annotated[
    Path | None,
    typer.Option(
        "--urls", metavar="FILE", help="Fetch the addresses in a file, one a line; - is stdin.", rich_help_panel=_WEB
    ),
]
Sitemap = Annotated[
    list[str] | None,
    typer.Option("--sitemap", metavar="URL", help="Fetch what a sitemap lists.", rich_help_panel=_WEB),
]
OnlyChanged = Annotated[
    bool, typer.Option("--only-changed", help="Skip pages that have not changed since.", rich_help_panel=_WEB)
]
NoRobots = Annotated[bool, typer.Option("--no-robots", help="Do not ask robots.txt.", rich_help_panel=_WEB)]
AllowPrivate = Annotated[
    bool, typer.Option("--allow-private", help="Also hosts of this machine and network.", rich_help_panel=_WEB)
]


@dataclass(frozen=True, slots=True)
class Wanted:
    """paths: files, directories, patterns, addresses, "-"; urls: a file of addresses; sitemaps: addresses of them."""

    paths: list[str]
    urls: Path | None
    sitemaps: list[str]

    def __str__(self) -> str:
        named = [*self.paths, *([str(self.urls)] if self.urls else []), *self.sitemaps]
        return ", ".join(map(without_credentials, named))

    @property
    def of_the_web(self) -> bool:
        """Whether any of it is to be fetched."""
        return bool(self.urls or self.sitemaps or any(map(is_url, self.paths)))


def web_options(only_changed: bool, no_robots: bool, allow_private: bool, target: str) -> WebOptions:
    """How to fetch, as the options say. target: where pages go; what one index has seen, another has not."""
    name = f"fetched-{hashlib.blake2b(target.encode('utf-8', 'replace'), digest_size=8).hexdigest()}.json"
    known = user_cache_path("esdedup") / name if only_changed else None
    return WebOptions(robots=not no_robots, allow_private=allow_private, known=known)


def read_wanted(wanted: Wanted, options: ReadOptions) -> Iterator[Document | Skipped]:
    """The documents of all that is wanted: files first."""
    if not wanted.paths and not wanted.urls and not wanted.sitemaps:
        raise InputError("name something to index: files, directories, addresses, '-', --urls FILE or --sitemap URL")
    for sitemap in wanted.sitemaps:
        if not is_url(sitemap):
            raise InputError(
                f"{without_credentials(sitemap)} is not the address of a sitemap: it begins with http:// or https://"
            )
    files = [path for path in wanted.paths if not is_url(path)]
    urls = [path for path in wanted.paths if is_url(path)] + (_addresses(wanted.urls) if wanted.urls else [])
    return chain(read(files, options), _fetch(urls, wanted.sitemaps, options))


def _fetch(urls: list[str], sitemaps: list[str], options: ReadOptions) -> Iterator[Document | Skipped]:
    if urls or sitemaps:
        from esdedup.readers.web import fetch_all  # noqa: PLC0415  # slow to load

        yield from fetch_all(urls, options, sitemaps=sitemaps)


def _addresses(path: Path) -> list[str]:
    """The lines of a file, or of standard input for "-", that are not blank and no remarks."""
    return [line.strip() for line in read_lines(path) if line.strip() and not line.lstrip().startswith("#")]


def not_nothing(
    records: Iterator[Document | Skipped], wanted: Wanted, rejects: Rejects
) -> Iterator[Document | Skipped]:
    """The same records, unless there is not one to index: then those passed over are kept."""
    passed: list[Skipped] = []
    for record in records:
        if isinstance(record, Document) or record.raw is not None:
            return chain(passed, [record], records)
        passed.append(record)
    for skipped in passed:
        (rejects.add if wanted.of_the_web else rejects.keep)(skipped)
    if not passed:
        raise InputError(
            f"nothing to index in {wanted}: it holds no record, or no file of a kind that is read ({_KINDS})"
        )
    if wanted.of_the_web:
        raise NothingRead(f"nothing was indexed: {counted(len(passed), 'page')} skipped")
    first = f"{passed[0].where}: {passed[0].reason}"
    raise InputError(f"nothing to index in {wanted}: {len(passed)} passed over ({first}); read are {_KINDS}")
