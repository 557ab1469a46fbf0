"""Names of ours that several files agree on."""

from __future__ import annotations

import hashlib
import os.path
import re

from ompls.analysis.encoding import encoded
from ompls.analysis.model.ast import Symbol
from ompls.analysis.model.tu import TU
from ompls.translate.tables import on_device, tables


def unit_name(path: str) -> str:
    """The file's name without directories and extension, as part of an identifier."""
    stem = os.path.splitext(os.path.basename(path.replace("\\", "/")))[0]
    return re.sub(r"\W", "_", stem) or "unit"


def unit_symbol(tu: TU, name: str = "") -> str:
    """`name` (by default the file's) with a mark of the unit: unique also where units are linked together."""
    identity = tu.identity or tu.path.replace("\\", "/")
    mark = hashlib.sha256(encoded(identity)).hexdigest()[: 6 if not tu.identity else 16]
    return f"{unit_name(name or tu.path)}_{mark}"


def is_global(tu: TU, s: Symbol) -> bool:
    """Whether it is a `declare target` variable; the directive may stand behind functions that use it."""
    return s.kind == "var" and s.level == "file" and on_device(tu, s) and s.name not in tables(tu)


def global_symbol(tu: TU, s: Symbol) -> str:
    """The pointer that stands for a `declare target` variable in every image (2015 paper §3.3.2)."""
    return f"__ompls_g_{unit_symbol(tu)}_{s.name}" if s.storage == "static" else f"__ompls_g_{s.name}"
