"""Pragmas that compilers pass over because a word in them is misspelt: what they ask for is lost, which has to be said.
So are regions that nobody sees because a header is missing, and clauses and modifiers that nobody has.

The rules that know them say so, as far as the user's settings let them.  What is lost costs the offload and no more, so
it is a warning; where the environment says that nothing may stay on the host, it is an error.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ompls.cli import formats
from ompls.cli.places import Places
from ompls.cli.problem import Refused

if TYPE_CHECKING:
    from ompls.analysis.diagnostic import Diagnostic
    from ompls.cli.engine import Unit

_CLAUSE = "unknown-clause"  # which costs what the clause asks for, not the offload
_LOST = ("unknown-directive", _CLAUSE, "misspelt-sentinel", "missing-include")


def tell(units: Sequence[Unit]) -> None:
    """Say on stderr what is lost.  Raises Refused when it may be an offload, and that is mandatory."""
    places, mandatory = Places(units), offload_is_mandatory()
    found = {diagnostic: None for unit in units for diagnostic in _lost(unit)}  # a header's are told once
    told = [_weighed(diagnostic, places, mandatory) for diagnostic in found]
    formats.show(told, places)
    if any(diagnostic.severity == "error" for diagnostic in told):
        raise Refused("offload is mandatory, and a pragma that asks for it is misspelt")


def _lost(unit: Unit) -> list[Diagnostic]:
    """What the rules about it say, as far as the user wants to hear it."""
    from ompls.analysis import notes
    from ompls.analysis.rules import is_asked_for, report

    select = tuple(rule for rule in _LOST if is_asked_for(rule, unit.tu.settings))
    if not select:
        return []
    found = report(replace(unit.tu, kept={}), notes.diagnostics(unit.tu), _OnlyWords(), select).diagnostics
    return unit.settings.kept(found, os.path.abspath)


class _OnlyWords:
    """A budget that leaves no time for what these rules do not ask: to follow the program."""

    def expired(self) -> bool:
        return True


def _weighed(lost: Diagnostic, places: Places, mandatory: bool) -> Diagnostic:
    """It costs the offload and no more: a warning, or an error where offload is mandatory.

    A word in capitals may be a macro of the command line to `check`, but here that one is known.
    """
    if lost.severity == "hint" and lost.rule != "unknown-directive":
        return lost
    if mandatory and lost.rule != _CLAUSE and _may_offload(lost, places):
        return replace(lost, severity="error", message=f"{lost.message} (OMP_TARGET_OFFLOAD is mandatory)")
    return replace(lost, severity="warning")


def _may_offload(lost: Diagnostic, places: Places) -> bool:
    """Whether the pragma, with its fix, is about a device, as far as one can tell."""
    if not lost.fixes:
        return True
    (edit,) = lost.fixes[0].edits
    rest = places.text(edit.where.path)[edit.where.end :].partition(b"\n")[0]
    return "target" in (edit.text + rest.decode("latin-1")).partition("(")[0].replace("_", " ").split()


def offload_is_mandatory() -> bool:
    """Whether the user's environment says that nothing may stay on the host."""
    return os.environ.get("OMP_TARGET_OFFLOAD", "").strip().lower() == "mandatory"
