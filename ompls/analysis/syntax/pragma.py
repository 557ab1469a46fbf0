"""The pragma grammar: the text of one `#pragma omp …` to an untyped `Directive`.

The tables of `analysis/spec` say what the words mean; this file only finds them.  Anything is accepted: what is
unknown has `known` False, what is garbled or unclosed says why in `Clause.broken`.  Names are not looked up here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from ompls.analysis.model import ast
from ompls.analysis.model.ast import Expr, Span
from ompls.analysis.model.omp import Clause, Directive, ListItem
from ompls.analysis.spec import CLAUSES, DIRECTIVES, ClauseSpec, is_extension, is_known_clause
from ompls.analysis.spec.near import near
from ompls.analysis.syntax import garbled
from ompls.analysis.syntax.clause_expr import ExprParser, IsType, ParseError, Token, matching, tokenize
from ompls.analysis.syntax.directive_name import directive_name, longer_name

# Directives whose own argument has a grammar of its own; that of any other is a list of names.
_REDUCTIONS = frozenset(("reduction", "in_reduction", "task_reduction", "induction"))
_RAW_ARGUMENT = frozenset(("declare reduction", "declare mapper", "declare simd", "declare induction"))


def parse_directive(text: bytes, shift: int = 0, is_type: IsType = lambda _name: False) -> Directive:
    """Parse `#pragma omp …` (one logical line, continuation lines and comments included).

    shift -- added to every offset; `text[0]` then stands at `shift`
    is_type -- whether a name is a typedef where the pragma stands
    The directive's name is "" when nothing follows the sentinel.
    """
    return directive_of(tokenize(text, shift), shift, is_type)


def directive_of(tokens: list[Token], shift: int = 0, is_type: IsType = lambda _name: False) -> Directive:
    """As `parse_directive`, for who has the tokens."""
    pos = 0
    for sentinel in ("#", "pragma", "omp"):
        if pos < len(tokens) and tokens[pos].text == sentinel:
            pos += 1
    end = tokens[-1].end if tokens else shift
    whole = Span(tokens[0].start if tokens else shift, end)
    name, known, after = directive_name(tokens, pos)
    name_span = Span(tokens[pos].start, tokens[after - 1].end) if after > pos else Span(end, end)
    directive = Directive(name, DIRECTIVES[name].constructs if known else (name,), whole, name_span, (), known=known)
    written = " ".join(t.text for t in tokens[pos:after])
    directive.underscored = sys.intern(written) if known and "_" in written else ""
    parser = _Parser(tokens, is_type, name)
    pos = parser.arguments(directive, after)
    directive.clauses = tuple(parser.clauses(pos))
    if known and directive.clauses and not directive.clauses[0].text:
        _misspelt_tail(directive)
    return directive


def _misspelt_tail(directive: Directive) -> None:
    """`target enter dat`: no `target` construct with strange clauses, but no directive at all, without a body.

    A longer name that applies to a statement, too (`target tems distribute`), leaves the construct as it is.
    """
    words, count = longer_name(directive)
    meant = next((n for n in near(words, DIRECTIVES) if n.startswith(directive.name)), "") if words else ""
    if meant and DIRECTIVES[meant].kind == "none" and DIRECTIVES[directive.name].kind != "none":
        directive.name_span = Span(directive.name_span.start, directive.clauses[count - 1].span.end)
        directive.name, directive.constructs, directive.known = words, (words,), False
        directive.clauses = directive.clauses[count:]


class _Parser:
    def __init__(self, tokens: list[Token], is_type: IsType, directive: str) -> None:
        self.tokens, self.is_type, self.directive = tokens, is_type, directive

    # --- the directive's own arguments

    def arguments(self, directive: Directive, pos: int) -> int:
        """`flush(a, b)`, `critical(name)`, `declare reduction(…)`: fills `directive.args`, returns what follows."""
        if pos >= len(self.tokens) or self.tokens[pos].text != "(":
            return pos
        close = matching(self.tokens, pos, len(self.tokens))
        stop = close if close >= 0 else len(self.tokens)
        if directive.name in _RAW_ARGUMENT and stop > pos + 1:
            span = Span(self.tokens[pos + 1].start, self.tokens[stop - 1].end)
            directive.args = (ListItem(span, ast.OtherExpr(span, []), None, self.join(pos + 1, stop)),)
            if directive.name == "declare reduction" and (colon := self.colon(pos + 1, stop)) >= 0:
                colon = self.colon(colon + 1, stop)
                directive.within = (self.expr(colon + 1, stop),) if colon >= 0 else ()
        else:
            directive.args = self.items(pos + 1, stop)[0]
        return stop + 1

    # --- clauses

    def clauses(self, pos: int) -> Iterator[Clause]:
        tokens = self.tokens
        while pos < len(tokens):
            token = tokens[pos]
            if token.text == ",":
                pos += 1
                continue
            if token.kind != "name":
                while pos < len(tokens) and tokens[pos].kind != "name":
                    close = matching(tokens, pos, len(tokens)) if tokens[pos].text in ("(", "[", "{") else -1
                    pos = close + 1 if close >= 0 else pos + 1
                span = Span(token.start, tokens[pos - 1].end)
                yield Clause("", span, span, known=False, broken=f"expected a clause before '{token.text}'")
                continue
            clause = Clause(token.text, Span(token.start, token.end), Span(token.start, token.end))
            clause.known = is_known_clause(clause.name)
            pos = self.clause(clause, pos + 1)
            yield clause

    def clause(self, clause: Clause, pos: int) -> int:
        """Parse what follows the clause's name at `pos`; returns the position after it."""
        tokens = self.tokens
        spec = CLAUSES.get(clause.name)
        if pos >= len(tokens) or tokens[pos].text != "(":
            if spec is not None and not spec.optional:
                clause.broken = f"'{clause.name}' needs arguments in parentheses"
                return garbled.end_without_parentheses(tokens, pos, _is_complete)
            return pos
        close = matching(tokens, pos, len(tokens))
        stop = close if close >= 0 else len(tokens)
        clause.span = Span(clause.span.start, tokens[min(stop, len(tokens) - 1)].end)
        clause.text = self.join(pos + 1, stop)
        if close < 0:
            clause.broken = "the parenthesis is not closed"
        if spec is not None:
            if stop == pos + 1 and spec.shape != "raw":
                clause.broken = clause.broken or f"'{clause.name}' has empty parentheses"
            else:
                why = self.contents(clause, spec, pos + 1, stop)
                clause.broken = clause.broken or why
        return stop + 1

    def contents(self, clause: Clause, spec: ClauseSpec, start: int, stop: int) -> str:
        """Parse the tokens between a clause's parentheses by its shape; returns why it failed, or ""."""
        if clause.name in ("initializer", "combiner"):
            clause.within = (self.expr(start, stop),)
        if spec.shape in ("raw", "none") or self.directive.endswith("metadirective"):
            return ""  # a directive in `default(…)` of a metadirective has its own grammar
        colon = self.colon(start, stop)
        if spec.shape == "keyword":
            return self.keyword(clause, spec, start, stop, colon)
        if spec.shape in ("expr", "exprs"):
            return self.expressions(clause, spec, start, stop, colon)
        if clause.name in ("linear", "aligned") and colon >= 0:
            clause.items, why = self.items(start, colon)
            return why or self.after_list(clause, colon + 1, stop)
        if colon >= 0:
            if word := garbled.list_first(spec, self.tokens, start, colon, stop):
                clause.items, why = self.items(start, colon)
                meant = f"{clause.name}({word}: {self.join(start, colon)})"
                return why or f"'{word}' must stand before the list, as in '{meant}'"
            why = self.prefix(clause, spec, start, colon)
            if why:
                return why
            start = colon + 1
        elif clause.name in _REDUCTIONS:
            return garbled.reduction_without_colon(clause.name, self.tokens, start, stop, self.join)
        if clause.keyword in ("sink", "source") and clause.name == "depend":
            return self.expressions(clause, spec, start, stop, -1) if start < stop else ""
        if clause.name == "depend" and colon < 0 and stop == start + 1 and self.tokens[start].text == "source":
            self.set_keyword(clause, start)
            return ""
        if clause.name == "depend" and not clause.keyword and not clause.modifiers:
            return garbled.depend_without_colon(spec, self.tokens, start, stop, self.join)
        if colon < 0 and (at := garbled.without_colon(spec, self.tokens, start, stop)) >= 0:
            words = self.join(start, at).rstrip(";=")
            clause.items, why = self.items(at, stop)
            return why or f"a colon must follow '{words}', as in '{clause.name}({words}: {self.join(at, stop)})'"
        if start >= stop:
            return "the list is empty"
        clause.items, why = self.items(start, stop)
        return why

    def prefix(self, clause: Clause, spec: ClauseSpec, start: int, colon: int) -> str:
        """`modifier, modifier(args), keyword` before the colon of a list clause."""
        for first, last in self.split(start, colon):
            if first >= last:
                continue
            word = self.tokens[first]
            alone = last == first + 1
            if _canonical(self.join(first, last)) in DIRECTIVES and (last < colon or word.text not in spec.keywords):
                clause.modifiers += (_canonical(self.join(first, last)),)  # 6.0's directive-name modifier
            elif clause.name in _REDUCTIONS:
                if alone and word.text in spec.modifiers and last < colon:
                    clause.modifiers += (word.text,)
                elif alone:
                    self.set_keyword(clause, first)
                else:
                    clause.modifiers += (self.join(first, last),)
            elif alone and word.text in spec.keywords and not (clause.name == "map" and clause.keyword):
                self.set_keyword(clause, first)
            elif clause.name == "map" and all(
                t.text in (*spec.keywords, *spec.modifiers) or is_extension(t.text) for t in self.tokens[first:last]
            ):
                # 4.5 allowed `always tofrom` and `always to` without a comma
                for at in range(first, last):
                    if self.tokens[at].text in spec.keywords:
                        if clause.keyword in spec.modifiers:
                            clause.modifiers += (clause.keyword,)  # 6.0's `delete, release: x`
                        self.set_keyword(clause, at)
                    else:
                        clause.modifiers += (self.tokens[at].text,)
                        self.extension(clause, at)
            elif word.kind == "name" and (word.text in spec.modifiers or is_extension(word.text)):
                clause.modifiers += (self.join(first, last),)
                self.extension(clause, first)
                if word.text == "iterator" and not alone:
                    clause.within += tuple(self.ranges(first + 2, last - 1))
                if word.text == "allocator" and not alone:
                    clause.args += (self.expr(first + 2, last - 1),)
            elif clause.name == "allocate":
                clause.args += (self.expr(first, last),)
            else:
                text = self.join(first, last)
                clause.keyword_span = Span(word.start, self.tokens[last - 1].end)
                return f"'{text}' cannot stand before the colon of '{clause.name}'"
        return ""

    def extension(self, clause: Clause, at: int) -> None:
        """Where a modifier is that an implementation has for itself."""
        word = self.tokens[at]
        if is_extension(word.text):
            clause.extensions += ((word.text, Span(word.start, word.end)),)

    def ranges(self, start: int, stop: int) -> Iterator[Expr]:
        """The expressions of `int i = begin:end:step, j = …`."""
        for first, last in self.split(start, stop):
            at = next((i + 1 for i in range(first, last) if self.tokens[i].text == "="), last)
            while at < last:
                colon = self.colon(at, last)
                end = colon if colon >= 0 else last
                yield self.expr(at, end)
                at = end + 1

    def after_list(self, clause: Clause, start: int, stop: int) -> str:
        """`x: step`, `x: val, step(2)`, `p: 32`: what follows the colon of linear, aligned, induction."""
        spec = CLAUSES[clause.name]
        for first, last in self.split(start, stop):
            word = self.tokens[first].text if first < last else ""
            if word == "step" and last - first > 3 and self.tokens[first + 1].text == "(":
                clause.args += (self.expr(first + 2, last - 1),)
            elif word in spec.modifiers and last == first + 1:
                clause.modifiers += (word,)
            else:
                try:
                    clause.args += (self.full(first, last),)
                except ParseError as e:
                    return str(e)
        if clause.name == "linear" and len(clause.items) == 1 and isinstance(clause.items[0].expr, ast.Call):
            call = clause.items[0].expr  # 4.5: `linear(val(x): 2)`
            if isinstance(call.function, ast.Name) and call.function.name in spec.modifiers:
                clause.modifiers += (call.function.name,)
                clause.items = tuple([ListItem(a.span, a, None, self.text_of(a.span)) for a in call.args])
        return ""

    def keyword(self, clause: Clause, spec: ClauseSpec, start: int, stop: int, colon: int) -> str:
        """`schedule(monotonic: static, 4)`, `order(reproducible: concurrent)`, `defaultmap(none: scalar)`."""
        if colon >= 0 and clause.name in ("defaultmap", "default"):
            self.set_keyword(clause, start)
            clause.modifiers = tuple(self.join(a, b) for a, b in self.split(colon + 1, stop))
        else:
            if colon >= 0:
                clause.modifiers = tuple(self.join(a, b) for a, b in self.split(start, colon))
                start = colon + 1
            pieces = list(self.split(start, stop))
            if not pieces or pieces[0][0] >= pieces[0][1]:
                return "a word is missing"
            self.set_keyword(clause, pieces[0][0])
            if meant := garbled.without_comma(spec, self.tokens, pieces, clause.modifiers, self.join):
                return meant
            if pieces[0][1] > pieces[0][0] + 1:
                return f"'{self.join(*pieces[0])}' is not one word"
            for first, last in pieces[1:]:
                try:
                    clause.args += (self.full(first, last),)
                except ParseError as e:
                    return str(e)
        if spec.keywords and clause.keyword not in spec.keywords:
            return f"'{clause.keyword}' is not one of {', '.join(spec.keywords)}"
        return ""

    def expressions(self, clause: Clause, spec: ClauseSpec, start: int, stop: int, colon: int) -> str:
        """`if(target: e)`, `device(ancestor: 1)`, `num_teams(1: n)`, `grainsize(strict: 4)`, `doacross(sink: i-1)`."""
        if colon >= 0:
            words = self.join(start, colon)
            first = self.tokens[start].text if start < colon else ""
            if clause.name == "if" or words in spec.keywords:
                self.set_keyword(clause, start)
                clause.keyword = _canonical(words) if clause.name == "if" else words
                clause.keyword_span = Span(self.tokens[start].start, self.tokens[colon - 1].end)
                if clause.name == "if" and clause.keyword not in DIRECTIVES:
                    return f"'{words}' is no directive name"
                start = colon + 1
            elif first in spec.modifiers or _canonical(words) in DIRECTIVES:
                clause.modifiers = tuple(self.join(a, b) for a, b in self.split(start, colon))
                start = colon + 1
        if start >= stop:
            return "" if clause.keyword == "source" else "an expression is missing"
        colon = self.colon(start, stop) if clause.name in ("num_teams", "uses_allocators") else -1
        try:
            if clause.name == "uses_allocators" and colon >= 0:
                clause.modifiers = tuple(self.join(a, b) for a, b in self.split(start, colon))
                start = colon + 1
            elif colon >= 0:
                clause.args += (self.full(start, colon),)
                start = colon + 1
            pieces = (
                list(self.split(start, stop)) if spec.shape == "exprs" or clause.name == "depend" else [(start, stop)]
            )
            for first_at, last_at in pieces:
                clause.args += (self.full(first_at, last_at),)
        except ParseError as e:
            return str(e)
        return ""

    # --- pieces

    def set_keyword(self, clause: Clause, at: int) -> None:
        clause.keyword = self.tokens[at].text
        clause.keyword_span = Span(self.tokens[at].start, self.tokens[at].end)

    def colon(self, start: int, stop: int) -> int:
        """The first colon outside brackets that belongs to no `?`; -1 if there is none."""
        depth = pending = 0
        for i in range(start, stop):
            word = self.tokens[i].text if self.tokens[i].kind == "punct" else ""
            if word in ("(", "[", "{"):
                depth += 1
            elif word in (")", "]", "}"):
                depth -= 1
            elif depth == 0 and word == "?":
                pending += 1
            elif depth == 0 and word == ":":
                if not pending:
                    return i
                pending -= 1
        return -1

    def split(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """Token ranges between commas outside brackets."""
        depth, first = 0, start
        for i in range(start, stop):
            word = self.tokens[i].text if self.tokens[i].kind == "punct" else ""
            if word in ("(", "[", "{"):
                depth += 1
            elif word in (")", "]", "}"):
                depth -= 1
            elif depth == 0 and word == ",":
                yield first, i
                first = i + 1
        yield first, stop

    def items(self, start: int, stop: int) -> tuple[tuple[ListItem, ...], str]:
        """The list items of tokens[start:stop] and why one of them is broken ("")."""
        items: list[ListItem] = []
        broken = ""
        for first, last in self.split(start, stop):
            if first >= last:
                broken = broken or "a list item is missing"
                continue
            span = Span(self.tokens[first].start, self.tokens[last - 1].end)
            try:
                expr = self.full(first, last)
            except ParseError as e:
                meant = garbled.fortran_section(self.tokens, first, last, self.join)
                why = f"an array section has brackets in C, as in '{meant}'" if meant else e
                broken = broken or f"in '{self.join(first, last)}': {why}"
                expr = ast.OtherExpr(span, [])
            items.append(ListItem(span, expr, None, self.join(first, last)))
        return tuple(items), broken

    def full(self, start: int, stop: int) -> Expr:
        """The expression that is all of tokens[start:stop]; raises ParseError."""
        parser = ExprParser(self.tokens, start, stop, self.is_type)
        expr = parser.expression(2)
        if parser.pos < stop:
            raise ParseError(f"unexpected '{self.tokens[parser.pos].text}'")
        return expr

    def expr(self, start: int, stop: int) -> Expr:
        """As `full`, but what cannot be parsed is an `OtherExpr`."""
        try:
            return self.full(start, stop)
        except ParseError:
            at = self.tokens[min(start, len(self.tokens) - 1)]
            return ast.OtherExpr(Span(at.start, at.end), [])

    def text_of(self, span: Span) -> str:
        inside = [i for i, t in enumerate(self.tokens) if span.start <= t.start and t.end <= span.end]
        return self.join(inside[0], inside[-1] + 1) if inside else ""

    def join(self, start: int, stop: int) -> str:
        """The tokens as text: blanks only where two words meet, and after commas."""
        out: list[str] = []
        for token in self.tokens[start:stop]:
            if out and (out[-1] == "," or (_is_word(out[-1]) and _is_word(token.text))):
                out.append(" ")
            out.append(token.text)
        return sys.intern("".join(out))


def _is_complete(name: str) -> bool:
    """Whether a word is a clause that needs no parentheses."""
    return name in CLAUSES and CLAUSES[name].optional


def _canonical(name: str) -> str:
    """A directive name with blanks for 6.0's underscores."""
    return " ".join(name.replace("_", " ").split())


def _is_word(text: str) -> bool:
    return text[-1:].isalnum() or text[-1:] in ("_", '"', "'") or text[:1] in ('"', "'")
