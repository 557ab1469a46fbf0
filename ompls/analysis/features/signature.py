"""Signature help for clauses: what stands between the parentheses, and in which part of it the cursor is."""

from __future__ import annotations

from dataclasses import dataclass

from ompls.analysis.features import words
from ompls.analysis.features.cursor import Cursor, cursor_at
from ompls.analysis.model.tu import TU
from ompls.analysis.spec import CLAUSES, ClauseSpec

# The parts of a clause's arguments: what stands before the colon (`…:`), then what the commas separate.
_FORMS: dict[str, tuple[str, ...]] = {
    "map": ("[modifier, …] [map-type:]", "list"),
    "reduction": ("[modifier,] identifier:", "list"),
    "in_reduction": ("identifier:", "list"),
    "task_reduction": ("identifier:", "list"),
    "depend": ("[iterator(…),] type:", "list"),
    "to": ("[modifier:]", "list"),
    "from": ("[modifier:]", "list"),
    "lastprivate": ("[conditional:]", "list"),
    "firstprivate": ("list",),
    "affinity": ("[iterator(…):]", "list"),
    "allocate": ("[allocator:]", "list"),
    "linear": ("list", "[step]"),
    "aligned": ("list", "[alignment]"),
    "schedule": ("[modifier:]", "kind", "[chunk size]"),
    "dist_schedule": ("kind", "[chunk size]"),
    "order": ("[modifier:]", "concurrent"),
    "defaultmap": ("behaviour", "[:category]"),
    "if": ("[directive-name:]", "condition"),
    "device": ("[ancestor:|device_num:]", "device number"),
    "num_teams": ("[lower bound:]", "upper bound"),
    "num_threads": ("number of threads",),
    "grainsize": ("[strict:]", "iterations"),
    "num_tasks": ("[strict:]", "number"),
    "collapse": ("number of loops",),
    "doacross": ("source|sink:", "iteration vector"),
    "uses_allocators": ("allocators",),
    "sizes": ("size", "…"),
    "permutation": ("loop number", "…"),
}
_COLON_LAST = frozenset(("linear", "aligned", "defaultmap", "induction"))


@dataclass(frozen=True, slots=True)
class Signature:
    """label -- the clause as one line; parts -- [start, end) of each part in it, in characters; active -- the part
    that the cursor is in."""

    label: str
    parts: tuple[tuple[int, int], ...]
    active: int
    documentation: str


def signature(tu: TU, offset: int) -> Signature | None:
    """What the parentheses around byte `offset` of the main file take; None outside of a clause's."""
    cursor = cursor_at(tu.source, offset)
    if cursor is None or not cursor.owner or cursor.in_arguments:
        return None
    spec = CLAUSES.get(cursor.owner)
    if spec is None or spec.shape == "none":
        return None
    form = _FORMS.get(spec.name) or _form(spec, words.keywords(spec, cursor.before, tu.settings.openmp))
    label, parts = f"{spec.name}(", []
    for number, part in enumerate(form):
        if number:
            previous = form[number - 1]
            after_colon = previous.rstrip("]").endswith(":") or part.startswith("[:")
            label += " " if after_colon else " : " if spec.name in _COLON_LAST else ", "
        parts.append((len(label), len(label) + len(part)))
        label += part
    return Signature(label + ")", tuple(parts), _active(cursor, form), _documentation(spec, cursor, tu))


def _form(spec: ClauseSpec, keywords: tuple[str, ...]) -> tuple[str, ...]:
    if spec.shape == "list":
        return ("list",)
    if spec.shape == "keyword":
        return ("|".join(keywords),)
    if spec.shape == "exprs":
        return ("expression", "…")
    return ("…",) if spec.shape == "raw" else ("expression",)


def _active(cursor: Cursor, form: tuple[str, ...]) -> int:
    """A list may have any number of commas; only the last part takes them."""
    has_prefix = form[0].rstrip("]").endswith(":")
    if cursor.owner in _COLON_LAST:
        return min(cursor.colons(), len(form) - 1)
    if has_prefix and cursor.colons():
        return min(1 + (cursor.commas() if form[-1] != "list" else 0), len(form) - 1)
    if has_prefix and cursor.owner in ("schedule", "order"):
        return 1 + min(cursor.commas(), len(form) - 2)
    if has_prefix and words.prefix_optional(cursor.owner) and cursor.owner != "doacross":
        started = any(t.kind != "name" for t in cursor.inner)
        return 1 if started and cursor.owner not in words.COMMA_MODIFIERS else 0
    return 0 if has_prefix else min(cursor.commas(), len(form) - 1)


def _documentation(spec: ClauseSpec, cursor: Cursor, tu: TU) -> str:
    text = f"{spec.summary} (since OpenMP {spec.since}, §{spec.section})"
    return "\n\n".join([text, *words.choices(spec, cursor.before, tu.settings.openmp)])
