"""The second stage against the index: the texts of two entries decide, read in batches when they are not at hand."""

from collections.abc import Iterable, Mapping, Sequence

from esdedup.confirming import Evidence, gather, overlap
from esdedup.engine.asking import ask_documents
from esdedup.engine.mapping import Collection
from esdedup.grouping import Entry

__all__ = ["Confirmer", "read_texts"]

_FETCH = 200  # texts asked for at once
_MOST = 20_000_000  # characters of which evidence is kept; a character takes about ten bytes


class Confirmer:
    """Confirms pairs as the collection's confirmation says; without one it confirms all, and reads nothing."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._confirmation = collection.confirmation
        self._texts: dict[str, str] = {}
        self._evidence: dict[str, Evidence] = {}
        self._size = 0

    def take(self, texts: Mapping[str, str]) -> None:
        """Texts at hand, by key; they hold instead of what is stored until they are released."""
        if self._confirmation is None:
            return
        for key in texts:
            self._drop(key)
        self._texts |= texts

    def release(self, keys: Iterable[str]) -> None:
        """These texts can be read from the index."""
        for key in keys:
            self._texts.pop(key, None)

    def only(self, entries: Sequence[Entry], candidates: Sequence[Sequence[Entry]]) -> list[list[Entry]]:
        """For each entry those of its candidates whose texts confirm it."""
        if self._confirmation is None:
            return [list(some) for some in candidates]
        asked = [(entry, other) for entry, some in zip(entries, candidates, strict=True) for other in some]
        self._read({one.key for pair in asked if not _is_exact(*pair) for one in pair})
        return [
            [other for other in some if self.confirms(entry, other)]
            for entry, some in zip(entries, candidates, strict=True)
        ]

    def confirms(self, a: Entry, b: Entry) -> bool:
        """Whether the texts of two entries within k make them duplicates; texts that have gone do not."""
        if self._confirmation is None or _is_exact(a, b):
            return True
        self._read({a.key, b.key})
        one, other = self._evidence.get(a.key), self._evidence.get(b.key)
        return one is not None and other is not None and self._confirmation.confirms(overlap(one, other))

    def _read(self, keys: Iterable[str]) -> None:
        wanted = list(keys)
        if self._size > _MOST and any(key not in self._evidence for key in wanted):
            self._evidence.clear()
            self._size = 0
        missing = [key for key in wanted if key not in self._evidence]
        stored = read_texts(self._collection, [key for key in missing if key not in self._texts])
        for key in missing:
            text = self._texts.get(key, stored.get(key))
            if text is not None:
                self._evidence[key] = gather(text)
                self._size += len(text)

    def _drop(self, key: str) -> None:
        if gone := self._evidence.pop(key, None):
            self._size -= len(gone.normalised)


def read_texts(collection: Collection, keys: Sequence[str]) -> dict[str, str]:
    """The texts stored under these keys, searchable or not."""
    texts: dict[str, str] = {}
    for start in range(0, len(keys), _FETCH):
        some = list(keys[start : start + _FETCH])
        found = ask_documents(collection.client, collection.name, some, ["content"])
        texts |= {key: doc["_source"].get("content", "") for key, doc in found.items()}
    return texts


def _is_exact(a: Entry, b: Entry) -> bool:
    return a.digest == b.digest
