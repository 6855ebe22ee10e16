"""Ports on loopback."""

import socket
import sys
from contextlib import ExitStack

__all__ = ["free_port", "free_ports", "is_free"]


def is_free(port: int) -> bool:
    """Can a server listen on that port?"""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        if sys.platform != "win32":  # as servers do: a port just left is free
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def free_port() -> int:
    """A port that nothing listens on now."""
    (port,) = free_ports(1)
    return port


def free_ports(count: int) -> list[int]:
    """Different ports that nothing listens on now."""
    with ExitStack() as probes:  # all are held until the last is found
        return [_held_port(probes) for _ in range(count)]


def _held_port(probes: ExitStack) -> int:
    probe = probes.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
    probe.bind(("127.0.0.1", 0))
    return int(probe.getsockname()[1])
