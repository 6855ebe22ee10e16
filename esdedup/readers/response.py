"""What a server answered as a document, whether it comes from the web or from an archive of it."""

from dataclasses import dataclass
from email.message import Message

from esdedup.document import Document, Skipped
from esdedup.extract import Page, extract
from esdedup.readers.html import declared_encoding, page_document
from esdedup.readers.mend import Mender
from esdedup.readers.options import ReadOptions
from esdedup.readers.text import choose_encoding, decode, looks_like_text, usual_encoding
from esdedup.readers.urls import normalise_url, page_id

__all__ = ["Response", "body_limit", "response_document"]

_HTML = ("text/html", "application/xhtml+xml")
_OK = 200


@dataclass(frozen=True, slots=True)
class Response:
    """One answer. where: for messages; body: without transfer and content codings; complete: not cut at the limit.

    content_type: the header as it came; date: when an archive says it was fetched, for a page without one of its own.
    """

    url: str
    where: str
    status: int
    content_type: str
    body: bytes
    complete: bool = True
    date: str | None = None


def body_limit(options: ReadOptions) -> int:
    """How many bytes of a body are read at most: no character takes more than four."""
    return 4 * (options.max_chars + 1)


def response_document(response: Response, options: ReadOptions) -> Document | Skipped:
    """The page or plain text in an answer; its id is its canonical or normalised address."""
    if response.status != _OK:
        return Skipped(response.where, f"status {response.status}")
    kind, charset = _content_type(response.content_type)
    if kind not in (*_HTML, "text/plain", ""):
        return Skipped(response.where, f"{kind} is not a page")
    if not looks_like_text(response.body[:1024]) and not charset:
        return Skipped(response.where, "not text")
    mender = Mender()
    text = mender.text(_decode(response, charset), options.max_chars)
    is_page = kind in _HTML or (not kind and "<html" in text[:1000].lower())
    page = extract(text, main_text=options.main_text) if is_page else Page("", text)
    document = Document(
        id=mender.string(page_id(response.url, page.canonical)),
        text="",
        url=mender.string(normalise_url(response.url)),
        source=response.where,
        date=page.date or response.date,
        notes=mender.notes,
    )
    return page_document(document, page)


def _content_type(header: str) -> tuple[str, str | None]:
    """The media type in small letters, empty when there is none, and the charset if it is a usual one."""
    message = Message()
    message["Content-Type"] = header or "application/octet-stream"
    charset = message.get_content_charset()
    return message.get_content_type() if header.strip() else "", charset and usual_encoding(charset)


def _decode(response: Response, charset: str | None) -> str:
    body = response.body
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if body.startswith(mark):
            return decode(body[len(mark) :], encoding, response.complete)
    declared = charset or declared_encoding(body)
    return decode(body, choose_encoding(body, declared, response.complete), response.complete)
