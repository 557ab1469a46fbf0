"""Something that was not looked at.  `notes.py` says it: limits, and time that ran out."""

from __future__ import annotations

from ompls.analysis.rules.support.framework import Rule, said_elsewhere

RULE = Rule(
    id="analysis-incomplete",
    severity="hint",
    group="front-end",
    title="Something that was not looked at",
    why="""
Limits keep hostile and generated texts from holding everything up: how much a macro may expand to, how deep things nest, how
many includes there are, how long an analysis takes. What lies beyond one is named with the limit; silence about it does not
mean that it is correct. In an editor it also marks a part that is still to come, or a file that is not looked at because it
is larger than `ompls.diagnostics.maxFileSize`; those are shown whatever is selected.
""",
    section="none",
    bad=(
        """
// written out, a pointer to 130 pointers is deeper than what is followed
typedef int ***************************************************************** half;
half ***************************************************************** whole;
//                                                                     ^^^^^ hint: the type of 'whole' is not followed: written out it has more than 1000 parts, or 120 levels
""",
    ),
    good=(
        """
int **whole;
""",
        """
typedef int ************* half;
half ************* whole;
""",
        """
#define TWICE(x) x x
int f(void) { return TWICE(TWICE(1 +)) 1; }
""",
        """
int f(int n) { return ((((((((((n)))))))))); }
""",
        """
struct s { struct s *next; } whole;
""",
    ),
    check=said_elsewhere,
    needs="text",
)
