"""Between documents and what the engine stores."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from esdedup.document import Document, Status
from esdedup.fingerprinter import Sketch, blocks, from_hex, lanes, to_hex
from esdedup.grouping import Entry, Place

__all__ = ["MOMENT", "SECOND", "Record", "entry_of", "key_of", "may_be_digest", "place_of", "source_of"]

#: How a document's `first_seen` is written: up to the second, and all of it.
SECOND = "%Y-%m-%dT%H:%M:%S"
MOMENT = f"{SECOND}.%fZ"

_MAX_KEY_BYTES = 512  # the engine's limit on `_id`


@dataclass(frozen=True, slots=True)
class Record:
    """One document ready to be written. instead_of: the place it would have, had it not taken over from its leader."""

    document: Document
    entry: Entry
    place: Place
    instead_of: Place | None = None


def key_of(doc_id: str) -> str:
    """The `_id` of a document: the caller's id, or a digest of it when longer than 512 bytes."""
    if 4 * len(doc_id) <= _MAX_KEY_BYTES:
        return doc_id
    encoded = doc_id.encode("utf-8", "replace")
    if len(encoded) <= _MAX_KEY_BYTES:
        return doc_id
    return hashlib.blake2b(encoded, digest_size=20).hexdigest()


def may_be_digest(key: str) -> bool:
    """Whether a key may stand for a longer id: a digest has 40 hex digits."""
    return len(key) == 40 and set(key) <= set("0123456789abcdef")


def entry_for(document: Document, sketch: Sketch, first_seen: str) -> Entry:
    """What grouping needs to know of a document."""
    whole_page = document.whole_page and sketch.status is Status.OK
    status = Status.WHOLE_PAGE if whole_page else sketch.status
    return Entry(key_of(document.id), sketch.fingerprint, sketch.digest, status, first_seen)


def source_of(record: Record, algo: str) -> dict[str, Any]:
    """The `_source` of a record."""
    document = record.document
    language = document.meta.get("lang")
    source: dict[str, Any] = {
        "doc_id": document.id,
        "title": document.title,
        "content": document.text,
        "url": document.url,
        "source": document.source,
        "lang": language if isinstance(language, str) else "",
        "@timestamp": document.date or record.entry.first_seen,
        "meta": dict(document.meta),
    }
    return {
        **{name: value for name, value in source.items() if value not in ("", {})},
        "esdedup": _own(record, algo),
    }


def _own(record: Record, algo: str) -> dict[str, Any]:
    entry, place = record.entry, record.place
    own: dict[str, Any] = {
        "simhash": to_hex(entry.fingerprint),
        "digest": entry.digest,
        **place_fields(place),
        "status": entry.status.value,
        "first_seen": entry.first_seen,
        "algo": algo,
    }
    if entry.status.is_comparable:  # others are never candidates
        own["b0"], own["b1"], own["b2"], own["b3"] = blocks(entry.fingerprint)
        own["lanes"] = lanes(entry.fingerprint)
    return own


def place_fields(place: Place) -> dict[str, Any]:
    """The part of the `esdedup` object that says which group a document is in."""
    return {"group": place.group, "leader": place.leader, "distance": place.distance}


def entry_of(key: str, own: Mapping[str, Any]) -> Entry:
    """The entry that a stored `esdedup` object stands for."""
    return Entry(key, from_hex(own["simhash"]), own["digest"], Status(own["status"]), own["first_seen"])


def place_of(own: Mapping[str, Any]) -> Place:
    """The place that a stored `esdedup` object stands for; `exact` is not stored."""
    return Place(own["group"], own["leader"], own["distance"])
