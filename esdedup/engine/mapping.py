"""The index: its fields, how it is made, and whether an existing one is ours."""

import difflib
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from importlib import resources
from pathlib import Path
from typing import Any

from elasticsearch import Elasticsearch, NotFoundError

from esdedup.confirming import Confirmation
from esdedup.errors import InputError, MappingMismatch, NoSuchIndex, StampMismatch
from esdedup.settings import DEFAULT_K, MAX_K, FeatureKind, FeatureSettings

__all__ = [
    "DEFAULT_INDEX",
    "Collection",
    "IndexOptions",
    "create_index",
    "ensure_index",
    "expected_mapping",
    "index_exists",
    "open_index",
    "planned_collection",
]

DEFAULT_INDEX = "esdedup"

_SURROGATE = re.compile("[\ud800-\udfff]")
_NAME = re.compile(r"[^-_+.\s][^\s\\/*?\"<>|,#:]{0,200}")


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """How to make an index.

    name: the alias; the index behind it is `<name>-000001`.
    shards: None for one. replicas: None lets the engine keep 0 on one node and 1 on more.
    analyzer: analysis of title and content, for a cluster that has a better one than `standard`.
    k, features: the distance within which documents join a group, and what fingerprints are made of; None
    takes what an existing index has, or the default.
    confirmation: what the texts of two documents within k must share to join; None: what the index has, or nothing.
    """

    name: str = DEFAULT_INDEX
    shards: int | None = None
    replicas: int | None = None
    analyzer: str | None = None
    k: int | None = None
    features: FeatureSettings | None = None
    confirmation: Confirmation | None = None

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name) or _SURROGATE.search(self.name) or self.name != self.name.lower():
            raise InputError(f"{self.name!r} cannot name an index: use small letters, digits, '-', '_' and '.'")
        if self.k is not None and not 0 <= self.k <= MAX_K:
            raise InputError(f"k = {self.k} is out of range: four 16-bit blocks find everything up to k = {MAX_K}")


@dataclass(frozen=True, slots=True)
class Collection:
    """An opened index: the client, its name, and how its fingerprints were made.

    is_alias: the name is an alias. Writing then never makes an index of that name, should it have gone.
    confirmation: what the texts of two documents must share besides, None for nothing.
    """

    client: Elasticsearch
    name: str
    k: int
    features: FeatureSettings
    is_alias: bool = True
    confirmation: Confirmation | None = None


def ensure_index(client: Elasticsearch, options: IndexOptions) -> Collection:
    """The index, made if it was missing. Raises InputError for one made with other settings."""
    if not index_exists(client, options.name):
        return create_index(client, options)
    wanted = planned_collection(client, options)
    collection = open_index(client, options.name, wanted.features.dictionary)
    for has, asked, given in (
        (f"k = {collection.k}", f"k = {options.k}", options.k is not None),
        (collection.features.stamp, wanted.features.stamp, options.features is not None),
        (_spelt(collection.confirmation), _spelt(options.confirmation), options.confirmation is not None),
        *_made_with(client, options),
    ):
        if given and has != asked:
            raise InputError(
                f"index {options.name!r} was made with {has}, not {asked}: leave that option out, or name another -i"
            )
    return collection


def _made_with(client: Elasticsearch, options: IndexOptions) -> Iterator[tuple[str, str, bool]]:
    """Shards, replicas and analyzer of an existing index, what was asked for, and whether it was."""
    wanted = {"--shards": options.shards, "--replicas": options.replicas, "--analyzer": options.analyzer}
    if any(value is not None for value in wanted.values()):
        (found,) = client.indices.get(index=options.name).body.values()
        settings, content = found["settings"]["index"], found["mappings"]["properties"]["content"]
        has = {
            "--shards": settings["number_of_shards"],
            "--replicas": settings["number_of_replicas"],
            "--analyzer": content.get("analyzer", "standard"),
        }
        for name, value in wanted.items():
            yield f"{name} {has[name]}", f"{value}", value is not None and str(has[name]) != str(value)


def create_index(client: Elasticsearch, options: IndexOptions) -> Collection:
    """Make `<name>-000001` and the alias `name` on it."""
    if index_exists(client, options.name):
        raise InputError(f"index {options.name!r} exists already")
    collection = planned_collection(client, options)
    body = _index_body(collection, options)
    client.indices.create(
        index=f"{options.name}-000001",
        aliases={options.name: {"is_write_index": True}},
        settings=body["settings"],
        mappings=body["mappings"],
    )
    return collection


def index_exists(client: Elasticsearch, name: str) -> bool:
    """Whether there is an index or alias of that name."""
    try:
        client.indices.get_alias(index=name)  # the shorter question, a HEAD, is refused without a reason
    except NotFoundError:
        return False
    return True


def planned_collection(client: Elasticsearch, options: IndexOptions) -> Collection:
    """What `create_index` would make."""
    k = DEFAULT_K if options.k is None else options.k
    features = options.features or FeatureSettings()
    return Collection(client, options.name, k, features, confirmation=options.confirmation)


def open_index(client: Elasticsearch, name: str, dictionary: Path | None = None) -> Collection:
    """An existing index, checked: its fields are ours, and its fingerprints can be made again here.

    dictionary: the user dictionary it was made with, where the path that it noted does not serve.
    Raises NoSuchIndex, MappingMismatch or StampMismatch.
    """
    if not name or _SURROGATE.search(name):  # which no address can hold
        raise NoSuchIndex(f"no index {name!r}")
    concrete, mapping = _read_mapping(client, name)
    _check_fields(name, mapping)
    note = mapping["_meta"]["esdedup"]
    features = _features_from(name, note, dictionary)
    if features.stamp != note["algo"]:
        raise StampMismatch(
            f"index {name!r} was made with {note['algo']}; here the same settings give {features.stamp}: "
            "pass the user dictionary it was made with, or the esdedup version that made it"
        )
    confirmation = Confirmation(**note["confirmation"]) if note.get("confirmation") else None
    return Collection(client, name, int(note["k"]), features, concrete != name, confirmation)


def expected_mapping() -> dict[str, Any]:
    """The fields and settings of `mappings/documents.json`."""
    inside = resources.files("esdedup") / "mappings" / "documents.json"
    beside = Path(__file__).parents[2] / "mappings" / "documents.json"  # a checkout, installed in place
    text = inside.read_text("utf-8") if inside.is_file() else beside.read_text("utf-8")
    body: dict[str, Any] = json.loads(text)
    return body


def _index_body(collection: Collection, options: IndexOptions) -> dict[str, Any]:
    body = expected_mapping()
    index = body["settings"]["index"]
    index["number_of_shards"] = options.shards or 1
    if options.replicas is not None:
        index["auto_expand_replicas"] = False
        index["number_of_replicas"] = options.replicas
    if options.analyzer:
        for name in ("title", "content"):
            body["mappings"]["properties"][name]["analyzer"] = options.analyzer
    features = collection.features
    note = {"algo": features.stamp, "k": collection.k, "features": _features_note(features)}
    if collection.confirmation is not None:
        note["confirmation"] = asdict(collection.confirmation)
    body["mappings"]["_meta"] = {"esdedup": note}
    return body


def _read_mapping(client: Elasticsearch, name: str) -> tuple[str, Mapping[str, Any]]:
    try:
        found = client.indices.get_mapping(index=name).body
    except NotFoundError:
        raise NoSuchIndex(f"no index {name!r}{_close_names(client, name)}") from None
    if len(found) != 1:
        raise MappingMismatch(f"{name!r} stands for {len(found)} indexes: name one of {', '.join(sorted(found))}")
    ((concrete, index),) = found.items()
    return concrete, index["mappings"]


def _close_names(client: Elasticsearch, name: str) -> str:
    """What the user may have meant, or how to make an index."""
    aliases = client.indices.get_alias(index="*", expand_wildcards="open").body
    # An index that has an alias is known by that.
    names = {name for index, has in aliases.items() for name in has["aliases"] or [index]}
    close = difflib.get_close_matches(name, sorted(n for n in names if not n.startswith(".")))
    if close:
        return f": did you mean {' or '.join(close)}?"
    return f": 'esdedup index PATH -i {shlex.quote(name)}' makes it"


def _check_fields(name: str, mapping: Mapping[str, Any]) -> None:
    if "esdedup" not in mapping.get("_meta", {}):
        raise MappingMismatch(f"index {name!r} was not made by esdedup (no _meta.esdedup in its mapping)")
    expected = expected_mapping()["mappings"]["properties"]
    wrong = _differing_fields(expected, mapping.get("properties", {}))
    if wrong:
        raise MappingMismatch(
            f"the mapping of index {name!r} is not ours in {', '.join(wrong)}: index into a new one (-i)"
        )


def _differing_fields(expected: Mapping[str, Any], found: Mapping[str, Any], prefix: str = "") -> list[str]:
    wrong: list[str] = []
    for field_name, wanted in expected.items():
        has = found.get(field_name, {})
        if "properties" in wanted:
            wrong += _differing_fields(wanted["properties"], has.get("properties", {}), f"{field_name}.")
        elif has.get("type") != wanted["type"]:
            wrong.append(f"{prefix}{field_name} ({has.get('type', 'missing')}, not {wanted['type']})")
    return wrong


def _spelt(confirmation: Confirmation | None) -> str:
    if confirmation is None:
        return "no confirmation"
    numbers = {None: "", True: " --distinct-numbers", False: " --same-numbers"}
    threshold = f"--confirm {confirmation.threshold:g}" if confirmation.threshold else ""
    return (threshold + numbers[confirmation.distinct_numbers]).strip() or "--confirm 0"


def _features_note(features: FeatureSettings) -> dict[str, object]:
    return {**asdict(features), "dictionary": str(features.dictionary) if features.dictionary else None}


def _features_from(name: str, note: Mapping[str, Any], dictionary: Path | None) -> FeatureSettings:
    noted = dict(note["features"])
    if noted.keys() != {field.name for field in fields(FeatureSettings)}:
        raise StampMismatch(
            f"index {name!r} was made by another version of esdedup ({note['algo']}): "
            "use that version, or index into a new one (-i)"
        )
    noted["dictionary"] = noted["dictionary"] and (dictionary or Path(noted["dictionary"]))
    return FeatureSettings(**{**noted, "kind": FeatureKind(noted["kind"])})
