"""Ways to connect to an Elasticsearch with security and TLS: what works, and what is refused in one line."""

import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.security.complete import PASSWORD
from tests.security.conftest import (
    BAKERY,
    INDEX,
    STORM,
    Secured,
    Shell,
    assert_refused,
    secrets_of,
    write_lines,
)

pytestmark = pytest.mark.security

_ALL = {"cluster": ["all"], "indices": [{"names": ["*"], "privileges": ["all"]}]}
_WRONG_KEY = "d3Jvbmcta2V5LWlkOndyb25nLWtleS1TRU5USU5FTA=="


def settings_of(secured: Secured, how: str) -> dict[str, str]:
    """Settings by what is special about them."""
    node, trust, key = secured.node, secured.trust(), secured.key(_ALL)
    return {
        "key and authority": {**trust, "ESDEDUP_API_KEY": key},
        "password and authority": {**trust, "ESDEDUP_USERNAME": "elastic", "ESDEDUP_PASSWORD": PASSWORD},
        "fingerprint": {"ESDEDUP_URL": node.url, "ESDEDUP_CA_FINGERPRINT": node.fingerprint, "ESDEDUP_API_KEY": key},
        "fingerprint, another host name": {
            "ESDEDUP_URL": node.mute,
            "ESDEDUP_CA_FINGERPRINT": node.fingerprint,
            "ESDEDUP_PASSWORD": PASSWORD,
        },
        "wrong authority": {**trust, "ESDEDUP_CA_CERTS": str(node.other), "ESDEDUP_API_KEY": key},
        "no authority": {"ESDEDUP_URL": node.url, "ESDEDUP_API_KEY": key},
        "wrong host name": {**trust, "ESDEDUP_URL": node.mute, "ESDEDUP_API_KEY": key},
        "wrong fingerprint": {
            "ESDEDUP_URL": node.url,
            "ESDEDUP_CA_FINGERPRINT": "00" * 32,
            "ESDEDUP_API_KEY": key,
        },
        "no TLS": {**trust, "ESDEDUP_URL": node.url.replace("https", "http"), "ESDEDUP_API_KEY": key},
        "wrong key": {**trust, "ESDEDUP_API_KEY": _WRONG_KEY},
        "expired key": {**trust, "ESDEDUP_API_KEY": secured.key(_ALL, expiration="1ms")},
        "wrong password": {**trust, "ESDEDUP_PASSWORD": "wrong-SENTINEL"},
        "wrong user": {**trust, "ESDEDUP_USERNAME": "nobody", "ESDEDUP_PASSWORD": PASSWORD},
        "no credentials": trust,
    }[how]


@pytest.mark.parametrize("how", ["key and authority", "fingerprint, another host name"])
def test_every_command_works(seeded: Secured, shell: Shell, tmp_path: Path, how: str) -> None:
    settings = settings_of(seeded, how)
    new = write_lines(tmp_path / "new.jsonl", [{"id": "new", "text": BAKERY.replace("linen", "paper")}])
    crawled = write_lines(tmp_path / "crawled.jsonl", [{"id": "crawled", "text": STORM}])
    seeded.drop("made")
    expected: list[tuple[list[str], str]] = [
        (["init", "-i", "made"], "made index 'made'"),
        (["index", new], "1 indexed"),
        (["dupes", "storm"], '"id": "copy"'),
        (["search", "harbour"], '"id": "copy"'),
        (["gate", crawled], '"verdict": "trash"'),
        (["regroup"], "1 changed"),
        (["prune", "--apply", "--backup", str(tmp_path / "pruned")], "deleted 2 documents"),
        (["restore", str(tmp_path / "pruned")], "restored 2 documents"),
        (["delete", "bakery", "--yes"], "deleted 'bakery'"),
        (["doctor"], '"name": "fingerprints", "state": "ok"'),
    ]
    for args, words in expected:
        ran = shell.run(settings, *args, *([] if "-i" in args else ["-i", INDEX]))
        assert (ran.code, words in ran.out) == (0, True), (args, ran)


@pytest.mark.parametrize("how", ["password and authority", "fingerprint"])
def test_other_ways_that_work(seeded: Secured, shell: Shell, how: str) -> None:
    ran = shell.run(settings_of(seeded, how), "dupes", "storm", "-i", INDEX)
    assert (ran.code, '"id": "copy"' in ran.out) == (0, True)


_REFUSALS = {
    "wrong authority": ("cannot trust", "not trusted", "ESDEDUP_CA_CERTS"),
    "no authority": ("cannot trust", "not trusted", "ESDEDUP_CA_CERTS"),
    "wrong host name": ("cannot trust", "another host name"),
    "wrong fingerprint": ("another fingerprint", "ESDEDUP_CA_FINGERPRINT"),
    "no TLS": ("cannot reach", "does it want https://?"),
    "wrong key": ("API key from ESDEDUP_API_KEY was refused", "wrong"),
    "expired key": ("API key from ESDEDUP_API_KEY was refused", "expired"),
    "wrong password": ("user elastic, password from ESDEDUP_PASSWORD was refused",),
    "wrong user": ("user nobody, password from ESDEDUP_PASSWORD was refused",),
    "no credentials": ("credentials are needed", "ESDEDUP_API_KEY"),
}


@pytest.mark.parametrize("how", _REFUSALS)
def test_what_is_wrong_is_said_in_one_line(seeded: Secured, shell: Shell, tmp_path: Path, how: str) -> None:
    settings = settings_of(seeded, how)
    new = write_lines(tmp_path / "new.jsonl", [{"id": "new", "text": STORM}])
    for args in (["dupes", "storm", "--json"], ["index", new, "--json"]):
        assert_refused(shell.run(settings, *args, "-i", INDEX), *_REFUSALS[how])


@pytest.mark.parametrize("how", _REFUSALS)
def test_the_doctor_says_it_as_a_check(secured: Secured, shell: Shell, how: str) -> None:
    ran = shell.run(settings_of(secured, how), "doctor", "--json")
    assert (ran.code, ran.err) == (3, "")
    last = json.loads(ran.out)[-1]
    assert last["state"] == "fail"
    assert all(words in last["found"] for words in _REFUSALS[how])


def test_a_profile_keeps_what_the_command_line_must_not_show(seeded: Secured, shell: Shell, tmp_path: Path) -> None:
    key = tmp_path / "work.key"
    key.write_text(seeded.key(_ALL), "ascii")
    key.chmod(0o600)
    lines = (f'url = "{seeded.node.url}"', 'api_key_file = "work.key"', f'ca_fingerprint = "{seeded.node.fingerprint}"')
    (tmp_path / "config.toml").write_text("\n".join(["[profile.work]", *lines]), "utf-8")
    ran = shell.run({}, "dupes", "storm", "-i", INDEX, "--profile", "work")
    assert (ran.code, '"id": "copy"' in ran.out) == (0, True)
    assert key.read_text("ascii") not in shell.run({}, "doctor", "--profile", "work").out


def test_the_process_list_shows_no_secret(seeded: Secured, shell: Shell) -> None:
    for how in ("key and authority", "password and authority"):
        settings = settings_of(seeded, how)
        with subprocess.Popen(
            [sys.executable, "-m", "esdedup", "gate", "--check-only", "-i", INDEX],
            env=shell.environ(settings),
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stdin
            assert process.stdout
            process.stdin.write(json.dumps({"id": "asked", "text": STORM}).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["twin"] == "storm"  # it has connected, and runs on
            family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
            shown = " ".join(word for one in family for word in one.cmdline())
            process.stdin.close()
            assert process.wait(30) == 0
        assert "--check-only" in shown
        assert not any(secret in shown for secret in secrets_of(settings))


_LOUD = """
import logging, sys, traceback
import elastic_transport
logging.basicConfig(level=logging.DEBUG)
elastic_transport.debug_logging()
from esdedup.engine.connect import connect
from esdedup.engine.target import resolve
from esdedup.engine.trouble import translating
from esdedup.engine.lookup import duplicates_of
from esdedup.engine.mapping import open_index
target = resolve()
print(repr(target), file=sys.stderr)
try:
    with translating(target), connect(target) as client:
        print(repr(client), len(duplicates_of(open_index(client, sys.argv[1]), "storm")))
except Exception:
    traceback.print_exc()
"""


@pytest.mark.parametrize("how", ["key and authority", "password and authority"])
def test_logs_at_their_loudest_show_no_secret(seeded: Secured, shell: Shell, how: str) -> None:
    ran = shell.run(settings_of(seeded, how), INDEX, code=_LOUD)
    assert (ran.code, ran.out.split()[-1], "Authorization" in ran.err or "authorization" in ran.err) == (0, "2", True)


@pytest.mark.parametrize("how", ["wrong key", "wrong password", "wrong fingerprint"])
def test_tracebacks_show_no_secret(seeded: Secured, shell: Shell, how: str) -> None:
    ran = shell.run(settings_of(seeded, how), INDEX, code=_LOUD)
    assert "ConnectionFailed" in ran.err
