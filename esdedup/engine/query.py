"""From what a user types to a query."""

import re
import unicodedata
from typing import Any

from esdedup.errors import InputError
from esdedup.idf import load_idf
from esdedup.normalise import normalise
from esdedup.settings import FeatureSettings
from esdedup.words import segmenter, split_words

__all__ = ["text_query", "where_clause"]

_FIELDS = ("title^2", "content")
_ENOUGH = "2<70%"  # both of two words; of more, seven in ten
_MAX_WORDS = 64  # of a long pasted text the rarest; the engine allows 1024 clauses
_QUOTED = re.compile(r'["“”]([^"“”]+)["“”]')
_OWN_FIELDS = {"id": "doc_id", "url": "url", "source": "source", "lang": "lang"}
_ESDEDUP_FIELDS = ("group", "status", "leader", "simhash", "digest")


def text_query(text: str, features: FeatureSettings) -> dict[str, Any]:
    """Documents with most of the words of `text`, and with all phrases that it puts in double quotes.

    Each word is asked for as a phrase: standard analysis stores Chinese character by character, and only
    the phrase finds the word. An empty text finds everything.
    """
    text = text.encode("utf-8", "replace").decode()  # a lone surrogate, as of an argument in another encoding
    quoted = [phrase for phrase in _QUOTED.findall(text) if phrase.strip()]
    words = _words(_QUOTED.sub(" ", text), features)
    query: dict[str, Any] = {"must": [_phrase(phrase) for phrase in quoted]}
    if words:
        query |= {"should": [_phrase(word) for word in words], "minimum_should_match": _ENOUGH}
    return {"bool": query} if quoted or words else {"match_all": {}}


def where_clause(condition: str) -> dict[str, Any]:
    """The filter for `field=value`; a field that is not ours is one of the caller's, kept in `meta`."""
    name, equals, value = condition.partition("=")
    if not equals or not name:
        raise InputError(f"cannot read the filter {condition!r}: write field=value, for example lang=zh")
    if name == "title":
        return {"match_phrase": {"title": value}}
    if name in _ESDEDUP_FIELDS:
        return {"term": {f"esdedup.{name}": value}}
    return {"term": {_OWN_FIELDS.get(name, f"meta.{name.removeprefix('meta.')}"): value}}


def _words(text: str, features: FeatureSettings) -> list[str]:
    """The words to look for, the rarest of too many: as typed, and in simplified script where that differs."""
    cut = segmenter(features.dictionary)
    as_typed = unicodedata.normalize("NFKC", text).lower()
    found = [word for form in (normalise(text), as_typed) for words in split_words(form, cut) for word in words]
    words = list(dict.fromkeys(found))
    if len(words) <= _MAX_WORDS:
        return words
    idf = load_idf()  # takes a quarter of a second
    return sorted(words, key=lambda word: -idf.of(word))[:_MAX_WORDS]


def _phrase(words: str) -> dict[str, Any]:
    return {"multi_match": {"query": words, "type": "phrase", "fields": list(_FIELDS)}}
