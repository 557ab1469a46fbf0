"""The words of clauses as completion needs them: which may stand where, since when, and what excludes what.

Which keywords and modifiers a clause has is in `analysis/spec`; here is how they are written down next to each other.
"""

from __future__ import annotations

import re

from ompls.analysis.model.omp import Directive
from ompls.analysis.model.tu import TU
from ompls.analysis.spec import CLAUSES, DIRECTIVES, ClauseSpec
from ompls.analysis.spec.clause_sets import MAP_TYPES_OF
from ompls.analysis.spec.versions import CLAUSE_ON, WORD_OF

REDUCTIONS = frozenset(("reduction", "in_reduction", "task_reduction"))
OPERATORS = ("+", "max", "min", "*", "&&", "||", "&", "|", "^")  # the usual ones first
# `clause(modifier, keyword: list)`: a comma follows a modifier.  In all others a colon does.
COMMA_MODIFIERS = frozenset(("map", "reduction", "depend", "allocate"))
COLON_MODIFIERS = frozenset(
    ("to", "from", "lastprivate", "firstprivate", "schedule", "order", "grainsize", "num_tasks", "num_threads",
     "device", "affinity", "enter", "init")
)  # fmt: skip
WITH_ARGUMENT = frozenset(("mapper", "iterator", "allocator", "align", "dims", "attach", "prefer_type"))
CONSTANT = frozenset(("collapse", "ordered", "simdlen", "safelen", "sizes", "partial", "align"))  # take no variables
AFTER_LIST = frozenset(("linear", "aligned", "induction"))  # what is not the list stands after the colon
# Directives with a list of their own in parentheses, and a clause that takes the same list items.
LISTING_DIRECTIVES = {
    "flush": "shared", "threadprivate": "copyin", "declare target": "enter", "allocate": "private",
    "groupprivate": "copyin", "scan": "inclusive", "depobj": "shared",
}  # fmt: skip

# Context selectors (OpenMP 5.2 §7.1): the traits of each set, and the words that a trait takes.
TRAITS = {
    "construct": ("target", "teams", "parallel", "for", "simd", "dispatch"),
    "device": ("kind", "isa", "arch"),
    "target_device": ("device_num", "kind", "isa", "arch"),
    "implementation": ("vendor", "extension", "requires", "atomic_default_mem_order"),
    "user": ("condition",),
}
TRAIT_WORDS = {
    "kind": ("host", "nohost", "cpu", "gpu", "fpga", "any"),
    "vendor": ("amd", "arm", "gnu", "intel", "llvm", "nvidia", "unknown"),
    "requires": ("reverse_offload", "unified_address", "unified_shared_memory", "dynamic_allocators"),
    "atomic_default_mem_order": ("seq_cst", "acq_rel", "relaxed"),
}

_MAY_REPEAT = frozenset(
    ("defaultmap", "uses_allocators", "doacross", "when", "adjust_args", "append_args", "apply", "absent", "contains",
     "holds", "match")
)  # fmt: skip
_EXCLUSIVE = (
    {"read", "write", "update"},
    {"read", "write", "capture", "compare"},
    {"seq_cst", "acq_rel", "acquire", "release", "relaxed"},
    {"inbranch", "notinbranch"},
    {"full", "partial"},
    {"grainsize", "num_tasks"},
    {"inclusive", "exclusive"},
    {"nogroup", "reduction"},
    {"threads", "depend"},
    {"simd", "depend"},
)
_MEANINGS = {
    ("map", "to"): "copied to the device at entry",
    ("map", "from"): "copied back at exit",
    ("map", "tofrom"): "copied to the device at entry and back at exit",
    ("map", "alloc"): "allocated on the device, not copied",
    ("map", "storage"): "allocated on the device, not copied",
    ("map", "release"): "its reference count goes down",
    ("map", "delete"): "removed from the device",
    ("map", "always"): "copied even if it is on the device already",
    ("map", "close"): "in memory near the device",
    ("map", "present"): "an error if it is not on the device already",
    ("map", "mapper"): "by a declared mapper",
    ("map", "iterator"): "for each value of an iterator",
}


def excluded(name: str, given: set[str], directive: Directive) -> bool:
    """Whether the clause can no longer be added to a directive that has the clauses `given`."""
    if name in given and not may_repeat(name, directive):
        return True
    if directive.name in ("cancel", "cancellation point") and name != "if":
        return bool(given - {"if"})
    return any(name in group and (given & group) - {name} for group in _EXCLUSIVE)


def since(name: str, constructs: tuple[str, ...]) -> str:
    """The version that brought the clause to the directive of these leaf constructs."""
    takers = [leaf for leaf in constructs if leaf in DIRECTIVES and name in DIRECTIVES[leaf].clauses]
    return max(CLAUSES[name].since, min((CLAUSE_ON.get((leaf, name), "") for leaf in takers), default=""))


def may_repeat(name: str, directive: Directive) -> bool:
    """Whether a directive may have the clause more than once."""
    if name == "if":
        return len(directive.constructs) > 1
    return CLAUSES[name].shape == "list" or name in _MAY_REPEAT


def keywords(spec: ClauseSpec, directive: Directive, version: str) -> tuple[str, ...]:
    """The keywords of a clause that the directive takes in this version."""
    if spec.name in REDUCTIONS:
        return OPERATORS
    found = spec.keywords
    if spec.name == "map":
        # `tofrom` on enter and exit data, since 5.2, is `to` and `from`.
        types = MAP_TYPES_OF.get(directive.name, MAP_TYPES_OF["target"])
        found = tuple(w for w in found if w in types and (w != "tofrom" or {"from", "to"} <= types))
    elif spec.name == "depend" and directive.name != "ordered":
        found = tuple(w for w in found if w not in ("source", "sink"))
    elif spec.name == "depend":
        found = ("source", "sink")
    elif spec.name == "defaultmap" and version < "5.0":
        found = ("tofrom",)
    elif spec.name == "proc_bind" and version >= "5.1":
        found = tuple(w for w in found if w != "master")
    return tuple(w for w in found if WORD_OF.get((spec.name, w), "") <= version)


def modifiers(spec: ClauseSpec, version: str) -> tuple[str, ...]:
    """The modifiers of a clause in this version."""
    found = spec.modifiers
    if spec.name in ("linear", "induction") and version >= "5.2":
        found = tuple(w for w in found if w not in ("ref", "uval"))  # C++ only
    return tuple(w for w in found if WORD_OF.get((spec.name, w), "") <= version and w != "delete")


def choices(spec: ClauseSpec, directive: Directive, version: str) -> list[str]:
    """The keywords and the modifiers of a clause on that directive, for people: a paragraph each."""
    both = ("One of", keywords(spec, directive, version)), ("Modifiers", modifiers(spec, version))
    return [f"{heading}: {', '.join(f'`{word}`' for word in listed)}" for heading, listed in both if listed]


def categories(version: str) -> tuple[str, ...]:
    """The variable categories of C."""
    if version < "5.0":
        return ("scalar",)
    return ("scalar", "aggregate", "pointer", *(("all",) if version >= "5.2" else ()))


def prefix_optional(clause: str) -> bool:
    """Whether list items may stand without anything before a colon."""
    return clause not in REDUCTIONS and clause not in ("depend", "init")


def keyword_takes_colon(clause: str) -> bool:
    """Whether something follows the keyword of the clause."""
    return clause in REDUCTIONS or clause in ("map", "depend", "doacross", "device")


def meaning(clause: str, word: str) -> str:
    """What a word does in a clause, in a few words."""
    return _MEANINGS.get((clause, word)) or CLAUSES[clause].summary


def declared(tu: TU, what: str) -> list[str]:
    """The identifiers that the unit declares by `what`: declare reduction, declare mapper."""
    found: dict[str, None] = {}
    directives = [d.directive for d in tu.directives]
    directives += [s.directive for item in tu.items for s in item.content.directives]
    for directive in directives:
        if directive.name == what and directive.args:
            match = re.match(r"\s*([A-Za-z_]\w*)\s*:", directive.args[0].text)
            if match is not None:
                found[match[1]] = None
    return list(found)
