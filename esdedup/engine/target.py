"""Where to connect and as whom: from options, environment and the user's config file.

Address: `--url`; a profile asked for by `--profile` or ESDEDUP_PROFILE; ESDEDUP_URL, ELASTICSEARCH_URL, ES_URL,
ES_LOCAL_URL or a cloud id; the profile `[default]`; a running local node; http://localhost:9200.
Secrets: in the address itself; the profile that gave the address, and no other; the environment, with any address.
"""

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import platformdirs

from esdedup.errors import InputError
from esdedup.local import status

__all__ = ["DEFAULT_URL", "Target", "config_path", "resolve"]

DEFAULT_URL = "http://localhost:9200"

_URLS = ("ESDEDUP_URL", "ELASTICSEARCH_URL", "ES_URL", "ES_LOCAL_URL")
_CLOUD_IDS = ("ESDEDUP_CLOUD_ID", "ELASTIC_CLOUD_ID", "CLOUD_ID")
_API_KEYS = ("ESDEDUP_API_KEY", "ELASTIC_API_KEY", "ES_API_KEY", "ES_LOCAL_API_KEY")
_PASSWORDS = {
    "ESDEDUP_PASSWORD": "ESDEDUP_USERNAME",
    "ELASTIC_PASSWORD": "ELASTIC_USERNAME",
    "ES_PASSWORD": "ES_USERNAME",
    "ES_LOCAL_PASSWORD": "ES_LOCAL_USERNAME",
}
_SUPERUSER = "elastic"
_PATHS = ("api_key_file", "ca_certs")
_KEYS = ("url", "cloud_id", "api_key", "api_key_file", "username", "password", "ca_certs", "ca_fingerprint")


@dataclass(frozen=True, slots=True)
class Target:
    """An engine to connect to. source and auth_source: the setting that won.

    url: without credentials, empty for a cloud id. warning: what is unsafe about the credentials, or empty.
    Secrets do not show in its repr.
    """

    url: str
    source: str
    cloud_id: str | None = field(default=None, repr=False)
    api_key: str | None = field(default=None, repr=False)
    basic: tuple[str, str] | None = field(default=None, repr=False)
    auth_source: str = ""
    warning: str = ""
    ca_certs: str | None = None
    ca_fingerprint: str | None = None

    @property
    def where(self) -> str:
        """The address, for messages."""
        return self.url or "the cloud deployment"

    def describe_auth(self) -> str:
        """Who we are there, without the secret."""
        if self.api_key:
            return f"API key from {self.auth_source}"
        if self.basic:
            return f"user {self.basic[0]}, password from {self.auth_source}"
        return "no credentials"


@dataclass(frozen=True, slots=True)
class _Address:
    url: str
    source: str
    profile: Mapping[str, str] = field(default_factory=dict)
    cloud_id: str | None = None


def resolve(
    url: str | None = None,
    profile: str | None = None,
    environ: Mapping[str, str] = os.environ,
    local_url: Callable[[], str | None] | None = None,
) -> Target:
    """The engine that options, environment and config file name. Raises InputError for what cannot be used."""
    address = _address(url, profile, environ, local_url or _running_node)
    plain, basic = _without_credentials(address) if address.url else ("", None)
    credentials = (
        {"basic": basic, "auth_source": f"the address ({address.source})"}
        if basic
        else _from_profile(address.profile) or _from_environment(environ)
    )
    return Target(
        url=plain,
        source=address.source,
        cloud_id=address.cloud_id,
        ca_certs=address.profile.get("ca_certs") or environ.get("ESDEDUP_CA_CERTS") or None,
        ca_fingerprint=address.profile.get("ca_fingerprint") or environ.get("ESDEDUP_CA_FINGERPRINT") or None,
        **credentials,
    )


def config_path(environ: Mapping[str, str] = os.environ) -> Path:
    """The user's config file: ESDEDUP_CONFIG, or config.toml in the user's config directory."""
    given = environ.get("ESDEDUP_CONFIG")
    return Path(given) if given else Path(platformdirs.user_config_dir("esdedup", appauthor=False)) / "config.toml"


def _address(
    url: str | None, profile: str | None, environ: Mapping[str, str], local_url: Callable[[], str | None]
) -> _Address:
    if url:
        return _Address(url, "--url")
    name = profile or environ.get("ESDEDUP_PROFILE")
    if name:
        return _profile_address(name, _profile(name, environ))
    for variable in _URLS:
        if environ.get(variable):
            return _Address(environ[variable], variable)
    for variable in _CLOUD_IDS:
        if environ.get(variable):
            return _Address("", variable, cloud_id=environ[variable])
    default = _profiles(environ).get("default", {})
    if default:
        return _profile_address("default", default)
    running = local_url()
    return _Address(running, "local node") if running else _Address(DEFAULT_URL, "default")


def _profile_address(name: str, profile: Mapping[str, str]) -> _Address:
    source = f"profile {name}"
    if profile.get("cloud_id"):
        return _Address("", source, profile, profile["cloud_id"])
    return _Address(profile.get("url", DEFAULT_URL), source, profile)


def _profile(name: str, environ: Mapping[str, str]) -> Mapping[str, str]:
    profiles = _profiles(environ)
    if name not in profiles:
        known = f"it has {', '.join(profiles)}" if profiles else "it has none"
        raise InputError(f"no profile {name!r} in {config_path(environ)}: {known}")
    return profiles[name]


def _profiles(environ: Mapping[str, str]) -> dict[str, Mapping[str, str]]:
    path = config_path(environ)
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from None
    named = content.pop("profile", {})
    default = {"default": content.pop("default")} if "default" in content else {}
    if content or not isinstance(named, dict):
        unknown = ", ".join(content) or "profile"
        raise InputError(f"{path}: cannot use {unknown}: it may have [default] and [profile.NAME] only")
    return {name: _checked_profile(path, name, profile) for name, profile in {**named, **default}.items()}


def _checked_profile(path: Path, name: str, profile: Any) -> Mapping[str, str]:
    """The settings of a profile; its paths stand relative to the config file."""
    if not isinstance(profile, dict):
        raise InputError(f"{path}: profile {name!r} must be a table of settings")
    for key, value in profile.items():
        if key not in _KEYS:
            close = get_close_matches(key, _KEYS, 1)
            hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(_KEYS)}"
            raise InputError(f"{path}: profile {name!r} has an unknown setting {key!r}: {hint}")
        if not isinstance(value, str):
            raise InputError(f"{path}: profile {name!r}: {key} must be a string")
    if "username" in profile and "password" not in profile:
        raise InputError(f"{path}: profile {name!r} has a username and no password")
    return profile | {key: str(path.parent / Path(profile[key]).expanduser()) for key in _PATHS if key in profile}


def _from_profile(profile: Mapping[str, str]) -> dict[str, Any]:
    if "api_key" in profile:
        return _api_key(profile["api_key"], "the profile")
    if "api_key_file" in profile:
        return _key_file(Path(profile["api_key_file"]), "the profile")
    if "password" in profile:
        return {"basic": (profile.get("username", _SUPERUSER), profile["password"]), "auth_source": "the profile"}
    return {}


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    for variable in _API_KEYS:
        if environ.get(variable):
            return _api_key(environ[variable], variable)
    if environ.get("ESDEDUP_API_KEY_FILE"):
        return _key_file(Path(environ["ESDEDUP_API_KEY_FILE"]), "ESDEDUP_API_KEY_FILE")
    for password, user in _PASSWORDS.items():
        if environ.get(password):
            return {"basic": (environ.get(user) or _SUPERUSER, environ[password]), "auth_source": password}
    return {}


def _api_key(key: str, source: str) -> dict[str, Any]:
    key = key.strip()
    if not key or not all("!" <= letter <= "~" for letter in key):
        raise InputError(f"the API key from {source} is empty or holds a character that no key has: copy it again")
    return {"api_key": key, "auth_source": source}


def _key_file(path: Path, source: str) -> dict[str, Any]:
    try:
        key = path.read_text("utf-8")
        # Windows keeps access lists, which the mode does not show; a pipe has no readers to keep out
        is_open = os.name == "posix" and path.is_file() and path.stat().st_mode & 0o077
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the API key file {path}: {error}") from None
    return _api_key(key, source) | {"warning": f"others may read {path}: chmod 600 {path}" if is_open else ""}


def _without_credentials(address: _Address) -> tuple[str, tuple[str, str] | None]:
    """The address in full without user and password, and these. Its text may hold them: no message repeats it."""
    text = address.url.strip()
    try:
        parts = urlsplit(text)
        port = parts.port or (443 if parts.scheme == "https" else 9200)
    except ValueError:
        raise _bad(address) from None
    spaced = any(letter.isspace() for letter in text)
    # an @ after the host: the password holds a bare / # or ?, and would go on as path
    if parts.scheme not in ("http", "https") or not parts.hostname or spaced or "@" in text.partition(parts.netloc)[2]:
        raise _bad(address)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    plain = urlunsplit((parts.scheme, f"{host}:{port}", parts.path.rstrip("/"), "", ""))
    if parts.username is None:
        return plain, None
    return plain, (unquote(parts.username), unquote(parts.password or ""))


def _bad(address: _Address) -> InputError:
    return InputError(
        f"the address from {address.source} cannot be used: write it as http://host:9200, "
        "and / # ? @ in a password as %2F %23 %3F %40"
    )


def _running_node() -> str | None:
    node = status()
    return node.url if node else None
