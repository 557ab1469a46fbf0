"""A text that is not UTF-8.  `notes.py` says it: the front end notices it while it reads."""

from __future__ import annotations

from ompls.analysis.rules.support.framework import Rule, said_elsewhere

RULE = Rule(
    id="encoding",
    severity="hint",
    group="front-end",
    title="A file that is not UTF-8",
    why="""
The other bytes are taken as they are, as compilers do, so nothing is lost; but editors and reports show them as they guess.
A line `// Latin-1` in the example says how it is stored.
""",
    section="none",
    bad=(
        """
// Latin-1
int f(void);
int x; // café
//           ^ hint: the file is not UTF-8: its other bytes are taken as they are
""",
    ),
    good=(
        """
int x; // café
""",
        """
int x; // 日本
""",
        """
const char *text = "é";
""",
        """
int x;
""",
        """
int été;
""",
    ),
    check=said_elsewhere,
    needs="text",
)
