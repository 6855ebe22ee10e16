"""Which setting wins, and that secrets stay where they are."""

import os
from pathlib import Path

import pytest

from esdedup.engine.target import resolve
from esdedup.errors import InputError

CONFIG = """
[default]
url = "http://default.example:9200"

[profile.work]
url = "https://work.example:9243"
api_key = "WORK-SECRET"
ca_certs = "authority.pem"

[profile.cloud]
cloud_id = "name:abc"
username = "me"
password = "CLOUD-SECRET"
"""


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"ESDEDUP_CONFIG": str(tmp_path / "config.toml")}


@pytest.fixture
def configured(environ: dict[str, str]) -> dict[str, str]:
    Path(environ["ESDEDUP_CONFIG"]).write_text(CONFIG, "utf-8")
    return environ


def nothing() -> None:
    return None


def test_addresses_in_their_order(configured: dict[str, str]) -> None:
    variables = ["ESDEDUP_URL", "ELASTICSEARCH_URL", "ES_URL", "ES_LOCAL_URL"]
    environ = configured | {name: f"http://{name.lower().replace('_', '-')}:1" for name in variables}
    assert resolve("http://flag:1", "work", environ, nothing).source == "--url"
    assert resolve(None, "work", environ, nothing).source == "profile work"
    for name in variables:
        assert resolve(None, None, environ, nothing).source == name
        del environ[name]
    assert resolve(None, None, environ, nothing).source == "profile default"
    assert resolve(None, None, environ | {"ESDEDUP_PROFILE": "work"}, nothing).source == "profile work"
    assert resolve(None, None, environ | {"CLOUD_ID": "x:y"}, nothing).cloud_id == "x:y"


def test_without_any_setting(environ: dict[str, str]) -> None:
    local = resolve(None, None, environ, lambda: "http://127.0.0.1:9555")
    assert (local.url, local.source) == ("http://127.0.0.1:9555", "local node")
    default = resolve(None, None, environ, nothing)
    assert (default.url, default.source) == ("http://localhost:9200", "default")


def test_credentials_in_their_order(environ: dict[str, str], tmp_path: Path) -> None:
    key_file = tmp_path / "key"
    key_file.write_text("FROM-FILE\n")
    given = environ | {
        "ESDEDUP_API_KEY": "A",
        "ES_LOCAL_API_KEY": "B",
        "ESDEDUP_API_KEY_FILE": str(key_file),
        "ES_PASSWORD": "P",
        "ES_USERNAME": "me",
    }
    assert resolve(None, None, given, nothing).api_key == "A"
    del given["ESDEDUP_API_KEY"]
    assert resolve(None, None, given, nothing).api_key == "B"
    del given["ES_LOCAL_API_KEY"]
    assert resolve(None, None, given, nothing).api_key == "FROM-FILE"
    del given["ESDEDUP_API_KEY_FILE"]
    assert resolve(None, None, given, nothing).basic == ("me", "P")
    del given["ES_USERNAME"]
    assert resolve(None, None, given, nothing).basic == ("elastic", "P")


def test_a_profile_brings_its_own_credentials(configured: dict[str, str]) -> None:
    environ = configured | {"ESDEDUP_API_KEY": "ANOTHER"}
    work = resolve(None, "work", environ, nothing)
    assert (work.api_key, work.auth_source) == ("WORK-SECRET", "the profile")
    assert work.ca_certs == str(Path(environ["ESDEDUP_CONFIG"]).with_name("authority.pem"))
    cloud = resolve(None, "cloud", environ, nothing)
    assert (cloud.cloud_id, cloud.basic, cloud.api_key) == ("name:abc", ("me", "CLOUD-SECRET"), None)


def test_a_profile_keeps_its_secrets_and_trust_from_other_addresses(configured: dict[str, str]) -> None:
    for target in (
        resolve("http://other.example:1", "work", configured, nothing),
        resolve(None, None, configured | {"ES_URL": "http://other.example:1"}, nothing),
        resolve(None, None, configured, nothing),
    ):
        assert (target.api_key, target.basic, target.ca_certs) == (None, None, None)


def test_a_key_file_beside_the_config_file(environ: dict[str, str], tmp_path: Path) -> None:
    Path(environ["ESDEDUP_CONFIG"]).write_text("[default]\napi_key_file = 'work.key'", "utf-8")
    (tmp_path / "work.key").write_text("KEY\n")
    assert resolve(None, None, environ, nothing).api_key == "KEY"


@pytest.mark.skipif(os.name != "posix", reason="file modes mean nothing on Windows")
def test_a_key_file_that_others_may_read(environ: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("KEY")
    file.chmod(0o640)
    given = environ | {"ESDEDUP_API_KEY_FILE": str(file)}
    assert "chmod 600" in resolve(None, None, given, nothing).warning
    file.chmod(0o600)
    assert resolve(None, None, given, nothing).warning == ""


@pytest.mark.parametrize("key", ["SECRET\nX: y", "SEC RET", "密SECRET", " "])
def test_an_api_key_that_no_header_can_hold(environ: dict[str, str], key: str) -> None:
    with pytest.raises(InputError, match="from ES_API_KEY is empty or holds") as error:
        resolve(None, None, environ | {"ES_API_KEY": key}, nothing)
    assert "SEC" not in str(error.value)


def test_the_password_of_an_address_is_taken_out_of_it(environ: dict[str, str]) -> None:
    target = resolve("https://me:p%40ss@host.example/path/", None, environ | {"ESDEDUP_API_KEY": "K"}, nothing)
    assert (target.url, target.basic, target.api_key) == ("https://host.example:443/path", ("me", "p@ss"), None)


def test_secrets_show_nowhere(configured: dict[str, str]) -> None:
    for name in ("work", "cloud"):
        target = resolve(None, name, configured, nothing)
        assert "SECRET" not in f"{target!r} {target.describe_auth()} {target.where}"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[profile.work", "cannot read"),
        ("[profile.work]\nurll = 'x'", "did you mean url"),
        ("[profile.work]\nzzz = 'x'", "known are url"),
        ("[profile.work]\nurl = 1", "must be a string"),
        ("[profile.other]\nurl = 'http://x:1'", "no profile 'work'"),
        ("profile = {work = 'x'}", "must be a table"),
        ("profile = 1", "cannot use profile"),
        ("[profiles.work]\nurl = 'http://x:1'", "cannot use profiles"),
        ("[profile.work]\nusername = 'me'", "no password"),
    ],
)
def test_a_config_file_that_cannot_be_used(environ: dict[str, str], content: str, words: str) -> None:
    Path(environ["ESDEDUP_CONFIG"]).write_text(content, "utf-8")
    with pytest.raises(InputError, match=words) as error:
        resolve(None, "work", environ, nothing)
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(
    "url",
    [
        "host:9200",
        "ftp://host",
        "http://",
        "http://host:port",
        "localhost",
        "http://a b:9200",
        "http://[::1",
        "elastic:SECRET@host:9200",
        "http://elastic:SECRET@:9200",
        "http://elastic:12/SECRET@host:9200",
        "http://elastic:1#SECRET@host:9200",
        "http://elastic:1?SECRET@host:9200",
    ],
)
def test_an_address_that_cannot_be_used(environ: dict[str, str], url: str) -> None:
    with pytest.raises(InputError, match="the address from ES_URL cannot be used: write it as") as error:
        resolve(None, None, environ | {"ES_URL": url}, nothing)
    assert "SECRET" not in str(error.value)


def test_a_key_file_that_is_not_there(environ: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="API key file"):
        resolve(None, None, environ | {"ESDEDUP_API_KEY_FILE": str(tmp_path / "none")}, nothing)
