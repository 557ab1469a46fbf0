"""Header snapshots straight from gcc, for the model's tests (the project layer has its own, with its own tests)."""

from __future__ import annotations

import functools
import re
import subprocess
from pathlib import Path

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.tu import TU
from ompls.analysis.source import HeaderSnapshot, HeaderUnit, Macro, Settings

FIXTURES = Path(__file__).parent / "fixtures"
EXAMPLES = Path(__file__).parents[2] / "examples"
_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*(<[^>\n]*>|\"[^\"\n]*\")", re.M)
_DEFINE = re.compile(r"#\s*(define|undef)\s+(\w+)(\(([^)]*)\))?[ \t]*(.*)")


def snapshot(path: Path, source: bytes, include_dirs: tuple[str, ...] = ()) -> HeaderSnapshot:
    """System headers by gcc; headers that stand in `include_dirs` or beside the file as project texts."""
    texts: dict[str, tuple[str, bytes]] = {}
    system: list[str] = []
    _collect(path.parent, source, include_dirs, texts, system)
    return _of(tuple(dict.fromkeys(system)), tuple(sorted(texts.items())))


def _collect(
    here: Path, source: bytes, dirs: tuple[str, ...], texts: dict[str, tuple[str, bytes]], system: list[str]
) -> None:
    for m in _INCLUDE.finditer(source):
        operand = m.group(1).decode()
        places = [here, *map(Path, dirs)] if operand[0] == '"' else []
        found = next((p / operand[1:-1] for p in places if (p / operand[1:-1]).is_file()), None)
        if found is None:
            system.append(operand)
        elif operand not in texts:
            texts[operand] = (str(found), found.read_bytes())
            _collect(found.parent, texts[operand][1], dirs, texts, system)


@functools.lru_cache(maxsize=64)
def _of(system: tuple[str, ...], texts: tuple[tuple[str, tuple[str, bytes]], ...]) -> HeaderSnapshot:
    predefined = _run("")[0]
    ops, text = _run("\n".join(f"#include {s}" for s in system))
    known = {m.name for m in predefined if isinstance(m, Macro)}
    ops = tuple(o for o in ops if isinstance(o, str) or o.name not in known)
    units = {s: HeaderUnit(ops if k == 0 else (), text if k == 0 else "") for k, s in enumerate(system)}
    macros = tuple(m for m in predefined if isinstance(m, Macro))
    return HeaderSnapshot(repr(system), macros, units, dict(texts), {})


@functools.lru_cache(maxsize=64)
def _run(text: str) -> tuple[tuple[Macro | str, ...], str]:
    command = ["gcc", "-E", "-dD", "-fopenmp", "-x", "c", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    ops: list[Macro | str] = []
    rest: list[str] = []
    for line in done.stdout.split("\n"):
        if not line.startswith("#"):
            rest.append(line)
            continue
        m = _DEFINE.match(line)
        if m is None:
            continue
        kind, name, call, params, body = m.groups()
        if kind == "undef":
            ops.append(name)
        else:
            names = tuple(p.strip() for p in params.split(",") if p.strip()) if call else None
            ops.append(Macro(name, names, body))
    return tuple(ops), "\n".join(rest)


def analyze(source: str | bytes, path: str = "t.c", version: str = "5.2") -> TU:
    """A unit from a snippet."""
    data = source.encode() if isinstance(source, str) else source
    return Analyzer().analyze(path, data, snapshot(Path(path), data), Settings(openmp=version))  # type: ignore[arg-type]


def analyze_file(path: Path, include_dirs: tuple[str, ...] = ()) -> TU:
    data = path.read_bytes()
    return Analyzer().analyze(str(path), data, snapshot(path, data, include_dirs), Settings())


def header_text(tu_path: Path, include_dirs: tuple[str, ...] = ()) -> str:
    snap = snapshot(tu_path, tu_path.read_bytes(), include_dirs)
    return "\n".join(u.text for u in snap.system.values())
