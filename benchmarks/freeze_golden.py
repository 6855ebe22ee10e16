"""Writes tests/core/golden.json: texts and the fingerprints that every version must give while the stamp stays.

python -m benchmarks.freeze_golden     (after raising _REVISION in esdedup/settings.py)
"""

import json
from pathlib import Path

from esdedup import FeatureKind, FeatureSettings, Fingerprinter, to_hex

GOLDEN = Path(__file__).parents[1] / "tests" / "core" / "golden.json"


def main() -> None:
    texts = json.loads(GOLDEN.read_text("utf-8"))["texts"]
    stamps = {}
    for kind in FeatureKind:
        fingerprinter = Fingerprinter(FeatureSettings(kind))
        sketches = [fingerprinter.sketch(text) for text in texts]
        stamps[fingerprinter.settings.stamp] = [[to_hex(s.fingerprint), s.digest] for s in sketches]
    GOLDEN.write_text(json.dumps({"texts": texts, "stamps": stamps}, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
