"""One hit a group, true counts, pages that neither repeat nor lose a group."""

from dataclasses import replace

import pytest

from esdedup.document import Document, Status
from esdedup.engine.lookup import group_members, largest_groups
from esdedup.engine.mapping import Collection, IndexOptions, create_index
from esdedup.engine.search import SearchOptions, search
from esdedup.errors import InputError
from esdedup.fingerprinter import Sketch
from tests.engine.made import Made, made, take

pytestmark = pytest.mark.engine


def about(doc_id: str, fingerprint: int, text: str, title: str = "", **meta: object) -> Made:
    document, sketch = made(doc_id, fingerprint * 0x9E3779B97F4A7C15 & (1 << 64) - 1, text)
    return replace(document, title=title, meta=meta), sketch


def twenty_five_groups() -> list[Made]:
    sizes = [5, 4, 4, 3, 3, 3] + [2] * 19
    members = [(group, n) for group, size in enumerate(sizes) for n in range(size)]
    return [about(f"g{g:02}-{n}", g * 0x1111111111, f"harbour storm of the year {1900 + g}") for g, n in members]


def test_pages_hold_each_group_once(collection: Collection) -> None:
    sharded = create_index(collection.client, IndexOptions(f"{collection.name}-sharded", shards=3))
    take(sharded, twenty_five_groups())
    pages = [search(sharded, "harbour storm", SearchOptions(10, start)) for start in (0, 10, 20, 30)]
    assert [len(page.hits) for page in pages] == [10, 10, 5, 0]
    assert {(page.groups, page.documents, page.about) for page in pages} == {(25, 60, False)}
    groups = [hit.group for page in pages for hit in page.hits]
    assert len(set(groups)) == 25
    assert sum(1 + hit.similar for page in pages for hit in page.hits) == 60


def test_without_collapse_every_document_is_a_hit(collection: Collection) -> None:
    take(collection, twenty_five_groups())
    page = search(collection, "harbour storm", SearchOptions(100, collapse=False))
    assert len(page.hits) == 60 == page.documents


def test_documents_of_other_programs_each_show(collection: Collection) -> None:
    take(
        collection,
        [about("a", 0, "harbour storm"), about("b", 0, "harbour storm"), about("c", 99, "harbour storm")],
    )
    for n in range(5):
        collection.client.index(index=collection.name, id=f"foreign{n}", document={"content": f"harbour storm {n}"})
    collection.client.indices.refresh(index=collection.name)
    page = search(collection, "harbour storm")
    assert (page.groups, page.documents) == (7, 8)
    assert {hit.id for hit in page.hits} >= {f"foreign{n}" for n in range(5)}
    halves = [search(collection, "harbour storm", SearchOptions(4, start)) for start in (0, 4)]
    assert [hit.id for half in halves for hit in half.hits] == [hit.id for hit in page.hits]


def test_a_large_group_is_counted_listed_and_capped(collection: Collection) -> None:
    take(collection, [about(f"d{n:04}", 0, "harbour storm") for n in range(1500)], size=500)
    (hit,) = search(collection, "harbour", SearchOptions(expand=True)).hits
    assert hit.similar == 1499
    assert 90 <= len(hit.members) <= 100
    assert len({member.id for member in group_members(collection, hit.group)}) == 1500
    (group,) = largest_groups(collection)
    assert (group.size, group.leader) == (1500, "d0000")


def test_beyond_the_result_window_is_refused() -> None:
    with pytest.raises(InputError, match="10000"):
        SearchOptions(limit=10, start=9995)


def test_filters_on_our_fields_and_the_callers(collection: Collection) -> None:
    take(
        collection,
        [
            about("a", 0, "storm", lang="zh", place="Ayr"),
            about("b", 0xFFFF, "storm", lang="en", place="Oban"),
        ],
    )
    found = {c: [h.id for h in search(collection, "storm", SearchOptions(where=(c,))).hits] for c in WHERE}
    assert found == {
        "lang=zh": ["a"],
        "place=Oban": ["b"],
        "meta.place=Ayr": ["a"],
        "id=b": ["b"],
        "group=a": ["a"],
    }


WHERE = ("lang=zh", "place=Oban", "meta.place=Ayr", "id=b", "group=a")


def test_a_filter_without_a_value_is_refused(collection: Collection) -> None:
    with pytest.raises(InputError, match="field=value"):
        search(collection, "storm", SearchOptions(where=("lang",)))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("和服", ["kimono"]),
        ("面包店", ["bakery"]),
        ("站附近", ["bakery", "kimono"]),
        ("火车站 面包", ["bakery"]),
        ("麵包店", ["bakery"]),
        ('"附近的面包店"', ["bakery"]),
        ("GDP 增长", ["gdp"]),
    ],
)
def test_chinese_words_are_found(collection: Collection, query: str, expected: list[str]) -> None:
    take(
        collection,
        [
            about("bakery", 1 << 10, "火车站附近的面包店重新开始按重量出售面包。", "面包"),
            about("kimono", 1 << 20, "她穿着一件蓝色的和服走进车站附近的茶馆。"),
            about("gdp", 1 << 30, "去年GDP增长百分之七点八。"),
        ],
    )
    page = search(collection, query)
    assert sorted(hit.id for hit in page.hits) == expected


def test_snippets_show_what_was_found_and_are_safe_html(collection: Collection) -> None:
    take(collection, [about("a", 0, "Before <b>the</b> storm & after it, 风暴之后码头关闭。")])
    assert "<em>storm</em> &amp; after" in search(collection, "storm").hits[0].snippet
    assert "&lt;b&gt;" in search(collection, "storm").hits[0].snippet
    assert "<em>" in search(collection, "码头").hits[0].snippet


def test_a_pasted_page_of_words_is_a_query(collection: Collection) -> None:
    words = " ".join(f"word{n}" for n in range(50_000))
    take(collection, [about("a", 0, "word1 word2"), about("b", 5, words[:2000])])
    assert search(collection, words).documents >= 0


def test_a_very_long_text_has_a_snippet(collection: Collection) -> None:
    document, sketch = Document("long", "storm " + "padding words " * 150_000), Sketch(5, "d", Status.OK, 30)
    take(collection, [(document, sketch)])
    assert "<em>storm</em>" in search(collection, "storm").hits[0].snippet


def test_an_empty_query_finds_everything(collection: Collection) -> None:
    take(collection, [about("a", 0, "one"), about("b", 1 << 30, "two")])
    assert search(collection, " ").documents == 2
