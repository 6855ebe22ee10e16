"""Folders and files of a node: the engine's home in the cache, and the node's own with its data."""

import os
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from esdedup.local.jars import Lock

__all__ = ["engine_home", "lay_out", "node_folder"]

_DESCRIPTOR = """\
name=transport-netty4
description=HTTP and transport by Netty
version={version}
elasticsearch.version={version}
java.version=21
classname=org.elasticsearch.transport.netty4.Netty4Plugin
extended.plugins=
has.native.controller=false
licensed=false
"""

# The engine sets the property to path.logs. A path written here would be read as Latin-1.
_LOGGING = """\
status = error
appender.file.type = RollingFile
appender.file.name = file
appender.file.fileName = ${sys:es.logs.base_path}/node.log
appender.file.filePattern = ${sys:es.logs.base_path}/node.%i.log
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = [%d{ISO8601}][%-5p][%c{1.}] %m%n
appender.file.policies.type = Policies
appender.file.policies.start.type = OnStartupTriggeringPolicy
appender.file.policies.size.type = SizeBasedTriggeringPolicy
appender.file.policies.size.size = 10MB
appender.file.strategy.type = DefaultRolloverStrategy
appender.file.strategy.max = 3
rootLogger.level = info
rootLogger.appenderRef.file.ref = file
"""


def engine_home(lock: Lock, environ: Mapping[str, str] = os.environ) -> Path:
    """Where the jars lie: in ESDEDUP_CACHE_DIR, or the user's cache directory."""
    cache = environ.get("ESDEDUP_CACHE_DIR") or platformdirs.user_cache_dir("esdedup", appauthor=False)
    return Path(cache).absolute() / f"elasticsearch-{lock.version}"


def node_folder(data_dir: Path | None, name: str, environ: Mapping[str, str] = os.environ) -> Path:
    """Where a node's data and log lie: in `data_dir`, ESDEDUP_DATA_DIR, or the user's data directory."""
    data = data_dir or environ.get("ESDEDUP_DATA_DIR") or platformdirs.user_data_dir("esdedup", appauthor=False)
    return Path(data).absolute() / name


def lay_out(lock: Lock, home: Path, folder: Path) -> None:
    """Write what the engine needs to find beside its jars, and the node's own folders."""
    descriptor = home / "modules" / "transport-netty4" / "plugin-descriptor.properties"
    descriptor.write_text(_DESCRIPTOR.format(version=lock.version), "utf-8")
    for name in ("config", "data", "logs", "scratch"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "config" / "log4j2.properties").write_text(_LOGGING, "utf-8")
    (folder / "config" / "elasticsearch.yml").write_text("", "utf-8")
