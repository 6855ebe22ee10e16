"""Search with near-duplicates collapsed: one hit a group."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from esdedup.engine.asking import ask_search
from esdedup.engine.mapping import Collection
from esdedup.engine.query import text_query, where_clause
from esdedup.engine.removal import MARKED
from esdedup.errors import InputError

__all__ = ["Hit", "Results", "SearchOptions", "search"]

_ATTEMPTS = 4  # someone waits
_LAST = 10_000  # from + limit: the engine's result window
_MEMBERS = 100  # similar documents listed under a hit; the engine's limit on inner hits
_ESTIMATED = 1000  # groups from which on the engine's count is called an estimate
_COUNTED = 3000  # groups up to which it is exact, all but surely; a larger table costs every search
_ANALYSED = 999_999  # characters of a text that are looked at for a snippet
_GROUPED: Mapping[str, Any] = {"exists": {"field": "esdedup.group"}}
_SORT = [{"_score": "desc"}, {"doc_id": {"order": "asc", "unmapped_type": "keyword"}}]
_SHOWN = ["doc_id", "title", "url", "esdedup.group"]
_HIGHLIGHT: Mapping[str, Any] = {
    "encoder": "html",
    "max_analyzed_offset": _ANALYSED,
    "fields": {"content": {"fragment_size": 160, "number_of_fragments": 1, "no_match_size": 160}},
}


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """limit hits from number `start` on; collapse: one hit a group; expand: list what is in it.

    where: filters, each `field=value`.
    """

    limit: int = 10
    start: int = 0
    collapse: bool = True
    expand: bool = False
    where: Sequence[str] = ()

    def __post_init__(self) -> None:
        last = self.start + self.limit
        if self.limit < 1 or self.start < 0 or last > _LAST:
            raise InputError(
                f"cannot show hits {self.start} to {last}: the engine pages through the first {_LAST}; "
                "narrow the query or use --where"
            )


@dataclass(frozen=True, slots=True)
class Hit:
    """One hit. similar: how many more documents of its group match; members: up to 100 of them, if asked for.

    snippet: HTML, escaped, with `<em>` around what was found.
    """

    id: str
    title: str
    url: str
    score: float
    snippet: str
    group: str
    similar: int = 0
    members: tuple["Hit", ...] = ()


@dataclass(frozen=True, slots=True)
class Results:
    """groups, documents: everything that matches, on all pages; about: `groups` is an estimate."""

    groups: int
    documents: int
    took_ms: int
    hits: tuple[Hit, ...]
    about: bool = False


def search(collection: Collection, text: str, options: SearchOptions | None = None) -> Results:
    """The documents that match `text`, best first.

    Documents that other programs wrote have no group; each shows on its own.
    """
    options = options or SearchOptions()
    filters = [where_clause(condition) for condition in options.where]
    query = {"bool": {"must": [text_query(text, collection.features)], "filter": filters, "must_not": [MARKED]}}
    body = _body(query, options)
    if not options.collapse:
        return _results(_run(collection, body))
    response = _run(collection, body | {"collapse": _collapse(options)})
    if response["aggregations"]["foreign"]["doc_count"]:
        response = _run_apart(collection, query, body, options)
    return _results(response)


def _body(query: Mapping[str, Any], options: SearchOptions) -> dict[str, Any]:
    return {
        "query": query,
        "from_": options.start,
        "size": options.limit,
        "sort": _SORT,
        "track_scores": True,
        "track_total_hits": True,
        "source_includes": _SHOWN,
        "highlight": _HIGHLIGHT,
        "aggs": {
            "groups": {"cardinality": {"field": "esdedup.group", "precision_threshold": _COUNTED}},
            "foreign": {"missing": {"field": "esdedup.group"}},
        },
    }


def _collapse(options: SearchOptions) -> dict[str, Any]:
    """One hit a group, and how many match in it; the members themselves, with snippets, only where they are shown."""
    members: dict[str, Any] = {"name": "members", "size": 0}
    if options.expand:
        shown = {"size": _MEMBERS, "sort": _SORT, "_source": _SHOWN, "track_scores": True, "highlight": _HIGHLIGHT}
        members |= shown
    return {"field": "esdedup.group", "inner_hits": members}


def _run(collection: Collection, body: Mapping[str, Any]) -> dict[str, Any]:
    return ask_search(collection.client, _ATTEMPTS, index=collection.name, **body)


def _run_apart(
    collection: Collection, query: Mapping[str, Any], body: Mapping[str, Any], options: SearchOptions
) -> dict[str, Any]:
    """Collapsing would show all documents without a group as one: they are searched apart and merged."""
    first = {**body, "from_": 0, "size": options.start + options.limit}
    grouped = first | {
        "query": {"bool": {"must": [query], "filter": [_GROUPED]}},
        "collapse": _collapse(options),
    }
    foreign = first | {"query": {"bool": {"must": [query], "must_not": [_GROUPED]}}}
    answers = [_run(collection, part) for part in (grouped, foreign)]
    hits = sorted((hit for answer in answers for hit in answer["hits"]["hits"]), key=lambda hit: -hit["_score"])
    total = sum(answer["hits"]["total"]["value"] for answer in answers)
    return answers[0] | {
        "took": sum(answer["took"] for answer in answers),
        "hits": {"total": {"value": total}, "hits": hits[options.start : options.start + options.limit]},
        "aggregations": answers[0]["aggregations"] | {"foreign": {"doc_count": answers[1]["hits"]["total"]["value"]}},
    }


def _results(response: Mapping[str, Any]) -> Results:
    counts = response["aggregations"]
    groups = counts["groups"]["value"]
    return Results(
        groups=groups + counts["foreign"]["doc_count"],
        documents=response["hits"]["total"]["value"],
        took_ms=response["took"],
        hits=tuple(_hit(hit) for hit in response["hits"]["hits"]),
        about=groups >= _ESTIMATED,
    )


def _hit(hit: Mapping[str, Any]) -> Hit:
    source = hit["_source"]
    members = hit.get("inner_hits", {}).get("members", {}).get("hits")
    return Hit(
        id=source.get("doc_id", hit["_id"]),
        title=source.get("title", ""),
        url=source.get("url", ""),
        score=hit["_score"],
        snippet=" ".join(hit.get("highlight", {}).get("content", [""])[0].split()),
        group=source.get("esdedup", {}).get("group", hit["_id"]),
        similar=members["total"]["value"] - 1 if members else 0,
        members=tuple(_hit(one) for one in members["hits"] if one["_id"] != hit["_id"]) if members else (),
    )
