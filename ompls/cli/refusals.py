"""What the translator refuses, as findings of `check`: who chose a device knows beforehand what `translate` will say.

The rules about devices say most of it, with more words and in the editor, too; here is what only the attempt shows (a
loop whose bound no GPU can compute, a type without a name, …).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ompls.analysis.notes import UNTRANSLATABLE

if TYPE_CHECKING:
    from ompls.analysis.diagnostic import Diagnostic, Severity
    from ompls.analysis.model.tu import TU
    from ompls.analysis.rules import Report

_GROUP = "device-limits"


def refused(tu: TU) -> list[Diagnostic]:
    """Each thing that stands in the way of a translation for the chosen device, as a warning: another may run it.

    Nothing when nobody chose a device, or when nobody wants to hear of its limits; hints where a header is missing.
    """
    settings = tu.settings
    # Of the code in a device's folder nothing is run: the set that its target derives from is asked.
    devices = [replace(device, target="") for device in settings.devices if device.kernels and not device.planned]
    wanted = not settings.select or {_GROUP, UNTRANSLATABLE} & set(settings.select)
    unwanted = {_GROUP, UNTRANSLATABLE} & {*settings.ignore, *(n for n, how in settings.severity if how == "off")}
    if not settings.device_chosen or not devices or not wanted or unwanted:
        return []
    from ompls.translate import NotTranslatedError, translate

    severity: Severity = "warning" if tu.headers_known else "hint"
    try:
        return [replace(d, severity=severity) for d in translate([tu], devices, {}).diagnostics]
    except NotTranslatedError:  # who translates is told
        return []


def _subject(d: Diagnostic) -> str:
    """What it is about: a rule says of a structure's member where it is used, the translator where it stands."""
    return d.message.partition(" cannot be ")[0].replace("`", "'")


def once(report: Report) -> Report:
    """Without those in whose place a rule says, as surely, why no device or this one can run it."""
    from ompls.analysis.rules import RULES

    said = [
        d
        for d in (*report.diagnostics, *report.suppressed)
        if d.rule != UNTRANSLATABLE
        and (d.severity == "error" or (d.severity == "warning" and RULES[d.rule].group == _GROUP))
    ]

    def news(d: Diagnostic) -> bool:
        there = [x for x in said if x.where.path == d.where.path]
        over = any(x.where.start < d.where.end and d.where.start < x.where.end for x in there)
        return d.rule != UNTRANSLATABLE or not (over or any(_subject(x) == _subject(d) for x in said))

    return replace(
        report,
        diagnostics=[d for d in report.diagnostics if news(d)],
        suppressed=[d for d in report.suppressed if news(d)],
    )
