"""What a compiler says of a line again is left out: a clause stands at several places in the code made of it."""

from __future__ import annotations

from ompls.runtime.errors import BuildFailed

CLAUSE = """In file included from a.c:4:
a.c: In function 'f':
a.c:4:89: error: array subscript is not an integer
    4 | #pragma omp target map(to: v[p][0:n])
      |                             ^
"""
AGAIN = """a.c:4:108: error: array subscript is not an integer
    4 | #pragma omp target map(to: v[p][0:n])
      |                                     ^
"""
OTHERS = """a.c:4:108: warning: unused
    4 | #pragma omp target map(to: v[p][0:n])
a.c:7:8: error: array subscript is not an integer
    7 |     v[p] = i;
cc1: all warnings being treated as errors
"""


def test_each_message_of_a_line_is_said_once() -> None:
    error = BuildFailed("compiling a.c", CLAUSE + AGAIN + OTHERS + AGAIN + "ld: no\n", 1)
    assert error.output == CLAUSE + OTHERS + "ld: no\n"
