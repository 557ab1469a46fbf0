"""Findings are kept with each declaration; after any edits they are those of a fresh analysis of the same text."""

from __future__ import annotations

import random

import pytest
from drawing import DEVICES
from thinned import thinned

from ompls.analysis import rules
from ompls.analysis.dataenv.machine.calls import Machine
from ompls.analysis.dataenv.machine.events import Recorder
from ompls.analysis.dataenv.machine.program import Program
from ompls.analysis.dataenv.machine.values import Obj
from ompls.analysis.diagnostic import Diagnostic
from ompls.analysis.model.builder import Analyzer
from ompls.analysis.model.tu import TU, FileDirective, Item
from ompls.analysis.rules import RULES, Rule, check
from ompls.analysis.rules.support.framework import Finding, unit_of
from ompls.analysis.source import EMPTY_SNAPSHOT, Settings
from ompls.analysis.syntax import blocks


def findings(analyzer: Analyzer, text: str) -> list[Diagnostic]:
    return check(analyzer.analyze("x.c", text.encode(), EMPTY_SNAPSHOT, Settings(devices=DEVICES)))


CALLER = """
void f(int n) {
    double *x = malloc(n * sizeof(double));
    upload(x, n);
    #pragma omp target
    x[0] = helper(n);
}
"""
HEAD = "void *malloc(unsigned long);\nint helper(int);\nvoid upload(double *, int);\n"
UPLOADS = "void upload(double *p, int n) {\n#pragma omp target enter data map(to: p[0:n])\n}\n"
DOES_NOTHING = "void upload(double *p, int n) { p[0] = n; }\n"
DEFINED = "int helper(int v) { return v; }\n"
DECLARED = "#pragma omp declare target(helper)\n"


def test_a_caller_is_looked_at_again_when_what_it_calls_changes() -> None:
    analyzer = Analyzer()
    for parts, expected in [
        ((HEAD, CALLER), {("device-pointer-absent", "hint"), ("undeclared-device-function", "hint")}),
        (
            (HEAD, DOES_NOTHING, CALLER),
            {("device-pointer-absent", "warning"), ("undeclared-device-function", "hint")},
        ),
        ((HEAD, UPLOADS, CALLER), {("undeclared-device-function", "hint")}),
        ((HEAD, UPLOADS, CALLER, DEFINED), set()),
        ((HEAD, UPLOADS, CALLER, DECLARED), set()),
        ((HEAD, CALLER, DEFINED, DOES_NOTHING), {("device-pointer-absent", "warning")}),
        ((HEAD, CALLER), {("device-pointer-absent", "hint"), ("undeclared-device-function", "hint")}),
    ]:
        text = "".join(parts)
        found = {(d.rule, d.severity) for d in findings(analyzer, text)}
        assert found == expected, text


def test_a_static_function_is_looked_at_again_when_a_caller_changes() -> None:
    callee = "static void step(double *p) {\n#pragma omp target\np[0] = 1;\n}\n"
    outer = "static void outer(double *p) { step(p); }\n"
    plain = "void f(void) { double a[9]; outer(a); }\n"
    mapped = "void f(void) { double a[9];\n#pragma omp target data map(tofrom: a)\nouter(a); }\n"
    taken = "void (*table[])(double *) = {outer};\n"
    analyzer = Analyzer()
    for parts, expected in [
        ((callee, outer), "hint"),
        ((callee, outer, plain), "warning"),
        ((callee, outer, mapped), ""),
        ((callee, outer, plain, taken), "warning"),
        ((callee, outer, plain), "warning"),
        ((callee, outer, plain, mapped.replace("f(", "g(")), "warning"),
        ((callee, outer.replace("step", "other"), plain), "hint"),
    ]:
        found = [(d.rule, d.severity) for d in findings(analyzer, "".join(parts)) if d.rule == "device-pointer-absent"]
        assert found == ([("device-pointer-absent", expected)] if expected else []), parts


def test_a_callee_is_looked_at_again_when_its_pointer_is_another_devices() -> None:
    analyzer = Analyzer()
    text = (
        "void *omp_target_alloc(unsigned long, int);\n"
        "static void fill(int *p) {\n#pragma omp target device(0) is_device_ptr(p)\np[0] = 1;\n}\n"
        "static void lend(int *x) {\n"
        "#pragma omp target data map(tofrom: x[0:4]) use_device_ptr(x) device(0)\nfill(x);\n}\n"
        "int main(void) {\nint *p = omp_target_alloc(40, 0), x[4] = {0};\nfill(p);\nlend(x);\nreturn x[0];\n}\n"
    )
    for old in ("use_device_ptr(x) device(0)", "omp_target_alloc(40, 0)"):
        for edited in (text, text.replace(old, old.replace("0)", "1)")), text):
            found = [d.rule for d in findings(analyzer, edited)]
            assert found == [d.rule for d in findings(Analyzer(), edited)]
            assert ("memory-of-another-device" in found) == (edited != text), edited


def test_a_caller_far_below_counts_for_a_static_function() -> None:
    callee = (
        "static void step(int n, double *p) {\nfor (int t = 0; t < n; t++) {\n#pragma omp target map(tofrom: p[0:n])\n"
        "p[0] += 1;\n}\n}\n"
    )
    between = "".join(f"int f{k}(int v) {{ return v + {k}; }}\n" for k in range(400))  # more than a group holds
    call = "step(n, p);"
    kept = "\n#pragma omp target data map(tofrom: p[0:n])\n" + call
    analyzer = Analyzer()
    for within, expected in [(call, 1), (kept, 0), (call, 1), ("", 1), (kept, 0), ("step(n, p); table(step);", 1)]:
        text = callee + between + f"void table();\nvoid run(int n, double *p) {{ {within} }}\n"
        found = [d for d in findings(analyzer, text) if d.rule == "transfer-in-loop"]
        assert len(found) == expected, within


@pytest.mark.parametrize("seed", thinned(range(7, 12), 3))
def test_random_edits_give_what_a_fresh_analysis_gives(seed: int) -> None:
    random_ = random.Random(seed)
    pieces = [text for rule in RULES.values() for text in (*rule.bad[:2], *rule.good[:1])]
    words = ["x", "0", ";", "}", "{", "map(to: x[0:n])", "#pragma omp target\n", "n", "(", "*", "int ", "\n", " "]
    analyzer = Analyzer()
    for _ in range(5):
        text = "".join(random_.sample(pieces, 3))
        for _ in range(8):
            at = random_.randrange(len(text))
            gone = random_.choice((0, 0, 1, 3))
            text = text[:at] + random_.choice(words) + text[at + gone :]
            assert findings(analyzer, text) == findings(Analyzer(), text), text


@pytest.mark.parametrize("rule", thinned(RULES.values(), 10, of_rest=3, ids=RULES))
def test_each_declaration_of_an_example_taken_out_and_put_back(rule: Rule) -> None:
    for text in rule.bad:
        analyzer = Analyzer()
        tu = analyzer.analyze("x.c", text.encode(), EMPTY_SNAPSHOT, Settings(devices=DEVICES))
        whole = check(tu)
        for place in (*tu.items, *tu.directives):
            start, end = (tu.map.location(at, at).start for at in (place.start, place.end))
            without = text[:start] + text[end:]
            assert findings(analyzer, without) == findings(Analyzer(), without), without
            assert findings(analyzer, text) == whole, text[start:end]


def test_a_variable_that_is_declared_target_further_down_is_looked_at_again() -> None:
    text = (
        "static int total;\nstatic int add(int v) { return total + v; }\n"
        "int f(int n) {\n#pragma omp target map(tofrom: n)\nn = add(n);\nreturn n;\n}\n"
    )
    listed = "#pragma omp declare target(total)\n"
    analyzer = Analyzer()
    for after, expected in [(listed, False), ("", True), (listed, False)]:
        found = {d.rule for d in findings(analyzer, text + after)}
        assert ("undeclared-device-variable" in found) == expected, after


def test_a_reduction_is_looked_at_again_when_what_declares_it_changes() -> None:
    analyzer = Analyzer()
    declared = "#pragma omp declare reduction(sum: int: omp_out += omp_in)"
    text = (
        "\nint f(int n) {\n    int s = 0;\n    #pragma omp parallel reduction(sum: s)\n    s += n;\n    return s;\n}\n"
    )
    for before, expected in [(declared, False), ("", True), (declared, False)]:
        found = {d.rule for d in findings(analyzer, before + text)}
        assert ("reduction-type" in found) == expected, before


LIST = """
void *malloc(unsigned long);
struct node { int v; struct node *next; };
static void upload(struct node *p) {
    #pragma omp target enter data map(to: p[0:1])
    for (; p->next; p = p->next) {
        struct node *q = p->next;
        #pragma omp target enter data map(to: q[0:1])
    }
}
int main(void) {
    struct node *head = 0;
    for (int i = 0; i < 10; i++) {
        struct node *n = malloc(sizeof *n);
        n->v = i;
        n->next = head;
        head = n;
    }
    int sum = 0;
    upload(head);
    #pragma omp target map(tofrom: sum)
    for (struct node *p = head; p; p = p->next)
        sum += p->v;
    return sum;
}
"""


def test_what_a_call_has_mapped_in_a_loop_is_known_when_the_call_is_recalled() -> None:
    analyzer = Analyzer()
    for text in (LIST, LIST.replace("return sum", "return sum + 1"), LIST.replace("sum = 0", "sum = 1")):
        assert not [d for d in findings(analyzer, text) if d.severity != "hint"]
        assert findings(analyzer, text) == findings(Analyzer(), text)


def test_diagnostics_above_and_below_an_edit_are_moved_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when each is in a group of its own, and when a macro that is defined above is named in one."""
    monkeypatch.setattr(blocks, "SIZE", 100)
    function = (
        "void f%d(int n, double *a) {\n    double s = 0;\n#pragma omp parallel for\n"
        "    for (int i = 0; i < n; i++) s += a[i];\n    a[0] = s;\n}\n"
    )
    text = "#define ALL for_all(n)\n" + "".join(function % k for k in range(20))
    text += "void of_macro(int n) {\n#pragma omp target ALL\nn++;\n}\n"
    made: list[str] = []
    place = rules._diagnostic

    def counted(tu: TU, at: Item | FileDirective, rule: Rule, finding: Finding) -> Diagnostic:
        made.append(finding.message)
        return place(tu, at, rule, finding)

    monkeypatch.setattr(rules, "_diagnostic", counted)
    analyzer = Analyzer()
    found = findings(analyzer, text)
    assert len(found) == len(made) == 21
    assert all(d.fixes for d in found[:-1])
    for edited in (text.replace("(int n, double *a) {", "(int n, double *a)  {", 10), "\n" + text, text):
        made.clear()
        again = findings(analyzer, edited)
        assert again == findings(Analyzer(), edited)
        assert len(again) == 21
    made.clear()
    findings(analyzer, text.replace("void f9(", "\n\nvoid f9("))
    assert 0 < len(made) < 5, made
    unit = unit_of(Analyzer().analyze("f.c", LIST.encode(), EMPTY_SNAPSHOT, Settings(devices=DEVICES)))
    program = Program(unit.functions, unit.symbols)
    each = [mapped_in_loops(program) for _ in range(2)]
    assert each[0] == each[1] != frozenset()


def mapped_in_loops(program: Program) -> frozenset[Obj]:
    """The objects of lists that are known to be mapped one and all when `main` ends."""
    machine = Machine(program, Recorder(), True)
    machine.run(program.functions["main"])
    assert machine.now is not None
    return machine.now.each


@pytest.mark.parametrize(
    ("text", "later"),
    [
        (
            "int main(void) {\nint out = 0;\n#pragma omp target map(from: out)\nout = weighted(out);\n}\n",
            ("static int weighted(int v);\n", "int weighted(int v) { return lookup(v); }\n", "int lookup(int);\n"),
        ),
        (
            "void f(int *p) {\nfor (int i = 0; i < 9; i++) {\nload(p);\n#pragma omp target\np[i] = 1;\n}\n}\n",
            ("void load(int *p) {\n#pragma omp target enter data map(to: p[0:9])\n}\n", "int load(void);\n"),
        ),
    ],
)
def test_a_caller_is_looked_at_again_when_what_it_calls_undeclared_comes_below(
    text: str, later: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "SIZE", 20)
    analyzer = Analyzer()
    for below in ("", *later, "", "".join(later), "".join(later[1:]), ""):
        assert findings(analyzer, text + below) == findings(Analyzer(), text + below), below


HEAD_LOCKS = (
    "typedef struct { void *p; } omp_lock_t;\nvoid omp_set_lock(omp_lock_t *);\nvoid omp_init_lock(omp_lock_t *);\n"
)


@pytest.mark.parametrize(
    ("text", "below"),
    [
        (
            HEAD_LOCKS + "%somp_lock_t l;\nvoid take(void) { omp_set_lock(&l); }\n",
            ("void start(void) { omp_init_lock(&l); }\n", "int main(void) { take(); }\n"),
        ),
        (
            "%sint v;\nvoid f(void) {\n#pragma omp target\nv = 1;\n}\n",
            ("#pragma omp threadprivate(v)\n", "#pragma omp groupprivate(v)\n"),
        ),
        (
            "%sint v;\nvoid f(void) {\n#pragma omp parallel for\nfor (int i = 0; i < 9; i++) v += i;\n}\n",
            ("#pragma omp threadprivate(v)\n", "int w;\n"),
        ),
        (
            "%sint v;\n#pragma omp begin declare target\nvoid f(void) { v = 1; }\n",
            ("int v;\n", "#pragma omp end declare target\n"),
        ),
    ],
    ids=("locks", "groupprivate", "threadprivate", "declared-again"),
)
def test_what_all_of_the_file_says_about_a_declaration_is_asked_again(
    text: str, below: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "SIZE", 20)
    for storage in ("", "static "):
        analyzer = Analyzer()
        for more in ("", *below, "", "".join(below), "".join(reversed(below)), ""):
            now = text % storage + more
            assert findings(analyzer, now) == findings(Analyzer(), now), now


def test_what_was_noticed_is_asked_also_where_the_first_function_is_defined_again_below(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(blocks, "SIZE", 160)
    first = "static int again(int n) { return n; }\nint twice(int n) {\nint w[9];\n"
    first += "#pragma omp target update to(w)\nreturn w[n];\n}\n" + "int filled_up;\n" * 12
    analyzer, second = Analyzer(), "int again(int n) { return n + 1; }\n"
    for below in (second, second + "int twice(int n) { return n; }\n", second):
        assert findings(analyzer, first + below) == findings(Analyzer(), first + below), below
