"""Texts from bug reports of other tools, told in our own words."""

import time
import tracemalloc

import pytest

from esdedup import FeatureKind, FeatureSettings, Fingerprinter, Sketch, distance
from esdedup.comparing import compare
from esdedup.matching import is_duplicate
from esdedup.normalise import normalise

PIER = "码头办公室在台风以前清点了四十二条木船，台风以后只剩下三十九条，没有人受伤，可是栈桥丢了最后三块木板和一盏灯。"
CAFE = "咖啡馆的老板娘每天早晨把烤好的面包摆在窗台上，路过的邻居按自己的心意付钱，剩下的都送给街口的食堂。"
FERRY = "The ferry left the quay an hour late because the crew waited for a doctor from the islands."


def sketch(text: str, kind: FeatureKind = FeatureKind.WORDS) -> Sketch:
    return Fingerprinter(FeatureSettings(kind)).sketch(text)


def gap(a: str, b: str) -> int:
    return distance(sketch(a).fingerprint, sketch(b).fingerprint)


def test_chinese_without_blanks_has_features() -> None:
    assert gap(PIER, CAFE) >= 10
    assert min(gap(PIER, FERRY), gap(CAFE, FERRY)) >= 10
    assert {sketch(text).fingerprint for text in (PIER, CAFE, FERRY)}.isdisjoint({0, 2**64 - 1})


@pytest.mark.parametrize("kind", list(FeatureKind))
def test_no_repeated_text_stalls_or_overflows(kind: FeatureKind) -> None:
    texts = ["gale " * 1_000_000, "海港" * 500_000, "船" * 1_000_000, "x" * 1_000_000, PIER.replace("，", "") * 20_000]
    for text in texts:
        started = time.monotonic()
        sketch(text, kind)
        assert time.monotonic() - started < 10


def test_a_word_counts_the_same_300_times_or_a_million() -> None:
    assert sketch("gale " * 300).fingerprint == sketch("gale " * 1_000_000).fingerprint


@pytest.mark.parametrize("kind", list(FeatureKind))
@pytest.mark.parametrize(
    ("unit", "times"), [("gale ", 400_000), ("海港", 300_000), ("船", 1_000_000), ("x", 10**6), (PIER, 10_000)]
)
def test_memory_stays_near_the_size_of_the_text(kind: FeatureKind, unit: str, times: int) -> None:
    fingerprinter = Fingerprinter(FeatureSettings(kind))
    fingerprinter.sketch(PIER)  # loads the tables
    text = unit * times
    tracemalloc.start()
    fingerprinter.sketch(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # There may be as many different runs as characters; each takes 8 bytes, and as much again to sort them.
    most = 10 * len(text.encode()) if kind in (FeatureKind.MIXED, FeatureKind.WORDS) else 45 * len(text)
    assert len(text) < peak < most


def test_a_repeated_word_does_not_decide() -> None:
    flood = " 广告" * 5000
    assert gap(PIER + flood, CAFE + flood) > 3
    assert gap(PIER + flood, flood) > 3
    long = "".join(f"{PIER}{n}" for n in range(80))
    assert gap(long + flood, CAFE * 80 + flood) > 3
    assert gap(long + flood, flood) > 3


def test_short_texts_are_duplicates_only_when_equal() -> None:
    shorts = ["cat", "dog", "是", "否", "第1集", "第2集", "thank you", "no thanks"]
    for kind in FeatureKind:
        sketches = [sketch(text, kind) for text in shorts]
        pairs = [(a, b) for i, a in enumerate(sketches) for b in sketches[:i]]
        assert not [1 for a, b in pairs if is_duplicate(a, b, 11)]
        assert is_duplicate(sketches[0], sketch("Cat ", kind), 0)


def test_empty_texts_are_nobodys_duplicates() -> None:
    for a in ("", " \n", "。，！", "\u200b"):
        assert not is_duplicate(sketch(a), sketch(""), 11)


def test_stop_words_alone_equal_only_themselves() -> None:
    assert not is_duplicate(sketch("的 了 吗"), sketch("the of and"), 11)


def test_numbers_are_features() -> None:
    road = "County road {0} ({0}) runs through the {1} district and is kept by the state.".format
    roads = [road(1506, "Lakeside"), road(1507, "Lakeside"), road(1514, "Hillcrest")]
    assert min(gap(a, b) for i, a in enumerate(roads) for b in roads[:i]) > 3
    assert "1506" in Fingerprinter().features(roads[0])
    drill = "Cordless drill {0} with two gears, a hard case and a charger; price {1} pounds, article {2}.".format
    assert gap(drill("DX1200", 129, 44021), drill("DX1800", 189, 44037)) > 0
    assert sketch(drill("DX1200", 129, 44021)) == sketch(drill("DX1200", 129, 44021))


def test_width_case_and_script_are_folded() -> None:
    assert gap("２０２４年ＧＤＰ增长７.８％" + PIER, "2024年gdp增长7.8%" + PIER) == 0
    assert normalise("ｶﾀｶﾅ　テスト") == normalise("カタカナ テスト")
    traditional = "碼頭辦公室在颱風以前清點了四十二條木船，颱風以後只剩下三十九條，沒有人受傷。"
    simplified = "码头办公室在台风以前清点了四十二条木船，台风以后只剩下三十九条，没有人受伤。"
    assert normalise(traditional) == normalise(simplified)


def test_what_looks_the_same_is_the_same() -> None:
    plain = "Le café près de la forêt a fermé. " + FERRY + PIER
    for hidden in (
        plain.replace("é", "e\u0301"),
        "\u200b".join(plain),
        plain.replace("hour", "ho\u00adur"),
        plain.replace(" ", "\u00a0"),
        "\ufeff" + plain,
        "\u200d".join(plain),
        plain.replace("码头", "码 头"),
    ):
        assert sketch(hidden).digest == sketch(plain).digest


def test_a_lone_surrogate_is_harmless() -> None:
    broken, whole = f"smile \ud83d {FERRY}", f"smile \U0001f600 {FERRY}"
    assert gap(broken, whole) <= 3
    for kind in FeatureKind:
        assert sketch(f"{PIER}\ud83d", kind) == sketch(f"\udc00{PIER}", kind) == sketch(PIER, kind)


def test_comparing_says_what_differs() -> None:
    found = compare(PIER, PIER.replace("木船", "铁船"), Fingerprinter())
    assert {feature.feature for feature in found.features} >= {"木船"}
    assert found.distance == len(found.bits)
    assert compare("cat", "cat", Fingerprinter()).weak
