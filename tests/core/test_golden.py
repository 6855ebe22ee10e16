"""Fingerprints are for ever: stored ones must match those made tomorrow, by any process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden.json"

MAKE = """
import json, sys
from esdedup import FeatureKind, FeatureSettings, Fingerprinter, to_hex
texts = json.load(open(sys.argv[1], encoding="utf-8"))["texts"]
stamps = {}
for kind in FeatureKind:
    fingerprinter = Fingerprinter(FeatureSettings(kind))
    sketches = [fingerprinter.sketch(text) for text in texts]
    stamps[fingerprinter.settings.stamp] = [[to_hex(s.fingerprint), s.digest] for s in sketches]
print(json.dumps(stamps))
"""


@pytest.mark.parametrize("seed", ["0", "1", "random"])
def test_the_frozen_fingerprints(seed: str) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-X", "utf8", "-W", "ignore::ResourceWarning", "-c", MAKE, str(GOLDEN)]
    made = subprocess.run(command, capture_output=True, env=environment, check=True, timeout=60)
    assert json.loads(made.stdout) == json.loads(GOLDEN.read_text("utf-8"))["stamps"]


def test_the_frozen_file_covers_the_kinds_of_text() -> None:
    golden = json.loads(GOLDEN.read_text("utf-8"))
    assert len(golden["texts"]) >= 40
    assert len(golden["stamps"]) == 4
    assert all(len(rows) == len(golden["texts"]) for rows in golden["stamps"].values())
