"""The jars of one Elasticsearch: which they are, and how they get here."""

import configparser
import errno
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from esdedup.errors import LocalNodeError

__all__ = ["Jar", "Lock", "fetch", "load_lock"]

_AT_ONCE = 4
_TIMEOUT = 60  # seconds without an answer

#: Called with (what is being done, done, total).
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Jar:
    """One file. folder: where it belongs under the engine's home; size in bytes."""

    group: str
    artifact: str
    version: str
    folder: str
    size: int
    sha256: str

    @property
    def name(self) -> str:
        return f"{self.artifact}-{self.version}.jar"


@dataclass(frozen=True, slots=True)
class Lock:
    """All jars of one version, as `jars.lock` has them."""

    version: str
    jars: tuple[Jar, ...]


def load_lock() -> Lock:
    """The lock file that is part of this package."""
    content = json.loads(resources.files("esdedup.local").joinpath("jars.lock").read_text("utf-8"))
    return Lock(content["version"], tuple(Jar(**jar) for jar in content["jars"]))


def fetch(lock: Lock, home: Path, progress: Progress, environ: Any = os.environ) -> None:
    """Put every jar of the lock in its place under `home`; download what is missing or damaged.

    ESDEDUP_MAVEN_URL names another Maven repository, such as a mirror; else the `[repositories]` of jgo's own
    settings file are asked too.
    """
    missing = [jar for jar in lock.jars if not _is_right(home / jar.folder / jar.name, jar)]
    if not missing:
        return
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home) as scratch:
            _download(missing, home, Path(scratch), progress, environ.get("ESDEDUP_MAVEN_URL"))
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            megabytes = sum(jar.size for jar in missing) / 1e6
            raise LocalNodeError(f"disk full: {megabytes:.0f} MB are needed in {home}") from error
        raise LocalNodeError(f"cannot write the engine to {home}: {error.strerror or error}") from error


def _download(jars: Sequence[Jar], home: Path, scratch: Path, progress: Progress, mirror: str | None) -> None:
    context = _maven(scratch, mirror)
    total, done = sum(jar.size for jar in jars), 0
    progress("downloading Elasticsearch", done, total)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for jar, path in zip(jars, pool.map(lambda jar: _resolve(context, jar), jars), strict=True):
            if not _is_right(path, jar):
                raise LocalNodeError(
                    f"{jar.name} is not what it should be (wrong SHA-256): try again, or another mirror"
                )
            (home / jar.folder).mkdir(parents=True, exist_ok=True)
            path.replace(home / jar.folder / jar.name)
            done += jar.size
            progress("downloading Elasticsearch", done, total)


def _maven(scratch: Path, mirror: str | None) -> Any:
    try:
        from jgo.config import GlobalSettings  # noqa: PLC0415  # only with the extra
        from jgo.maven import MavenContext  # noqa: PLC0415
    except ImportError:
        raise LocalNodeError(MISSING_EXTRA) from None
    if mirror:
        return MavenContext(repo_cache=scratch, remote_repos={"mirror": mirror.rstrip("/")}, timeout=_TIMEOUT)
    context = MavenContext(repo_cache=scratch, timeout=_TIMEOUT)
    try:
        context.remote_repos.update(GlobalSettings.load().repositories)
    except configparser.Error as error:
        raise LocalNodeError(f"the settings file of jgo cannot be read: {' '.join(str(error).split())}") from error
    return context


def _resolve(context: Any, jar: Jar) -> Path:
    import requests  # noqa: PLC0415  # what jgo downloads with

    try:
        path: Path = context.project(jar.group, jar.artifact).at_version(jar.version).artifact().resolve()
    except requests.RequestException as error:
        raise LocalNodeError(
            f"cannot download {jar.name} ({type(error).__name__}): check the network, "
            "or set ESDEDUP_MAVEN_URL to a mirror"
        ) from error
    except RuntimeError as error:
        raise LocalNodeError(f"the Maven repository has no {jar.group}:{jar.artifact}:{jar.version}") from error
    return path


def _is_right(path: Path, jar: Jar) -> bool:
    if not path.is_file() or path.stat().st_size != jar.size:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == jar.sha256


MISSING_EXTRA = "the local Elasticsearch needs extra packages: pip install 'esdedup[local]'"
