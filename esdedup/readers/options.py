"""What can be set about reading."""

from dataclasses import dataclass, field
from pathlib import Path

from esdedup.errors import InputError

__all__ = ["ReadOptions", "WebOptions"]


@dataclass(frozen=True, slots=True)
class WebOptions:
    """How pages are fetched.

    timeout: seconds for each of connecting, and waiting for more of an answer; deadline: for a whole answer.
    per_host: requests to one host at a time; delay: seconds between the end of one and the next, when robots.txt
        asks for no longer one. workers: requests at a time in all.
    robots: keep to robots.txt. allow_private: also loopback, private and link-local addresses.
    known: where to remember what servers say of their pages' versions; pages that have not changed since are skipped.
        None fetches everything.
    """

    timeout: float = 20.0
    deadline: float = 120.0
    redirects: int = 10
    per_host: int = 2
    delay: float = 0.0
    workers: int = 16
    robots: bool = True
    allow_private: bool = False
    known: Path | None = None
    user_agent: str = "esdedup/0.1 (duplicate detection; python-httpx)"


@dataclass(frozen=True, slots=True)
class ReadOptions:
    r"""How files become documents.

    id_field, title_field, text_field, html_field, url_field, date_field: which field (JSON) or column (CSV)
        of a record holds what; html_field is read when there is no text. All others end up in `meta`.
    encoding: of files without a byte order mark; None recognises it.
    delimiter: one character between CSV cells (`\t` may be spelt out); None recognises it.
    main_text: of HTML pages; False takes all that is visible, menus and all.
    max_chars: a text is cut after so many characters, with a note; so is the source of an HTML page.
    web: how pages are fetched.
    Raises InputError for an unknown encoding, an impossible delimiter or limit.
    """

    id_field: str = "id"
    title_field: str = "title"
    text_field: str = "text"
    html_field: str = "html"
    url_field: str = "url"
    date_field: str = "@timestamp"
    encoding: str | None = None
    delimiter: str | None = None
    main_text: bool = True
    max_chars: int = 10_000_000
    web: WebOptions = field(default_factory=WebOptions)

    def __post_init__(self) -> None:
        if self.encoding is not None and not _is_known_encoding(self.encoding):
            raise InputError(f"unknown encoding {self.encoding!r}: give one such as utf-8, gb18030 or big5")
        if self.delimiter is not None and (len(self.cell_delimiter) != 1 or self.cell_delimiter in '"\r\n'):
            raise InputError(f"the delimiter {self.delimiter!r} is not one character such as ';' or '\\t'")
        if self.max_chars < 1:
            raise InputError(f"the limit of {self.max_chars} characters leaves no text: give 1 or more")

    @property
    def cell_delimiter(self) -> str:
        """The delimiter asked for, as the character itself; empty when it is to be recognised."""
        return (self.delimiter or "").replace("\\t", "\t")


def _is_known_encoding(name: str) -> bool:
    try:
        b" ".decode(name, "replace")
    except (LookupError, UnicodeError, ValueError):  # ValueError: a NUL in the name
        return False
    return True
