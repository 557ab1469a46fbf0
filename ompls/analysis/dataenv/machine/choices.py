"""Decisions by conditions that come out alike wherever they are asked: `if (use)` here, a clause `if(use)` there."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.machine.copies import Choice
from ompls.analysis.dataenv.machine.routines import INITIAL, NUM_DEVICES, ON_HOST, Routines
from ompls.analysis.dataenv.machine.state import EITHER, State, forget_choices
from ompls.analysis.dataenv.symbolic import ZERO, Atom, Opaque, Poly
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Node, Symbol

# The comparison that stands for this one and its opposite, and which of the two sides it is.
_SAME = {"==": ("==", 0), "!=": ("==", 1), "<": ("<", 0), ">=": ("<", 1), ">": (">", 0), "<=": (">", 1)}
_PLAIN = (ast.Name, ast.IntLiteral, ast.CharLiteral, ast.Paren)
_CHANGING = frozenset((NUM_DEVICES, ON_HOST, *INITIAL.atoms()))


class Choices(Routines):
    """`choice` names a decision; `chooses_anew` forgets those that are not the same any more."""

    def choice(self, condition: Expr) -> tuple[Choice | None, int]:
        """(the decision, its side when the condition holds); None: it may come out otherwise next time."""
        side = 0
        while isinstance(condition, ast.Paren) or (isinstance(condition, ast.Unary) and condition.op == "!"):
            if isinstance(condition, ast.Paren):
                condition = condition.inner
            else:
                condition, side = condition.operand, 1 - side
        if isinstance(condition, ast.Binary) and condition.op in _SAME:
            left, right, op = condition.left, condition.right, condition.op
        else:
            left, right, op = condition, None, "!="
        if not all(right_or_left is None or isinstance(right_or_left, _PLAIN) for right_or_left in (left, right)):
            return None, 0
        a, b = self.value(left), self.value(right) if right is not None else ZERO
        if not isinstance(a, Poly) or not isinstance(b, Poly):
            return None, 0
        difference = a - b
        if any(atom in _CHANGING or _op(atom).startswith(EITHER) for atom in _all_atoms(difference)):
            return None, 0
        self.chosen = True
        kind, negative = _SAME[op]
        return Choice(kind, difference), side ^ negative

    def chooses_anew(self, state: State | None, node: Node, assigned: set[Symbol]) -> None:
        """`node` is about to run again, and gives these other values."""
        if state is None or not self.chosen:
            return
        here, around = self.frame.name, {f.name for f in self.frames[:-1]}

        def changed(choice: Choice) -> bool:
            for atom in _all_atoms(choice.difference):
                name, _, at = _op(atom).rpartition("@")
                if atom in assigned or (name and name != here and name not in around):
                    return True
                if name == here and node.span.start <= int(at) < node.span.end:
                    return True
            return False

        forget_choices(state, changed)

    def called_anew(self, name: str) -> None:
        """A function begins: what its conditions were about before is another call's."""
        if self.now is not None and self.chosen:
            forget_choices(self.now, lambda c: any(_op(a).startswith(name + "@") for a in _all_atoms(c.difference)))


def _op(atom: Atom) -> str:
    return atom.op if isinstance(atom, Opaque) else ""


def _all_atoms(p: Poly) -> Iterator[Atom]:
    """Those inside of others included."""
    for atom in p.atoms():
        yield atom
        for inner in atom.args if isinstance(atom, Opaque) else ():
            yield from _all_atoms(inner)
