"""docker-compose.yml: the same version as the local node, reachable from this machine only."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from esdedup.local.jars import load_lock

ROOT = Path(__file__).parents[2]


@pytest.fixture
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
    return loaded


def test_the_version_is_that_of_the_local_node(compose: dict[str, Any]) -> None:
    images = [service["image"] for service in compose["services"].values()]
    assert all(image.endswith(f"${{ES_VERSION:-{load_lock().version}}}") for image in images)
    assert f"ES_VERSION={load_lock().version}" in (ROOT / ".env.example").read_text("utf-8")


def test_every_port_is_on_loopback(compose: dict[str, Any]) -> None:
    ports = [port for service in compose["services"].values() for port in service["ports"]]
    assert len(ports) == 2
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_kibana_waits_and_only_comes_when_asked_for(compose: dict[str, Any]) -> None:
    kibana = compose["services"]["kibana"]
    assert kibana["profiles"] == ["ui"]
    assert kibana["depends_on"]["elasticsearch"]["condition"] == "service_healthy"
    assert "profiles" not in compose["services"]["elasticsearch"]


def test_data_is_in_a_named_volume(compose: dict[str, Any]) -> None:
    (mount,) = compose["services"]["elasticsearch"]["volumes"]
    assert mount.split(":")[0] in compose["volumes"]


def test_everything_that_can_be_set_is_in_the_example() -> None:
    used = set(re.findall(r"\$\{(\w+):-", (ROOT / "docker-compose.yml").read_text("utf-8")))
    set_there = {line.split("=")[0] for line in (ROOT / ".env.example").read_text("utf-8").splitlines() if "=" in line}
    assert used == set_there
