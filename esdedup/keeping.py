"""Which of several versions of a text is to be kept: the first, the longest, the newest, or one that is preferred."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

from esdedup.errors import InputError

__all__ = ["KEEP_FIRST", "Keep", "Rule"]

_SECONDS_FROM = "%Y/%m/%d"  # what the engine takes besides ISO 8601


class Rule(StrEnum):
    """By what versions are compared."""

    FIRST = "first"  # the one that came first
    LONGEST = "longest"  # the one with more text
    NEWEST = "newest"  # the one with the later date
    PREFER = "prefer"  # one whose field has the value


@dataclass(frozen=True, slots=True)
class Keep:
    """A policy. field, value: for PREFER; a value may hold `*` and `?`, as in a file name."""

    rule: Rule = Rule.FIRST
    field: str = ""
    value: str = ""

    @classmethod
    def parse(cls, text: str) -> "Keep":
        """From `first`, `longest`, `newest`, `prefer FIELD=VALUE` or `FIELD=VALUE`. Raises InputError."""
        if text in (Rule.FIRST, Rule.LONGEST, Rule.NEWEST):
            return cls(Rule(text))
        field, equals, value = text.removeprefix(Rule.PREFER).strip().partition("=")
        if not field or not equals or not value:
            raise InputError(f"cannot keep {text!r}: first, longest, newest or 'prefer FIELD=VALUE', as prefer lang=zh")
        return cls(Rule.PREFER, field, value)

    def rank(self, source: Mapping[str, Any]) -> float:
        """How good a stored document is: of two, the one of higher rank is better; of equals, the older one."""
        match self.rule:
            case Rule.FIRST:
                return 0.0
            case Rule.LONGEST:
                return float(len(source.get("content", "")))
            case Rule.NEWEST:
                return _instant(source.get("@timestamp"))
            case Rule.PREFER:
                return float(fnmatchcase(self._field_of(source), self.value))

    def _field_of(self, source: Mapping[str, Any]) -> str:
        name = "doc_id" if self.field == "id" else self.field
        found = source.get(name, source.get("meta", {}).get(self.field.removeprefix("meta."), ""))
        return str(found).lower() if isinstance(found, bool) else str(found)


KEEP_FIRST = Keep()


def _instant(date: object) -> float:
    """Seconds since 1970; a date that cannot be read is older than all."""
    try:
        if isinstance(date, int):
            return date / 1000
        text = str(date)
        found = datetime.strptime(text, _SECONDS_FROM) if "/" in text else datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, OSError):
        return float("-inf")
