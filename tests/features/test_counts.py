"""Reference counts after `target enter data` and `target exit data`."""

from __future__ import annotations

import pytest

from ompls.analysis import features
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.rules import check
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings

from .marked import unit

CASES = [
    ("int main(void) {{ int a[9] = {{0}};\n{0}\n}}", """
#pragma omp target enter data map(to: a)        // a 0→1
#pragma omp target enter data map(alloc: a[:3]) // a 1→2
#pragma omp target exit data map(release: a)    // a 2→1
#pragma omp target exit data map(from: a)       // a 1→0
#pragma omp target exit data map(from: a)       // a 0→0
"""),
    ("int main(void) {{ int a[9] = {{0}}, n = 1;\n{0}\n}}", """
#pragma omp target data map(a)
{
#pragma omp target enter data map(to: a, n)     // a 1→2, n 0→1
}
#pragma omp target exit data map(delete: a, n)  // a 1→0, n 1→0
"""),
    ("static void in(int *p) {{\n{0}\n}}\nint main(void) {{ int a[9] = {{0}}; in(a); in(a); }}", """
#pragma omp target enter data map(to: p[:9])    // p 0→1 or 1→2
"""),
    ("int main(int argc, char **argv) {{ int a[9] = {{0}};\n{0}\n}}", """
if (argc > 1) {
#pragma omp target enter data map(to: a)        // a 0→1
}
#pragma omp target exit data map(from: a)       //
"""),
    ("struct s {{ int n, *x; }};\nint main(void) {{ int a[9] = {{0}}; struct s v = {{9, a}}, *p = &v;\n{0}\n}}", """
#pragma omp target enter data map(to: p[0:1])        // p 0→1
#pragma omp target enter data map(to: p->x[0:p->n])  // p->x 0→1
#pragma omp target exit data map(release: p->x[0:p->n]) // p->x 1→0
#pragma omp target exit data map(release: p[0:1])    // p 1→0
"""),
    ("void f(int *p) {{\n{0}\n}}", """
#pragma omp target enter data map(to: p[:9])    //
"""),
]  # fmt: skip


@pytest.mark.parametrize(("frame", "body"), CASES, ids=[c[1].split("\n")[1] for c in CASES])
def test_counts(frame: str, body: str) -> None:
    text = frame.format(body)
    tu = unit(text)
    check(tu)
    found = {
        text.count("\n", 0, len(tu.source[: i.offset].decode())): i.label
        for i in features.counts(tu, 0, len(tu.source))
    }
    drawn = {n: line.partition("//")[2].strip() for n, line in enumerate(text.split("\n")) if "//" in line}
    assert found == {n: label for n, label in drawn.items() if label}


def test_counts_of_a_walk_that_no_longer_begins_there_are_gone() -> None:
    """What is shown is what the last version's walks counted, not what an earlier walk of the same function did."""
    upload = "void in(int *p) {\n#pragma omp target enter data map(to: p[:9])\n}\n"
    alone = "int a[9];\nvoid only(void) {\n#pragma omp target enter data map(to: a)\n}\n"
    main = "int main(void) {\n#pragma omp target data map(a)\n{ in(a); only(); }\n}\n"
    analyzer = Analyzer()
    for text in (alone + upload, alone + upload + main, alone + upload, alone + upload + main.replace("only();", "")):
        shown = []
        for one in (analyzer, Analyzer()):
            tu = one.analyze("t.c", text.encode(), EMPTY_SNAPSHOT, Settings())
            check(tu)
            shown.append([i.label for i in features.counts(tu, 0, len(tu.source))])
        assert shown[0] == shown[1], text
