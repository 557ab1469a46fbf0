"""Diagnostics as workflow commands of GitHub Actions: annotations at the lines of a pull request.

A command is one line, `::warning file=…,line=…::message`; what would end one of its parts is percent-encoded
(github.com/actions/toolkit, packages/core/src/command.ts).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.encoding import well_formed
from ompls.cli.places import Places, readable

_LEVELS = {"error": "error", "warning": "warning", "hint": "notice"}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def commands(found: list[Diagnostic], places: Places) -> Iterator[str]:
    """One line for each diagnostic."""
    for diagnostic in found:
        at = places.range(diagnostic.where)
        properties: dict[str, str | int] = {
            "file": readable(diagnostic.where.path),
            "line": at.start_line,
            "endLine": at.end_line,
        }
        if at.start_line == at.end_line:  # columns of several lines are not understood
            properties |= {"col": at.start_column, "endColumn": at.end_column}
        properties["title"] = f"ompls ({diagnostic.rule})"
        lines = [diagnostic.message]
        for related in diagnostic.related:
            lines.append(f"{readable(related.where.path)}:{places.range(related.where).start_line}: {related.message}")
        values = ",".join(f"{name}={_escaped(str(value), _PROPERTY)}" for name, value in properties.items())
        yield f"::{_LEVELS[diagnostic.severity]} {values}::{_escaped(well_formed(chr(10).join(lines)), _DATA)}"


def _escaped(text: str, table: Mapping[str, str]) -> str:
    return "".join(table.get(character, character) for character in text)
