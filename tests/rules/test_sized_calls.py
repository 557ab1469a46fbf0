"""Library calls of a known number of bytes: the last element that they touch counts as the first does."""

from __future__ import annotations

import pytest
from drawing import analyze

from ompls.analysis.rules import check

SECTIONS = """
void *memcpy(void *, const void *, unsigned long);
void *memset(void *, int, unsigned long);
void f(char *b, int *k, const char *q) {{
    #pragma omp parallel sections
    {{
        #pragma omp section
        {}
        #pragma omp section
        {}
    }}
}}
"""
TASKS = """
void *memcpy(void *, const void *, unsigned long);
void *memset(void *, int, unsigned long);
void f(char *b, int *k, const char *q) {{
    #pragma omp task shared(b, k)
    {}
    {}
    #pragma omp taskwait
}}
"""
MEET = [
    ("memcpy(&b[4], q, 4);", "b[7] = 1;"),
    ("memcpy(&k[4], q, 4 * sizeof *k);", "k[7] = 1;"),
    ("memset(&b[2], 0, 8);", "b[9] = 1;"),
]
APART = [
    ("memcpy(&b[4], q, 4);", "b[8] = 1;"),
    ("memcpy(&k[4], q, 4);", "k[7] = 1;"),
    ("memcpy(&k[4], q, 12);", "k[7] = 1;"),
    ("memset(&b[2], 0, 1);", "b[3] = 1;"),
]


def warned(text: str) -> bool:
    return any(d.severity == "warning" and d.rule.startswith(("race", "task")) for d in check(analyze(text)))


@pytest.mark.parametrize("frame", [SECTIONS, TASKS], ids=["sections", "tasks"])
def test_the_last_element_counts(frame: str) -> None:
    assert [pair for pair in MEET if not warned(frame.format(*pair))] == []
    assert [pair for pair in APART if warned(frame.format(*pair))] == []
