"""Duplicate suppression for Elasticsearch: fingerprints, exact look-ups, groups, collapsed search."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_MODULES = ("document", "errors", "settings", "matching", "hashing", "fingerprinter")  # the light ones first


def __getattr__(name: str) -> Any:
    """Load what is asked for (PEP 562): the command line starts without numpy and the segmenter."""
    if name in __all__:
        for module in map(import_module, (f"esdedup.{one}" for one in _MODULES)):
            if name in module.__all__:
                globals()[name] = getattr(module, name)
                return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
