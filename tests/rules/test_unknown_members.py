"""Members that their structures do not have: those that gcc says are none, no others, and nothing that follows."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from drawing import analyze

from ompls.analysis.rules import check
from ompls.analysis.source import Settings
from ompls.project.workspace import Workspace

# Every member that begins with `no_` is in no structure.
TEXT = """
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <omp.h>
#define FIELD(p, name) ((p)->name)
typedef struct { double x, y; } point;
union either { int whole; struct { short low, high; }; };
struct node {
    struct node *next, **all;
    point at[4];
    union { long key; char text[8]; };
    union either __attribute__((aligned(16))) one;
    unsigned flag : 1, : 3, rest : 4;
    int (*call)(struct node *, int);
    int sizes[];
};
extern struct later *unknown;
static point there = {.x = 1, .no_given = 2}, row[] = {[0] = {.no_in_row = 1}, [1].y = 2, [2].no_of_third = 3, {1, 2}};
static struct node first = {.at[1].x = 1, .at[2].no_deeper = 2, .one.low = 3, .one.no_in_union = 4, .no_list[3] = 5};
static point old = {x: 1, no_older: 2};
static int f(struct node *n, const point p, union either e[2], struct stat *st, struct sigaction *act) {
    struct inner { int deep; } in = {.deep = 1}, *pin = &in;
    typeof(*n) copy = *n;
    __auto_type same = n;
    div_t d = div(1, 2);
    struct timespec t = st->st_mtim;
    omp_lock_t lock;
    struct node *literal = &(struct node){.key = 1, .no_literal = 2, .at = {{.y = 1}, {.no_nested = 2}}};
    struct { point one; int two[3]; } plain = {.one = {.x = 1}, .two[1] = 2, .one.no_plain = 3};
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    int sum = n->next->next->flag + n->all[2]->key + copy.one.low + same->at[1].x + (*n).rest + pin->deep + e->high;
    sum += ((point *)n)->y + ((struct node){.key = 2}).key + ({ in; }).deep + (n + 1)->sizes[0] + FIELD(n, text)[0];
    sum += (sum ? n : same)->call(n, 1) + (sum, in).deep + d.quot + t.tv_nsec + st->st_atime + st->st_size + p.x;
    sum += act->sa_flags + (act->sa_handler == SIG_IGN) + sizeof(n->at) + _Generic(n->at, default: n->flag);
    sum += n->no_direct + n->next->no_next + copy.no_copy + same->no_same + (*n).no_star + pin->no_inner + e->no_union;
    sum += p.no_point + FIELD(n, no_macro) + st->no_stat + t.no_time + ((point *)n)->no_cast + ({ in; }).no_value;
    sum += sizeof(n->no_size) + (sum ? n : same)->no_chosen + n->at[0].no_element + (n + 1)->no_sum + d.no_div;
    n->no_written[sum].also = 1;
    n->one.no_one++;
    if (n->no_condition) return &n->no_address != NULL;
    #pragma omp target teams num_teams(n->no_teams) map(to: n->sizes[0:n->no_length]) map(from: n->no_from[0:4])
    n->no_body = n->at[0].x;
    #pragma omp target data map(alloc: in.no_in) if(n->no_if)
    sum++;
    #pragma omp target update from(n->at[0:2], n->no_update[0:1])
    #pragma omp parallel for schedule(static, n->no_chunk) firstprivate(in)
    for (int i = n->no_first; i < n->rest; i++) sum += n->at[i].no_loop;
    #pragma omp task depend(out: n->at[0].x, n->no_depend)
    sum++;
    return sum;
}
int main(int argc, char **argv) { return f(NULL, (point){1, 2}, NULL, NULL, NULL) + stdout->no_file + argc; }
"""


def test_they_are_gccs(tmp_path: Path) -> None:
    path = tmp_path / "x.c"
    path.write_text(TEXT)
    command = ["gcc", "-fopenmp", "-fsyntax-only", "-w", path]
    gcc = subprocess.run(command, capture_output=True, text=True, check=False, env={"LC_ALL": "C", "PATH": "/usr/bin"})
    theirs = set(re.findall(r"has no member named '(\w+)'", gcc.stderr))
    assert len(theirs) > 30, gcc.stderr
    snapshot = Workspace([str(tmp_path)]).snapshot(str(path), TEXT.encode())
    said = check(analyze(TEXT, Settings(select=("unknown-member",)), snapshot))
    assert {d.severity for d in said} == {"error"}
    assert {d.message.split("has no member `")[1].split("`")[0] for d in said} == theirs
    assert len(said) == len({d.where.start for d in said})


# In `main`, all is right; NAME stands in the functions that it calls.
CALLED = """
#include <stdlib.h>
typedef struct { double *values; int n; } vec;
static void fill(vec *p) {
#pragma omp target teams distribute parallel for map(to: p[0:1]) map(from: p->FILL[0:p->n])
    for (int i = 0; i < p->n; i++) p->FILL[i] = i;
}
static void enter(vec *p) {
#pragma omp target enter data map(to: p[0:1]) map(alloc: p->ENTER[0:p->n])
}
static void leave(vec *p) {
#pragma omp target exit data map(from: p->LEAVE[0:p->n]) map(release: p[0:1])
}
static void fill_here(vec *p) {
    for (int i = 0; i < p->n; i++) p->HERE[i] = i;
}
static double sum(vec *p) {
    double s = 0;
#pragma omp target teams distribute parallel for map(to: p[0:1], p->values[0:p->n]) reduction(+: s)
    for (int i = 0; i < p->n; i++) s += p->values[i];
    return s;
}
int main(void) {
    vec p = {malloc(800), 100}, q = {malloc(800), 100}, r = {malloc(800), 100};
    enter(&q);
#pragma omp target teams distribute parallel for
    for (int i = 0; i < 100; i++) q.values[i] = i;
#pragma omp target update from(q.values[0:100])
    leave(&q);
    fill(&p);
    fill_here(&r);
    double s = sum(&p) + sum(&q) + q.values[0] + sum(&r);
    free(p.values);
    free(q.values);
    free(r.values);
    return s > 3;
}
"""


@pytest.mark.parametrize("wrong", ["", "FILL", "ENTER", "LEAVE", "HERE"])
def test_nothing_else_is_said(wrong: str, tmp_path: Path) -> None:
    text = CALLED.replace(wrong, "valeus") if wrong else CALLED
    text = re.sub("FILL|ENTER|LEAVE|HERE", "values", text)
    path = tmp_path / "x.c"
    snapshot = Workspace([str(tmp_path)]).snapshot(str(path), text.encode())
    assert {d.rule for d in check(analyze(text, Settings(), snapshot))} == ({"unknown-member"} if wrong else set())


def test_a_member_may_come_from_a_header_that_is_missing() -> None:
    text = '#include "more.h"\nstruct s { MORE int n; };\nint f(struct s *p) { return p->count; }\n'
    assert [d.rule for d in check(analyze(text))] == []
