"""HTML pages as documents."""

import re
from collections.abc import Iterator
from dataclasses import replace

from esdedup.document import Document
from esdedup.extract import Page, extract
from esdedup.readers.mend import Mender
from esdedup.readers.options import ReadOptions
from esdedup.readers.source import Source
from esdedup.readers.text import read_all, usual_encoding

__all__ = ["declared_encoding", "page_document", "read_html"]

#: The note of a document that holds a whole page.
NO_MAIN_TEXT = "no main text found: all that is visible was taken"

_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_DECLARATION = re.compile(
    rb"<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml\b[^>]*?\bencoding\s*=\s*[\"']([\w.:-]+)",
    re.IGNORECASE,
)
_WHERE_DECLARED = 8192  # bytes


def read_html(source: Source, options: ReadOptions) -> Iterator[Document]:
    """The page as one document whose id is the file's name."""
    mender = Mender()
    html = mender.text(read_all(source, options.max_chars, declared_encoding(source.head)), options.max_chars)
    page = extract(html, main_text=options.main_text)
    yield page_document(Document(id=source.name, text="", source=source.name, notes=mender.notes), page)


def page_document(document: Document, page: Page) -> Document:
    """The document with what its page says, where it does not say otherwise."""
    return replace(
        document,
        text=page.text,
        title=document.title or page.title,
        date=document.date or page.date,
        whole_page=page.whole,
        notes=(*document.notes, *([NO_MAIN_TEXT] if page.whole else [])),
    )


def declared_encoding(head: bytes) -> str | None:
    """The encoding that the first bytes of a page claim, or the larger one that is meant; None without a claim."""
    found = _DECLARATION.search(_COMMENT.sub(b"", head[:_WHERE_DECLARED]))
    return usual_encoding((found[1] or found[2]).decode("ascii", "replace")) if found else None
