"""The adapter, part five: directives, parsed where they stand and typed in the scope that is in force there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ompls.analysis.encoding import decoded
from ompls.analysis.model import ast
from ompls.analysis.model.ast import Span
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import INT, UNKNOWN, CType, Unknown
from ompls.analysis.model.omp import Clause, Directive, declared_mapper
from ompls.analysis.model.scope import FileScope
from ompls.analysis.model.sema import Sema
from ompls.analysis.patterns import later
from ompls.analysis.spec import clauses_of, is_declarative, is_standalone
from ompls.analysis.syntax.expressions import ExpressionReader
from ompls.analysis.syntax.limits import MAX_DEPTH
from ompls.analysis.syntax.metadirective import Context, resolve
from ompls.analysis.syntax.pragma import parse_directive

_GAP = rb"(?:\s|\\\r?\n|/\*(?:[^*]|\*(?!/))*\*/)"
_OMP = later(_GAP + rb"*#" + _GAP + rb"*pragma" + _GAP + rb"+omp\b")
_ITERATOR = later(r"iterator\s*\((.*)\)\s*$", re.S)
_ITERATOR_NAME = later(r"(?:^|,)\s*((?:\w+[\s*]+)*)(\w+)\s*=")


_OWN_WORDS = frozenset(("counts", "uses_allocators"))  # clauses with words that are no names of the program's
_OF_REDUCTIONS = ("omp_out", "omp_in", "omp_priv", "omp_orig")
_LISTING = frozenset(("flush", "depobj"))  # directives whose own arguments are variables


def is_omp(text: bytes) -> bool:
    """Whether the pragma line is an OpenMP one."""
    return _OMP.match(text) is not None


class DirectiveReader(ExpressionReader):
    """Reads one external declaration.

    pragmas -- (start, end) of the pragmas inside it, in order, in the same offsets as the nodes
    """

    def __init__(
        self, source: bytes, start: int, file: FileScope, sema: Sema, pragmas: Sequence[tuple[int, int]] = ()
    ) -> None:
        super().__init__(source, -start, file, sema)
        self.pragmas = pragmas
        self.at_pragma = 0
        self.directives: list[ast.DirectiveStmt] = []
        self.around: list[Directive] = []  # the constructs around the statement that is being read

    def directive_before(self, before: int) -> bool:
        """Whether a pragma that is not read yet starts before `before`."""
        return self.at_pragma < len(self.pragmas) and self.pragmas[self.at_pragma][0] < before

    def next_directive(self, before: int) -> Directive | None:
        """The next directive that starts before `before`, parsed and typed in the current scope."""
        while self.directive_before(before):
            start, end = self.pragmas[self.at_pragma]
            self.at_pragma += 1
            text = self.source[start:end]
            if is_omp(text):
                directive = parse_directive(text, start + self.shift, self.is_type)
                if directive.name in ("metadirective", "begin metadirective"):
                    directive = self.variant(directive)
                self.type_clauses(directive)
                return directive
        return None

    def variant(self, meta: Directive) -> Directive:
        """The directive that a metadirective stands for; what is not certain weakens all that is said of it."""
        text = self.source[meta.span.start - self.shift : meta.span.end - self.shift]
        constructs = frozenset(c for d in self.around for c in d.constructs)

        def value(e: ast.Expr) -> int | None:
            self.clause_expr(e)
            return fold(e)

        directive = resolve(text, meta.span.start, meta, self.is_type, Context(constructs, value))
        if directive is not meta:
            self.type_clauses(meta)
        if not directive.decided:
            self.tainted.append(directive.span)
        return directive

    def type_clauses(self, directive: Directive) -> None:
        """Names and types of the clauses' expressions, in the scope of the pragma."""
        mapper = declared_mapper(directive)
        own = {mapper.variable: self.parsed_alone(mapper.type, 0) or UNKNOWN} if mapper is not None else {}
        if directive.name == "declare reduction":
            own = dict.fromkeys(_OF_REDUCTIONS, UNKNOWN)
        if own:
            self.enter()
            for name, of in own.items():
                self.sema.scope.declare(ast.Symbol(name, "var", of))
        for e in directive.within:
            self.clause_expr(e)
        for clause in directive.clauses:
            iterators = [m.group(1) for m in map(_ITERATOR.match, clause.modifiers) if m]
            if iterators:
                self.enter()
                for words, name in _ITERATOR_NAME.findall(iterators[0]):
                    t = self.parsed_alone(words, 0) if words.strip() else INT
                    self.sema.scope.declare(ast.Symbol(name, "var", t if t is not None else INT))
            before, members = len(self.sema.undeclared), len(self.sema.unknown_members)
            for item in clause.items:
                self.clause_expr(item.expr)
                item.symbol = base_symbol(item.expr)
            for e in (*clause.args, *clause.within):
                self.clause_expr(e)
            if not _takes_variables(directive, clause):
                del self.sema.undeclared[before:]
                del self.sema.unknown_members[members:]
            if iterators:
                self.leave()
        if own:
            self.leave()
        before = len(self.sema.undeclared)
        for item in directive.args:
            self.clause_expr(item.expr)
            item.symbol = base_symbol(item.expr)
        if directive.name not in _LISTING:
            del self.sema.undeclared[before:]

    def clause_expr(self, e: ast.Expr) -> None:
        for node in e.walk():
            if isinstance(node, (ast.Cast, ast.CompoundLiteral)):
                of = self.type_at(node.type_span)
                if isinstance(node, ast.Cast):
                    node.to = of
                else:
                    node.of = of
            elif isinstance(node, ast.SizeOf) and node.operand is None and isinstance(node.of, Unknown):
                text = self.source[node.span.start - self.shift : node.span.end - self.shift]
                open_at = text.find(b"(")
                node.of = self.type_at(Span(node.span.start + open_at + 1, node.span.end - 1))
        self.sema.complete(e)

    def type_at(self, span: Span) -> CType:
        text = decoded(self.source[span.start - self.shift : span.end - self.shift])
        return self.parsed_alone(text, span.start) or UNKNOWN

    def standalone(self, d: Directive) -> bool:
        """Whether no statement follows that is its body; one of `begin metadirective` gets its own from `compound`."""
        return begins(d) or is_standalone(d.name, tuple(c.name for c in d.clauses))


def _takes_variables(directive: Directive, clause: Clause) -> bool:
    """Whether the clause is understood, and all names in its items and expressions are declared before, or nowhere."""
    allowed = clause.name in clauses_of(directive.name) and clause.name not in _OWN_WORDS
    if is_declarative(directive.name) and declared_mapper(directive) is None and directive.name != "declare reduction":
        return False
    return allowed and directive.decided and not clause.broken


def begins(d: Directive) -> bool:
    """Whether it takes the place of a `begin metadirective`."""
    return d.meta is not None and d.meta.name == "begin metadirective"


def base_symbol(e: ast.Expr) -> ast.Symbol | None:
    """The variable at the base of a list item."""
    for _ in range(MAX_DEPTH):
        if isinstance(e, ast.Name):
            return e.symbol
        if isinstance(e, (ast.Index, ast.Section, ast.Member)):
            e = e.base
        elif isinstance(e, (ast.Unary, ast.Shaping, ast.Cast)):
            e = e.operand
        elif isinstance(e, ast.Paren):
            e = e.inner
        elif isinstance(e, ast.Binary):  # *(p + i)
            e = e.left
        else:
            break
    return None
