"""Addresses: which texts are some, and which of them mean the same page. They make ids, never fingerprints."""

import re
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urljoin, urlsplit

__all__ = ["host_of", "is_url", "normalise_url", "page_id", "without_credentials"]

_PORTS = {"http": 80, "https": 443}
_TRACKING = re.compile(r"utm_\w+|gclid|fbclid|dclid|msclkid|yclid|mc_[ce]id|spm|_ga|igshid")
_CREDENTIALS = re.compile(r"(?i)^(\s*https?://)[^/?#]*@")
_SAFE = "/%:@!$&'()*+,;=~-._"


def is_url(text: object) -> bool:
    """Whether it is an address that can be fetched: http or https."""
    return isinstance(text, str) and text.lower().startswith(("http://", "https://"))


def host_of(url: str) -> str:
    """The host with its port, in small letters; empty when there is none."""
    try:
        parts = urlsplit(url)
        return _host(parts)
    except ValueError:
        return ""


def without_credentials(url: str) -> str:
    """The address as given, without user and password: fit for messages and for what is stored."""
    return _CREDENTIALS.sub(r"\1", url, count=1)


def normalise_url(url: str) -> str:
    """The address without what does not change the page: small letters in scheme and host, no default port, no

    fragment, no parameters that only follow visitors (utm_..., gclid, spm ...), `/` for no path. An address that
    cannot be taken apart is returned as it is.
    """
    try:
        parts = urlsplit(url.strip())
        host = _host(parts)
    except ValueError:
        return url
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    kept = [(name, value) for name, value in pairs if not _TRACKING.fullmatch(name.lower())]
    query = parts.query if len(kept) == len(pairs) else urlencode(kept)
    path = quote(parts.path, safe=_SAFE) or "/"
    return SplitResult(parts.scheme.lower(), host, path, query, "").geturl()


def page_id(url: str, canonical: str) -> str:
    """What a page is known by: its canonical address, when that is on the same host, else its own, normalised."""
    try:
        preferred = urljoin(url, canonical) if canonical else url
    except ValueError:  # such as http://[x
        preferred = url
    same_host = host_of(preferred) == host_of(url) and is_url(preferred)
    return normalise_url(preferred if same_host else url)


def _host(parts: SplitResult) -> str:
    host = (parts.hostname or "").rstrip(".")
    host = f"[{host}]" if ":" in host else host
    default = parts.port is None or parts.port == _PORTS.get(parts.scheme.lower())
    return host if default else f"{host}:{parts.port}"
