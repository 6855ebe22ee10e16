"""Fetching the engine: everything that can go wrong is one line, and leaves nothing wrong behind."""

import errno
import hashlib
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from esdedup.errors import LocalNodeError
from esdedup.local import NodeOptions, jars, up
from esdedup.local.jars import Jar, Lock, fetch, load_lock

CONTENT = b"not really a jar"


class Repository(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        known = self.path == "/org/example/thing/1.0/thing-1.0.jar"
        self.send_response(200 if known else 404)
        self.send_header("Content-Length", str(len(CONTENT) if known else 0))
        self.end_headers()
        if known:
            self.wfile.write(CONTENT)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def mirror() -> str:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Repository)
    Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/"


def lock(artifact: str = "thing", sha256: str = hashlib.sha256(CONTENT).hexdigest()) -> Lock:
    return Lock("1.0", (Jar("org.example", artifact, "1.0", "lib", len(CONTENT), sha256),))


def ignore(what: str, done: int, total: int) -> None:
    pass


def test_the_lock_names_one_version_with_every_hash() -> None:
    locked = load_lock()
    assert locked.version == "9.5.3"
    assert len(locked.jars) == 53
    assert {jar.folder for jar in locked.jars} == {"lib", "modules/transport-netty4"}
    assert all(len(jar.sha256) == 64 for jar in locked.jars)
    engine = [jar for jar in locked.jars if jar.group.startswith("org.elasticsearch")]
    assert {jar.version for jar in engine} == {"9.5.3"}


def test_what_is_missing_or_damaged_is_fetched(tmp_path: Path, mirror: str) -> None:
    target = tmp_path / "lib" / "thing-1.0.jar"
    seen: list[tuple[str, int, int]] = []
    for damage in (lambda: None, lambda: target.write_bytes(b"not really a Jar"), target.unlink):
        damage()
        fetch(lock(), tmp_path, lambda *step: seen.append(step), {"ESDEDUP_MAVEN_URL": mirror})
        assert target.read_bytes() == CONTENT
    assert seen[-1] == ("downloading Elasticsearch", len(CONTENT), len(CONTENT))
    seen.clear()
    fetch(lock(), tmp_path, lambda *step: seen.append(step), {"ESDEDUP_MAVEN_URL": "http://127.0.0.1:9"})
    assert seen == []
    assert [path.name for path in tmp_path.iterdir()] == ["lib"]


def test_a_wrong_checksum_is_refused_and_not_kept(tmp_path: Path, mirror: str) -> None:
    with pytest.raises(LocalNodeError, match=r"thing-1\.0\.jar is not what it should be"):
        fetch(lock(sha256="0" * 64), tmp_path, ignore, {"ESDEDUP_MAVEN_URL": mirror})
    assert list(tmp_path.rglob("*")) == []


def test_the_users_own_settings_of_jgo_count(tmp_path: Path, mirror: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "jgo.conf"
    monkeypatch.setenv("JGO_CONFIG_FILE", str(settings))
    settings.write_text(f"[repositories]\ncentral = {mirror.rstrip('/')}\n")
    fetch(lock(), tmp_path / "home", ignore, {})
    assert (tmp_path / "home" / "lib" / "thing-1.0.jar").read_bytes() == CONTENT
    settings.write_text("central\n")
    with pytest.raises(LocalNodeError, match=r"settings file of jgo cannot be read.*jgo.conf"):
        fetch(lock("other"), tmp_path / "home", ignore, {})


def test_no_network(tmp_path: Path) -> None:
    with pytest.raises(LocalNodeError, match=r"cannot download thing-1\.0\.jar .*check the network"):
        fetch(lock(), tmp_path, ignore, {"ESDEDUP_MAVEN_URL": "http://127.0.0.1:9"})


def test_a_repository_without_it(tmp_path: Path, mirror: str) -> None:
    with pytest.raises(LocalNodeError, match=r"has no org\.example:other:1\.0"):
        fetch(lock("other"), tmp_path, ignore, {"ESDEDUP_MAVEN_URL": mirror})


def test_a_full_disk(tmp_path: Path, mirror: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(jars, "_resolve", full)
    with pytest.raises(LocalNodeError, match="disk full"):
        fetch(lock(), tmp_path, ignore, {"ESDEDUP_MAVEN_URL": mirror})


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jpype", None)
    with pytest.raises(LocalNodeError, match=r"pip install 'esdedup\[local\]'"):
        up(NodeOptions(any_port=True, data_dir=tmp_path))
    assert list(tmp_path.iterdir()) == []
