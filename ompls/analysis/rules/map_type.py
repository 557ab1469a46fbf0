"""A map type that the directive does not have."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.omp import Clause, Directive
from ompls.analysis.rules.support.framework import Change, Finding, Rule, Scene
from ompls.analysis.spec.clause_sets import MAP_TYPES_OF

# What was probably meant, where it is clear.
_MEANT = {
    ("target enter data", "from"): "alloc",
    ("target exit data", "to"): "release",
    ("target exit data", "alloc"): "release",
}
_WHY = {
    "target enter data": "nothing is copied back or unmapped where data is entered",
    "target exit data": "nothing is copied to the device or allocated where data is left",
    "target": "data is mapped for the region and unmapped at its end",
    "target data": "data is mapped for the block and unmapped at its end",
}


def check(scene: Scene) -> Iterator[Finding]:
    for directive in scene.directives:
        where = "target" if "target" in directive.constructs else directive.name
        allowed = MAP_TYPES_OF.get(where)
        if directive.known and allowed is not None:
            for clause in directive.all("map"):
                if not clause.broken and _type(clause) not in allowed:
                    yield _finding(directive, where, clause, _type(clause))
                elif where.endswith("exit data") or where.endswith("enter data"):
                    yield from _newer(scene, directive, clause)


def _type(clause: Clause) -> str:
    """6.0 makes `delete` a modifier too."""
    return clause.keyword or ("delete" if "delete" in clause.modifiers else "")


def _finding(directive: Directive, where: str, clause: Clause, given: str) -> Finding:
    message = f"`{given}` is no map type of `{directive.name}`: {_WHY[where]}"
    meant = _MEANT.get((where, given), "")
    span = clause.keyword_span or clause.name_span
    if not meant:
        return Finding(span, message, "error")
    return Finding(span, message, "error", (), (Change(f"Change to `{meant}`", span, meant, safe=False),))


def _newer(scene: Scene, directive: Directive, clause: Clause) -> Iterator[Finding]:
    """Before 5.2 the type had to be written, and `tofrom` was not one of them."""
    version = scene.unit.settings.openmp
    if version >= "5.2" or _type(clause) not in ("", "tofrom"):
        return
    meant = "to" if directive.name == "target enter data" else "from"
    span = clause.keyword_span or clause.name_span
    given = f"`{clause.keyword}`" if clause.keyword else "a map clause without a type"
    changes = (Change(f"Change to `{meant}`", span, meant),) if clause.keyword else ()
    yield Finding(span, f"{given} on `{directive.name}` needs OpenMP 5.2; {version} has `{meant}`", "hint", (), changes)


RULE = Rule(
    id="map-type",
    severity="error",
    title="A map type that the directive does not have",
    why="""
Where data enters a device it may be copied there (`to`) or only get storage (`alloc`); where it leaves it may be copied
back (`from`), counted down (`release`) or dropped (`delete`). The other types belong to the other directive, and
`release` and `delete` to neither `target` nor `target data`, whose mapping ends with their block anyway.
""",
    section="5.8.3",
    about="directives",
    bad=(
        """
void f(int n, double *x) {
    #pragma omp target enter data map(from: x[0:n])
    //                                ^^^^ error: `from` is no map type of `target enter data`: nothing is copied back or unmapped where data is entered
    #pragma omp target exit data map(to: x[0:n])
    //                               ^^ error: `to` is no map type of `target exit data`: nothing is copied to the device or allocated where data is left
}
""",
        """
void f(int n, double *x) {
    #pragma omp target teams map(delete: x[0:n])
    //                           ^^^^^^ error: `delete` is no map type of `target teams`: data is mapped for the region and unmapped at its end
    x[0] = 1;
    #pragma omp target data map(release: x[0:n])
    //                          ^^^^^^^ error: `release` is no map type of `target data`: data is mapped for the block and unmapped at its end
    x[0] = 1;
}
""",
        """
void f(int n, double *x, double *y) {
    #pragma omp target exit data map(from: x[0:n]) map(alloc: y[0:n])
    //                                                 ^^^^^ error: `alloc` is no map type of `target exit data`: nothing is copied to the device or allocated where data is left
}
""",
    ),
    good=(
        """
void f(int n, double *x, double *y) {
    #pragma omp target enter data map(to: x[0:n]) map(alloc: y[0:n])
    #pragma omp target exit data map(from: x[0:n]) map(release: y[0:n])
}
""",
        """
void f(int n, double *x) {
    #pragma omp target enter data map(always, present, to: x[0:n])
    #pragma omp target exit data map(delete: x[0:n])
}
""",
        """
void f(int n, double *x, double *y) {
    #pragma omp target data map(tofrom: x[0:n]) map(alloc: y[0:n])
    #pragma omp target teams map(present, alloc: x[0:n]) map(from: y[0:n])
    y[0] = x[0];
}
""",
        """
void f(int n, double *x, double *y) {
    #pragma omp target enter data map(x[0:n]) map(tofrom: y[0:n])
    #pragma omp target exit data map(x[0:n]) map(tofrom: y[0:n])
}
""",
        """
typedef struct { int n; double *x; } vec;
#pragma omp declare mapper(vec v) map(v, v.x[0:v.n])
void f(vec *v) {
    #pragma omp target map(mapper(default), to: v[0:1])
    { int n = v->n; n++; }
}
""",
    ),
    check=check,
    needs="text",
)
