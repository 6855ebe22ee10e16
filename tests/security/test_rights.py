"""The rights that docs/connection.md asks for: with these all works, without any one of them something fails."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Esdedup, Ran
from tests.security.conftest import BAKERY, INDEX, STORM, Secured, assert_refused, write_lines

pytestmark = pytest.mark.security

_DOCUMENTED = (Path(__file__).parents[2] / "docs" / "connection.md").read_text("utf-8")
ROLES: dict[str, dict[str, Any]] = {
    name: role
    for block in re.findall(r"```json\n(.*?)```", _DOCUMENTED, re.DOTALL)
    for name, role in json.loads(block).items()
}
assert sorted(ROLES) == ["esdedup-create", "esdedup-read", "esdedup-write"]
_PRIVILEGES = [(name, right) for name, role in ROLES.items() for right in role["indices"][0]["privileges"]]
_NAMES = [(name, given) for name, role in ROLES.items() for given in role["indices"][0]["names"]]


@dataclass(frozen=True, slots=True)
class Person:
    """Someone who types commands, with an API key of a role, at the index as `Secured.seed` makes it."""

    secured: Secured
    run: Esdedup
    folder: Path
    set: Callable[[str, str], None]

    def gets(self, *roles: Mapping[str, Any]) -> None:
        for name, value in self.secured.with_key(*roles).items():
            self.set(name, value)


@pytest.fixture
def person(seeded: Secured, esdedup: Esdedup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    monkeypatch.setenv("ESDEDUP_CONFIG", str(tmp_path / "config.toml"))
    return Person(seeded, esdedup, tmp_path, monkeypatch.setenv)


def commands(secured: Secured, role: str, folder: Path) -> dict[str, Sequence[str]]:
    """The commands that a role is for, each with what it must print, and something to do for each."""
    new = write_lines(folder / "new.jsonl", [{"id": "new", "text": BAKERY.replace("linen", "paper")}])
    if role == "esdedup-create":
        return {"made index": ["init"]}
    if role == "esdedup-read":
        return {
            '"id": "copy"': ["dupes", "storm"],
            '"similarity": 1.0': ["dupes", "--text", STORM],
            '"id": "storm"': ["search", "harbour", "--expand"],
            '"size": 2': ["groups"],
            '"exact": true': ["group", "storm"],
            '"doc_id": "bakery"': ["show", "bakery"],
            '"size": null': ["stats", "--json"],
            '"kept": "storm"': ["prune"],
            "1 would change": ["regroup", "--dry-run"],
            '"verdict": "insert"': ["gate", new, "--check-only"],
            "nothing was written": ["index", new, "--dry-run"],
            '"name": "fingerprints", "state": "ok"': ["doctor"],
        }
    gone = {"_id": "gone", "_source": {**secured.stored("copy"), "doc_id": "gone"}}
    crawled = {"id": "crawled", "text": STORM.replace("boats", "nets").replace("pier", "quay").replace("lamp", "flag")}
    return {
        "1 changed": ["regroup"],
        "1 indexed": ["index", new],
        '"verdict": "insert"': ["gate", write_lines(folder / "crawled.jsonl", [crawled])],
        "deleted 2 documents": ["prune", "--apply", "--backup", str(folder / "backup.jsonl")],
        "restored 1 document, 0 were there": ["restore", write_lines(folder / "gone.jsonl", [gone])],
        "deleted 'bakery'": ["delete", "bakery", "--yes"],
    }


def run_all(person: Person, name: str, role: Mapping[str, Any]) -> dict[str, Ran]:
    """What each command of the role did with the rights given, by what it should have printed."""
    asked = commands(person.secured, name, person.folder)
    if name == "esdedup-create":
        person.secured.drop()
    person.gets(role)
    return {words: person.run(*args, "-i", INDEX) for words, args in asked.items()}


def less(role: Mapping[str, Any], what: str, without: str) -> dict[str, Any]:
    """The role without one of its privileges or names."""
    (grant,) = role["indices"]
    return {"indices": [{**grant, what: [one for one in grant[what] if one != without] or ["none"]}]}


@pytest.mark.parametrize("name", ROLES)
def test_a_role_can_do_what_it_is_for(person: Person, name: str) -> None:
    assert set(ROLES[name]) == {"indices"}, "no right over the cluster is needed"
    for words, ran in run_all(person, name, ROLES[name]).items():
        assert (ran.code, words in ran.out) == (0, True), (words, ran)


@pytest.mark.parametrize(("name", "right"), _PRIVILEGES)
def test_without_one_of_its_privileges_it_cannot(person: Person, name: str, right: str) -> None:
    ran = run_all(person, name, less(ROLES[name], "privileges", right))
    refused = [one for one in ran.values() if one.code]
    assert refused
    for one in refused:
        assert_refused_or_found(one, "lacks a right", right)


@pytest.mark.parametrize(("name", "given"), _NAMES)
def test_a_role_needs_the_alias_and_the_index_behind_it(person: Person, name: str, given: str) -> None:
    ran = run_all(person, name, less(ROLES[name], "names", given))
    refused = [one for one in ran.values() if one.code]
    assert refused
    for one in refused:
        assert_refused_or_found(one, "lacks a right")


def assert_refused_or_found(ran: Ran, *words: str) -> None:
    """Refused in one line; the doctor has it as a failed check instead."""
    if '"state": "fail"' in ran.out:
        ran = Ran(ran.code, "", "esdedup: " + json.loads(ran.out.splitlines()[-1])["found"])
    assert_refused(ran, *words)


def test_a_key_that_may_only_read_changes_nothing(person: Person) -> None:
    before = {key: person.secured.stored(key) for key in ("storm", "copy", "near", "bakery")}
    person.gets(ROLES["esdedup-read"])
    for words, args in commands(person.secured, "esdedup-write", person.folder).items():
        ran = person.run(*args, "-i", INDEX)
        assert_refused(ran, "lacks a right")
        assert words not in ran.out
    assert {key: person.secured.stored(key) for key in before} == before


@pytest.mark.parametrize(
    "args", [["dupes", "storm"], ["index", __file__], ["gate", __file__], ["init"], ["regroup"], ["delete", "x"]]
)
def test_an_index_of_others_is_refused(person: Person, args: list[str]) -> None:
    person.gets(ROLES["esdedup-write"])
    assert_refused(person.run(*args, "-i", "others"), "lacks a right", "others")


def test_a_missing_index_is_told_from_a_refused_one(person: Person) -> None:
    person.gets(ROLES["esdedup-read"])
    assert_refused(person.run("dupes", "storm", "-i", f"{INDEX}-x"), f"no index '{INDEX}-x'", f"did you mean {INDEX}?")


def test_roles_add_up(person: Person) -> None:
    """`index` makes an index that is missing: who may create and write can do it in one run."""
    new = write_lines(person.folder / "new.jsonl", [{"id": "new", "text": STORM}])
    person.secured.drop()
    person.gets(ROLES["esdedup-create"], ROLES["esdedup-write"])
    assert "1 indexed" in person.run("index", new, "-i", INDEX).out
