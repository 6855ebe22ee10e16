"""Which hosts may be asked: none on this machine or in its network, unless the user allows it."""

import ipaddress
import socket
from urllib.parse import urlsplit

from esdedup.readers.source import Unreadable

__all__ = ["refuse_private", "refuse_private_address"]

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
#: Prefixes of IPv6 addresses that end with one of IPv4: mapped, compatible, translated (RFC 4291, 6052).
_EMBEDDING = tuple(map(ipaddress.ip_network, ("::ffff:0:0/96", "::/96", "::ffff:0:0:0/96", "64:ff9b::/96")))
_WHY = "--allow-private fetches it"


def refuse_private(url: str) -> None:
    """Raise Unreadable when the host of an address leads to a loopback, private or link-local one, or nowhere."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise Unreadable("not an address that can be read") from error
    if not host:
        raise Unreadable("the address has no host")
    try:
        found = socket.getaddrinfo(host, port or 443, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "not a name of a host"
        raise Unreadable(f"no such host {host} ({(said or str(error)).lower()})") from error
    for *_, address in found:
        refuse_private_address(str(address[0]), host)


def refuse_private_address(address: str, host: str) -> None:
    """Raise Unreadable for an IP address that is not one of the public internet."""
    number = ipaddress.ip_address(address.partition("%")[0])
    inside = _inside(number)
    judged = inside if isinstance(number, ipaddress.IPv6Address) and number.ipv4_mapped else [number, *inside]
    if not all(one.is_global and not one.is_multicast for one in judged):
        raise Unreadable(f"{host} is a private address ({number}): {_WHY}")


def _inside(number: _Address) -> list[_Address]:
    """The IPv4 addresses that an IPv6 address stands for."""
    if isinstance(number, ipaddress.IPv4Address):
        return []
    found: list[_Address] = [number.sixtofour] if number.sixtofour else []
    found += number.teredo or ()
    if any(number in network for network in _EMBEDDING):
        found.append(ipaddress.IPv4Address(int(number) & 0xFFFFFFFF))
    return found
