"""What may only fall: how many functions are hard to read, how wide the widest class is, and what else the code has too
much of.  `numbers.toml` has the numbers; each is counted by the function of its name."""

from __future__ import annotations

import ast
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from radon.visitors import ComplexityVisitor, Function

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = Path(__file__).with_name("numbers.toml")
COMPLEX = 20  # by radon, a method's nested functions included
LOOSE = 0.10

Found = list[str]


@dataclass(frozen=True)
class Class:
    """One that a module defines: the names of its methods, and its bases as the module calls them."""

    methods: list[str]
    bases: list[str]


@dataclass(frozen=True)
class Module:
    """What is asked about a module.  Its tree is not kept: all trees together are millions of objects."""

    functions: list[Function]  # with methods
    classes: dict[str, Class]
    imports: list[tuple[str, str]]  # module and name, wherever they stand; of `import m`, '' and m
    named: dict[str, str]  # what imported names stand for
    memo: bool  # an attribute `memo` is read or written


def read(tree: ast.Module) -> Module:
    imports, named, memo = [], {}, False
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports += [("", alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports += [(str(node.module), alias.name) for alias in node.names]
            named |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Attribute):
            memo = memo or node.attr == "memo"
    blocks = ComplexityVisitor.from_ast(tree).blocks
    classes = {node.name: _class(node) for node in tree.body if isinstance(node, ast.ClassDef)}
    return Module([b for b in blocks if isinstance(b, Function)], classes, imports, named, memo)


def _class(node: ast.ClassDef) -> Class:
    bases = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]  # Generic[T]
    methods = [part.name for part in node.body if isinstance(part, ast.FunctionDef)]
    return Class(methods, [base.id for base in bases if isinstance(base, ast.Name)])


@cache
def modules() -> dict[str, Module]:
    """Each module of ompls, by its name."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): read(
            ast.parse(path.read_bytes())
        )
        for path in sorted((ROOT / "ompls").rglob("*.py"))
    }


def complex_functions() -> Found:
    """Functions and methods above complexity 20."""
    found = {(f.complexity, f"{name}.{f.fullname}") for name, module in modules().items() for f in module.functions}
    return [f"{much} {name}" for much, name in sorted(found) if much > COMPLEX]


def widest_class_names() -> Found:
    """Different names of methods in the class that has most of them, its bases included."""
    return sorted(set(_widest()))


def widest_class_definitions() -> Found:
    """All definitions of methods there."""
    return sorted(_widest())


def memo_users() -> Found:
    """Modules that read or write an attribute `memo`."""
    return [name for name, module in modules().items() if module.memo]


def twin_names() -> Found:
    """Names that more than one file of ompls/analysis has."""
    files = Counter(path.name for path in (ROOT / "ompls/analysis").rglob("*.py") if path.name != "__init__.py")
    return sorted(name for name, often in files.items() if often > 1)


def modules_in_rings() -> Found:
    """Modules that import themselves by way of others of the same folder, wherever the import stands."""
    edges = {
        name: {other for other in _imported(module) if other != name and _folder(other) == _folder(name)}
        for name, module in modules().items()
    }
    return sorted(name for name in edges if name in _reached(edges, edges[name]))


COUNTED: list[Callable[[], Found]] = [
    complex_functions,
    widest_class_names,
    widest_class_definitions,
    memo_users,
    twin_names,
    modules_in_rings,
]


def test_numbers_only_fall() -> None:
    """One test, so that one process reads the modules."""
    known = tomllib.loads(NUMBERS.read_text(encoding="utf-8"))
    assert set(known) == {count.__name__ for count in COUNTED}
    for count in COUNTED:
        found, limit = count(), known[count.__name__]
        says = f"{count.__name__} = {len(found)}  # {NUMBERS.relative_to(ROOT)} has {limit}"
        assert len(found) <= limit, "\n".join([says, "Make it simpler; the number is not raised. They are:", *found])
        assert len(found) >= limit * (1 - LOOSE), f"more than 10 % below, lower the number: {says}"
        if len(found) < limit:
            warnings.warn(f"below, lower the number: {says}", stacklevel=1)


# -- classes and imports, as the text says them ---


def _widest() -> Found:
    def chain(module: str, name: str, seen: set[str]) -> Iterator[Class]:
        whole = f"{module}.{name}"
        found = modules()[module].classes.get(name) if module in modules() else None
        if found is None or whole in seen:
            return
        seen.add(whole)
        yield found
        for base in found.bases:
            of, _, called = modules()[module].named.get(base, f"{module}.{base}").rpartition(".")
            yield from chain(of, called, seen)

    methods = [
        [method for one in chain(module, name, set()) for method in one.methods]
        for module, has in modules().items()
        for name in has.classes
    ]
    return max(methods, key=len)


def _imported(module: Module) -> Iterator[str]:
    """The modules of ours among what a module imports."""
    for of, name in module.imports:
        whole = f"{of}.{name}" if of else name
        yield from [one for one in (whole, of) if one in modules()][:1]


def _folder(module: str) -> str:
    """The package that a module lies in; what a package's own file is in is that package."""
    return module if (ROOT / module.replace(".", "/")).is_dir() else module.rpartition(".")[0]


def _reached(edges: dict[str, set[str]], ahead: set[str]) -> set[str]:
    """All that can be reached, what is `ahead` included."""
    seen: set[str] = set()
    while ahead:
        seen |= ahead
        ahead = set().union(*(edges[one] for one in ahead)) - seen
    return seen
