"""Diagnostics for people: the message, the line, a mark under the range.  And as JSON; SARIF has its own module."""

from __future__ import annotations

from typing import Any

from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.source import Location
from ompls.cli.places import Places, readable, shown
from ompls.cli.terminal import Style


def text(diagnostic: Diagnostic, places: Places, style: Style) -> str:
    """One diagnostic with its notes and the titles of its quick fixes."""
    lines = [_headline(diagnostic.where, diagnostic.severity, diagnostic.message, places, style, rule=diagnostic.rule)]
    lines += _excerpt(diagnostic.where, places, style)
    for related in diagnostic.related:
        lines.append(_headline(related.where, "note", related.message, places, style))
        lines += _excerpt(related.where, places, style)
    lines += [f"    {style('strong', 'fix')}: {fix.title}" for fix in diagnostic.fixes]
    return "\n".join(lines)


def _headline(where: Location, kind: str, message: str, places: Places, style: Style, *, rule: str = "") -> str:
    at = places.range(where)
    place = style("strong", f"{shown(where.path)}:{at.start_line}:{at.start_column}:")
    return f"{place} {style(kind, kind + ':')} {message}" + (f" [{rule}]" if rule else "")


def _excerpt(where: Location, places: Places, style: Style) -> list[str]:
    """The source line and a mark under the range; a range over several lines is marked to the end of its first."""
    at = places.range(where)
    line = places.line(where.path, at.start_line)
    if not line.strip():
        return []
    end = at.end_column - 1 if at.end_line == at.start_line else len(line)
    start = min(at.start_column - 1, len(line))
    # Tabs stay tabs in the line of marks, so that both lines are shifted alike.
    lead = "".join(character if character == "\t" else " " for character in line[:start])
    mark = "^" + "~" * max(0, min(end, len(line)) - start - 1)
    return [f"    {line}", f"    {lead}{style('mark', mark)}"]


def as_json(found: list[Diagnostic], places: Places) -> dict[str, Any]:
    """One object, `{"diagnostics": [...]}`.  Lines and columns count from 1, columns in Unicode code points."""
    return {"diagnostics": [_diagnostic(diagnostic, places) for diagnostic in found]}


def _diagnostic(diagnostic: Diagnostic, places: Places) -> dict[str, Any]:
    return {
        "file": readable(diagnostic.where.path),
        "range": _range(diagnostic.where, places),
        "severity": diagnostic.severity,
        "rule": diagnostic.rule,
        "message": diagnostic.message,
        "related": [
            {"file": readable(r.where.path), "range": _range(r.where, places), "message": r.message}
            for r in diagnostic.related
        ],
        "fixes": [
            {
                "title": fix.title,
                "safe": fix.safe,
                "edits": [
                    {"file": readable(e.where.path), "range": _range(e.where, places), "text": e.text}
                    for e in fix.edits
                ],
            }
            for fix in diagnostic.fixes
        ],
    }


def _range(where: Location, places: Places) -> dict[str, Any]:
    at = places.range(where)
    return {
        "start": {"line": at.start_line, "column": at.start_column, "byte": where.start},
        "end": {"line": at.end_line, "column": at.end_column, "byte": where.end},
    }
