"""Fuzzes the analysis with coverage as the guide (atheris): python tests/fuzz/run.py [libFuzzer's options] [DIRECTORY…]

`make fuzz` runs it for a long time, a test for a short one.  What it finds is written to the current directory as
crash-…, slow-unit-… or timeout-…; `python tests/fuzz/run.py crash-…` runs one again.  Put what was found into
tests/fuzz/corpus once it is mended.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

sys.path[:0] = [str(folder) for folder in Path(__file__).resolve().parents[1:3]]

with atheris.instrument_imports(include=["ompls.analysis"]):
    from fuzz import target

if __name__ == "__main__":
    words = Path(__file__).with_name("words.txt")
    atheris.Setup([sys.argv[0], f"-dict={words}", *sys.argv[1:]], target.one)
    atheris.Fuzz()
