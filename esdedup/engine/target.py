"""Where to connect and as whom: from options, environment and the user's config file.

Address: `--url`; a profile asked for by `--profile` or ESDEDUP_PROFILE; ESDEDUP_URL, ELASTICSEARCH_URL, ES_URL,
ES_LOCAL_URL or a cloud id; the profile `[default]`; a running local node; http://localhost:9200.
Secrets come from the environment, from a key file, or from the profile that gave the address.
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
_KEYS = ("url", "cloud_id", "api_key", "api_key_file", "username", "password", "ca_certs", "ca_fingerprint")


@dataclass(frozen=True, slots=True)
class Target:
    """An engine to connect to. source and auth_source: the setting that won.

    url: without credentials, empty for a cloud id. Secrets do not show in its repr.
    """

    url: str
    source: str
    cloud_id: str | None = field(default=None, repr=False)
    api_key: str | None = field(default=None, repr=False)
    basic: tuple[str, str] | None = field(default=None, repr=False)
    auth_source: str = ""
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
    plain, basic = _without_credentials(address.url) if address.url else ("", None)
    settings = {**_from_environment(environ), **_from_profile(address.profile)}
    if basic:
        settings |= {"api_key": None, "basic": basic, "auth_source": f"the address ({address.source})"}
    return Target(url=plain, source=address.source, cloud_id=address.cloud_id, **settings)


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
    profiles = {
        **content.get("profile", {}),
        **({"default": content["default"]} if "default" in content else {}),
    }
    for name, profile in profiles.items():
        _check_profile(path, name, profile)
    return profiles


def _check_profile(path: Path, name: str, profile: Any) -> None:
    if not isinstance(profile, dict):
        raise InputError(f"{path}: profile {name!r} must be a table of settings")
    for key, value in profile.items():
        if key not in _KEYS:
            close = get_close_matches(key, _KEYS, 1)
            hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(_KEYS)}"
            raise InputError(f"{path}: profile {name!r} has an unknown setting {key!r}: {hint}")
        if not isinstance(value, str):
            raise InputError(f"{path}: profile {name!r}: {key} must be a string")


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "ca_certs": environ.get("ESDEDUP_CA_CERTS") or None,
        "ca_fingerprint": environ.get("ESDEDUP_CA_FINGERPRINT") or None,
    }
    for variable in _API_KEYS:
        if environ.get(variable):
            return settings | {"api_key": environ[variable].strip(), "auth_source": variable}
    if environ.get("ESDEDUP_API_KEY_FILE"):
        key = _read_key(Path(environ["ESDEDUP_API_KEY_FILE"]))
        return settings | {"api_key": key, "auth_source": "ESDEDUP_API_KEY_FILE"}
    for password, user in _PASSWORDS.items():
        if environ.get(password):
            basic = environ.get(user, _SUPERUSER), environ[password]
            return settings | {"basic": basic, "auth_source": password}
    return settings


def _from_profile(profile: Mapping[str, str]) -> dict[str, Any]:
    """What a profile sets; its credentials replace those of the environment altogether."""
    settings: dict[str, Any] = {key: profile[key] for key in ("ca_certs", "ca_fingerprint") if key in profile}
    if "api_key_file" in profile or "api_key" in profile:
        key = profile.get("api_key") or _read_key(Path(profile["api_key_file"]).expanduser())
        return settings | {"api_key": key, "basic": None, "auth_source": "the profile"}
    if "password" in profile:
        basic = profile.get("username", _SUPERUSER), profile["password"]
        return settings | {"api_key": None, "basic": basic, "auth_source": "the profile"}
    return settings


def _read_key(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the API key file {path}: {error}") from None


def _without_credentials(url: str) -> tuple[str, tuple[str, str] | None]:
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 9200)
    except ValueError:
        raise InputError("the address of Elasticsearch has no valid port") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"{parts.hostname or url!r} is not an address: write it as http://host:9200")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    plain = urlunsplit((parts.scheme, f"{host}:{port}", parts.path.rstrip("/"), "", ""))
    if parts.username is None:
        return plain, None
    return plain, (unquote(parts.username), unquote(parts.password or ""))


def _running_node() -> str | None:
    node = status()
    return node.url if node else None
