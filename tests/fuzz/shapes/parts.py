"""What texts of any size are put together from."""

from __future__ import annotations

from collections.abc import Callable

Shape = tuple[int, Callable[[int], str]]  # its size as the tests take it, and the text of size n
T = "#pragma omp target"


def each(n: int, text: Callable[[int], str], join: str = "\n") -> str:
    return join.join(text(k) for k in range(n))


def inside(body: str, head: str = "int a[9], *p; int f(int n, int x, double *d)") -> str:
    """`body` in a function."""
    return f"{head} {{\n{body}\n}}\n"


def region(body: str, clauses: str = "") -> str:
    """`body` in a target region of a function."""
    return inside(f"{T} {clauses}\n{{\n{body}\n}}\nreturn x;")


def nested(n: int, before: str, middle: str, after: str) -> str:
    return before * n + middle + after * n
