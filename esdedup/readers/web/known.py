"""What servers said of the versions of their pages, kept from run to run for conditional requests."""

import json
from collections.abc import Mapping
from pathlib import Path

from esdedup.errors import InputError
from esdedup.readers.urls import without_credentials

__all__ = ["Known"]

_ASK = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}


class Known:
    """Validators (RFC 9110) by address, in a JSON file; without a path nothing is remembered."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._versions: dict[str, dict[str, str]] = _load(path) if path else {}

    def conditions(self, url: str) -> dict[str, str]:
        """Headers that ask for a page only if it has changed."""
        version = self._versions.get(without_credentials(url), {})
        return {_ASK[name]: value for name, value in version.items() if name in _ASK}

    def note(self, url: str, headers: Mapping[str, str]) -> None:
        """Remember which version an answer was."""
        version = {name: headers[name] for name in _ASK if headers.get(name, "").isascii() and headers.get(name)}
        if self._path and version:
            self._versions[without_credentials(url)] = version

    def save(self) -> None:
        """Write the file, all or nothing."""
        if not self._path:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            new = self._path.with_suffix(".new")
            new.write_text(json.dumps(self._versions, ensure_ascii=False), "utf-8")
            new.replace(self._path)
        except OSError as error:
            raise InputError(f"cannot write {self._path}: {error.strerror}") from error


def _load(path: Path) -> dict[str, dict[str, str]]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):  # missing or damaged: everything is fetched
        return {}
    return (
        {url: version for url, version in found.items() if isinstance(version, dict)} if isinstance(found, dict) else {}
    )
