"""Which directives make sense at a place: by the version, by the constructs around it, inside and outside functions.

What a completion offers, not what is an error: where the rules of nesting are not certain, a directive is offered.
"""

from __future__ import annotations

from ompls.analysis.spec import DIRECTIVES, DirectiveSpec

# Declarative directives that may also stand in a block.
_IN_BLOCKS = frozenset(
    ("threadprivate", "allocate", "declare reduction", "declare mapper", "declare induction", "groupprivate",
     "begin assumes", "end assumes", "begin metadirective", "end metadirective", "begin declare variant",
     "end declare variant")
)  # fmt: skip
_AT_FILE_SCOPE = frozenset(("metadirective", "nothing", "error", "begin metadirective", "end metadirective"))
# What `teams` may hold directly (5.2 §10.2); `distribute` needs `teams` around it (5.2 §11.6).
_IN_TEAMS = frozenset(("distribute", "parallel", "loop", "nothing", "metadirective", "error"))
# What may not be closely nested in worksharing, task, critical, ordered, atomic or masked regions (5.2 §17.1).
_SHARES_WORK = frozenset(("for", "sections", "single", "scope"))
_NO_SHARING_IN = frozenset(
    ("for", "sections", "single", "scope", "loop", "task", "taskloop", "critical", "ordered", "masked", "master")
)
_IN_SIMD = frozenset(("simd", "ordered", "scan", "atomic", "loop", "nothing", "error", "metadirective"))


def placed(version: str, around: list[tuple[str, ...]], in_function: bool) -> list[DirectiveSpec]:
    """The directives that may stand there.

    around -- the leaf constructs of each construct around the place, outermost first
    """
    return [
        spec
        for spec in DIRECTIVES.values()
        if spec.since <= version and (_in_function(spec, around) if in_function else _outside(spec))
    ]


def outdated(spec: DirectiveSpec, version: str) -> bool:
    """Whether a newer spelling replaced the directive."""
    return bool(spec.until) and version >= spec.until


def _outside(spec: DirectiveSpec) -> bool:
    return spec.kind in ("declarative", "delimited") or spec.name in _AT_FILE_SCOPE


def _in_function(spec: DirectiveSpec, around: list[tuple[str, ...]]) -> bool:
    if spec.kind in ("declarative", "delimited"):
        return spec.name in _IN_BLOCKS
    leaves = [leaf for constructs in around for leaf in constructs]
    inner = leaves[-1] if leaves else ""
    first = spec.constructs[0]
    if "target" in leaves and first.startswith("target"):
        return False
    if inner == "teams" and first not in _IN_TEAMS:
        return False
    if inner == "simd" and first not in _IN_SIMD:
        return False
    if inner in _NO_SHARING_IN and (first in _SHARES_WORK or first == "barrier"):
        return False
    if first == "teams":
        return not leaves or inner == "target"
    if first == "distribute":
        return inner == "teams"
    if spec.name == "section":
        return inner == "sections"
    if spec.name == "scan":
        return inner in ("for", "simd")
    return spec.name not in ("cancel", "cancellation point") or bool(
        {"parallel", "for", "sections", "taskgroup", "task", "taskloop"} & set(leaves)
    )
