"""What can stop a run.

EsdedupError                 exit code 3 unless a subclass says otherwise
├── InputError               2: a path, column, id or option that cannot be used
├── NothingRead              1: all that was named was skipped
├── EngineError              3: the search engine
│   ├── ConnectionFailed        no answer, TLS refused, credentials refused
│   ├── UnsupportedEngine       another product, or a version this client cannot speak to
│   ├── NoSuchIndex             the index is missing (close names are listed)
│   ├── MappingMismatch         the index exists, but its fields are not ours
│   ├── StampMismatch           the index was made with other fingerprint settings
│   └── EngineFull              disk full or index read-only; retrying does not help
└── LocalNodeError           3: the Elasticsearch that `esdedup up` runs

Trouble with one record is not an error but a value: see `esdedup.document.Skipped`.
Each message is one line: what happened, where, what to do.
"""

__all__ = [
    "ConnectionFailed",
    "EngineError",
    "EngineFull",
    "EsdedupError",
    "InputError",
    "LocalNodeError",
    "MappingMismatch",
    "NoSuchIndex",
    "NothingRead",
    "StampMismatch",
    "UnsupportedEngine",
]


class EsdedupError(Exception):
    """Base of everything that stops a run; `exit_code` is what the command line ends with."""

    exit_code = 3


class InputError(EsdedupError):
    """A path, column, id or option that cannot be used."""

    exit_code = 2


class NothingRead(EsdedupError):
    """All pages and records that were named were skipped, each for a reason of its own."""

    exit_code = 1


class EngineError(EsdedupError):
    """The search engine refused or failed."""


class ConnectionFailed(EngineError):
    """No answer, or TLS or credentials refused."""


class UnsupportedEngine(EngineError):
    """Another product, or a version that the installed client cannot speak to."""


class NoSuchIndex(EngineError):
    """The index is missing."""


class MappingMismatch(EngineError):
    """The index exists, but its fields are not those of esdedup."""


class StampMismatch(EngineError):
    """The index was made with other fingerprint settings."""


class EngineFull(EngineError):
    """Disk full or index read-only; retrying does not help."""


class LocalNodeError(EsdedupError):
    """The local Elasticsearch could not be fetched, started or stopped."""
