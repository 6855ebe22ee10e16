"""The main text of pages of our own: the same article in other frames, other articles in the same frame."""

import random
import time

import pytest

from esdedup import Fingerprinter, distance
from esdedup.extract import extract

STORM = [
    "The storm came over the bar at four in the morning, an hour before the tide, and nobody had taken in the nets.",
    "By the time the harbour master had his boots on, two boats were on the rocks; the others rode it out.",
    "At first light the women counted masts from the church wall. Thirty one, they said, and then, slowly, thirty two.",
    "The insurance man will come on Friday, if the road by the quarry is open, and bring his camera and his forms.",
]
BAKERY = [
    "小面包店的老板娘每天四点起床，先把炉子烧热，再把昨天晚上揉好的面团分成小块，一个一个摆在木板上。",
    "第一批面包出炉的时候，街上还没有人，只有送牛奶的车子经过，司机总是停下来买两个，付钱的时候也不说话。",
    "到了六点，附近学校的老师们来了，他们喜欢坐在窗边，一边喝茶一边改作业，走的时候把碎屑扫进手心里。",
    "有人劝她把店搬到车站旁边去，她说不必，面包在哪里都是一样的，只是这里的人知道她的炉子什么时候热。",
]
LINKS = "Home News Weather Sport Tides Boats Prices Letters Archive About Contact Subscribe Help Jobs Shop".split()


def paper(article: list[str]) -> str:
    menu = "".join(f'<li><a href="/{name}">{name} of the coast today</a></li>' for name in LINKS)
    return f"""<html><head><title>The Coast Paper</title></head><body><div class="top"><ul>{menu}</ul></div>
    <div id="content"><h1>Today</h1>{"".join(f"<p>{p}</p>" for p in article)}</div>
    <div class="comments"><p>I was there, and I say it was much worse than you write; my cousin lost a dinghy.</p></div>
    <footer><p>Printed by the Coast Paper, which asks, as it must, that nothing be copied without a letter.</p></footer>
    </body></html>"""


def blog(article: list[str]) -> str:
    related = "".join(
        f'<div class=card><a href="/p/{n}">Another story, number {n}, and a long one</a></div>' for n in range(12)
    )
    return f"""<body class="two-columns"><header><a href=/>My notes</a></header><main><section>
    {"<br><br>".join(article)}</section></main><aside>Written in a kitchen, read in others, or so I hope.</aside>
    <div class="related-posts">{related}</div></body>"""


def fingerprint(text: str) -> int:
    return Fingerprinter().sketch(text).fingerprint


@pytest.mark.parametrize("article", [STORM, BAKERY], ids=["en", "zh"])
@pytest.mark.parametrize("frame", [paper, blog])
def test_the_article_is_found_and_nothing_else(article: list[str], frame: object) -> None:
    page = extract(paper(article) if frame is paper else blog(article))
    assert not page.whole
    for paragraph in article:
        assert paragraph in page.text
    for other in ("Weather", "my cousin", "Printed by", "Another story", "kitchen"):
        assert other not in page.text


def test_one_article_on_two_sites_is_near_and_two_on_one_site_are_not() -> None:
    for article, other in ((STORM, BAKERY), (BAKERY, STORM)):
        here = fingerprint(extract(paper(article)).text)
        assert distance(here, fingerprint(extract(blog(article)).text)) <= 3
        assert distance(here, fingerprint(extract(paper(other)).text)) > 11


def test_blocks_are_never_glued() -> None:
    assert extract("<ul><li>Home</li><li>News</li></ul>").text.split() == ["Home", "News"]
    assert extract("<p>One thing, said first.</p><p>Another thing, said next.</p>").text.count("\n") == 1


def test_the_same_page_gives_the_same_text_whatever_came_before() -> None:
    pages = [paper(STORM), blog(STORM), paper(BAKERY), blog(BAKERY), "<p>short", ""]
    alone = {page: extract(page) for page in pages}
    order = pages * 5
    random.Random(3).shuffle(order)
    assert [extract(page) for page in order] == [alone[page] for page in order]


def test_large_pages_keep_their_names_and_links() -> None:
    filler = f'<div class="comment">{"<span>what a story that was, I say</span>" * 400}</div>' * 3
    page = paper(STORM).replace("</body>", f"{filler}</body>")
    assert page.count("<") > 1000  # such pages are flattened first
    text = extract(page).text
    assert STORM[2] in text
    assert "what a story" not in text
    assert "Weather" not in text


def test_a_page_of_links_only_is_taken_whole() -> None:
    page = extract("".join(f"<li><a href=/{name}>{name}</a></li>" for name in LINKS * 3))
    assert page.whole
    assert page.text.split() == LINKS * 3


@pytest.mark.parametrize("html", ["", "<p>", "<body></body>", "<frameset><frame src=a></frameset>"])
def test_an_empty_page_is_not_a_whole_one(html: str) -> None:
    assert extract(html)[1:] == ("", None, "", False)


def test_ten_million_characters_take_less_than_ten_seconds() -> None:
    page = paper(STORM * 20_000)
    assert len(page) > 8_000_000
    started = time.monotonic()
    assert len(extract(page).text) > 8_000_000
    assert time.monotonic() - started < 10


POSTS = "".join(f'<div class="comment">{p}</div>' for p in STORM)


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        (f"<h1>Harbour thread</h1><nav><a href=/>Home</a></nav>{POSTS}", STORM),
        (f'<div id="comments"><h2>4 answers</h2>{POSTS}</div>', STORM),
        (f"<aside><p>{STORM[0]}</p></aside>", STORM[:1]),
        (f"<footer><p>{STORM[0]}</p><p>{STORM[1]}</p></footer>", STORM[:2]),
        (f'<p>Now.</p><div class="commentary"><p>{STORM[0]}</p><p>{STORM[2]}</p></div>', [STORM[0], STORM[2]]),
        (f'<div class="unrelated"><p>{STORM[3]}</p></div><p>Now.</p>', [STORM[3]]),
    ],
    ids=["thread", "answers", "aside", "footer", "commentary", "unrelated"],
)
def test_what_is_all_there_is_stays_whatever_its_name(html: str, kept: list[str]) -> None:
    page = extract(html)
    assert not page.whole
    assert "Home" not in page.text
    for paragraph in kept:
        assert paragraph in page.text


@pytest.mark.parametrize(
    "name", ["comment", "post-comments", "commentlist", "userComments", "related_posts", "navfooter", "left_sidebar"]
)
def test_parts_named_as_something_else_go(name: str) -> None:
    page = "".join(f"<p>{p}</p>" for p in STORM) + f'<div class="{name}"><p>{BAKERY[0]}</p></div>'
    assert BAKERY[0] not in extract(page).text


def test_a_page_of_navigation_is_taken_whole() -> None:
    page = extract("<nav><a href=/>Home</a> <a href=/n>News</a></nav>")
    assert (page.text, page.whole) == ("Home News", True)
