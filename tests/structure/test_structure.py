"""What may only fall: how many functions are hard to read, how wide the widest class is, and what else the code has too
much of.  `numbers.toml` has the numbers; each is counted by the function of its name."""

from __future__ import annotations

import ast
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
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


@cache
def trees() -> dict[str, ast.Module]:
    """The syntax tree of each module of ompls, by the module's name."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): ast.parse(path.read_bytes())
        for path in sorted((ROOT / "ompls").rglob("*.py"))
    }


def complex_functions() -> Found:
    """Functions and methods above complexity 20."""
    blocks = [(name, b) for name, tree in trees().items() for b in ComplexityVisitor.from_ast(tree).blocks]
    found = {(b.complexity, f"{name}.{b.fullname}") for name, b in blocks if isinstance(b, Function)}
    return [f"{much} {name}" for much, name in sorted(found) if much > COMPLEX]


def widest_class_names() -> Found:
    """Different names of methods in the class that has most of them, its bases included."""
    return sorted(set(_widest()))


def widest_class_definitions() -> Found:
    """All definitions of methods there."""
    return sorted(_widest())


def memo_users() -> Found:
    """Modules that read or write an attribute `memo`."""
    return [
        name
        for name, tree in trees().items()
        if any(isinstance(node, ast.Attribute) and node.attr == "memo" for node in ast.walk(tree))
    ]


def twin_names() -> Found:
    """Names that more than one file of ompls/analysis has."""
    files = Counter(path.name for path in (ROOT / "ompls/analysis").rglob("*.py") if path.name != "__init__.py")
    return sorted(name for name, often in files.items() if often > 1)


def modules_in_rings() -> Found:
    """Modules that import themselves by way of others of the same folder, wherever the import stands."""
    edges = {
        name: {other for other in _imports(tree) if other != name and _folder(other) == _folder(name)}
        for name, tree in trees().items()
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
    """One test, so that one process reads the trees."""
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
    classes = {
        f"{module}.{node.name}": (module, node)
        for module, tree in trees().items()
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }

    def chain(name: str, seen: set[str]) -> Iterator[ast.ClassDef]:
        if name in seen or name not in classes:
            return
        seen.add(name)
        module, node = classes[name]
        yield node
        for base in node.bases:
            named = base.value if isinstance(base, ast.Subscript) else base  # Generic[T]
            if isinstance(named, ast.Name):
                yield from chain(_named(module).get(named.id, f"{module}.{named.id}"), seen)

    methods = [
        [part.name for node in chain(name, set()) for part in node.body if isinstance(part, ast.FunctionDef)]
        for name in classes
    ]
    return max(methods, key=len)


@cache
def _named(module: str) -> dict[str, str]:
    """What the names that a module imports stand for."""
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(trees()[module])
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in trees())
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield from [name for name in (whole, str(node.module)) if name in trees()][:1]


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
