"""Writes esdedup/data/simplified.txt: pairs of a traditional Chinese character and its simplified form.

The pairs are what OpenCC's `t2s` conversion (Apache-2.0) does to each single character. Run once by a
maintainer; users of esdedup need no OpenCC:  pip install opencc && python benchmarks/make_script_table.py
"""

from pathlib import Path

import opencc

_HAN = (range(0x3400, 0x4DC0), range(0x4E00, 0xA000), range(0xF900, 0xFB00), range(0x20000, 0x31350))


def main() -> None:
    convert = opencc.OpenCC("t2s").convert
    characters = [chr(code) for block in _HAN for code in block]
    folded = [(c, convert(c)) for c in characters]
    lines = [c + s for c, s in folded if c != s and len(s) == 1]
    target = Path(__file__).parents[1] / "esdedup" / "data" / "simplified.txt"
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} pairs")


if __name__ == "__main__":
    main()
