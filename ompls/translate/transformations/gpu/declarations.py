"""What stands in front of the code in a kernel file: types, `declare target` variables, constants, prototypes, locks.

Also what the names in that code have to be: those that C++ or the device library has already.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from ompls.analysis.dataenv.lockwaits import Takers, asks
from ompls.analysis.encoding import decoded
from ompls.analysis.model import ast
from ompls.analysis.model.ast import FunctionDef, Symbol
from ompls.analysis.model.convert import decay
from ompls.analysis.model.ctype import Function, Pointer
from ompls.analysis.model.tu import Item
from ompls.translate.ctext import flat, is_const, words
from ompls.translate.functions import in_other_units
from ompls.translate.macros import Macros
from ompls.translate.needs import Index, Needs
from ompls.translate.output import OutLine, Places, generated
from ompls.translate.pointees import leads_to_literals
from ompls.translate.problem import Problem, not_on_devices
from ompls.translate.rewrite import Rewriter, without_comments
from ompls.translate.symbols import global_symbol
from ompls.translate.tables import tables
from ompls.translate.templates import render
from ompls.translate.transformations.gpu.dialect import Dialect
from ompls.translate.transformations.gpu.reductions import operator_class
from ompls.translate.transformations.gpu.spelling import CUDA_NAMES, respelled
from ompls.translate.transformations.gpu.sync import lock
from ompls.translate.transformations.gpu.typetext import as_cxx
from ompls.translate.uses import names_in

_OF_CXX = re.compile(r"^typedef .*\bwchar_t;$")  # C++ has it without a header
_LINKAGE = re.compile(r"\b(static|extern|inline|__inline|__inline__|_Noreturn)\b\s*")


@dataclass
class Shared:
    """What the parts of one file add to its head: names of locks; (combiner, initializer) -> class of an operator.  And
    what they have to know of each other: which functions wait for locks."""

    takers: Takers
    macros: Macros
    locks: set[str] = field(default_factory=set)
    operators: dict[tuple[str, str], str] = field(default_factory=dict)


def head(template: str, index: Index, places: Places, needs: Needs, shared: Shared, **facts: object) -> list[OutLine]:
    """The lines in front of a file's functions.  `facts`: what `template` asks for beyond what every file has."""
    out = generated(render(template, source=index.tu.path, **facts))
    for t in needs.types:
        if not _OF_CXX.search(t.text):
            out += t.lines(places, respelled(as_cxx(t, index.tu.model), index.own))
    text = render(
        "declarations.cu.j2",
        globals=[
            respelled(index.kinds.cxx(Pointer(s.type), global_symbol(index.tu, s))) for s in needs.globals.values()
        ],
        constants=_constants(index, needs),
        prototypes=_prototypes(index, needs),
        locks=[lock(n) for n in sorted(shared.locks)],
        operators=[operator_class(name, *map(respelled, key)) for key, name in shared.operators.items()],
    )
    return [*out, OutLine(""), *generated(text)]


def _constants(index: Index, needs: Needs) -> list[str]:
    """File-scope constants that device functions read."""
    out = []
    for s in needs.statics.values():
        item, d = index.variables.get(s.name, (None, None))
        fixed = is_const(s.type) or s.name in tables(index.tu)
        if item is None or d is None or d.init is None or not fixed:
            raise not_on_devices(s.name, item, d)
        if leads_to_literals(d, item.content.text, index.tu.model):
            why = "it begins with the address of a compound literal: put it under declare target"
            raise Problem(None, f"the global variable '{s.name}'", why)
        rw = Rewriter(item.content.text)
        Dialect(rw, index.kinds, needs.in_library).visit(d)
        rename(rw, needs, d.init)
        value = respelled(rw.string(d.init.span), index.own)
        out.append(f"static __device__ {respelled(index.kinds.cxx(s.type, s.name))} = {value};")
    return out


def _prototypes(index: Index, needs: Needs) -> list[str]:
    """Declarations of the functions of this unit, and calls into other units for those that are there."""
    out = [f"{signature(index, needs, item, f)};" for item, f in needs.functions]
    for s in in_other_units(needs.devices, needs):
        t = s.type
        if not isinstance(t, Function) or t.variadic or not t.prototype:
            raise Problem(None, f"the call of '{s.name}'", "its declaration does not say what it takes")
        params = ", ".join(index.kinds.cxx(flat(decay(p)), f"ompls_a{k}") for k, p in enumerate(t.params))
        args = "".join(f", ompls_a{k}" for k in range(len(t.params)))
        returns = respelled(index.kinds.cxx(t.returns, f"{s.name}({params})"))
        call = f"ompls_across<{respelled(index.kinds.cxx(t.returns))}>(ompls_function_{s.name}{args})"
        out.append(f"static __device__ {returns} {{ return {call}; }}  // of another unit")
    return out


def signature(index: Index, needs: Needs, item: Item, f: FunctionDef) -> str:
    """The head of a device function, without its braces."""
    text, own = without_comments(index.tu.text(item, f.header)), index.own
    name = f.symbol.name
    kind = f.symbol.type
    if isinstance(kind, Function) and ("[" in text or ";" in text):
        # C's array parameters may have lengths that are variables, and its oldest style no types in the parentheses.
        params = ", ".join(index.kinds.cxx(flat(p.type), p.name) for p in f.params)
        text, own = index.kinds.cxx(kind.returns, f"{name}({params})"), frozenset()
    if name in names_taken(needs):
        text = re.sub(rf"\b{name}\b", f"{name}_", text)
    apart = "__noinline__ " * asks(f.body)
    return f"static __device__ {apart}{' '.join(respelled(_LINKAGE.sub('', text), own).split())}"


def aliases(
    index: Index, needs: Needs, node: ast.Node, params: Collection[str] = (), also: Collection[Symbol] = ()
) -> tuple[list[str], set[Symbol]]:
    """References to the `declare target` variables that `node` uses, except for what the construct maps.

    also -- what is used besides
    """
    lines: list[str] = []
    found: dict[str, Symbol] = {}
    for s in (*also, *(n.symbol for n in names_in(node))):
        if s is not None and s.level == "file" and s.name in needs.globals and s.name not in {*found, *params}:
            found[s.name] = s
            to = global_symbol(index.tu, s)
            lines.append(f"{index.kinds.reference(s.type, s.name)} = *{to};  // declare target: this device's own")
    return lines, {n.symbol for n in names_in(node) if n.symbol is not None and n.symbol.name in found}


def names_taken(needs: Needs) -> dict[str, str]:
    """Functions of the user's that the device has, too, with the names they get: C++ would choose by the arguments."""
    mine = (f.symbol.name for _, f in needs.functions)
    return {n: f"{n}_" for n in mine if n in CUDA_NAMES or needs.in_library(n) or n.startswith("atomic")}


def rename(rw: Rewriter, needs: Needs, node: ast.Node) -> None:
    """Give the calls in `node` the names of `names_taken`."""
    renamed = names_taken(needs)
    if renamed:
        for n in names_in(node):
            if n.symbol is not None and n.symbol.kind == "func" and n.name in renamed:
                rw.replace(n.span, renamed[n.name])


def macros(index: Index, needs: Needs) -> Macros:
    """The user's macros for one file."""
    return Macros(
        index.macros,
        lambda name: name in CUDA_NAMES or needs.in_library(name) or name.startswith("atomic"),
        lambda text: respelled(text, index.own) == text,
    )


def refuse_names(needs: Needs, used: Collection[str] = ()) -> None:
    """Raises Problem for a word of the functions, or of `used`, that a kernel file cannot have."""
    every = set(used)
    for item, f in needs.functions:
        every |= words(decoded(item.content.text)) | {f.symbol.name}
    for name in sorted(every):
        if name.startswith(("ompls_", "OMPLS_")):
            raise Problem(None, f"the name '{name}'", "names that begin with ompls_ are those of the device library")
        if respelled(name) == f"{name}_" and respelled(name) in every:
            raise Problem(None, f"the name '{name}'", f"C++ reserves it, and '{respelled(name)}' is taken")
