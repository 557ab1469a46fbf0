"""Nobody but a device's own folder asks what a device is called."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import ompls
from ompls.project.devices import registry
from ompls.translate.classes import CLASSES

PACKAGE = Path(ompls.__file__).parent
NAMES = {*registry().devices, *CLASSES}
# These words mean other things, too: clauses, mappers and traits of OpenMP, the host's half of a unit.
WORDS_OF_OPENMP = {"default", "host", "gpu"}
AT_WORK_WITH_THEM = {
    "cli/offloading.py",  # the words of other compilers
    "translate/lowering/context.py",  # traits of context selectors
    "translate/lowering/spelling.py",  # the clause `default`
    "translate/mappers.py",  # the mapper `default`
}


MENTIONED = re.compile("[\"'](?:{})[\"']".format("|".join(map(re.escape, NAMES))))


def _compared(text: str) -> set[str]:
    """The texts that are compared with something; none where no name of a device is mentioned."""
    if not MENTIONED.search(text):
        return set()
    compared = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Compare)]
    sides = [side for n in compared for side in (n.left, *n.comparators)]
    return {str(c.value) for side in sides for c in ast.walk(side) if isinstance(c, ast.Constant)}


def test_no_device_is_asked_for_its_name() -> None:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        name = str(path.relative_to(PACKAGE))
        if not name.startswith("devices/"):
            allowed = WORDS_OF_OPENMP if name.startswith("analysis/") or name in AT_WORK_WITH_THEM else set()
            found[name] = (_compared(path.read_text()) & NAMES) - allowed
    assert len(found) > 400
    assert {name: words for name, words in found.items() if words} == {}


def test_a_comparison_is_found() -> None:
    assert _compared("if device.name in ('cuda', x): pass") == {"cuda"}
