"""Whatever can be said of a device is read by some line of the program, besides the page that shows all of it."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from pathlib import Path

import ompls
from ompls.analysis.spec.devices import DeviceSpec

PACKAGE = Path(ompls.__file__).parent
CALLED = {"device", "d", "base", "other"}  # what variables with a device in them are called
SHOW_ALL = {"project/devicepages.py"}


MENTIONED = re.compile(r"\b(?:{})\.(\w+)".format("|".join({*CALLED, "self"})))


def read_in(path: Path, text: str) -> set[str]:
    """The attributes of devices that are read in a file."""
    own = {"self"} if path.name == "model.py" else set()
    nodes = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Attribute)]
    return {n.attr for n in nodes if isinstance(n.value, ast.Name) and n.value.id in CALLED | own}


def test_every_field_is_read() -> None:
    unread = {field.name for field in fields(DeviceSpec)}
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text()
        if str(path.relative_to(PACKAGE)) not in SHOW_ALL and unread.intersection(MENTIONED.findall(text)):
            unread -= read_in(path, text)
    assert unread == set()
