"""The process that a node runs in: started apart from ours, recognised later, ended."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["alone", "can_look", "kill", "last_words", "runs", "spawn"]

_TROUBLE = re.compile(r"\w(Exception|Error)\b|\[ERROR\]|insufficient memory|heap")
_CLASSES = re.compile(r"^(\S+: )+(?=\S+: )")  # a Java error names its class again for each language it passes


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Only one process at a time is inside for one `path`. The system frees it when a process dies."""
    with path.open("ab") as file:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415

            while True:
                with suppress(OSError):  # it gives up after ten seconds
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
                    break
        else:
            import fcntl  # noqa: PLC0415

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def spawn(plan: Path, console: Path) -> int:
    """Start a node by its plan, its output in the file `console`; returns the process id."""
    apart: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.DETACHED_PROCESS}
    environ = dict(os.environ)
    if environ.get("LC_ALL") in ("C", "POSIX"):  # Java could not name files in Chinese
        environ["LC_ALL"] = "C.UTF-8"
    with console.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("node.py")), str(plan)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=plan.parent,
            env=environ,
            **apart,
        )
    process.returncode = 0  # it outlives us on purpose: no warning that it still runs
    return process.pid


def can_look() -> bool:
    """Can this installation look at processes? psutil comes with the extra."""
    return find_spec("psutil") is not None


def runs(pid: int, plan: Path) -> bool:
    """Is that process a node of that plan? Another program may have got the number since."""
    import psutil  # noqa: PLC0415

    try:
        words = psutil.Process(pid).cmdline()
    except psutil.Error:  # it ended, or is not the user's
        return False
    return not words or str(plan) in words  # it has none while the system puts its program into place


def kill(pid: int) -> None:
    """End a process at once, if it has not ended."""
    import psutil  # noqa: PLC0415

    with suppress(psutil.NoSuchProcess):
        psutil.Process(pid).kill()


def last_words(*logs: Path) -> str:
    """The last error in the first of those files that has one."""
    for log in logs:
        lines = log.read_text("utf-8", "replace").splitlines() if log.exists() else []
        errors = [line.strip("# ") for line in lines if _TROUBLE.search(line)]
        if errors:
            return _CLASSES.sub("", errors[-1].strip())[:300]
    return "it left no error"
