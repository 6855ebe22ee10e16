"""Documents whose fingerprint changed in this run: look-ups may still find what they were."""

from collections.abc import Iterable, Mapping, Sequence

from esdedup.grouping import Entry, Leaders

__all__ = ["Moves"]


class Moves:
    """What look-ups find, put right by what this run has changed."""

    def __init__(self, k: int) -> None:
        self._k = k
        self._moved: dict[str, Entry] = {}
        self._leaders = Leaders(k)

    def __bool__(self) -> bool:
        return bool(self._moved)

    def correct(
        self,
        new: Sequence[Entry],
        near: list[list[Entry]],
        moving: Mapping[str, Entry],
        order: Mapping[str, int],
    ) -> list[list[Entry]]:
        """The leaders near new documents of a batch, from those that were found.

        moving: documents of the batch with another fingerprint than is stored; order: where in it each stands.
        """
        if not moving and not self:
            return near
        for entry in moving.values():
            self._leaders.add(entry)
        both = zip(new, near, self._leaders.near(new), strict=True)
        return [
            _distinct(one for one in (*some, *more) if self._is_as_it_is(one, entry, moving, order))
            for entry, some, more in both
        ]

    def add(self, moving: Mapping[str, Entry]) -> None:
        """The batch is over: those that come later meet its documents as they are now."""
        self._moved |= moving

    def take_back(self, key: str) -> None:
        """The document stays as it was."""
        self._moved.pop(key, None)

    def forget(self) -> None:
        """The engine knows everything."""
        self._moved.clear()
        self._leaders = Leaders(self._k)

    def _is_as_it_is(self, one: Entry, entry: Entry, moving: Mapping[str, Entry], order: Mapping[str, int]) -> bool:
        """Whether a candidate is what is stored under its key when the turn of `entry` has come."""
        has_moved = one.key in moving and order[one.key] < order[entry.key]
        return (moving if has_moved else self._moved).get(one.key, one) == one and (
            has_moved or moving.get(one.key) != one or self._moved.get(one.key) == one
        )


def _distinct(entries: Iterable[Entry]) -> list[Entry]:
    return list({entry.key: entry for entry in entries}.values())
