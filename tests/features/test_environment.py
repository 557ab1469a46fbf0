"""Present tables at a place: what is there, how certain that is, and why."""

from __future__ import annotations

from together import together

from ompls.analysis import features
from ompls.analysis.source import Location

from .marked import marked

HELPER = """#include <stdlib.h>
static void up(int *p, int n) {
#pragma omp target enter data map(to: p[0:n])
    n++;¦
}
"""

# A text with the cursor, and the rows there: device, name, section, certainty, references, bytes, who has newer values.
CASES: list[tuple[str, str, list[str]]] = [
    ("before a directive nothing has happened", """
int main(void) { int a[9] = {0};
#pragma omp target ¦enter data map(to: a)
}""", []),
    ("a cursor at the end of its line is on it", """
int main(void) { int a[9] = {0};
#pragma omp target enter data map(to: a)¦   // comment
}""", []),
    ("after it", """
int main(void) { int a[9] = {0};
#pragma omp target enter data map(to: a[0:4])
¦}""", ["0 a a[0:4] certain 1 [16 bytes] both"]),
    ("the host has written", """
int main(void) { int a[9] = {0};
#pragma omp target enter data map(to: a)
a[1] = 1;
¦return 0; }""", ["0 a a certain 1 [36 bytes] host"]),
    ("in a region, and what it has written", """
int main(void) { int a[9] = {0};
#pragma omp target map(tofrom: a)
{ a[1] = 1;
 ¦a[2] = 1; }
}""", ["0 a a certain 1 [36 bytes] device"]),
    ("in a region each pointer counts that it follows and no clause lists", """
int main(int argc, char **argv) { int a[9] = {0}, b[9] = {0}, c[9] = {0}; int *p = a, *q = argc ? b : c;
#pragma omp target enter data map(to: a, b, c)
#pragma omp target
{ p[1] = q[1];
 ¦p[2] = 1; }
}""", ["0 a a certain 2 [36 bytes] device", "0 b b certain 1 or more [36 bytes] both",
       "0 c c certain 1 or more [36 bytes] both"]),
    ("and after it not", """
int main(void) { int a[9] = {0}; int *p = a;
#pragma omp target enter data map(to: a)
#pragma omp target
p[1] = 1;
¦}""", ["0 a a certain 1 [36 bytes] device"]),
    ("a list item is told as it is written", """
#define N 4
int main(void) { int a[9] = {0};
#pragma omp target enter data map(to: a[0:N])
¦}""", ["0 a a[0:N] certain 1 [16 bytes] both"]),
    ("a region that is plainly closed is walked for who asks", """
int main(void) { int a[9] = {0};
#pragma omp target map(tofrom: a)
for (int i = 0; i < 9; i++)
 ¦a[i] = 1;
}""", ["0 a a certain 1 [36 bytes] both or device"]),
    ("behind a jump", """
int main(void) { int a[9] = {0};
#pragma omp target data map(a)
a[0]++;
return 0;
¦}""", []),
    ("another device", """
int main(void) { int a[9] = {0};
#pragma omp target enter data map(alloc: a) device(2)
¦a[0] = 0; }""", ["2 a a certain 1 [36 bytes] host"]),
    ("on one path only", """
int main(int argc, char **argv) { int a[9] = {0};
if (argc > 1) {
#pragma omp target enter data map(to: a)
}
¦a[0] = 0; }""", ["0 a a possible 1 [36 bytes] both"]),
    ("by one of two calls", HELPER + """
int main(int argc, char **argv) { int a[9] = {0}, b[9] = {0}; up(a, 9); up(b, 8); }""",
     ["0 a p[0:n] certain 1 [36 bytes] both", "0 b p[0:n] possible 1 [32 bytes] both"]),
    ("in a loop the count grows", """
int main(int argc, char **argv) { int a[9] = {0};
for (int i = 0; i < argc; i++) {
#pragma omp target enter data map(to: a)
 ¦a[0] = 0; }
}""", ["0 a a certain 1 or 2 or 3 or more [36 bytes] both or host"]),
    ("of a caller nothing is known", """
void f(int *p, int n) {
#pragma omp target data map(to: p[0:n])
 { ¦n++; }
}""", ["0 p p[0:n] certain 1 or more [4*n bytes] both"]),
    ("what a call gave is called by the variable that holds it", """
int main(void) { int n = rand(); double *x = malloc(n * sizeof *x);
#pragma omp target data map(alloc: x[0:n])
 { ¦x[0] = 0; }
}""", ["0 x x[0:n] certain 1 [8*n bytes] neither"]),
    ("by the parameter that it was passed as", """
static void f(double *x, int m) {
#pragma omp target data map(alloc: x[0:m])
 { ¦x[0] = 0; }
}
int main(void) { int n = rand(); f(malloc(8 * n), n); }
""", ["0 x x[0:m] certain 1 [8*m bytes] neither"]),
    ("by what has changed since", """
void f(int *p, int n) {
#pragma omp target enter data map(to: p[0:n])
 n++;
 ¦n++;
}""", ["0 p p[0:n] certain 1 or more [4*n - 4 bytes] both"]),
    ("by nothing that has it no more", """
void f(int *p, int n) {
#pragma omp target enter data map(to: p[0:n])
 n = 0;
 ¦n++;
}""", ["0 p p[0:n] certain 1 or more [] both"]),
    ("nobody maps the arguments of the program before it begins", """
int main(int argc, char **argv) { int a = argc > 1 ? atoi(argv[1]) : 1;
#pragma omp target data map(to: a)
 { ¦a = argv[0][0]; }
}""", ["0 a a certain 1 [4 bytes] both"]),
    ("a pointer member is attached", """
struct s { int n; int *p; };
int main(void) { int a[9] = {0}; struct s s = {9, a};
#pragma omp target data map(tofrom: s) map(to: s.p[0:9])
 { ¦a[0]++; }
}""", ["0 a s.p[0:9] certain 1 [36 bytes] both attached to s.p", "0 s s certain 1 [16 bytes] both"]),
    ("a member is called as it is written", """
struct s { int n; int *p, *q; };
void f(struct s *m, int n) {
#pragma omp target data map(to: m->p[0:n], m->q[0:4])
 { ¦n++; }
}""", ["0 *m  unknown unknown [] unknown", "0 m->p m->p[0:n] certain 1 or more [4*n bytes] both",
       "0 m->q m->q[0:4] certain 1 or more [16 bytes] both"]),
    ("a length that is a member", """
struct s { int n; int *p; };
void f(struct s *m) {
#pragma omp target data map(to: m->p[0:m->n])
 { ¦m->p[0]++; }
}""", ["0 *m  unknown unknown [] unknown", "0 m->p m->p[0:m->n] certain 1 or more [4*m->n bytes] both"]),
    ("a length that is a member of a parameter", """
struct s { int w, h; int *p; };
void f(struct s m) {
#pragma omp target data map(to: m.p[0:m.w * m.h])
 { ¦m.p[0]++; }
}""", ["0 m.p m.p[0:m.w * m.h] certain 1 or more [4*m.h*m.w bytes] both"]),
    ("a length that is a member, of which the caller knows the variable", """
struct s { int n; int *p; };
static void f(struct s *m) {
#pragma omp target data map(to: m->p[0:m->n])
 { ¦m->p[0]++; }
}
void g(int *a, int n) { struct s s = {n, a}; f(&s); }""", ["0 m->p m->p[0:m->n] certain 1 or more [4*n bytes] both"]),
    ("a length that is a member, which has changed by a number", """
struct s { int n; int *p; };
void f(struct s *m) {
#pragma omp target enter data map(to: m->p[0:m->n])
 m->n++;
 ¦m->p[0]++;
}""", ["0 *m  unknown unknown [] unknown", "0 m->p m->p[0:m->n] certain 1 or more [4*m->n - 4 bytes] both"]),
    ("a length that was a member", """
struct s { int n; int *p; };
void f(struct s *m, int n) {
#pragma omp target enter data map(to: m->p[0:m->n])
 m->n = 3;
 ¦m->p[0]++;
}""", ["0 *m  unknown unknown [] unknown", "0 m->p m->p[0:m->n] certain 1 or more [] both"]),
    ("storage of a member", """
#include <stdlib.h>
struct s { int n; int *p, *q; };
int main(void) { struct s s = {9, malloc(36)}, *m = &s;
m->q = malloc(16);
#pragma omp target enter data map(alloc: s.p[0:9], m->q[0:4])
 ¦return 0;
}""", ["0 m->q m->q[0:4] certain 1 [16 bytes] neither", "0 s.p s.p[0:9] certain 1 [36 bytes] neither"]),
    ("declare target", """
int t[4];
#pragma omp declare target(t)
int main(void) { ¦t[0] = 0; }""", ["0 t  certain infinite [16 bytes] both"]),
    ("not followed", """
void other(void **);
int main(void) { int *p; other((void **)&p);
#pragma omp target enter data map(to: p[0:9])
¦return p[0]; }""", ["0 p  unknown unknown [] unknown"]),
    ("what is entered later may be there", """
int main(void) { int a[9] = {0};
#pragma omp target enter data map(to: a) nowait
¦a[0] = 0; }""", ["0 a a possible 1 [36 bytes] both"]),
    ("what leaves later may be there still", """
int main(void) { int a[9] = {0}, b = 0;
#pragma omp target enter data map(to: a, b)
#pragma omp target exit data map(from: a) nowait depend(inout: a)
#pragma omp target exit data map(delete: b)
¦a[0] = 0; }""", ["0 a a possible 1 [36 bytes] both"]),
    ("a region that may run", """
int main(void) { int a[9] = {0};
#pragma omp target teams distribute parallel for map(tofrom: a) nowait
for (int i = 0; i < 9; i++) a[i] = i;
¦a[0] = 0; }""", ["0 a a possible 1 [36 bytes] both or device"]),
    ("a region that may have written", """
int main(void) { int a[9] = {0};
#pragma omp target enter data map(to: a)
#pragma omp target nowait
{ a[0] = 1; }
¦a[0] = 0; }""", ["0 a a certain 1 [36 bytes] both or device"]),
    ("an update that may have been made", """
int main(void) { int a[9] = {0};
#pragma omp target enter data map(alloc: a)
#pragma omp target update to(a) nowait
¦a[0] = 0; }""", ["0 a a certain 1 [36 bytes] both or host"]),
    ("somebody has waited", """
int main(void) { int a[9] = {0};
#pragma omp target enter data map(to: a) nowait
#pragma omp taskwait
¦a[0] = 0; }""", ["0 a a certain 1 [36 bytes] both"]),
    ("a group of tasks has ended", """
int main(void) { int a[9] = {0};
#pragma omp taskgroup
{
#pragma omp target enter data map(to: a) nowait
}
¦a[0] = 0; }""", ["0 a a certain 1 [36 bytes] both"]),
    ("the host has waited for this one", """
int main(void) { int a[9] = {0}, b = 0;
#pragma omp target enter data map(to: a) nowait depend(out: a)
#pragma omp target enter data map(to: b) nowait depend(out: b)
#pragma omp target map(a) depend(in: a)
a[0] = 1;
¦a[0] = 0; }""", ["0 a a certain 1 [36 bytes] device", "0 b b possible 1 [4 bytes] both"]),
    ("outside of functions", "int a;¦\n", []),
]  # fmt: skip


@together(("text", "rows"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_rows(text: str, rows: list[str]) -> None:
    tu, offset = marked(text)
    found = []
    for known in features.environment(tu, offset).rows:
        row = known.row
        attached = f" attached to {', '.join(row.attached)}" if row.attached else ""
        found.append(
            f"{row.device} {row.name} {row.section} {row.certainty} {row.references} [{row.bytes}]"
            f" {' or '.join(sorted(row.valid))}{attached}"
        )
    assert found == rows


def test_what_is_deferred_says_why() -> None:
    text = "int main(void) { int a;\n#pragma omp target enter data map(alloc: a) nowait\n¦a = 1; }"
    (known,) = features.environment(*marked(text)).rows
    assert any("deferred (`nowait`)" in said and where is not None for said, where in known.facts)


def test_a_place_without_rows_says_why() -> None:
    said = {}
    for text in ("int a;¦", "int main(void) { ¦; }", "int main(void) { return 0; { ¦; } }"):
        said[text] = features.environment(*marked(text)).message
    text = "void o(int **); int main(void) { int *p; o(&p);\n#pragma omp target data map(p[0:9])\n¦p[0] = 1; }"
    assert features.environment(*marked(text)).message.startswith("Something was mapped through a pointer")
    assert list(said.values()) == ["The cursor is in no function.", "Nothing is mapped here.", "No path comes here."]


def test_what_a_caller_decides_is_not_mapped_on_some_paths() -> None:
    tu, offset = marked("int f(int c, int **p) { int n = c ? **p : 0; ¦return n; }")
    told = {known.row.name: [said for said, _ in known.facts] for known in features.environment(tu, offset).rows}
    assert told == {"*p": ["a caller, or another file, may have mapped it before"]}


MEMBERS = """struct body { float x, y, z, m; };
void step(struct body *b, int n) { float t = 0;
#pragma omp target data map(tofrom: b[0:n])
 for (int s = 0; s < 9; s++) {
#pragma omp target
  for (int i = 0; i < n; i++) {
   b[i].x += 1; b[i].y += 1; b[i].z += 1;
  }
  ¦if (s % 5 == 0) t += b[0].x;
 }
}"""


def test_members_that_are_written_again_and_again_are_not_too_many_cases() -> None:
    (known,) = features.environment(*marked(MEMBERS.replace("¦", "").replace("b[i].x", "¦b[i].x"))).rows
    assert set(known.row.valid) == {"both", "device"}


def test_a_fact_is_told_once_a_line() -> None:
    (known,) = features.environment(*marked(MEMBERS)).rows
    assert [said for said, _ in known.facts].count("the device's newer values are written here") == 1


def test_where_one_path_is_not_known_that_is_all_there_is_to_say() -> None:
    text = MEMBERS.replace("¦", "").replace("t += b[0].x", "b[0].m = 1").replace("b[i].x", "¦b[i].x")
    (known,) = features.environment(*marked(text)).rows
    assert {"both", "unknown"} <= set(known.row.valid)
    assert known.text.endswith("16*n bytes; who has the newest values is not known")


def test_each_fact_has_its_place() -> None:
    text = HELPER + "int main(int argc, char **argv) { int a[9] = {0}; if (argc > 1) up(a, 9); a[0] = 1; }"
    tu, offset = marked(text.replace("¦", "").replace("a[0] = 1", "¦a[0] = 1"))
    (known,) = features.environment(tu, offset).rows

    def shown(where: Location | None) -> str:
        return "" if where is None else tu.source[where.start : where.end].decode()

    assert [(said, shown(where)) for said, where in known.facts] == [
        ("mapped here: to, until `target exit data`", "p[0:n]"),
        ("it is mapped on some of the paths that lead here", ""),
        ("it depends on whether argc - 1 > 0", ""),
    ]
    assert shown(known.mapped) == "p[0:n]"


class Never:
    def expired(self) -> bool:
        return True


def test_an_answer_that_there_is_no_time_for_says_so() -> None:
    tu, offset = marked("int main(void) { int a[9];\n" + "a[0]++;\n" * 999 + "¦a[1]++; }")
    found = features.environment(tu, offset, Never())
    assert (found.complete, found.message) == (False, "There was no time to follow all paths: there may be more.")
