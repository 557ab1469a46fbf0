"""An array without a size that devices should have a copy of."""

from __future__ import annotations

from collections.abc import Iterator

from ompls.analysis.model.ast import Declaration, Symbol
from ompls.analysis.model.ctype import Array
from ompls.analysis.rules.support.framework import Finding, Rule, Scene


def check(scene: Scene) -> Iterator[Finding]:
    """Certain: no declaration of the file gives the array a size, and gcc wants to know it."""
    node = scene.content.node if scene.content is not None else None
    for declared in node.decls if isinstance(node, Declaration) else ():
        symbol = declared.symbol
        at_end = scene.unit.symbols.get(symbol.name, symbol)
        on_devices = symbol.declare_target or symbol.name in scene.unit.told.on_devices
        if on_devices and symbol.span is not None and _unsized(symbol) and _unsized(at_end):
            message = (
                f"`{symbol.name}` has no size here, so devices get no copy of it: give the size, `{symbol.name}[N]`"
            )
            yield Finding(symbol.span, message, "error")


def _unsized(symbol: Symbol) -> bool:
    return isinstance(symbol.type, Array) and symbol.type.length is None and not symbol.type.vla


RULE = Rule(
    id="unsized-on-device",
    severity="error",
    group="declare-target",
    title="An array in `declare target` without a size",
    why="""
`extern int table[];` leaves the size to another file. A variable in `declare target` has a copy on each device, and for that its
size has to be known where it is declared: gcc refuses it, and refuses each use in a target region. Give the size.
""",
    section="7.8",
    bad=(
        """
extern const char *names[];
//                 ^^^^^ error: `names` has no size here, so devices get no copy of it: give the size, `names[N]`
#pragma omp declare target(names)
""",
        """
#pragma omp declare target
extern int counts[];
//         ^^^^^^ error: `counts` has no size here, so devices get no copy of it: give the size, `counts[N]`
int count(int i) { return counts[i]; }
#pragma omp end declare target
extern double *rows[][4], one;
//             ^^^^ error: `rows` has no size here, so devices get no copy of it: give the size, `rows[N]`
#pragma omp declare target link(rows) to(one)
""",
    ),
    good=(
        """
extern const char *names[4];
#pragma omp declare target(names)
""",
        """
extern int counts[];
int f(int i) { return counts[i]; }
""",
        """
extern int later[];
int later[4];
#pragma omp declare target(later)
""",
        """
#pragma omp declare target
static int own[] = {1, 2};
extern int (*rows)[4];
int f(int a[]) { return a[0] + own[1] + rows[0][1]; }
#pragma omp end declare target
""",
        """
#define N 4
#pragma omp declare target
extern int counts[N];
#pragma omp end declare target
""",
    ),
    check=check,
)
