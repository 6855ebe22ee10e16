"""Segmentation: two segmenters that must agree, and a user's dictionary that must leave no trace."""

import gzip
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from esdedup import FeatureKind, FeatureSettings, Fingerprinter
from esdedup.errors import InputError
from esdedup.idf import load_idf
from esdedup.normalise import HAN, normalise
from esdedup.words import Cut, segmenter, split_words

DATA = Path(__file__).parents[3] / "shared" / "data"

PIER = "码头办公室在台风以前清点了四十二条木船，台风以后只剩下三十九条，没有人受伤。"
SAMPLES = [
    PIER,
    "咖啡馆的老板娘每天早晨把烤好的面包摆在窗台上，路过的邻居按自己的心意付钱。",
    "The ferry left the quay an hour late; its crew waited for a doctor.",
    "型号XR-500的钻头12mm，电话010-12345678，看www.example.org/路径?页=2，C和D都行",
    "Привет 世界 カナ漢字交じり 항구 港口 नमस्ते 々〇",
    "生僻字㐀㐁𠀀𠮟与常用字混排",
    "南京市长江大桥研究生命起源结婚的和尚未结婚的",
    "船" * 300,
]
MIXED = st.lists(
    st.sampled_from([*"港口办公室研究生命起源的中国人民银行", "南京市", "㐀", "𠀀", "a1", "カ", "한", ",", " "])
)


@pytest.fixture(scope="module")
def jieba(tmp_path_factory: pytest.TempPathFactory) -> Cut:
    """jieba itself, which segments when there is a user dictionary: here one without words."""
    empty = tmp_path_factory.mktemp("dictionary") / "none.txt"
    empty.write_text("", "utf-8")
    return segmenter(empty)


def words(text: str, cut: Cut) -> list[str]:
    return list(chain.from_iterable(split_words(normalise(text), cut)))


def naive_words(normal: str, cut: Cut) -> list[str]:
    """Chinese runs cut one by one, other runs of letters and digits as they are."""
    runs: list[str] = re.findall(f"[{HAN}]+|(?:(?![{HAN}_])\\w)+", normal)
    return [word for run in runs for word in (cut(run) if re.match(f"[{HAN}]", run) else [run])]


@pytest.mark.parametrize("text", SAMPLES)
def test_words_are_those_of_each_run(text: str, jieba: Cut) -> None:
    for cut in segmenter(), jieba:
        assert words(text, cut) == naive_words(normalise(text), segmenter())


def test_both_segmenters_cut_any_mixture_alike(jieba: Cut) -> None:
    @given(MIXED)
    def cut_alike(parts: list[str]) -> None:
        text = "".join(parts)
        assume(not re.search(r"(.)\1\1", text))  # two ways as likely as each other: rounding decides
        assert words(text, jieba) == words(text, segmenter()) == naive_words(normalise(text), segmenter())

    cut_alike()


@given(st.text(max_size=60))
def test_splitting_loses_no_letter(text: str) -> None:
    normal = normalise(text)
    letters = [c for c in normal if c.isalnum() or re.match(f"[{HAN}]", c)]
    assert [c for c in "".join(words(text, segmenter())) if c.isalnum() or re.match(f"[{HAN}]", c)] == letters


def test_words_of_letters_and_marks_are_known_to_the_dictionary() -> None:
    assert words("他用C++写程序，穿T恤", segmenter()) == ["他", "用", "c++", "写", "程序", "穿", "t", "恤"]


def test_long_texts_are_cut_at_blanks() -> None:
    english = " ".join(f"word{n}" for n in range(30_000))
    pieces = list(split_words(english, segmenter()))
    assert len(pieces) > 1
    assert list(chain.from_iterable(pieces)) == english.split()
    chinese = "港口办公室" * 40_000  # no blank: a word is cut at each 65,536 characters, none is lost
    assert "".join(chain.from_iterable(split_words(chinese, segmenter()))) == chinese
    assert set(chain.from_iterable(split_words(chinese, segmenter()))) >= set(words("港口办公室", segmenter()))


@pytest.mark.skipif(not DATA.exists(), reason="no ../shared/data beside this checkout: real texts are not compared")
def test_both_segmenters_cut_real_texts_alike(jieba: Cut) -> None:
    compared = 0
    for path in sorted(DATA.glob("*/docs.jsonl.gz")):
        for text in islice(real_texts(path), 8):
            assert words(text, jieba) == words(text, segmenter()), path
            compared += len(text)
    assert compared > 100_000


def real_texts(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            yield (record.get("text") or record.get("main") or record["html"])[:5000]


def test_rare_words_weigh_more_and_unknown_ones_the_median() -> None:
    idf = load_idf()
    assert 0 < idf.of("的") < idf.of("中国") < idf.of("码头")
    assert 0 < idf.of("the") < idf.of("system") < idf.of("harbour") < idf.of("xylophonist")
    assert idf.of("no such word") == idf.of("xylophonist") == idf.default


def test_longer_numbers_are_rarer_and_years_common() -> None:
    idf = load_idf()
    assert idf.of("7") < idf.of("42") < idf.of("2026") < idf.of("300") < idf.of("12345") == idf.default


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_a_user_dictionary_segments_and_stamps(tmp_path: Path) -> None:
    settings = FeatureSettings(dictionary=write(tmp_path / "a.txt", "台风以前 100000 n\r\n木船上 5\n\n新词\n"))
    assert "台风以前" in Fingerprinter(settings).features(PIER)
    assert "台风以前" not in Fingerprinter().features(PIER)
    same = FeatureSettings(dictionary=write(tmp_path / "b.txt", "台风以前 100000 n\r\n木船上 5\n\n新词\n"))
    other = FeatureSettings(dictionary=write(tmp_path / "c.txt", "台风以前 100001 n\n"))
    assert settings.stamp == same.stamp
    assert len({settings.stamp, other.stamp, FeatureSettings().stamp}) == 3
    assert "台风以前" not in Fingerprinter().features(PIER), "one dictionary must not leak into another segmenter"


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00", "台风\n".encode("gbk")], ids=["missing", "binary", "gbk"])
def test_a_dictionary_that_cannot_be_used(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "words.txt"
    if content is not None:
        write(path, content)
    with pytest.raises(InputError, match=r"dictionary.*words\.txt"):
        Fingerprinter(FeatureSettings(dictionary=path))


@pytest.mark.parametrize("name", ["missing.txt", "."])
def test_no_stamp_of_a_dictionary_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="dictionary"):
        _ = FeatureSettings(FeatureKind.SHINGLES, dictionary=tmp_path / name).stamp


# Writes down every file that is opened other than for reading: a file system that is read-only would refuse those.
WATCHED = """
import os, sys
written = []
def watch(event, arguments):
    if event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND):
        written.append(arguments[0])
    elif event in ("os.mkdir", "os.rename", "os.remove", "shutil.move"):
        written.append(event)
sys.addaudithook(watch)
from pathlib import Path
from esdedup import FeatureSettings, Fingerprinter, to_hex
text = Path(sys.argv[2]).read_text("utf-8")
print(to_hex(Fingerprinter(FeatureSettings(dictionary=Path(sys.argv[1]))).sketch(text).fingerprint), written)
"""


def test_a_dictionary_prints_nothing_and_writes_nothing(tmp_path: Path) -> None:
    dictionary, text = write(tmp_path / "words.txt", "木船 10 n\n"), write(tmp_path / "zh.txt", PIER)
    command = [sys.executable, "-B", "-c", WATCHED, str(dictionary), str(text)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    expected = Fingerprinter(FeatureSettings(dictionary=dictionary)).sketch(PIER).fingerprint
    assert (ended.stdout, ended.stderr) == (f"{expected:016x} []\n", "")


def test_eight_processes_with_a_dictionary_agree_and_leave_nothing(tmp_path: Path) -> None:
    text, dictionary = write(tmp_path / "zh.txt", PIER), write(tmp_path / "words.txt", "木船 10 n\n")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    write(scratch / "jieba.cache", b"of another user")
    command = [sys.executable, "-m", "esdedup", "fingerprint", str(text), "--json", "--dictionary", str(dictionary)]
    environment = {**os.environ, "TMPDIR": str(scratch), "TEMP": str(scratch), "TMP": str(scratch)}
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) for _ in range(8)
    ]
    ended = [process.communicate(timeout=120) for process in running]
    assert {error for _, error in ended} == {b""}
    assert len({json.loads(output)[0]["fingerprint"] for output, _ in ended}) == 1
    assert (scratch / "jieba.cache").read_bytes() == b"of another user"
    assert [path.name for path in scratch.iterdir()] == ["jieba.cache"]
