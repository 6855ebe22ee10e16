"""Which hosts may be asked: none on this machine or in its network, unless the user allows it."""

import ipaddress
import socket
from urllib.parse import urlsplit

from esdedup.readers.source import Unreadable

__all__ = ["refuse_private", "refuse_private_address"]

_WHY = "--allow-private fetches it"


def refuse_private(url: str) -> None:
    """Raise Unreadable when the host of an address leads to a loopback, private or link-local one, or nowhere."""
    parts = urlsplit(url)
    if not parts.hostname:
        raise Unreadable("the address has no host")
    try:
        found = socket.getaddrinfo(parts.hostname, parts.port or 443, type=socket.SOCK_STREAM)
    except OSError as error:
        raise Unreadable(f"no such host {parts.hostname} ({(error.strerror or str(error)).lower()})") from error
    for *_, address in found:
        refuse_private_address(str(address[0]), parts.hostname)


def refuse_private_address(address: str, host: str) -> None:
    """Raise Unreadable for an IP address that is not one of the public internet."""
    number = ipaddress.ip_address(address.partition("%")[0])
    mapped = number.ipv4_mapped if isinstance(number, ipaddress.IPv6Address) else None
    if not (mapped or number).is_global:
        raise Unreadable(f"{host} is a private address ({number}): {_WHY}")
