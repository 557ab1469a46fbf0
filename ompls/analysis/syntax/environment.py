"""The macros in force, and numbers for such states that are the same in every run.

An environment's number is found by following a chain: from the state before, by what was defined or included.  Where
a macro was defined is kept beside it and is not part of the number: a definition that only moved changes nothing.
"""

from __future__ import annotations

from ompls.analysis.source import HeaderSnapshot, HeaderUnit, Location, Stack
from ompls.analysis.syntax.lexer import internal, readable
from ompls.analysis.syntax.macros import Definition

BUILTINS = (
    "__LINE__", "__FILE__", "__BASE_FILE__", "__INCLUDE_LEVEL__", "__COUNTER__", "__DATE__", "__TIME__",
    "__TIMESTAMP__",
)  # fmt: skip
_OPERATORS = ("__has_include", "__has_include_next", "__has_attribute", "__has_cpp_attribute", "__has_builtin")

# What C programs ask for most, when there is no compiler to ask
_WITHOUT_COMPILER = {
    "__STDC__": "1", "__STDC_VERSION__": "201710L", "__STDC_HOSTED__": "1", "_OPENMP": "202111", "__GNUC__": "12",
    "__GNUC_MINOR__": "2", "__x86_64__": "1", "__linux__": "1", "linux": "1", "__unix__": "1", "unix": "1",
    "__LP64__": "1", "_LP64": "1", "__CHAR_BIT__": "8", "__INT_MAX__": "0x7fffffff",
    "__LONG_MAX__": "0x7fffffffffffffffL",
    "__SIZEOF_INT__": "4", "__SIZEOF_LONG__": "8", "__SIZEOF_POINTER__": "8", "__SIZE_TYPE__": "long unsigned int",
}  # fmt: skip


class Environments:
    """Numbers states and makes equal definitions one object."""

    def __init__(self) -> None:
        self._next: dict[tuple[int, object], int] = {}
        self._definitions: dict[tuple[str, tuple[str, ...] | None, str], Definition] = {}
        self._units: dict[int, tuple[HeaderUnit, dict[str, Definition], set[str], int]] = {}
        self._starts: dict[int, tuple[object, dict[str, Definition], int]] = {}

    def follow(self, state: int, step: object) -> int:
        """The number of the state that `step` leads to."""
        return self._next.setdefault((state, step), len(self._next) + 1)

    def intern(self, definition: Definition) -> Definition:
        key = (definition.name, definition.params, definition.text)
        return self._definitions.setdefault(key, definition)

    def start(self, headers: HeaderSnapshot) -> Environment:
        """The state at the top of a translation unit."""
        predefined = headers.predefined
        known = self._starts.get(id(predefined))
        if known is None or known[0] is not predefined:
            if len(self._starts) > 8:
                self._starts.clear()
            macros = {name: self.intern(Definition(name, None, "", builtin=True)) for name in BUILTINS}
            macros |= {name: self.intern(Definition(name, None, name)) for name in _OPERATORS}
            for macro in predefined:
                name = internal(macro.name)
                macros[name] = self.intern(Definition(name, macro.params, internal(macro.body)))
            if not predefined:
                macros |= {n: self.intern(Definition(n, None, t)) for n, t in _WITHOUT_COMPILER.items()}
            number = self.follow(0, tuple((m.name, m.params, m.body) for m in predefined))
            known = self._starts[id(predefined)] = (predefined, macros, number)
        return Environment(self, known[2], dict(known[1]))

    def unit(self, unit: HeaderUnit) -> tuple[dict[str, Definition], set[str], int]:
        """What a system header leaves: definitions, names without one, and a number for it."""
        known = self._units.get(id(unit))
        if known is None or known[0] is not unit:
            if len(self._units) > 200:
                self._units.clear()
            defines: dict[str, Definition] = {}
            undefines: set[str] = set()
            for op in unit.ops:
                if isinstance(op, str):
                    defines.pop(internal(op), None)
                    undefines.add(internal(op))
                else:
                    name = internal(op.name)
                    defines[name] = self.intern(Definition(name, op.params, internal(op.body)))
                    undefines.discard(name)
            number = self.follow(-1, unit.ops)
            known = self._units[id(unit)] = (unit, defines, undefines, number)
        return known[1:]


class Environment:
    """One run's current state."""

    __slots__ = ("_all", "id", "macros", "stacks", "where")

    def __init__(self, environments: Environments, number: int, macros: dict[str, Definition]) -> None:
        self._all = environments
        self.id = number
        self.macros = macros
        self.where: dict[str, Location] = {}
        self.stacks = Stacks(self.where)

    def define(self, definition: Definition, where: Location | None) -> None:
        definition = self._all.intern(definition)
        name = definition.name
        if self.macros.get(name) is not definition:
            self.macros[name] = definition
            self.id = self._all.follow(self.id, definition)
        if where is not None:
            self.where[name] = where
        self.stacks.clear()

    def undefine(self, name: str) -> None:
        if self.macros.pop(name, None) is not None:
            self.id = self._all.follow(self.id, name)
        self.where.pop(name, None)
        self.stacks.clear()

    def include(self, headers: HeaderSnapshot, operand: str) -> None:
        """Take over the macros of a system header."""
        defines, undefines, number = self._all.unit(headers.system[operand])
        self.macros.update(defines)
        for name in undefines:
            self.macros.pop(name, None)
        for name in [n for n in self.where if n in defines or n in undefines]:
            del self.where[name]
        self.id = self._all.follow(self.id, number)
        self.stacks.clear()


class Stacks(dict[tuple[str, ...], Stack]):
    """Names of macros → what a Segment says about them."""

    def __init__(self, where: dict[str, Location]) -> None:
        super().__init__()
        self._where = where

    def __missing__(self, names: tuple[str, ...]) -> Stack:
        stack = tuple((readable(name), self._where.get(name)) for name in names)
        self[names] = stack
        return stack
