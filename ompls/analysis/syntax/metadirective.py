"""Which directive a metadirective stands for (OpenMP 5.2 §7.4), as far as that is known before the program is built.

Each `when` has a context selector: a list of traits that hold, do not hold, or cannot be told here (what the device is
inside a target region, the value of a variable, the compiler's vendor).  One variant that certainly applies, while no
other may, is *decided*.  Otherwise the variant that a device would run is taken, so that its region can be looked at,
but nothing about it is certain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ompls.analysis.model.ast import Expr, Span
from ompls.analysis.model.omp import Directive, Trait, Variant
from ompls.analysis.syntax.clause_expr import ExprParser, IsType, ParseError, Token, matching, tokenize
from ompls.analysis.syntax.pragma import parse_directive

_HOST_KINDS = {"any": True, "host": True, "cpu": True, "nohost": False, "gpu": False, "fpga": False}
_GPU_PREFIXES = ("nvptx", "amdgcn", "gcn", "gfx", "sm_", "spir")
_NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Context:
    """What is known of the place: the leaf constructs around it, and whether a device may run it.

    value -- folds an expression in the scope of the pragma; None when it is no constant
    """

    constructs: frozenset[str]
    value: Callable[[Expr], int | None]

    @property
    def on_device(self) -> bool:
        return "target" in self.constructs


@dataclass(frozen=True, slots=True)
class _Variant:
    directive: Directive
    applies: bool | None  # None: cannot be told


def resolve(text: bytes, shift: int, meta: Directive, is_type: IsType, context: Context) -> Directive:
    """The directive in the place of `meta`, which `text` (at `shift`) was parsed to; `meta` when it is garbled."""
    tokens = tokenize(text, shift)
    starts = {t.start: k for k, t in enumerate(tokens)}
    variants: list[_Variant] = []
    all_: list[Variant] = []
    other: Directive | None = None
    guessed = False  # a function that the host runs here may be called on a device, too
    for clause in meta.clauses:
        at = starts.get(clause.name_span.start, -1)
        close = matching(tokens, at + 1, len(tokens)) if at >= 0 else -1
        if clause.name not in ("when", "default", "otherwise") or close < 0:
            return meta
        first, applies = at + 2, None
        traits: tuple[Trait, ...] | None = ()
        if clause.name == "when":
            colon = _colon(tokens, first, close)
            if colon < 0:
                return meta
            applies = _applies(tokens[first:colon], is_type, context)
            traits = traits_of(tokens[first:colon], is_type, context.value)
            guessed = guessed or any(t.text == "device" for t in tokens[first:colon])
            first = colon + 1
        directive = _directive(text, shift, tokens[first:close], is_type, clause.name_span)
        if not directive.known or "metadirective" in directive.name:
            return meta
        if clause.name == "when":
            variants.append(_Variant(directive, applies))
        else:
            other = directive
        if traits is None:
            return meta
        all_.append(Variant(traits, directive))
    chosen, decided = _choose(variants, other)
    if chosen is None:
        chosen = Directive(_NOTHING, (_NOTHING,), meta.span, meta.name_span, ())
    meta.variants = tuple(sorted(all_, key=lambda v: v.directive is other))
    chosen.span, chosen.meta, chosen.decided = meta.span, meta, decided and not guessed
    return chosen


def _choose(variants: list[_Variant], other: Directive | None) -> tuple[Directive | None, bool]:
    """The variant and whether it is certain; None: nothing."""
    possible = [v for v in variants if v.applies is not False]
    if not possible:
        return other, True
    if len(possible) == 1 and possible[0].applies:
        return possible[0].directive, True
    candidates = [v.directive for v in possible]
    if other is not None and not any(v.applies for v in possible):
        candidates.append(other)
    return next((d for d in candidates if d.has("target")), candidates[0]), False


def _directive(text: bytes, shift: int, tokens: list[Token], is_type: IsType, place: Span) -> Directive:
    """The directive of a variant, its spans where it stands; `nothing` without a name of its own."""
    if not tokens:
        return Directive(_NOTHING, (_NOTHING,), place, place, ())
    start, end = tokens[0].start - shift, tokens[-1].end - shift
    return parse_directive(b" " * start + text[start:end], shift, is_type)


def _colon(tokens: list[Token], start: int, stop: int) -> int:
    """The colon after the selector, outside of brackets; -1 when there is none."""
    depth = 0
    for k in range(start, stop):
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(tokens[k].text, 0)
        if not depth and tokens[k].text == ":":
            return k
    return -1


def _applies(tokens: list[Token], is_type: IsType, context: Context) -> bool | None:
    """Whether all traits of a selector `set={trait(…), …}, …` hold."""
    answer: bool | None = True
    at = 0
    while at < len(tokens):
        if tokens[at].text == ",":
            at += 1
            continue
        if [t.text for t in tokens[at + 1 : at + 3]] != ["=", "{"]:
            return None
        close = matching(tokens, at + 2, len(tokens))
        if close < 0:
            return None
        for trait, arguments in _traits(tokens[at + 3 : close]):
            answer = _and(answer, _holds(tokens[at].text, trait, arguments, is_type, context))
        at = close + 1
    return answer


def traits_of(tokens: list[Token], is_type: IsType, value: Callable[[Expr], int | None]) -> tuple[Trait, ...] | None:
    """The traits of a selector `set={trait(…), …}, …` as values; None when it is garbled."""
    found: list[Trait] = []
    at = 0
    while at < len(tokens):
        if tokens[at].text == ",":
            at += 1
            continue
        close = matching(tokens, at + 2, len(tokens)) if at + 2 < len(tokens) else -1
        if [t.text for t in tokens[at + 1 : at + 3]] != ["=", "{"] or close < 0:
            return None
        for name, arguments in _traits(tokens[at + 3 : close]):
            score, rest = _score(arguments)
            words = tuple(t.text.strip('"') for t in rest if t.text != ",")
            holds = None
            if name == "condition":
                parser = ExprParser(rest, 0, len(rest), is_type)
                try:
                    expr = parser.expression()
                    holds = value(expr) if parser.pos == len(rest) else None
                except ParseError:
                    return None
            found.append(Trait(tokens[at].text, name, words, " ".join(t.text for t in rest), holds, score))
        at = close + 1
    return tuple(found)


def _score(arguments: list[Token]) -> tuple[int, list[Token]]:
    """What `score(n):` says, and the arguments after it."""
    if len(arguments) > 4 and arguments[0].text == "score" and arguments[4].text == ":":
        number = arguments[2].text.rstrip("uUlL")
        return (int(number, 0) if number.isdigit() else 0), arguments[5:]
    return 0, arguments


def _and(a: bool | None, b: bool | None) -> bool | None:
    return False if a is False or b is False else None if a is None or b is None else True


def _traits(tokens: list[Token]) -> list[tuple[str, list[Token]]]:
    """`name`, `name(arguments)`, with commas between."""
    found: list[tuple[str, list[Token]]] = []
    at = 0
    while at < len(tokens):
        name = tokens[at].text
        at += 1
        arguments: list[Token] = []
        if at < len(tokens) and tokens[at].text == "(":
            close = matching(tokens, at, len(tokens))
            close = close if close >= 0 else len(tokens)
            arguments, at = tokens[at + 1 : close], close + 1
        if name != ",":
            found.append((name, arguments))
    return found


def _holds(where: str, trait: str, arguments: list[Token], is_type: IsType, context: Context) -> bool | None:
    words = [t.text.strip('"') for t in arguments if t.text != ","]
    if where == "user" and trait == "condition":
        return _condition(arguments, is_type, context)
    if where == "construct":
        # A function that a target region calls is in a target construct, too (5.2 §7.1); others may inherit more.
        return True if trait in context.constructs else None
    if where == "device" and not context.on_device:
        answers = [_of_host(trait, word) for word in words]
        return False if False in answers else True if answers and all(answers) else None
    if where == "device" and trait == "kind" and words == ["any"]:
        return True
    return None


def _of_host(trait: str, word: str) -> bool | None:
    """Whether the host is what a `device` trait asks for."""
    if trait == "kind":
        return _HOST_KINDS.get(word)
    return False if trait in ("arch", "isa") and word.lower().startswith(_GPU_PREFIXES) else None


def _condition(tokens: list[Token], is_type: IsType, context: Context) -> bool | None:
    try:
        parser = ExprParser(tokens, 0, len(tokens), is_type)
        expr = parser.expression()
    except ParseError:
        return None
    value = context.value(expr) if parser.pos == len(tokens) else None
    return None if value is None else bool(value)
