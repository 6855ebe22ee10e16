"""Texts from bug reports of other tools, told in our own words."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from esdedup import FeatureKind, FeatureSettings, Fingerprinter, Sketch, distance
from esdedup.comparing import compare
from esdedup.errors import InputError
from esdedup.matching import is_duplicate
from esdedup.normalise import count_invisible, normalise
from esdedup.words import segmenter, split_words

CASES = Path(__file__).parents[3] / "shared" / "cases"

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


def test_a_repeated_word_does_not_decide() -> None:
    flood = " 广告" * 5000
    assert gap(PIER + flood, CAFE + flood) > 3
    assert gap(PIER + flood, flood) > 3
    long = "".join(f"{PIER}{n}{CAFE}" for n in range(40))
    assert gap(long, long + flood) < gap(long + flood, flood)


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
    assert count_invisible("a\u200bb\u00adc\ufe0f") == 3
    assert normalise("a bcd") != normalise("ab cd")


def test_a_lone_surrogate_is_harmless() -> None:
    broken, whole = f"smile \ud83d {FERRY}", f"smile \ud83d\ude00 {FERRY}"
    assert gap(broken, whole) <= 3


@given(st.text())
def test_normalising_never_fails_and_is_done_after_once(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    once.encode("utf-8")


@given(st.text(alphabet=st.characters(blacklist_categories=["Cs"]), max_size=60))
def test_splitting_loses_no_letter(text: str) -> None:
    normal = normalise(text)
    words = "".join(word for piece in split_words(normal, segmenter()) for word in piece)
    letters = "".join(c for c in normal if c.isalnum() or "\u3400" <= c <= "\u9fff")
    assert set(letters) <= set(words)


def test_both_segmenters_cut_alike(tmp_path: Path) -> None:
    empty = tmp_path / "none.txt"
    empty.write_text("", "utf-8")
    for text in (PIER, CAFE, FERRY, f"{PIER} mixed 12 ml {CAFE}", "Привет 世界 カナ"):
        assert list(split_words(normalise(text), segmenter(empty))) == list(split_words(normalise(text), segmenter()))


@pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not beside this checkout")
def test_the_two_segmenters_on_real_text(tmp_path: Path) -> None:
    empty = tmp_path / "none.txt"
    empty.write_text("", "utf-8")
    jieba, rjieba = segmenter(empty), segmenter()
    for path in sorted(CASES.glob("b0*.jsonl")):
        for line in path.read_text("utf-8-sig").splitlines():
            text = normalise(json.loads(line).get("text") or "")
            assert list(split_words(text, jieba)) == list(split_words(text, rjieba)), path


def test_a_user_dictionary_segments_and_stamps(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("台风以前 100000 n\n", "utf-8")
    settings = FeatureSettings(dictionary=words)
    assert "台风以前" in Fingerprinter(settings).features(PIER)
    assert settings.stamp != FeatureSettings().stamp


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_a_dictionary_that_cannot_be_used(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "words.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match="dictionary"):
        Fingerprinter(FeatureSettings(dictionary=path))


def test_eight_processes_with_a_dictionary_agree_and_leave_nothing(tmp_path: Path) -> None:
    (tmp_path / "zh.txt").write_text(PIER, "utf-8")
    (tmp_path / "words.txt").write_text("木船 10 n\n", "utf-8")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    (scratch / "jieba.cache").write_bytes(b"of another user")
    command = [sys.executable, "-m", "esdedup", "fingerprint", str(tmp_path / "zh.txt"), "--json"]
    command += ["--dictionary", str(tmp_path / "words.txt")]
    environment = {**os.environ, "TMPDIR": str(scratch)}
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) for _ in range(8)
    ]
    ended = [process.communicate(timeout=120) for process in running]
    assert {error for _, error in ended} == {b""}
    assert len({json.loads(output)[0]["fingerprint"] for output, _ in ended}) == 1
    assert [path.name for path in scratch.iterdir()] == ["jieba.cache"]


def test_settings_that_shape_fingerprints_show_in_the_stamp() -> None:
    kinds = [FeatureSettings(kind) for kind in FeatureKind]
    others = [
        FeatureSettings(size=2),
        FeatureSettings(tf_cap=5),
        FeatureSettings(idf=False),
        FeatureSettings(short_below=3),
    ]
    assert len({settings.stamp for settings in (*kinds, *others)}) == 7
    assert FeatureSettings().stamp == FeatureSettings(size=1).stamp == "simhash64-r1-words1-tf1-idf-rjieba-min8"
    with pytest.raises(InputError):
        FeatureSettings(tf_cap=0)


def test_comparing_says_what_differs() -> None:
    found = compare(PIER, PIER.replace("木船", "铁船"), Fingerprinter())
    assert {feature.feature for feature in found.features} >= {"木船"}
    assert found.distance == len(found.bits)
    assert compare("cat", "cat", Fingerprinter()).weak
