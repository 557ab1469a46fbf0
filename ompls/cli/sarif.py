"""Diagnostics as a SARIF 2.1.0 log (OASIS Standard, 27 March 2020): what code hosts and dashboards read.

Section numbers in comments are those of the standard.  `tests/cli/sarif.schema.json` writes down the part we use.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ompls import __version__
from ompls.analysis.diagnostic import Diagnostic, Edit
from ompls.analysis.source import Location
from ompls.cli.places import Places, shown

_LEVELS = {"error": "error", "warning": "warning", "hint": "note"}
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def log(found: Sequence[Diagnostic], places: Places, rules: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """The whole log.  `rules` gives the title and the severity of every rule by its id."""
    ids = sorted(set(rules) | {d.rule for d in found})
    index = {rule: position for position, rule in enumerate(ids)}
    driver = {
        "name": "ompls",
        "version": __version__,
        "rules": [_rule(rule, *rules.get(rule, (rule, "warning"))) for rule in ids],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",  # 3.14.17
        "results": [_result(diagnostic, index, places) for diagnostic in found],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: str, title: str, severity: str) -> dict[str, Any]:
    return {
        "id": rule,
        "shortDescription": {"text": title},
        "help": {"text": f"ompls explain {rule}"},
        "defaultConfiguration": {"level": _LEVELS[severity]},
    }


def _result(diagnostic: Diagnostic, index: Mapping[str, int], places: Places) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": diagnostic.rule,
        "ruleIndex": index[diagnostic.rule],
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": diagnostic.message},
        "locations": [_location(diagnostic.where, places)],
        "partialFingerprints": {"omplsLine/v1": _fingerprint(diagnostic, places)},
    }
    if diagnostic.related:
        result["relatedLocations"] = [
            {"id": position, "message": {"text": related.message}, **_location(related.where, places)}
            for position, related in enumerate(diagnostic.related)
        ]
    if diagnostic.fixes:
        result["fixes"] = [
            {"description": {"text": fix.title}, "artifactChanges": _changes(fix.edits, places)}
            for fix in diagnostic.fixes
        ]
    return result


def _location(where: Location, places: Places) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": _artifact(where.path), "region": _region(where, places)}}


def _region(where: Location, places: Places) -> dict[str, Any]:
    at = places.range(where)
    return {
        "startLine": at.start_line,
        "startColumn": at.start_column,
        "endLine": at.end_line,
        "endColumn": at.end_column,
    }


def _artifact(path: str) -> dict[str, Any]:
    """3.4.3: a relative reference for what lies below the working directory, a file URI for the rest."""
    name = shown(path)
    return {"uri": Path(path).as_uri() if Path(name).is_absolute() else quote(os.fsencode(name))}


def _changes(edits: Sequence[Edit], places: Places) -> list[dict[str, Any]]:
    by_file: dict[str, list[Edit]] = {}
    for edit in edits:
        by_file.setdefault(edit.where.path, []).append(edit)
    return [
        {
            "artifactLocation": _artifact(path),
            "replacements": [
                {"deletedRegion": _region(edit.where, places), "insertedContent": {"text": edit.text}} for edit in group
            ],
        }
        for path, group in by_file.items()
    ]


def _fingerprint(diagnostic: Diagnostic, places: Places) -> str:
    """Stays the same when lines are inserted above (3.27.17): made of the rule, the file and the line's own text."""
    line = places.line(diagnostic.where.path, places.range(diagnostic.where).start_line)
    parts = (diagnostic.rule, shown(diagnostic.where.path), " ".join(line.split()), diagnostic.message)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]
