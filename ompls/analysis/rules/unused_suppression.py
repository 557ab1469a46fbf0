"""A comment `ompls: ignore[…]` that silences nothing, or names no rule.

What a comment is for is known only when all rules have spoken, so this one is asked last (`unused`), and not for
each declaration.  Certainty: nothing is said of a text that was not understood completely (a missing header, a syntax
error, a branch that is not compiled): a rule may be silent there for another reason.  Even so it stays a hint, because
with other macros or for another device the comment may have its use.  A name that no rule and no group has is decided.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from ompls.analysis.diagnostic import Diagnostic, Edit, Fix
from ompls.analysis.model.tu import TU
from ompls.analysis.rules.support.framework import Rule, said_elsewhere
from ompls.analysis.source import Location
from ompls.analysis.suppression import Suppression, removed


def unused(
    tu: TU, marks: Sequence[Suppression], used: Collection[Suppression], near: Callable[[str], list[str] | None]
) -> Iterator[Diagnostic]:
    """What is to be said about the comments of the main file.

    used -- those that silenced something
    near -- None for a name that exists, else the names it may have meant
    """
    judged = tu.complete and tu.headers_known and not tu.notes and not any(item.content.tainted for item in tu.items)
    for mark in marks:
        if mark.name == RULE.id:
            continue
        where = Location(tu.path, *mark.names[0])
        close = near(mark.name)
        if close is not None:
            meant = f"; did you mean {' or '.join(f'`{name}`' for name in close)}?" if close else ""
            fixes = tuple(_renamed(where, mark, name) for name in close[:1])
            yield Diagnostic(RULE.id, "warning", f"there is no rule `{mark.name}`{meant}", where, (), fixes)
        elif judged and mark not in used and not any(_overlap(mark, inactive) for inactive in tu.inactive):
            fix = Fix("Remove the suppression", tuple(_removals(tu, mark)))
            yield Diagnostic(RULE.id, "hint", f"nothing is silenced here: `{mark.name}`", where, (), (fix,))


def _renamed(where: Location, mark: Suppression, name: str) -> Fix:
    edits = tuple(Edit(Location(where.path, *place), name) for place in mark.names)
    return Fix(f"Change it to {name}", edits)


def _removals(tu: TU, mark: Suppression) -> Iterator[Edit]:
    for place in mark.names:
        yield Edit(Location(tu.path, *removed(tu.source, place)), "")


def _overlap(mark: Suppression, inactive: Location) -> bool:
    return inactive.start < mark.covers[1] and mark.covers[0] < inactive.end


RULE = Rule(
    id="unused-suppression",
    severity="warning",
    group="style",
    title="A comment that silences nothing",
    why="""
A comment `// ompls: ignore[rule]` that is left behind hides the next mistake of that kind. One that names no rule never
had an effect: rules and groups are listed by `ompls explain`.

The comments are `ignore[…]` (its own line and the next one), `ignore-file[…]`, and `ignore-begin[…]` … `ignore-end[…]`.
Between the brackets stand ids of rules or of groups. A comment is not reported in code that is not compiled, nor in a file
with a missing header or a syntax error.
""",
    section="none",
    bad=(
        """
void f(int n, int *x) {
    // ompls: ignore[unknown-clause]
    //               ^^^^^^^^^^^^^^ hint: nothing is silenced here: `unknown-clause`
    #pragma omp target map(tofrom: x[0:n])
    x[0] = 1;
}
""",
        """
void f(int n, int *x) {
    #pragma omp target map(tofrom: x[0:n]) frobnicate // ompls: ignore[unknown-claus]
    //                                                                 ^^^^^^^^^^^^^ warning: there is no rule `unknown-claus`; did you mean `unknown-clause`?
    x[0] = 1;
}
""",
        """
// ompls: ignore-file[structure]
//                    ^^^^^^^^^ hint: nothing is silenced here: `structure`
int x;
""",
    ),
    good=(
        """
void f(int n, int *x) {
    // ompls: ignore[unknown-clause]
    #pragma omp target map(tofrom: x[0:n]) frobnicate
    x[0] = 1;
}
""",
        """
void f(int n, int *x) {
    #pragma omp target map(tofrom: x[0:n]) frobnicate // ompls: ignore[unknown-clause] the vendor's
    x[0] = 1;
}
""",
        """
// ompls: ignore-file[structure]
void f(int n, int *x) {
    #pragma omp target map(tofrom: x[0:n]) frobnicate
    x[0] = 1;
}
""",
        """
void f(int n, int *x) {
#ifdef VENDOR
    // ompls: ignore[unknown-clause]
    #pragma omp target map(tofrom: x[0:n]) frobnicate
    x[0] = 1;
#endif
}
""",
        """
#include <missing.h>
// ompls: ignore[unknown-clause]
void f(int n, int *x);
""",
        """
const char *help = "write // ompls: ignore[RULE] above it";
const char *more = "ompls: ignore[unknown-claus]";
""",
        """
// ompls: ignore-begin[unknown-clause]
void f(int n, int *x) {
    #pragma omp target map(tofrom: x[0:n]) frobnicate
    x[0] = 1;
}
// ompls: ignore-end[unknown-clause]
""",
    ),
    check=said_elsewhere,  # see `unused`
    needs="text",
)
