"""Decisions by conditions that come out alike wherever they are asked: `if (use)` here, a clause `if(use)` there."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.dataenv.machine.copies import Choice
from ompls.analysis.dataenv.machine.routines import INITIAL, NUM_DEVICES, ON_HOST, Routines
from ompls.analysis.dataenv.machine.state import EITHER, State, forget_choices
from ompls.analysis.dataenv.relations import facts_of, negated, parts_of
from ompls.analysis.dataenv.symbolic import Atom, Opaque, Poly, is_integer
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Node, Symbol

_OF_VALUES = frozenset((ast.Name, ast.IntLiteral, ast.CharLiteral, ast.Paren, ast.Cast, ast.Unary, ast.Binary))
_CHANGING = frozenset((NUM_DEVICES, ON_HOST, *INITIAL.atoms()))


class Choices(Routines):
    """`choice` names a decision; `chooses_anew` forgets those that are not the same any more."""

    def choice(self, condition: Expr) -> tuple[Choice | None, int]:
        """(the decision, its side when the condition holds); None: it may come out otherwise next time."""
        nodes = list(condition.walk())
        if not all(type(n) in _OF_VALUES for n in nodes) or sum(1 for _ in parts_of(condition, True)) != 1:
            return None, 0
        names = [n for n in nodes if isinstance(n, ast.Name) and n.symbol is not None and is_integer(n.type)]
        values = {n.symbol: v if isinstance(v := self.value(n), Poly) else None for n in names if n.symbol is not None}
        found = facts_of(condition, True, values)
        if not found or any(a in _CHANGING or _op(a).startswith(EITHER) for a in _all_atoms(found[0][0])):
            return None, 0
        self.chosen = True
        # One of a comparison and its opposite stands for both.
        side = int(found[0][1] in ("!=", "<="))
        return Choice(negated(found[0]) if side else found[0]), side

    def chooses_anew(self, state: State | None, node: Node, assigned: set[Symbol]) -> None:
        """`node` is about to run again, and gives these other values."""
        if state is None or not self.chosen:
            return
        here, around = self.frame.name, {f.name for f in self.frames[:-1]}

        def changed(choice: Choice) -> bool:
            for atom in _all_atoms(choice.says[0]):
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
            forget_choices(self.now, lambda c: any(_op(a).startswith(name + "@") for a in _all_atoms(c.says[0])))


def _op(atom: Atom) -> str:
    return atom.op if isinstance(atom, Opaque) else ""


def _all_atoms(p: Poly) -> Iterator[Atom]:
    """Those inside of others included."""
    for atom in p.atoms():
        yield atom
        for inner in atom.args if isinstance(atom, Opaque) else ():
            yield from _all_atoms(inner)
