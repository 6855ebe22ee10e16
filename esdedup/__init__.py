"""Duplicate suppression for Elasticsearch: fingerprints, exact look-ups, groups, collapsed search."""

from esdedup.document import Document, Skipped, Status
from esdedup.errors import EsdedupError
from esdedup.fingerprinter import Fingerprinter, Sketch, fingerprint, fingerprints, from_hex, simhash, to_hex
from esdedup.hashing import chinese_string_code, enumerated_codes
from esdedup.matching import distance
from esdedup.settings import FeatureKind, FeatureSettings

__version__ = "0.1.0"

__all__ = [
    "Document",
    "EsdedupError",
    "FeatureKind",
    "FeatureSettings",
    "Fingerprinter",
    "Sketch",
    "Skipped",
    "Status",
    "chinese_string_code",
    "distance",
    "enumerated_codes",
    "fingerprint",
    "fingerprints",
    "from_hex",
    "simhash",
    "to_hex",
]
