"""What directives do in a pass over a text: definitions, conditions, includes."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass

from ompls.analysis.model import literals
from ompls.analysis.source import Location
from ompls.analysis.syntax.condition import Condition, evaluate
from ompls.analysis.syntax.directive import Parsed, guard_of, include_operand, macro_of, skipped_directive
from ompls.analysis.syntax.lexer import IDENT, decode, internal, may_continue, readable
from ompls.analysis.syntax.lines import LinePass
from ompls.analysis.syntax.state import Include, Run, again_key, include_key

MAX_INCLUDE_DEPTH = 60  # gcc allows 200; each takes six frames of Python's stack


@dataclass(slots=True)
class Frame:
    """An open `#if`."""

    name: str
    x: int  # expanded offset of its `#`
    taken: bool  # some branch was chosen (or none will be)
    last: bool = False  # `#else` was seen


class FilePass(LinePass):
    """A pass over a text and the headers that it includes."""

    def __init__(self, run: Run, path: str, text: str, included_at: Location | None) -> None:
        super().__init__(run, path, text, included_at)
        self.frames: list[Frame] = []

    def run(self, first: tuple[str, ...] = ()) -> None:
        """Put the text out, after the headers `first`."""
        self.unit.out.enter(self.path, self.text, self.included_at)
        for operand in first:
            self.include(internal(operand), (self.unit.out.size,) * 2, Location(self.path, 0, 0))
        super().run()
        if self.frames and not self.unit.stopped:
            frame = self.frames[-1]
            self.unit.note("parse", frame.x, frame.x + 1, f"#{frame.name} has no #endif")
        self.unit.out.leave()

    def act(self, parsed: Parsed, raw: str, end: int) -> None:
        """Blank the directive and do what it says."""
        run = self.unit
        x = run.out.at(self.pos)
        start = self.pos
        run.out.blank(start, end)
        span = (x + parsed.start, x + len(raw.rstrip()))
        action = _ACTIONS.get(parsed.name)
        if action is None:
            self.advance(end)
            if parsed.name and not parsed.name[0].isdigit():
                run.note("parse", *span, f"unknown directive '#{parsed.name}'")
            return
        where = Location(self.path, start + parsed.start, start + len(raw.rstrip()))
        self.advance(end)
        action(self, parsed, span, where)

    def _define(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        definition, token, problem = macro_of(parsed)
        if definition is None or token is None:
            self.unit.note("parse", *span, problem)
            return
        start = where.start - parsed.start
        name_at = Location(self.path, start + token[3], start + token[4])
        self.unit.env.define(definition, name_at)
        self.unit.lines = self.unit.lines_here()

    def _undef(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        if not parsed.tokens or parsed.tokens[0][0] != IDENT:
            self.unit.note("parse", *span, "#undef needs a macro name")
            return
        self.unit.env.undefine(parsed.tokens[0][1])
        self.unit.lines = self.unit.lines_here()

    def _if(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        condition = self._condition(parsed, span, where)
        unknown = self._unknown(condition, parsed, span)
        value = condition.value and not unknown
        self.frames.append(Frame(parsed.name, span[0], taken=value or bool(unknown)))
        if not value:
            self._skip()

    def _elif(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        frame = self._frame(parsed, span)
        if frame is None:
            return
        if frame.taken:
            self._skip()
            return
        condition = self._condition(parsed, span, where)
        unknown = self._unknown(condition, parsed, span)
        frame.taken = condition.value or bool(unknown)
        if not condition.value or unknown:
            self._skip()

    def _else(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        frame = self._frame(parsed, span)
        if frame is None:
            return
        frame.last = True
        if frame.taken:
            self._skip()
        frame.taken = True

    def _endif(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        if not self.frames:
            self.unit.note("parse", *span, "#endif without #if")
            return
        self.frames.pop()

    def _frame(self, parsed: Parsed, span: tuple[int, int]) -> Frame | None:
        if not self.frames or self.frames[-1].last:
            self.unit.note("parse", *span, f"#{parsed.name} without #if")
            return None
        return self.frames[-1]

    def _condition(self, parsed: Parsed, span: tuple[int, int], where: Location) -> Condition:
        run = self.unit
        name = parsed.name.removeprefix("el")
        if name in ("ifdef", "ifndef"):
            if not parsed.tokens or parsed.tokens[0][0] != IDENT:
                run.note("parse", *span, f"#{parsed.name} needs a macro name")
                return Condition(False)
            macro = parsed.tokens[0][1]
            found = macro in run.env.macros
            return Condition(found == (name == "ifdef"), set() if found else {macro})
        key = (run.env.id, self.path, parsed.raw)
        known = run.memo.conditions.get(key)
        if known is None:
            asked: list[str] = []

            def builtin(name: str, offset: int) -> str:
                asked.append(name)
                return str(self.index + self.line_shift) if name == "__LINE__" else self.builtin(name, 0)

            def has_include(operand: str) -> bool:
                asked.append(operand)
                return self._resolve(operand)[0] in ("system", "project")

            known = evaluate(parsed.tokens, run.env.macros, builtin, has_include)
            if not asked:
                run.memo.conditions[key] = known
        run.spent += known.cost
        if known.problem:
            run.note("parse", *span, f"#{parsed.name}: {known.problem}")
        return known

    def _unknown(self, condition: Condition, parsed: Parsed, span: tuple[int, int]) -> str:
        """A macro that decides the condition and that a missing header may define, which is noted; '' when there is
        none."""
        if not self.unit.missing:
            return ""
        names = sorted(n for n in condition.undefined if not n.startswith("_"))
        if not names or (parsed.name == "ifndef" and self._is_default(names)):
            return ""
        name = readable(names[0])
        message = f"whether '{name}' is defined is not known, because a header is missing: neither branch is analysed"
        self.unit.note("undecided", *span, message)
        return name

    def _is_default(self, names: list[str]) -> bool:
        """Whether the next line defines the name: an include guard, or a default that a header rarely overrides."""
        following = self.text[self.pos : self.end_of(self.pos)] if self.pos < len(self.text) else ""
        parsed = self.directive(following)
        return parsed is not None and parsed.name == "define" and bool(parsed.tokens) and parsed.tokens[0][1] in names

    def _skip(self) -> None:
        """Blank everything up to the directive that ends the branch."""
        run, text, skipped = self.unit, self.text, self.unit.memo.skipped
        index, pos, start, depth = self.index, self.pos, self.pos, 0
        while pos < len(text):
            end = text.find("\n", pos)
            line = text[pos:end] if end >= 0 else text[pos:]
            if "#" not in line and not may_continue(line) and "%:" not in line:
                index += 1
                pos += len(line) + 1
                continue
            end = self.end_of(pos)
            raw = text[pos:end]
            name = skipped.get(raw)
            if name is None:
                name = skipped[raw] = skipped_directive(raw)
            if name in ("if", "ifdef", "ifndef"):
                depth += 1
            elif name == "endif" and depth:
                depth -= 1
            elif name and not depth:
                break
            index += raw.count("\n") + 1
            pos = end + 1
        self.index, self.pos = index, pos
        stop = min(pos, len(self.text))
        if stop > start:
            run.out.blank(start, stop)
            run.inactive.append(Location(self.path, start, stop))

    def _include(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        run = self.unit
        operand, cost = include_operand(parsed, run.env.macros, self.builtin)
        run.spent += cost
        if not operand:
            run.note("include", *span, f'#{parsed.name} needs "file" or <file>')
            return
        self.include(operand, span, where)

    def include(self, operand: str, span: tuple[int, int], where: Location) -> None:
        """Include `operand` ('<file>' or '"file"') at the current place."""
        run = self.unit
        kind, found = self._resolve(operand)
        shown = readable(operand)
        at_main = self.included_at or where
        unit = ""
        if kind == "system":
            times = run.times[shown] = run.times.get(shown, -1) + 1
            unit = again_key(shown, times)
            if unit in run.headers.system:
                run.env.include(run.headers, unit)
                run.lines = run.lines_here()
        elif found is None:
            run.missing = True
            if kind == "missing":
                run.note("include", *span, f"{shown}: {run.headers.missing[shown]}")
        x = run.out.at(self.pos)
        if found is not None:
            included = self._inline(found, span, at_main)
            kind, x = ("again", x) if included is None else (kind, included)
        run.includes.append(Include(shown, kind, x, where, found[0] if found else None, unit))

    def _inline(self, found: tuple[str, bytes], span: tuple[int, int], at_main: Location) -> int | None:
        """Put the text of a header here; the expanded offset where it begins, None when it is not included again."""
        run = self.unit
        path, data = found
        text = decode(data)
        guard = run.memo.guards.get(text)
        if guard is None:
            guard = run.memo.guards[text] = guard_of(text)
        if path in run.once or (guard and guard in run.env.macros):
            return None
        if run.depth >= MAX_INCLUDE_DEPTH:
            if not run.too_deep:  # once: of two headers that include each other twice there would be thousands
                name = posixpath.basename(path)
                why = f"{name} is left out, because includes are nested more than {MAX_INCLUDE_DEPTH} deep"
                run.note("budget", *span, f"{why}: does it need an include guard?")
            run.too_deep = True
            return None
        run.inlined += 1
        if self._exhausted(asked=True):
            return None
        run.out.copy(min(self.pos, len(self.text)))
        if self.pos > len(self.text):
            run.out.insert("\n")
        x = run.out.size
        run.depth += 1
        FilePass(run, path, text, at_main).run()
        run.depth -= 1
        if text and not text.endswith("\n"):
            run.out.insert("\n")
        return x

    def _resolve(self, operand: str) -> tuple[str, tuple[str, bytes] | None]:
        headers, operand = self.unit.headers, readable(operand)
        found = headers.texts.get(include_key(operand, self.path)) or headers.texts.get(operand)
        if found is not None:
            return "project", found
        if operand in headers.system:
            return "system", None
        return ("missing" if operand in headers.missing else "unknown"), None

    def _line(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        tokens = parsed.tokens
        if tokens and tokens[0][1].isdigit():
            self.line_shift = int(tokens[0][1]) - self.index - 1
            if len(tokens) > 1 and tokens[1][1].startswith('"'):
                self.presumed = literals.text(readable(tokens[1][1]))

    def _message(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        self.unit.note("parse", *span, f"#{parsed.name} {parsed.rest}".rstrip())

    def _nothing(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        """`#ident` and the like; what a `#warning` says is the compiler's to tell."""

    def _pragma(self, parsed: Parsed, span: tuple[int, int], where: Location) -> None:
        """`#pragma once`, `push_macro` and `pop_macro`."""
        run, tokens = self.unit, parsed.tokens
        words = [t[1] for t in tokens[:4]]
        if words[:1] == ["once"]:
            run.once.add(self.path)
        elif words[:1] in (["push_macro"], ["pop_macro"]) and len(words) == 4 and words[2].startswith('"'):
            name = words[2][1:-1]
            if words[0] == "push_macro":
                run.saved.setdefault(name, []).append(run.env.macros.get(name))
            elif run.saved.get(name):
                before = run.saved[name].pop()
                if before is None:
                    run.env.undefine(name)
                else:
                    run.env.define(before, run.env.where.get(name))
                run.lines = run.lines_here()


_Action = Callable[[FilePass, Parsed, "tuple[int, int]", Location], None]
_ACTIONS: dict[str, _Action] = {
    "define": FilePass._define, "undef": FilePass._undef,
    "if": FilePass._if, "ifdef": FilePass._if, "ifndef": FilePass._if,
    "elif": FilePass._elif, "elifdef": FilePass._elif, "elifndef": FilePass._elif,
    "else": FilePass._else, "endif": FilePass._endif,
    "include": FilePass._include, "include_next": FilePass._include, "import": FilePass._include,
    "line": FilePass._line, "error": FilePass._message, "warning": FilePass._nothing, "pragma": FilePass._pragma,
    "ident": FilePass._nothing, "sccs": FilePass._nothing, "assert": FilePass._nothing, "unassert": FilePass._nothing,
    "": FilePass._nothing,
}  # fmt: skip
