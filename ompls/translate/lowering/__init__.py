"""OpenMP that is newer than the compilers behind us, in the words that they know.

The host's half of a program, and the kernels of class `default`, are compiled by gcc 12; kernels of class `gpu` by
C++ compilers.  Before anything else is made of a unit, `lower` rewrites its *text* for the target that it is made for
and analyses that: a metadirective becomes the directive that it stands for there, a call the variant that it means, a
loop transformation the loops that it makes.  Nothing behind it has to know these constructs.  Lines stay where they
are (`edits.py`), so that messages, debug information and line maps need no translation.

A theme is a file with `lower(work: Round)`.  Lowering is repeated until there is nothing to do: the text of one
lowering may hold what another one lowers.
"""

from __future__ import annotations

from ompls.analysis.model.tu import TU, FileDirective, Item
from ompls.translate.lowering import (
    attributes,
    combined,
    indirect,
    initial,
    metadirective,
    nests,
    older,
    shapes,
    spelling,
    statics,
    teams,
    transform,
    unnamed,
    variants,
)
from ompls.translate.lowering.round import Round
from ompls.translate.problem import Problem
from ompls.translate.target import Target

__all__ = ["Lowered", "lower"]

_THEMES = (
    metadirective.lower,
    variants.lower,
    initial.lower,
    indirect.lower,
    statics.lower,
    attributes.lower,
    unnamed.lower,
    combined.lower,
    shapes.lower,
    teams.lower,
    nests.lower,
    transform.lower,
    spelling.lower,
    older.lower,
)
_ROUNDS = 24  # constructs nested deeper than that are not written by people

Lowered = tuple[TU, list[tuple[TU, Item | FileDirective, Problem]]]


def lower(tu: TU, target: Target) -> Lowered:
    """`tu` for a target; itself when there is nothing to lower.

    With it what cannot be lowered: the unit in which it was found, the item, the problem.
    """
    for number in range(_ROUNDS):
        work = Round(tu, target, number)
        for theme in (*target.passes, *_THEMES):
            theme(work)
        if work.problems:
            return tu, [(tu, item, problem) for item, problem in work.problems]
        if not work.changed:
            break
        tu = work.made()
    return tu, []
