"""Diagnostics as a SARIF 2.1.0 log (OASIS Standard, 27 March 2020): what code hosts and dashboards read.

Section numbers in comments are those of the standard.  `tests/cli/sarif.schema.json` writes down the part we use.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ompls import SITE, __version__
from ompls.analysis.diagnostic import Diagnostic, Edit
from ompls.analysis.encoding import well_formed
from ompls.analysis.rules import RULES, manual
from ompls.analysis.source import Location
from ompls.cli.baseline import fingerprints
from ompls.cli.places import Places, shown

_LEVELS = {"error": "error", "warning": "warning", "hint": "note"}
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def log(
    found: Sequence[Diagnostic],
    places: Places,
    *,
    suppressed: Sequence[Diagnostic] = (),
    unchanged: Collection[Diagnostic] | None = None,
    failures: Sequence[str] = (),
) -> dict[str, Any]:
    """The whole log.

    suppressed -- what comments in the source silence
    unchanged  -- what the baseline has (None: there is no baseline)
    failures   -- why files could not be checked
    """
    ids = sorted({*RULES, *(d.rule for d in (*found, *suppressed))})
    index = {rule: position for position, rule in enumerate(ids)}
    driver = {"name": "ompls", "version": __version__, "rules": [_rule(rule) for rule in ids]}
    every = [*found, *suppressed]
    results = []
    for diagnostic, mark in zip(every, fingerprints(every, places), strict=True):
        result = _result(diagnostic, index, places)
        result["partialFingerprints"] = {"omplsFinding/v2": mark}
        if unchanged is not None:
            result["baselineState"] = "unchanged" if diagnostic in unchanged else "new"  # 3.27.24
        results.append(result)
    for result in results[len(found) :]:
        result["suppressions"] = [{"kind": "inSource"}]  # 3.27.23
    invocation: dict[str, Any] = {"executionSuccessful": not failures}  # 3.20.14
    if failures:
        invocation["toolExecutionNotifications"] = [{"level": "error", "message": {"text": f}} for f in failures]
    run = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",  # 3.14.17
        "results": results,
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule_id: str) -> dict[str, Any]:
    rule = RULES.get(rule_id)
    if rule is None:  # the front end's own
        return {"id": rule_id, "shortDescription": {"text": rule_id}, "defaultConfiguration": {"level": "warning"}}
    return {
        "id": rule_id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why.strip()},
        "help": {"text": manual(rule_id)},
        **({"helpUri": f"{SITE}rules/{rule_id}/"} if SITE else {}),
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": [rule.group]},
    }


def _result(diagnostic: Diagnostic, index: Mapping[str, int], places: Places) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": diagnostic.rule,
        "ruleIndex": index[diagnostic.rule],
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": diagnostic.message},
        "locations": [_location(diagnostic.where, places)],
    }
    if diagnostic.related:
        result["relatedLocations"] = [
            {"id": position, "message": {"text": related.message}, **_location(related.where, places)}
            for position, related in enumerate(diagnostic.related)
        ]
    if diagnostic.fixes:
        result["fixes"] = [
            {
                "description": {"text": fix.title},
                "artifactChanges": _changes(fix.edits, places),
                "properties": {"safe": fix.safe},
            }
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
                {"deletedRegion": _region(edit.where, places), "insertedContent": {"text": well_formed(edit.text)}}
                for edit in group
            ],
        }
        for path, group in by_file.items()
    ]
