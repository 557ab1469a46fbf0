"""Expected findings drawn under the lines of a C text: `//   ^^^^ severity: message` speaks of the line above it."""

from __future__ import annotations

import re
from dataclasses import replace

from named import devices

from ompls.analysis import notes
from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.tu import TU
from ompls.analysis.rules import report
from ompls.analysis.source import EMPTY_SNAPSHOT, HeaderSnapshot, Settings
from ompls.analysis.spec.devices import DeviceSpec
from ompls.cli.refusals import refused

DEVICES = devices("cuda")
_DEVICE = re.compile(r"^// Device (\w+)$", re.MULTILINE)
_DRAWN = re.compile(r"^(\s*//\s*)(\^+) (error|warning|hint): (.*)$")

Drawn = tuple[int, int, int, str, str]  # line and columns (0-based), severity, message


def expected(text: str) -> list[Drawn]:
    """The findings that `text` draws."""
    found: list[Drawn] = []
    above = -1
    for number, line in enumerate(text.splitlines()):
        match = _DRAWN.match(line)
        if match is None:
            above = number
            continue
        start = len(match.group(1))
        found.append((above, start, start + len(match.group(2)), match.group(3), match.group(4)))
    return sorted(found)


def drawn(text: str, diagnostics: list[Diagnostic]) -> list[Drawn]:
    """Findings as they would be drawn; one over several lines is drawn on its first."""
    data = text.encode()
    found: list[Drawn] = []
    for d in diagnostics:
        line_start = data.rfind(b"\n", 0, d.where.start) + 1
        line_end = data.find(b"\n", d.where.start)
        end = min(d.where.end, line_end if line_end >= 0 else len(data))
        line = data.count(b"\n", 0, d.where.start)
        found.append((line, d.where.start - line_start, end - line_start, d.severity, d.message))
    return sorted(found)


def analyze(text: str, settings: Settings | None = None, snapshot: HeaderSnapshot = EMPTY_SNAPSHOT) -> TU:
    encoding = "latin-1" if "// Latin-1\n" in text else "utf-8"
    return Analyzer().analyze(
        "example.c", text.encode(encoding), snapshot, settings or Settings(devices=devices_of(text))
    )


def version_of(text: str, default: str = "5.2") -> str:
    """The version of OpenMP that an example is written for: a line of it may be `// OpenMP 4.5`."""
    match = re.search(r"^// OpenMP (\d\.\d)$", text, re.MULTILINE)
    return match.group(1) if match else default


def devices_of(text: str) -> tuple[DeviceSpec, ...]:
    """The device that an example speaks of: a line of it may be `// Device epiphany`."""
    match = _DEVICE.search(text)
    return devices(match.group(1)) if match else DEVICES


def findings(text: str, *rules: str, openmp: str = "") -> list[Diagnostic]:
    """What the rules (all of them by default) say about `text`; those of the front end and the translator when they are
    named."""
    settings = Settings(openmp=openmp or version_of(text), select=rules, devices=devices_of(text))  # type: ignore[arg-type]
    tu = analyze(text, settings)
    return report(tu, [d for rule in rules if rule in ELSEWHERE for d in ELSEWHERE[rule](text, settings)]).diagnostics


def _noticed(text: str, settings: Settings) -> list[Diagnostic]:
    """By the front end, where no header is found."""
    missing = dict.fromkeys(re.findall(r'#include ("\S+")', text), "no such file")
    return notes.diagnostics(analyze(text, settings, HeaderSnapshot("no headers", missing=missing)))


def _refused(text: str, settings: Settings) -> list[Diagnostic]:
    return refused(analyze(text, replace(settings, device_chosen=True)))


ELSEWHERE = dict.fromkeys(notes.IDS.values(), _noticed) | {notes.UNTRANSLATABLE: _refused}
