"""Text that is no C.  `notes.py` says it: the front end notices it while it reads."""

from __future__ import annotations

from ompls.analysis.rules.support.framework import Rule, said_elsewhere

RULE = Rule(
    id="syntax-error",
    severity="warning",
    group="front-end",
    title="Text that is no C",
    why="""
Nothing that depends on the meaning of such a text can be said, so rules are weaker in the declaration around it: what they say
there is a hint. It is a hint itself where a header is missing, whose macros may make C of it, and near what compilers take
and we do not (functions as before C89, GNU's rare extensions). `#error` is reported where it is reached.

`ompls check` asks gcc about a text with such an error. What gcc refuses is an error, in gcc's words; what it takes is a hint.
An editor starts no compiler for that and has words of our own.
""",
    section="none",
    bad=(
        """
int f(int n) {
    if (n) { return n + 1 }
    //                   ^ warning: expected ';'
    return 0;
}
""",
        """
#ifdef __linux__
    #error this is not for Linux
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning: #error this is not for Linux
#endif
""",
    ),
    good=(
        """
#warning an old header
#ident "1.0"
#pragma tool it's
int f(int n) { return n; }
""",
        """
#if 0
#error nobody comes here
return return
#endif
""",
        """
#define BEGIN(f) int f(int n) {
#define END }
BEGIN(f) return n; END
""",
        """
void f(int n) {
    __label__ out;
    if (n) goto out;
out:;
}
""",
        """
int f(n)
    int n;
{ return n; }
""",
    ),
    check=said_elsewhere,
    needs="text",
)
