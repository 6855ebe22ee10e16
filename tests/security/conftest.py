"""Who connects to the complete Elasticsearch, with which rights, and the commands as processes of their own."""

import base64
import json
import os
import ssl
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from esdedup.document import Document
from esdedup.engine.connect import connect
from esdedup.engine.mapping import IndexOptions, create_index
from esdedup.engine.target import Target
from esdedup.pipeline import index
from tests.cli.conftest import Ran, esdedup
from tests.security.complete import PASSWORD, Complete, fetch_home, find_java, running

__all__ = ["esdedup"]

INDEX = "news"
_ROOT = Path(__file__).parents[2]
_HOW = (
    "set ESDEDUP_TEST_SECURITY=1 to test with a complete Elasticsearch (once 947 MB to download, 200 MB of disk, a JDK)"
)

STORM = (
    "The harbour office counted forty boats before the storm and thirty eight after it. Nobody was hurt, but the old "
    "pier lost its lamp, two ladders and most of its planks, and the ferry will not run this week until the harbour "
    "master has looked at every rope."
)
BAKERY = "Bread is sold by weight again at the station bakery, and every guest brings a bag of linen for it, or a box."
DOCUMENTS = (
    Document("storm", STORM, title="Storm"),
    Document("copy", STORM),
    Document("near", STORM.replace("this week", "next week")),
    Document("bakery", BAKERY),
)


@dataclass(frozen=True, slots=True)
class Secured:
    """The node, and what its superuser does for the tests."""

    node: Complete
    admin: httpx.Client

    def trust(self) -> dict[str, str]:
        """The settings that reach the node and trust it, without credentials."""
        return {"ESDEDUP_URL": self.node.url, "ESDEDUP_CA_CERTS": str(self.node.authority)}

    def key(self, *roles: Mapping[str, Any], expiration: str | None = None) -> str:
        """An API key with the rights of these role descriptors; with none at all for none."""
        descriptors = {f"role-{n}": role for n, role in enumerate(roles or ({},))}
        body = {"name": "test", "role_descriptors": descriptors} | ({"expiration": expiration} if expiration else {})
        return str(self._ask("POST", "/_security/api_key", body)["encoded"])

    def with_key(self, *roles: Mapping[str, Any]) -> dict[str, str]:
        """The settings of someone with those rights."""
        return {**self.trust(), "ESDEDUP_API_KEY": self.key(*roles)}

    def as_superuser(self) -> dict[str, str]:
        return {**self.trust(), "ESDEDUP_PASSWORD": PASSWORD}

    def seed(self) -> None:
        """The index anew, by the library: four documents, and one more twin that leads a group of its own."""
        self.drop()
        target = Target(self.node.url, "--url", basic=("elastic", PASSWORD), ca_fingerprint=self.node.fingerprint)
        with connect(target) as client:
            for _ in index(DOCUMENTS, create_index(client, IndexOptions(INDEX))):
                pass
        astray = {"group": "near", "leader": True, "distance": 0}
        self._ask("POST", f"/{INDEX}/_update/near?refresh=true", {"doc": {"esdedup": astray}})

    def drop(self, name: str = INDEX) -> None:
        self._ask("DELETE", f"/{name}-000001?ignore_unavailable=true")

    def stored(self, doc_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self._ask("GET", f"/{INDEX}/_doc/{doc_id}")["_source"]
        return found

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        answer = self.admin.request(method, path, json=body)
        assert answer.is_success, answer.text
        return answer.json()


@pytest.fixture(scope="session")
def secured() -> Iterator[Secured]:
    """The node with security and TLS, started when first needed."""
    if os.environ.get("ESDEDUP_TEST_SECURITY") != "1":
        pytest.skip(_HOW)
    java = find_java()
    if java is None:
        pytest.skip("no JDK 21 or newer with all modules here: name one in ES_JAVA_HOME")
    with running(fetch_home(), java) as node:
        trusting = ssl.create_default_context(cafile=str(node.authority))
        auth = ("elastic", PASSWORD)
        with httpx.Client(base_url=node.url, verify=trusting, auth=auth, timeout=60, trust_env=False) as admin:
            yield Secured(node, admin)


@dataclass(frozen=True, slots=True)
class Shell:
    """Runs `esdedup` as a process with nothing in its environment but what is given."""

    home: Path

    def run(self, settings: Mapping[str, str], *args: str, code: str | None = None) -> Ran:
        """What a command, or Python code, leaves behind. Fails if a secret of the settings shows in it."""
        command = ["-c", code] if code else ["-m", "esdedup"]
        done = subprocess.run(
            [sys.executable, *command, *args],
            env=self.environ(settings),
            cwd=_ROOT,
            capture_output=True,
            text=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            timeout=120,
            check=False,
        )
        for secret in secrets_of(settings):
            assert secret not in done.stdout + done.stderr
        return Ran(done.returncode, done.stdout, done.stderr)

    def environ(self, settings: Mapping[str, str]) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP", "TMP") if name in os.environ}
        own = {
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.home),
            "ESDEDUP_CONFIG": str(self.home / "config.toml"),
        }
        return {**kept, **own, "PYTHONIOENCODING": "utf-8", **settings}


def secrets_of(settings: Mapping[str, str]) -> set[str]:
    """What must show nowhere: keys and passwords, as they are and as they travel."""
    keys = {value for name, value in settings.items() if name.endswith("API_KEY")}
    passwords = {value for name, value in settings.items() if name.endswith("PASSWORD")} | {PASSWORD}
    user = settings.get("ESDEDUP_USERNAME", "elastic")
    return (
        keys
        | passwords
        | {base64.b64encode(f"{user}:{word}".encode()).decode() for word in passwords}
        | {base64.b64decode(key + "==").decode("latin-1").rpartition(":")[2] for key in keys}
    )


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def seeded(secured: Secured) -> Secured:
    """The node with the index as `Secured.seed` makes it."""
    secured.seed()
    return secured


def write_lines(path: Path, records: Sequence[Mapping[str, object]]) -> str:
    """A file of JSON lines; its name."""
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), "utf-8")
    return str(path)


def assert_refused(ran: Ran, *words: str) -> None:
    """Exit code 3 and one line on stderr that has these words."""
    assert ran.code == 3, (ran.out, ran.err)
    (line,) = ran.err.splitlines()
    assert line.startswith("esdedup: ")
    for word in words:
        assert word in line
