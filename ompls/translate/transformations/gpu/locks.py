"""Waits for locks of the OpenMP API: what is done while a lock is held goes into the loop that waits for it.

Before sm_70 a lane that has got a lock waits behind the loop for the lanes of its warp that are still in it, and they
wait for the lock (`ompls_once_taken` of the device library says more).  So a stretch of statements under a lock becomes
the body of `ompls_with_lock`; `analysis/dataenv/lockwaits.py` says which can.  What leaves a stretch early (`return`,
`break`, `continue`) sets `ompls_left` and goes on behind it.

A wait that stays as it is is marked by `OMPLS_UNJOINED` where several lanes may come to it: code for GPUs before sm_70
is refused there (`ompls check` says it beforehand).  The condition of a loop of the user's that asks for a lock goes
through `ompls_unknown`, and a function that asks is never inlined, so that no optimizer moves its release out of the
caller's loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ompls.analysis.dataenv.lockwaits import Joins, Stretch
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span
from ompls.translate.rewrite import Part

_RUNNERS = {"omp_set_lock": "ompls_with_lock", "omp_set_nest_lock": "ompls_with_nest_lock"}
_CODES = {"return": 1, "break": 2, "continue": 3}


@dataclass
class Joined(Joins):
    """The same as text: what became of the stretches of a function so far."""

    jumps: set[int] = field(default_factory=set)  # id of jumps that leave a stretch

    def edits(self, s: Stretch, result: str) -> Iterator[tuple[Span, list[Part]]]:
        """What to replace by what.  `result`: the declaration of the function's result, "" where none is returned."""
        if not self.join(s):
            return
        further = {j.kind for j in s.out if id(j) in self.jumps}  # these leave an outer stretch, too
        self.jumps.update(map(id, s.out))
        begins = bool(s.out) and not further
        opening = f"{{ int ompls_left = 0; {result} " if begins else ""
        yield s.first.span, [f"{opening}{_RUNNERS[s.routine]}(", s.wait.args[0].span, ", [&] {"]
        last, onward = s.body[-1], ""
        at_end = last.kind if isinstance(last, ast.Jump) else ""
        for kind in sorted({j.kind for j in s.out}, key=lambda kind: (kind == at_end, kind)):
            condition = f"if (ompls_left == {_CODES[kind]}) " if kind != at_end else ""
            if kind in further:
                onward += f" {condition}return;"
            elif kind == "return":
                onward += f" {condition}return{' ompls_result' if result else ''};"
            else:
                onward += f" {condition}{{ ompls_left = 0; {kind}; }}"
        yield last.span, [last.span, "\n});", onward, " }" if begins else ""]

    def jump(self, j: ast.Jump) -> list[Part]:
        """What stands for a jump; nothing where it leaves no stretch."""
        if id(j) not in self.jumps:
            return []
        value: list[Part] = ["ompls_result = ", j.value.span, "; "] if j.value is not None else []
        return ["{ ", *value, f"ompls_left = {_CODES[j.kind]}; return; }}"]
