"""Making and opening indexes: nothing foreign, misspelt or incompatible gets through in silence."""

from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from esdedup.document import Document
from esdedup.engine.lookup import duplicates_of, get_document
from esdedup.engine.mapping import Collection, IndexOptions, create_index, ensure_index, open_index
from esdedup.errors import InputError, MappingMismatch, NoSuchIndex, StampMismatch
from esdedup.settings import FeatureKind, FeatureSettings
from tests.engine.made import made, run, take

pytestmark = pytest.mark.engine


def test_an_opened_index_has_the_settings_it_was_made_with(client: Elasticsearch, index_name: str) -> None:
    settings = FeatureSettings(FeatureKind.CHARS, size=3, tf_power=2)
    create_index(client, IndexOptions(index_name, shards=2, k=5, features=settings))
    opened = open_index(client, index_name)
    assert (opened.k, opened.features) == (5, settings)


def test_the_alias_stands_for_a_numbered_index(collection: Collection) -> None:
    index = collection.client.indices.get(index=collection.name).body
    assert list(index) == [f"{collection.name}-000001"]
    assert collection.client.cluster.health(index=collection.name)["status"] == "green"


def test_a_misspelt_name_is_answered_with_close_ones(collection: Collection) -> None:
    with pytest.raises(NoSuchIndex, match=f"did you mean {collection.name}"):
        open_index(collection.client, collection.name + "x")
    assert not collection.client.indices.exists(index=collection.name + "x")


def test_a_name_like_no_other_is_answered_with_how_to_make_it(client: Elasticsearch) -> None:
    with pytest.raises(NoSuchIndex, match="esdedup index PATH -i zzzz"):
        open_index(client, "zzzz")


def test_an_index_of_another_program_is_refused(client: Elasticsearch, index_name: str) -> None:
    client.index(index=index_name, document={"esdedup": {"b0": "00ff"}}, refresh=True)
    with pytest.raises(MappingMismatch, match="not made by esdedup"):
        open_index(client, index_name)


def test_a_block_field_of_another_type_is_named(collection: Collection, index_name: str) -> None:
    mapping = collection.client.indices.get_mapping(index=index_name).body[f"{index_name}-000001"]["mappings"]
    mapping["properties"]["esdedup"]["properties"]["b2"] = {"type": "text"}
    collection.client.indices.create(index=f"{index_name}-dynamic", mappings=mapping)
    with pytest.raises(MappingMismatch, match=r"esdedup\.b2 \(text, not keyword\)"):
        open_index(collection.client, f"{index_name}-dynamic")


def test_other_settings_than_asked_for_are_refused(collection: Collection) -> None:
    client, name = collection.client, collection.name
    assert ensure_index(client, IndexOptions(name)).k == 3
    with pytest.raises(InputError, match="k = 3, not k = 4"):
        ensure_index(client, IndexOptions(name, k=4))
    with pytest.raises(InputError, match="chars4"):
        ensure_index(client, IndexOptions(name, features=FeatureSettings(FeatureKind.CHARS)))


def test_a_changed_user_dictionary_is_refused(client: Elasticsearch, index_name: str, tmp_path: Path) -> None:
    dictionary = tmp_path / "words.txt"
    dictionary.write_text("风暴潮 100 n\n", "utf-8")
    create_index(client, IndexOptions(index_name, features=FeatureSettings(dictionary=dictionary)))
    assert open_index(client, index_name).features.dictionary == dictionary
    dictionary.write_text("风暴潮位 100 n\n", "utf-8")
    with pytest.raises(StampMismatch, match="user dictionary"):
        open_index(client, index_name)


def test_an_index_is_not_made_twice(collection: Collection) -> None:
    with pytest.raises(InputError, match="exists already"):
        create_index(collection.client, IndexOptions(collection.name))


def test_k_beyond_full_recall_is_refused() -> None:
    with pytest.raises(InputError, match="up to k = 11"):
        IndexOptions(k=12)


@pytest.mark.parametrize("name", ["Bad", "a b", "-a", "a/b", "a*", "", "a:b"])
def test_a_name_that_the_engine_would_refuse(name: str) -> None:
    with pytest.raises(InputError, match="cannot name an index"):
        IndexOptions(name)


def test_a_first_value_that_looks_like_a_date_binds_nobody(collection: Collection) -> None:
    run(collection, Document("a", "text", "2017-01-01", meta={"when": "2017-01-01"}))
    run(collection, Document("b", "text", "My name", meta={"when": "never", "deep": {"more": [1, "x"]}}))
    assert get_document(collection, "b")["meta"] == {"when": "never", "deep": {"more": [1, "x"]}}


def test_our_analyzer_can_be_another(client: Elasticsearch, index_name: str) -> None:
    create_index(client, IndexOptions(index_name, analyzer="whitespace"))
    mapping = client.indices.get_mapping(index=index_name).body[f"{index_name}-000001"]["mappings"]
    assert mapping["properties"]["content"]["analyzer"] == "whitespace"


def test_documents_that_are_not_there_are_named(collection: Collection) -> None:
    take(collection, [made("a", 0)])
    with pytest.raises(InputError, match="no document 'b'"):
        duplicates_of(collection, "b")


@pytest.mark.parametrize("given", [{"shards": 2}, {"analyzer": "simple"}, {"replicas": 3}])
def test_what_only_a_new_index_takes_is_refused_for_another(collection: Collection, given: dict[str, Any]) -> None:
    (name,) = given
    with pytest.raises(InputError, match=f"was made with --{name} .*, not {given[name]}"):
        ensure_index(collection.client, IndexOptions(collection.name, **given))
    assert ensure_index(collection.client, IndexOptions(collection.name, shards=1)) == collection
