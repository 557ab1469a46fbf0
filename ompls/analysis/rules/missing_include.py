"""A header that is not there.  `notes.py` says it: the front end notices it while it reads."""

from __future__ import annotations

from ompls.analysis.rules.support.framework import Rule, said_elsewhere

RULE = Rule(
    id="missing-include",
    severity="hint",
    group="front-end",
    title="A header that was not found",
    why="""
What it declares and defines is not known, so what follows is read with less certainty: names that it may declare are not
called undeclared, neither branch of an `#if` that it may decide is read, and much that would be an error is a hint. Say with
`-I`, a compile database (`compile_commands.json`) or `flags` of the project file where it lies. (MPI's are
what `mpicc -show` prints, with Open MPI `mpicc -showme`.) A project that wants it to be an error gives it that severity.
""",
    section="none",
    bad=(
        """
    #include "gone.h"
//  ^^^^^^^^^^^^^^^^^ hint: "gone.h": no such file
int f(int n) { return n; }
""",
    ),
    good=(
        """
int f(int n) { return n; }
""",
        """
#if 0
#include "gone.h"
#endif
""",
        """
#if __has_include("gone.h")
#include "gone.h"
#endif
""",
        """
// #include "gone.h"
""",
        """
const char *text = "#include <gone.h>";
""",
    ),
    check=said_elsewhere,
    needs="text",
)
