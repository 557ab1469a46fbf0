"""Diagnostics for people: the message, the line, a mark under the range.  And as JSON; SARIF has its own module."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.encoding import well_formed
from ompls.analysis.source import Location
from ompls.cli.places import Places, readable, shown
from ompls.cli.terminal import Style, harmless

_WIDEST = 240  # columns of a line that are shown
_BEFORE = 80  # of them, before the range


def show(found: Sequence[Diagnostic], places: Places) -> None:
    """Print them on stderr, as `check` prints them on stdout."""
    style = Style(sys.stderr)
    for diagnostic in found:
        print(text(diagnostic, places, style), file=sys.stderr)


def text(diagnostic: Diagnostic, places: Places, style: Style) -> str:
    """One diagnostic with its notes and the titles of its quick fixes."""
    lines = [_headline(diagnostic.where, diagnostic.severity, diagnostic.message, places, style, rule=diagnostic.rule)]
    lines += _excerpt(diagnostic.where, places, style)
    for related in diagnostic.related:
        lines.append(_headline(related.where, "note", related.message, places, style))
        lines += _excerpt(related.where, places, style)
    for fix in diagnostic.fixes:
        lines.append(f"    {style('strong', 'fix' if fix.safe else 'unsafe fix')}: {harmless(fix.title)}")
    return "\n".join(lines)


def _headline(where: Location, kind: str, message: str, places: Places, style: Style, *, rule: str = "") -> str:
    at = places.range(where)
    place = style("strong", f"{harmless(shown(where.path))}:{at.start_line}:{at.start_column}:")
    return f"{place} {style(kind, kind + ':')} {harmless(message)}" + (f" [{rule}]" if rule else "")


def _excerpt(where: Location, places: Places, style: Style) -> list[str]:
    """The source line and a mark under the range; a range over several lines is marked to the end of its first."""
    at = places.range(where)
    line = places.line(where.path, at.start_line)
    if not line.strip():
        return []
    end = at.end_column - 1 if at.end_line == at.start_line else len(line)
    start = min(at.start_column - 1, len(line))
    line, start, end = _window(line, start, end)
    # Tabs stay tabs in the line of marks, so that both lines are shifted alike.
    lead = "".join(character if character == "\t" else " " for character in line[:start])
    mark = "^" + "~" * max(0, min(end, len(line)) - start - 1)
    return [f"    {harmless(line)}", f"    {lead}{style('mark', mark)}"]


def _window(line: str, start: int, end: int) -> tuple[str, int, int]:
    """Of a line that no terminal can show, what stands around the range."""
    if len(line) <= _WIDEST:
        return line, start, end
    first = max(0, min(start - _BEFORE, len(line) - _WIDEST))
    last = min(len(line), first + _WIDEST)
    lead, rest = ("…" if first else ""), ("…" if last < len(line) else "")
    shift = len(lead) - first
    return f"{lead}{line[first:last]}{rest}", start + shift, min(end, last) + shift


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
                    {"file": readable(e.where.path), "range": _range(e.where, places), "text": well_formed(e.text)}
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


def counted(number: int, what: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def summary(found: Sequence[Diagnostic], files: int, *, fixed: bool = False) -> str:
    """`3 files checked: 1 error, 2 hints; 1 can be fixed with --fix, 1 more with --unsafe-fixes`.

    fixed -- what can be was fixed, and that was said
    """
    severities = Counter(d.severity for d in found)
    parts = [counted(severities[kind], kind) for kind in ("error", "warning", "hint") if severities[kind]]
    safe = sum(any(fix.safe for fix in d.fixes) for d in found)
    unsafe = sum(bool(d.fixes) for d in found) - safe
    fixes = [f"{safe} can be fixed with --fix"] if safe else []
    fixes += [f"{unsafe} {'more ' if safe else 'can be fixed '}with --fix --unsafe-fixes"] if unsafe else []
    line = f"{counted(files, 'file')} checked: {', '.join(parts) or 'no findings'}"
    return line if fixed or not fixes else f"{line}; {', '.join(fixes)}"


def more(found: Sequence[Diagnostic]) -> str:
    """What --unsafe-fixes would do after --fix; '': nothing."""
    unsafe = sum(bool(d.fixes) and not any(fix.safe for fix in d.fixes) for d in found)
    return f"{unsafe} more can be fixed with --unsafe-fixes" if unsafe else ""


def statistics(found: Sequence[Diagnostic], as_data: bool) -> str:
    """How many findings each rule has at each severity, most first; `*` marks those that --fix can do."""
    counts = Counter((d.rule, d.severity) for d in found)
    fixable = Counter((d.rule, d.severity) for d in found if any(fix.safe for fix in d.fixes))
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    if as_data:
        entries = [
            {"rule": rule, "severity": severity, "count": count, "fixable": fixable[rule, severity]}
            for (rule, severity), count in rows
        ]
        return json.dumps({"statistics": entries}, indent=2)
    width = len(str(max(counts.values(), default=0)))
    lines = [
        f"{count:{width}}  {severity:7}  {'*' if fixable[rule, severity] else ' '} {rule}"
        for (rule, severity), count in rows
    ]
    total = f"{counted(len(found), 'finding')} in {counted(len({d.where.path for d in found}), 'file')}"
    note = f"; * {sum(fixable.values())} can be fixed with --fix" if fixable else ""
    return "\n".join([*lines, total + note])
