"""What no engine can store, replaced and counted."""

import re
from collections.abc import Mapping

__all__ = ["Mender"]

_MAX_DEPTH = 100  # levels; engines and other programs take few more
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNDECODABLE = re.compile("[\udc80-\udcff]")  # what the error handler "surrogateescape" makes of bytes


class Mender:
    """Mends the strings of one record and remembers what it did, for the notes of the document."""

    def __init__(self) -> None:
        self._undecodable = 0
        self._lone = 0
        self._nul = 0
        self._cut = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """One clause for each kind of damage."""
        counts = (
            (self._undecodable, "undecodable byte", "replaced by U+FFFD"),
            (self._lone, "lone surrogate", "replaced by U+FFFD"),
            (self._nul, "NUL character", "removed"),
        )
        notes = [f"{count} {what}{'s' * (count > 1)} {fate}" for count, what, fate in counts if count]
        if self._cut:
            notes.append(f"text cut at {self._cut:,} characters")
        return tuple(notes)

    def text(self, text: str, limit: int | None = None) -> str:
        """`text` without NUL and lone surrogates, and not longer than `limit`."""
        if limit is not None and len(text) > limit:
            text, self._cut = text[:limit], limit
        if "\0" in text:
            self._nul += text.count("\0")
            text = text.replace("\0", "")
        return self.string(text)

    def mapping(self, fields: Mapping[str, object], room: int = _MAX_DEPTH) -> dict[str, object]:
        """Fields with values as JSON knows them, without lone surrogates in strings; all else unchanged.

        Raises RecursionError below `room` levels.
        """
        return {self.string(name): self._value(value, room) for name, value in fields.items()}

    def _value(self, value: object, room: int) -> object:
        if not room:
            raise RecursionError
        match value:
            case str():
                return self.string(value)
            case list():
                return [self._value(item, room - 1) for item in value]
            case dict():
                return self.mapping(value, room - 1)
        return value

    def string(self, text: str) -> str:
        """`text` with U+FFFD for each lone surrogate."""
        try:
            text.encode()  # much faster than searching
        except UnicodeEncodeError:
            undecodable = len(_UNDECODABLE.findall(text))
            text, count = _SURROGATE.subn("\ufffd", text)
            self._undecodable += undecodable
            self._lone += count - undecodable
        return text
