"""Sizes, literals, conversions and constants are those of the compiler whose macros a unit is read with."""

from __future__ import annotations

import random
import subprocess

import pytest
from machines import COMMANDS, command_of, model_of, snapshot_of

from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.constants import fold
from ompls.analysis.model.ctype import Array
from ompls.analysis.model.datamodel import ILP32, LP64, DataModel, of_macros
from ompls.analysis.model.declare import declare
from ompls.analysis.model.layout import preferred_alignof, sizeof
from ompls.analysis.model.tu import TU
from ompls.analysis.source import EMPTY_SNAPSHOT, HeaderSnapshot, HeaderUnit, Macro, Settings

from .test_constants import expression

ARMHF = {
    "__SIZEOF_LONG__": "4", "__SIZEOF_POINTER__": "4", "__SIZEOF_DOUBLE__": "8", "__SIZEOF_LONG_DOUBLE__": "8",
    "__CHAR_UNSIGNED__": "1", "__BYTE_ORDER__": "__ORDER_LITTLE_ENDIAN__", "__SIZE_TYPE__": "unsigned int",
    "__PTRDIFF_TYPE__": "int", "__WCHAR_TYPE__": "unsigned int", "__BIGGEST_ALIGNMENT__": "8", "__arm__": "1",
}  # fmt: skip
_OF_ARM = ("__CHAR_UNSIGNED__", "__arm__")
I386 = {name: body for name, body in ARMHF.items() if name not in _OF_ARM} | {
    "__SIZEOF_LONG_DOUBLE__": "12", "__WCHAR_TYPE__": "long int", "__BIGGEST_ALIGNMENT__": "16", "__i386__": "1",
}  # fmt: skip
RECORDED = {"x86-64": {}, "i386": I386, "armhf": ARMHF}

TYPES = (
    "char", "short", "int", "long", "long long", "float", "double", "long double", "void *", "_Bool", "enum e",
    "double _Complex", "long double _Complex", "struct s", "many", "enum wide",
)  # fmt: skip
LITERALS = (
    "1", "2147483648", "0x80000000", "4294967296", "1u", "1l", "1ul", "5000000000u", "1ll", "sizeof(int)", "'a'",
    "L'a'", "L\"a\"[0]", "u\"a\"[0]", "1u + 1l", "1ul + 1ll", "1u * 1ll", "&x - &x", "'a' + 1l", "E",
    "x ? 1u : 1l", "__builtin_strlen(0)", "__builtin_labs(1)", "1.0f + x", "sizeof(x) * 2",
    "__builtin_offsetof(struct s, d)",
)  # fmt: skip
DECLARED = "enum e { E }; enum wide { WIDE = 0x1ffffffff }; struct s { char c; double d; }; typedef struct s many[3];\n"
DECLARED += "extern long x;\n"


def analyze(text: str, machine: str) -> TU:
    return Analyzer().analyze("t.c", text.encode(), snapshot_of(machine), Settings())


def failed(machine: str, text: str) -> list[str]:
    """The assertions that the machine's compiler does not hold for true, and what it does not take."""
    command = [*command_of(machine), "-fsyntax-only", "-w", "-x", "c", "-"]
    done = subprocess.run(command, check=False, input=text, text=True, capture_output=True)
    return [line for line in done.stderr.split("\n") if "error" in line]


@pytest.mark.parametrize("machine", RECORDED)
def test_macros_say_what_the_model_is(machine: str) -> None:
    """Also where the machine's compiler is not installed."""
    known = {
        "x86-64": LP64,
        "i386": DataModel(4, 4, 8, 12, 4, 16, size_type="unsigned int", difference_type="int", wide_char="long"),
        "armhf": DataModel(
            4, 4, 8, 8, 16, 8, unnamed=True, signed_char=False, size_type="unsigned int", difference_type="int",
            wide_char="unsigned int",
        ),
    }  # fmt: skip
    assert of_macros(RECORDED[machine]) == known[machine]


@pytest.mark.parametrize("machine", RECORDED)
def test_macros_are_those_that_were_recorded(machine: str) -> None:
    assert of_macros(RECORDED[machine]) == model_of(machine)


@pytest.mark.parametrize("machine", COMMANDS)
def test_sizes_and_alignments(machine: str) -> None:
    tu = analyze(DECLARED + "".join(f"typedef {t} t{k};\n" for k, t in enumerate(TYPES)), machine)
    asserts = []
    for k, text in enumerate(TYPES):
        t = tu.symbols[f"t{k}"].type
        asserts.append(f"sizeof({text}) == {sizeof(t, tu.model)}")
        asserts.append(f"__alignof__({text}) == {preferred_alignof(t, tu.model)}")
    assert failed(machine, DECLARED + "".join(f'_Static_assert({a}, "{a}");\n' for a in asserts)) == []


@pytest.mark.parametrize("machine", COMMANDS)
def test_types_of_literals_and_operators(machine: str) -> None:
    tu = analyze(DECLARED + "".join(f"__typeof__({e}) v{k};\n" for k, e in enumerate(LITERALS)), machine)
    text = DECLARED
    for k, e in enumerate(LITERALS):
        t = declare(tu.symbols[f"v{k}"].type)
        quoted = e.replace('"', "'")
        text += f'_Static_assert(__builtin_types_compatible_p(__typeof__(({e})), {t}), "{quoted} is no {t}");\n'
    assert failed(machine, text) == []


@pytest.mark.parametrize("machine", COMMANDS)
def test_constants(machine: str) -> None:
    choose = random.Random(11)
    texts = [
        "'\\377'",
        "'\\377' < 0",
        "-1l > 1u",
        "(unsigned long)-1",
        "(long)0x80000000",
        "1l << 31 << 1",
        "sizeof(long)",
    ]
    texts += [expression(choose, 3) for _ in range(300)]
    head = "enum { e = -3 };\n"
    tu = analyze(head + "".join(f"int v{k} = {t};\n" for k, t in enumerate(texts)), machine)
    values = {d.symbol.name: fold(d.init) for item in tu.items[1:] for d in item.content.node.decls}
    text = head
    for k, t in enumerate(texts):
        value = values[f"v{k}"]
        if value is not None and value.bit_length() < 63:
            text += f'_Static_assert((long long)({t}) == {value}ll, "{k}");\n'
    wrong = [line for line in failed(machine, text) if "static assertion failed" in line]
    assert [texts[int(line.split('"')[1])] for line in wrong] == []


def snapshot(key: str, macros: dict[str, str]) -> HeaderSnapshot:
    unit = HeaderUnit((), "typedef unsigned long word;\nstruct both { char c; word w; void *p; double d; };\n")
    return HeaderSnapshot(key, tuple(Macro(name, None, body) for name, body in macros.items()), {"<both.h>": unit})


SOURCE = b"#include <both.h>\nchar size[sizeof(struct both)];\n#if '\\377' < 0\nint sign;\n#endif\n"


def lengths(tu: TU) -> tuple[int | None, bool]:
    t = tu.symbols["size"].type
    assert isinstance(t, Array)
    return t.length, "sign" in tu.symbols


def test_units_with_other_models_do_not_disturb_each_other() -> None:
    """They share the text of a header, and the process."""
    wanted = {"lp64": (32, True), "armhf": (24, False), "i386": (20, True)}
    macros: dict[str, dict[str, str]] = {"lp64": {}, "armhf": ARMHF, "i386": I386}
    analyzers = {name: Analyzer() for name in wanted}
    for edit in (b"", b"int other;\n"):
        for name, analyzer in analyzers.items():
            tu = analyzer.analyze("t.c", SOURCE + edit, snapshot(name, macros[name]), Settings())
            assert (name, *lengths(tu)) == (name, *wanted[name])


def test_another_compiler_for_the_same_text() -> None:
    """As when a project's target is changed while the file is open."""
    analyzer = Analyzer()
    found = [
        lengths(analyzer.analyze("t.c", SOURCE, snapshot(str(k), macros), Settings()))
        for k, macros in enumerate(({}, ARMHF, {}, I386))
    ]
    assert found == [(32, True), (24, False), (32, True), (20, True)]
    assert analyzer.analyze("t.c", b"", EMPTY_SNAPSHOT, Settings()).model == LP64


def test_named_models_are_as_they_are_documented() -> None:
    assert (ILP32.long, ILP32.pointer, ILP32.double, ILP32.long_double, ILP32.align) == (4, 4, 8, 8, 8)
    assert [ILP32.alignment(n) for n in (1, 2, 4, 8, 16)] == [1, 2, 4, 8, 8]
