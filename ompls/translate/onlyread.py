"""What a kernel only reads, and through which of its parameters: what it may promise its compiler (`__restrict__`).

A GPU has a path for data that nothing writes while the kernel runs.  The text says through which parameters nothing is
written; whether they overlap what is written is known when the kernel is launched, so there are two versions of such a
kernel (core/target.c chooses).  Where the user's declaration says `restrict`, one is enough.

The proof follows pointers without regard to order.  One that comes out of memory or from a function may lead anywhere:
a kernel that writes through it promises nothing.  Nor does one that can learn in the middle that somebody else has
written (an atomic read, a lock, `flush`, volatile): without that, what others write while it runs is a data race of the
program.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from ompls.analysis.model import ast
from ompls.analysis.model.assigned import assigned_by
from ompls.analysis.model.ast import DirectiveStmt, FunctionDef, Node, Symbol, nodes
from ompls.analysis.model.ctype import Array, CType, Enum, Floating, Function, Integer, Pointer
from ompls.analysis.model.omp import Directive
from ompls.analysis.model.peel import bare
from ompls.analysis.model.sema import is_null_constant
from ompls.analysis.model.tu import TU
from ompls.translate.needs import Needs
from ompls.translate.plan import RegionPlan
from ompls.translate.uses import clause_exprs, declared_in, modified_in

Roots = frozenset["Symbol | None"]  # the variables whose storage is meant, own ones left out; None: any
_OWN: Roots = frozenset()
_ANY: Roots = frozenset((None,))
_STEPS = frozenset(("+", "-"))
_LOOPS = (ast.For, ast.While, ast.DoWhile)
_UPDATES = frozenset(("update", "write", "relaxed", "hint"))  # clauses of an `atomic` that learns nothing
# Clauses whose list items nobody writes to; of all others the variable itself may change.
_READ = frozenset((
    "map", "private", "firstprivate", "shared", "is_device_ptr", "has_device_addr", "depend", "aligned", "nontemporal",
))  # fmt: skip


class _NoProofError(Exception):
    """The kernel does something of which not all effects are seen."""


def only_read(tu: TU, plan: RegionPlan, needs: Needs) -> tuple[frozenset[str], frozenset[str]]:
    """(parameters through which the kernel only reads, parameters that are `restrict` as the user's pointers are).

    The former are empty where the second version would gain nothing.
    """
    try:
        flow = _Flow(tu, plan, needs)
        kept = frozenset(p.name for p in plan.params if p.symbol is not None and flow.keeps_restrict(p.symbol))
        if plan.mode == "master_worker":  # what parallel regions read comes out of memory, as the compiler sees it
            return frozenset(), kept
        written = flow.written()
    except _NoProofError:
        return frozenset(), frozenset()
    if None in written or any(p.kind == "pointer" and p.symbol in written for p in plan.params):
        return frozenset(), kept  # of a pointer of the program's nobody knows what lies behind it
    often = flow.read_often()
    changed = modified_in(plan.region.stmt)
    found = frozenset(
        p.name
        for p in plan.params
        if p.kind == "address" and not p.copy and p.symbol in often - written and (p.deref or p.symbol not in changed)
    )
    return found - kept, kept


class _Flow:
    """Where the pointers of one kernel lead.  Raises _NoProofError."""

    def __init__(self, tu: TU, plan: RegionPlan, needs: Needs) -> None:
        self.plan, self.stmt = plan, plan.region.stmt
        self.functions = {f.symbol.name: f for _, f in needs.functions}
        self.storage_of: dict[Symbol, Roots] = {}  # of a variable itself
        self.pointers: dict[Symbol, Roots] = {}  # where a pointer variable may lead
        self.code = [*nodes(self.stmt), *chain.from_iterable(nodes(f) for f in self.functions.values())]
        inner = [n.directive for n in self.code if isinstance(n, DirectiveStmt) and n is not self.stmt]
        self.code += [n for d in inner for e in clause_exprs(d) for n in e.walk()]
        self.directives = [self.stmt.directive, *inner]
        self._refuse(tu, needs)
        self._begin()
        self._follow()

    def _refuse(self, tu: TU, needs: Needs) -> None:
        """What could learn of other kernels' writes, or does what is not seen."""
        requires = (c.name for f in tu.directives if f.directive.name == "requires" for c in f.directive.clauses)
        ordered = "atomic_default_mem_order" in requires
        if needs.reductions or any(map(_synchronises, self.directives)) or (ordered and self._has("atomic")):
            raise _NoProofError
        called = {id(n.function) for n in self.code if isinstance(n, ast.Call)}
        for n in self.code:
            if isinstance(n, (ast.OtherExpr, ast.OtherStmt)):
                raise _NoProofError
            if isinstance(n, ast.Expr) and n.type.quals & {"volatile", "_Atomic"}:
                raise _NoProofError
            if self._function(n) is not None and id(n) not in called:
                raise _NoProofError  # its address is taken
            if isinstance(n, ast.VarDecl) and n.symbol.storage == "static":
                raise _NoProofError  # each version would have a variable of its own
            if isinstance(n, ast.Call):
                self._refuse_call(n)

    def _has(self, construct: str) -> bool:
        return any(d.has(construct) for d in self.directives)

    def _function(self, n: Node) -> FunctionDef | None:
        """The function of the program's that `n` names."""
        named = isinstance(n, ast.Name) and n.symbol is not None and n.symbol.kind == "func"
        return self.functions.get(n.name) if named and isinstance(n, ast.Name) else None

    def _refuse_call(self, n: ast.Call) -> None:
        f = self._function(n.function)
        if f is not None:
            if len(n.args) != len(f.params):
                raise _NoProofError
            return
        name = n.function.name if isinstance(n.function, ast.Name) else ""
        s = n.function.symbol if isinstance(n.function, ast.Name) else None
        known = s.from_system_header if s is not None else name.startswith("__builtin_")
        if not known or "lock" in name or name.startswith(("__atomic", "__sync")):
            raise _NoProofError

    def _begin(self) -> None:
        """What is known before any code is looked at."""
        own = set(self.plan.privates)
        for node in (self.stmt, *self.functions.values()):
            own |= declared_in(node)
        for f in self.functions.values():
            own |= set(f.params)
        self.storage_of = dict.fromkeys(own, _OWN)
        self.pointers = dict.fromkeys(own, _OWN)
        for p in self.plan.params:
            s = p.symbol
            if s is None:
                continue
            value = p.kind == "value" or (p.by_value and not isinstance(s.type, Array))
            self.storage_of[s] = _OWN if value else frozenset((s,))
            self.pointers[s] = _ANY if p.deref or p.kind == "value" else frozenset((s,))
        for n in self.code:
            if isinstance(n, ast.Unary) and n.op == "&":
                target = bare(n.operand)
                if isinstance(target, ast.Name) and target.symbol is not None:
                    self.pointers[target.symbol] = _ANY  # it may be written to by its address

    def _follow(self) -> None:
        """Until nothing is new: what flows into which pointer."""
        flows = [f for n in self.code for f in self._flows(n) if isinstance(f[0].type, Pointer)]
        grown = True
        while grown:
            grown = False
            for to, value in flows:
                before = self.pointers.get(to, _ANY)
                after = before | self.roots(value)
                if after != before:
                    self.pointers[to], grown = after, True

    def _flows(self, n: Node) -> Iterator[tuple[Symbol, ast.Expr]]:
        if isinstance(n, ast.VarDecl) and n.init is not None:
            yield n.symbol, n.init
        elif isinstance(n, ast.Assign) and n.op == "=":
            target = bare(n.target)
            if isinstance(target, ast.Name) and target.symbol is not None:
                yield target.symbol, n.value
        elif isinstance(n, ast.Call) and (f := self._function(n.function)) is not None:
            yield from zip(f.params, n.args, strict=True)

    # --- expressions ---------------------------------------------------------------------------------------------

    def roots(self, e: ast.Expr) -> Roots:
        """What a pointer (or an array, which decays to one) may lead to."""
        found = _OWN
        e = bare(e)
        while isinstance(e, ast.Conditional):
            found |= self.roots(e.then or e.condition)
            e = bare(e.otherwise)
        if isinstance(e.type, Array):
            return found | self.storage(e)
        if isinstance(e, ast.Name) and isinstance(e.type, (Pointer, Function)):
            return found if isinstance(e.type, Function) else found | self._led_to(e.symbol)
        if isinstance(e, ast.Unary) and e.op == "&":
            return found | self.storage(e.operand)
        if isinstance(e, ast.Unary) and e.op in ("++", "--"):
            return found | self.roots(e.operand)
        if isinstance(e, ast.Binary) and e.op in _STEPS:
            row = ast.chain(e, _STEPS)
            operands = [x for x in (row[0].left, *(b.right for b in row)) if isinstance(x.type, (Pointer, Array))]
            return found.union(*map(self.roots, operands)) if operands else _ANY
        if isinstance(e, ast.Binary) and e.op == ",":
            return found | self.roots(e.right)
        if isinstance(e, ast.Assign):
            return found | self.roots(e.value if e.op == "=" else e.target)
        if isinstance(e, ast.Cast) and isinstance(e.operand.type, (Pointer, Array)):
            return found | self.roots(e.operand)
        return found if is_null_constant(e) else _ANY

    def _led_to(self, s: Symbol | None) -> Roots:
        return self.pointers.get(s, _ANY) if s is not None else _ANY

    def storage(self, e: ast.Expr) -> Roots:
        """In which variables' storage the object lies that `e` designates."""
        e = bare(e)
        if isinstance(e, ast.Name):
            return self.storage_of.get(e.symbol, _ANY) if e.symbol is not None else _ANY
        if isinstance(e, (ast.Index, ast.Section)):
            turned = isinstance(e, ast.Index) and not isinstance(e.base.type, (Pointer, Array))
            return self.roots(e.index if isinstance(e, ast.Index) and turned else e.base)
        if isinstance(e, ast.Member):
            return self.roots(e.base) if e.arrow else self.storage(e.base)
        if isinstance(e, ast.Unary) and e.op == "*":
            return self.roots(e.operand)
        if isinstance(e, ast.Unary) and e.op in ("__real__", "__imag__"):
            return self.storage(e.operand)
        if isinstance(e, (ast.CompoundLiteral, ast.StringLiteral)):
            return _OWN
        return _ANY

    # --- what is done to them ---------------------------------------------------------------------------------------

    def written(self) -> Roots:
        """The variables whose storage some access may write to."""
        found: set[Symbol | None] = set()
        for d in self.directives:
            for c in d.clauses:
                for i in c.items if c.name not in _READ else ():
                    found |= self.storage(i.expr)
        for n in self.code:
            target = assigned_by(n)
            if target is not None:
                found |= self.storage(target)
            elif isinstance(n, ast.Call):
                found = found.union(*(self.roots(a) for a, reads in self._given(n) if not reads))
        return frozenset(found)

    def _given(self, n: ast.Call) -> Iterator[tuple[ast.Expr, bool]]:
        """The pointers that a library function gets, and whether its declaration says that it only reads there."""
        if self._function(n.function) is not None:
            return
        t = n.function.type.to if isinstance(n.function.type, Pointer) else n.function.type
        params: tuple[CType, ...] = t.params if isinstance(t, Function) else ()
        for k, a in enumerate(n.args):
            to = params[k] if k < len(params) else a.type
            if isinstance(a.type, (Pointer, Array)):
                yield a, isinstance(to, Pointer) and "const" in to.to.quals

    def _reached(self) -> Iterator[Roots]:
        """What each access leads to."""
        for n in self.code:
            if isinstance(n, ast.Call):
                yield from (self.roots(a) for a, _ in self._given(n))
            elif isinstance(n, (ast.Index, ast.Member)) or (isinstance(n, ast.Unary) and n.op == "*"):
                yield self.storage(n)

    def read_often(self) -> set[Symbol | None]:
        """The variables that are read in a loop, in a function, or in several places."""
        once: set[Symbol | None] = set()
        often: set[Symbol | None] = set()
        waiting: list[tuple[Node, bool]] = [(self.stmt, False), *((f.body, True) for f in self.functions.values())]
        while waiting:
            n, repeated = waiting.pop()
            repeated = repeated or isinstance(n, _LOOPS)
            waiting += [(x, repeated) for x in n.children() if not isinstance(x, ast.SizeOf)]
            if isinstance(n, (ast.Name, ast.Index, ast.Member, ast.Unary)) and not isinstance(n.type, Array):
                if isinstance(n, ast.Unary) and n.op != "*":
                    continue
                here = self.storage(n) - {None}
                often |= here if repeated else here & once
                once |= here
        return often

    # --- the user's `restrict` ----------------------------------------------------------------------------------------

    def keeps_restrict(self, s: Symbol) -> bool:
        """Whether the kernel's parameter promises no more than the user's `restrict` pointer `s` does.

        In the program another pointer may be based on `s`, and lead to the same object; in the kernel it would be a
        parameter beside it.
        """
        if not isinstance(s.type, Pointer) or "restrict" not in s.type.quals or s in modified_in(self.stmt):
            return False
        p = self.plan.param(s)
        if p is None or p.deref or p.copy:
            return False
        if any(None in roots for roots in self._reached()):
            return False
        others = (q.symbol for q in self.plan.params if q.symbol is not None and q.symbol is not s)
        return all(self._independent(q) for q in others if isinstance(q.type, Pointer))

    def _independent(self, q: Symbol) -> bool:
        """Whether the value of a pointer does not come from another one of the same function."""
        node = self.plan.item.content.node
        if not isinstance(node, FunctionDef) or q in modified_in(node):
            return False
        if q.kind == "param":
            return q in node.params
        init = next((n.init for n in nodes(node) if isinstance(n, ast.VarDecl) and n.symbol is q), None)
        code = ast.walk_down_to(init, lambda n: isinstance(n, ast.SizeOf)) if init is not None else ()
        names = [n for n in code if isinstance(n, ast.Name)]
        return q.level == "block" and all(map(_leads_nowhere, names))


def _leads_nowhere(n: ast.Name) -> bool:
    """Whether no pointer of the program's comes out of `n`: a number, or a function of the library (`malloc`)."""
    if isinstance(n.type, Function):
        return n.symbol is not None and n.symbol.from_system_header
    return isinstance(n.type, (Integer, Floating, Enum))


def _synchronises(d: Directive) -> bool:
    """Whether a thread may learn here what another kernel has written."""
    if d.has("flush") or d.has("critical") or d.has("depobj"):
        return True
    return d.has("atomic") and any(c.name not in _UPDATES for c in d.clauses)
