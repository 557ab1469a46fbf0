"""What is proposed at a cursor: each case is a pragma with a mark, what must be there, and what must not."""

from __future__ import annotations

import pytest
from together import together

from ompls.analysis import features
from ompls.analysis.source import OpenMPVersion
from ompls.analysis.syntax import blocks

from .marked import marked, unit

PROGRAM = """
enum {{ LIMIT = 3 }};
int global;
void helper(void);
#define N 100
#define HALF (N - 50) /* of it */
#define TEXT "100"
#define PRAGMA(x) _Pragma(#x)
#define QUOTED(x) #x
#define MAKE(...) _Pragma(QUOTED(__VA_ARGS__))
#define OMP(...) PRAGMA(omp __VA_ARGS__)
#define REGION(limit, ...) \\
    PRAGMA(omp target thread_limit(limit) __VA_ARGS__)
#define OTHER(x) PRAGMA(acc x)
void f(int n, int m, float *x, float *y, float *z, double q[10]) {{
    double s = 0; float a[100];
    {pragma}
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {{ float t = x[i * m + j]; s += t + y[i + 1] + a[i] + z[(int) t]; }}
    int later;
}}
int after;
"""

# pragma with the mark, labels that are proposed, labels that are not
CASES: list[tuple[str, str, str]] = [
    ("#pragma ¦", "omp", "target"),
    ("#pragma o¦", "omp", ""),
    ("#pragma omp ¦", "target,parallel,for,teams,taskwait", "distribute,section,scan,declare target,data,loop for"),
    ("#pragma omp tar¦", "target,parallel", ""),
    ("#pragma omp target ¦", "teams,data,enter data,teams distribute parallel for simd,map,nowait", "target,schedule"),
    ("#pragma omp target te¦ map(to: x[0:n])", "teams,teams distribute parallel for", ""),
    ("#pragma omp target teams distribute ¦", "parallel for,simd,dist_schedule,collapse,map", "distribute,schedule"),
    ("#pragma omp target nowait ¦", "map,depend", "nowait,teams,data"),
    ("#pragma omp target map(to: x[0:n]) ¦", "map,device,nowait", "teams,data"),
    ("#pragma omp target device(0) ¦ nowait", "map", "device,nowait"),
    ("#pragma omp \\\n   target \\\n  ¦", "map,teams", ""),
    ("#pragma omp /* not yet */ target ¦", "map", ""),
    ("#pragma omp target_e¦", "target_enter_data,target_exit_data", "target enter data"),
    ("#pragma omp parallel for ¦", "schedule,reduction,simd,collapse", "map,device"),
    ("#pragma omp target parallel if(target: n) ¦", "if,map", ""),
    ("#pragma omp parallel if(n) ¦", "num_threads", "if"),
    ("#pragma omp atomic read ¦", "relaxed,seq_cst,hint", "write,update,capture"),
    ("#pragma omp cancel ¦", "parallel,for", ""),
    ("#pragma omp taskloop grainsize(4) ¦", "nogroup", "num_tasks"),
    # other spellings of a directive
    ('_Pragma("omp ¦")', "target,parallel", "distribute"),
    ('_Pragma("omp target ¦', "teams,map", "target"),
    ('_Pragma ( "omp target map(to: ¦)")', "y[0:n + 1],a", "later,t"),
    ('_Pragma("omp target map(to: x[0:¦])")', "n,m", "to"),
    ("[[omp::directive(¦)]]", "target,parallel", "distribute"),
    ("[[omp::directive(target map(to: ¦))]]", "y[0:n + 1],a", "later,t"),
    ("[[omp::sequence(omp::directive(parallel), omp::directive(for ¦))]]", "schedule", "map"),
    ('// _Pragma("omp ¦")', "", "target"),
    ('printf("omp ¦");', "", "target"),
    # macros that make pragmas
    ("PRAGMA(omp ¦)", "target,parallel", "distribute"),
    ("PRAGMA(o¦mp target)", "", "target"),
    ("OMP(target ¦)", "teams,map", "target,schedule"),
    ("OMP(target map(to: x[0:9], ¦))", "y[0:n + 1],a", "x[0:9],later,t"),
    ("OMP(target map(to: x[0:¦", "n,m", "to"),
    ("OMP(target \\\n map(to: ¦))", "y[0:n + 1],a", "later"),
    ("OMP(target\n map(to: ¦))", "y[0:n + 1],a", "later"),
    ("REGION(3, ¦)", "map,nowait", "teams,target,thread_limit"),
    ("REGION(¦, nowait)", "n,m", "map"),
    ("OMP(target) ¦", "", "map,teams"),
    ("OTHER(target ¦)", "", "map,teams"),
    ("NOT_DEFINED(target ¦)", "", "map,teams"),
    ("// OMP(target ¦)", "", "map,teams"),
    ("helper(¦);", "", "target,n"),
    # what a metadirective may stand for, and when
    ("#pragma omp metadirective when(device={kind(gpu)}: ¦) default(parallel for)", "target,parallel for", "when,map"),
    ("#pragma omp metadirective when(device={kind(gpu)}: target ¦) default(for)", "teams,map", "when,schedule"),
    ("#pragma omp metadirective when(user={condition(n ? 1 : m)}: target map(¦", "to,from", "when"),
    ("#pragma omp metadirective when(device={kind(gpu)}: target) \\\n otherwise(parallel \\\n ¦)", "proc_bind", "map"),
    ("#pragma omp begin metadirective default(target map(to: x[0:¦", "n,m", "to"),
    ("#pragma omp metadirective when(device={kind(gpu)}: target) ¦", "when,otherwise", "teams"),
    ("#pragma omp metadirective when(¦", "device,user,construct", "kind,n"),
    ("#pragma omp metadirective when(device={¦", "kind,isa,arch", "n,condition"),
    ("#pragma omp metadirective when(device={kind(¦", "gpu,nohost", "n,kind"),
    ("#pragma omp metadirective when(user={condition(¦", "n,m", "gpu"),
    ("#pragma omp begin declare variant match(implementation={¦", "vendor,extension", "kind"),
    # map
    ("#pragma omp target map(¦", "to,from,tofrom,alloc,always,present,mapper,x[0:n * m]", "delete,self,storage"),
    ("#pragma omp target map(¦)", "to,y[0:n + 1]", ""),
    ("#pragma omp target map(always, ¦", "to,close", "always"),
    ("#pragma omp target map(to: ¦", "x[0:n * m],y[0:n + 1],z[0:],a,s,n", "to,always,later,after,i,t,helper,LIMIT"),
    ("#pragma omp target map(to: x[0:n], ¦", "a,y[0:n + 1]", "x[0:n * m]"),
    ("#pragma omp target map(to: x[0:n]) map(from: ¦)", "a", "x[0:n * m]"),
    ("#pragma omp target map(to: ¦) map(from: a)", "s", "a"),
    ("#pragma omp target private(s) map(¦", "a", "s"),
    ("#pragma omp target reduction(+: s) map(tofrom: ¦)", "s", ""),
    ("#pragma omp target map(to: x¦)", "x[0:n * m]", ""),
    ("#pragma omp target device(omp_¦", "omp_get_num_devices,omp_get_default_device,n", "omp_set_num_threads,to"),
    ("#pragma omp target map(to: x[¦", "n,m,LIMIT", "x[0:n * m],to"),
    ("#pragma omp target map(to: x[0:¦", "n,m", "x[0:n * m]"),
    ("#pragma omp target map(to: ¦[0:n])", "x,y", "x[0:n * m]"),
    ("#pragma omp target map(mapper(¦", "default", "to,x"),
    ("#pragma omp target enter data map(¦", "to,alloc,always", "from,tofrom,delete,release"),
    ("#pragma omp target exit data map(¦", "from,release,delete", "to,tofrom,alloc"),
    ("#pragma omp target update to(¦", "present,mapper,q[0:],a", "to,always"),
    # other clauses
    ("#pragma omp parallel for schedule(¦", "static,dynamic,guided,monotonic", "n,to"),
    ("#pragma omp parallel for schedule(monotonic: ¦", "static,dynamic", "monotonic,n"),
    ("#pragma omp parallel for schedule(static, ¦", "n,LIMIT", "static,helper"),
    ("#pragma omp parallel for reduction(¦", "+,max,&&,inscan", "s,-"),
    ("#pragma omp parallel for reduction(+: ¦", "s", "+,max,helper"),
    ("#pragma omp parallel for private(s) lastprivate(¦", "a", "s"),
    ("#pragma omp parallel for firstprivate(s) lastprivate(¦", "s,a", ""),
    ("#pragma omp parallel for shared(¦", "s,global", "later,after"),
    ("#pragma omp target defaultmap(¦", "none,tofrom,present", "self,scalar"),
    ("#pragma omp target defaultmap(none: ¦", "scalar,aggregate,pointer", "none,allocatable"),
    ("#pragma omp parallel default(¦", "shared,none", "scalar"),
    ("#pragma omp target parallel if(¦", "target,parallel,n", "to"),
    ("#pragma omp target if(n > 3 && ¦", "m,global", ""),
    ("#pragma omp target device(¦", "n,ancestor,device_num", ""),
    ("#pragma omp target is_device_ptr(¦", "x,y", "s,n"),
    ("#pragma omp task depend(¦", "in,out,inout", "sink,x[0:],s"),
    ("#pragma omp task depend(in: ¦", "a,s", "in"),
    ("#pragma omp parallel num_threads(¦", "n,m", "map"),
    ("#pragma omp flush(¦", "s,global", "helper"),
    ("#pragma omp target nosuch(¦", "", "x"),
    ("#pragma omp parallel for simd collapse(¦", "2,LIMIT,N,HALF", "3,n,omp_get_wtime,TEXT"),
    ("#pragma omp parallel for simd simdlen(¦", "N", "2,n"),
    ("#pragma omp target map(to: x[0:¦", "N,HALF,n", "TEXT,PRAGMA"),
    ("#pragma omp parallel for reduction(+: ¦", "s,z[0:],a", "z,helper"),
    ("#pragma omp parallel for simd aligned(¦", "x,a", "n,s"),
    ("#pragma omp parallel for linear(¦", "x,n", "a,s"),
    # words of their own
    ("#pragma omp interop init(¦", "target,targetsync,prefer_type", "n"),
    ("#pragma omp interop init(targetsync: ¦", "x", "targetsync"),
    ("#pragma omp depobj(¦", "x,n", "depend"),
    ("#pragma omp atomic hint(¦", "omp_sync_hint_contended,n", ""),
    ("#pragma omp parallel private(s) allocate(¦", "omp_default_mem_alloc,allocator,s", "omp_default_mem_space"),
    ("#pragma omp parallel private(s) allocate(allocator(¦", "omp_thread_mem_alloc", "s[0:]"),
    ("#pragma omp parallel private(s) allocate(omp_thread_mem_alloc: ¦", "s", "omp_default_mem_alloc"),
    ("#pragma omp target uses_allocators(memspace(¦", "omp_high_bw_mem_space", "omp_high_bw_mem_alloc"),
    ("#pragma omp target device(¦", "omp_initial_device,n", ""),
    ("#pragma omp assume absent(¦", "target,parallel for", "n,declare target"),
    ("#pragma omp assume contains(simd, ¦", "for", "simd"),
    # nothing
    ("#pragma omp target /* ¦ */", "", "map,teams"),
    ("#pragma omp target // ¦", "", "map,teams"),
    ("#pragma once ¦", "", "map,target"),
    ("// #pragma omp target ¦", "", "map,teams"),
    ("/*\n#pragma omp target ¦\n*/", "", "map,teams"),
    ('char *t = "#pragma omp target ¦";', "", "map,teams"),
    ("n = ¦;", "", "map,x,n"),
]  # fmt: skip


def labels(text: str, version: OpenMPVersion = "5.2") -> list[str]:
    return [c.label for c in features.completions(*marked(text, version))]


def check(found: list[str], wanted: str, unwanted: str) -> None:
    assert set(filter(None, wanted.split(","))) <= set(found)
    assert not set(unwanted.split(",")) & set(found)
    assert len(found) == len(set(found))


@together(("pragma", "wanted", "unwanted"), CASES, ids=[c[0] for c in CASES])
def test_proposals(pragma: str, wanted: str, unwanted: str) -> None:
    check(labels(PROGRAM.format(pragma=pragma)), wanted, unwanted)


PLACES: list[tuple[str, str, str]] = [
    ("#pragma omp ¦\nint g;\n", "declare target,requires,threadprivate,begin declare target", "target,barrier"),
    ("int g; static int h; void k(void);\n#pragma omp declare target enter(¦", "g,h,k", ""),
    ("int g;\n#pragma omp threadprivate(¦", "g", ""),
    ("#pragma omp declare ¦\n", "target,reduction,mapper,simd", "declare target"),
    ("#pragma omp begin ¦\n", "declare target", "target"),
    ("#pragma omp requires ¦\n", "unified_shared_memory", ""),
    ("void f(void) {\n#pragma omp target\n{\n#pragma omp ¦\n}\n}", "teams,parallel for,atomic", "target,distribute"),
    ("void f(void) {\n#pragma omp target teams\n{\n#pragma omp ¦\n}\n}", "distribute,parallel for", "teams,for"),
    ("void f(void) {\n#pragma omp parallel sections\n{\n#pragma omp ¦\n}\n}", "section", "scan,for"),
    ("void f(void) {\n#pragma omp target data map(f)\n{\n#pragma omp tar¦\n}\n}", "target", ""),
    ("void f(int n) { {int inner;}\n int outer; {int deep;\n#pragma omp parallel private(¦", "n,outer,deep", "inner"),
    ("void f(int n) { for (int k = 0; k < n; k++) {\n#pragma omp parallel firstprivate(¦", "k,n", ""),
    ("#ifdef NEVER\nvoid f(int n) {\n#pragma omp target map(¦\n}\n#endif\n", "to,from", ""),
    ("#ifdef NEVER\n#pragma omp declare ¦\n#endif\n", "target", ""),
    ("void f(int n, int x[n]) {\n#pragma omp target map(to: ¦)\n for (int i = 0; i <= n - 1; i++) x[i] = 1;\n}",
     "x[0:n]", ""),
    ("#define N 64\nvoid f(int *x) {\n#pragma omp target map(to: ¦)\n for (int i = 0; i < N; i++) x[i] = x[N-1];\n}",
     "x[0:]", ""),
    ("#define N 64\nvoid f(int *x) {\n#pragma omp target map(to: ¦)\n for (int i = 0; i < N; i++) x[i] = 1;\n}",
     "x[0:N]", ""),
    ("void f(int n, int *x, int *k) {\n#pragma omp target map(¦)\n for (int i = 0; i < n; i++) x[k[i]] = k[2 * i];\n}",
     "x[0:],k[0:]", ""),
    ("void f(int n, int *x) {\n#pragma omp target map(¦)\n for (int i = n; i > 0; i--) x[i] = 1;\n}", "x[0:]", ""),
    ("struct s { int n; };\nvoid f(struct s *p, int *x) {\n#pragma omp target map(¦)\n"
     " for (int i = 1; i < p->n - 1; i++) x[i] = x[i-1] + x[i+1];\n}", "x[0:p->n]", ""),
    ("#pragma omp declare reduction(mine: int: omp_out += omp_in)\nvoid f(void){\n#pragma omp for reduction(¦\n;}",
     "mine,+", ""),
    # members
    ("struct s { int n; union { float *p; int q; }; struct s *next; };\nvoid f(struct s *z) {\n"
     "#pragma omp target map(to: z->¦)\n z->n = 0; }", "n,p,q,next", "z,to"),
    ("struct s { int n; float *p; struct s *next; };\nvoid f(struct s *z) {\n"
     "#pragma omp target map(to: z[0].next->p[0:z->¦", "n,p", "z,to"),
    ("typedef struct { int n; struct { int deep; } at[4]; } T;\nvoid f(T z, int i) {\n"
     "#pragma omp target if(z.at[i + 1].¦)\n z.n++; }", "deep", "n,z"),
    ("void f(int z) {\n#pragma omp target if(z.¦)\n z++; }", "", "z,n"),
    ("struct s { int n; float *p; };\n#pragma omp declare mapper(struct s v) map(¦", "v,v.n,v.p,to,from", "s"),
    ("typedef struct { int n; } T;\n#pragma omp declare mapper(own: T v) map(v, v.¦", "n", "v,to"),
    # names that a directive is about
    ("#pragma omp declare simd uniform(¦)\nfloat g(float *x, const int n, float (*h)(int, int), int t[static 4]);",
     "x,n,t", "g,h(int"),
    ("#pragma omp declare simd uniform(a) linear(¦)\nint g(int a, int b) { return a + b; }", "a,b", "g"),
    ("#pragma omp declare simd uniform(¦)\nint table[] = {(1), 2, own, (3)};", "", "2,own,3"),  # no function
    ("int base(int);\nint own(int a);\n#pragma omp declare variant(¦)\nint base(int a);", "own,base", "a"),
    ("void f(void) {\n#pragma omp critical (first)\n;\n#pragma omp critical (¦)\n;\n}", "first", "f"),
    ("#pragma omp declare reduction(mine: int: ¦", "omp_in,omp_out", "omp_priv"),
    ("#pragma omp declare reduction(mine: int: omp_out += omp_in) initializer(¦", "omp_priv,omp_orig", "omp_in"),
]  # fmt: skip


@together(("text", "wanted", "unwanted"), PLACES, ids=range(len(PLACES)))
def test_places(text: str, wanted: str, unwanted: str) -> None:
    check(labels(text), wanted, unwanted)


VERSIONS: list[tuple[OpenMPVersion, str, str, str]] = [
    ("4.5", "#pragma omp ¦", "target,master", "loop,masked,scope,tile"),
    ("5.1", "#pragma omp ¦", "loop,masked,scope,tile", "fuse,stripe"),
    ("6.0", "#pragma omp ¦", "fuse,stripe,taskgraph", ""),
    ("4.5", "#pragma omp target map(¦", "to,always", "present,close,mapper"),
    ("6.0", "#pragma omp target map(¦", "to,storage,self,present", ""),
    ("4.5", "#pragma omp target ¦", "map,defaultmap,teams distribute", "has_device_addr,teams loop,uses_allocators"),
    ("4.5", "#pragma omp target defaultmap(¦", "tofrom", "none"),
]


@pytest.mark.parametrize(("version", "pragma", "wanted", "unwanted"), VERSIONS)
def test_versions(version: OpenMPVersion, pragma: str, wanted: str, unwanted: str) -> None:
    check(labels(PROGRAM.format(pragma=pragma), version), wanted, unwanted)


EDITS = [
    # pragma, label, the pragma with the cursor after it was accepted
    ("#pragma o¦", "omp", "#pragma omp ¦"),
    ("#pragma omp tar¦", "target", "#pragma omp target¦"),
    ("#pragma omp target te¦", "teams distribute", "#pragma omp target teams distribute¦"),
    ("#pragma omp target m¦", "map", "#pragma omp target map(¦)"),
    ("#pragma omp target m¦ap(to: x)", "map", "#pragma omp target map¦(to: x)"),
    ("#pragma omp target now¦", "nowait", "#pragma omp target nowait¦"),
    ("#pragma omp target map(t¦)", "tofrom", "#pragma omp target map(tofrom: ¦)"),
    ("#pragma omp target map(t¦o: a)", "tofrom", "#pragma omp target map(tofrom¦: a)"),
    ("#pragma omp target map(al¦)", "always", "#pragma omp target map(always, ¦)"),
    ("#pragma omp target map(to: z¦)", "z[0:]", "#pragma omp target map(to: z[0:¦])"),
    ("#pragma omp target map(to: x¦)", "x[0:n * m]", "#pragma omp target map(to: x[0:n * m]¦)"),
    ("#pragma omp target update to(pres¦)", "present", "#pragma omp target update to(present: ¦)"),
    ("#pragma omp target map(mapp¦)", "mapper", "#pragma omp target map(mapper(¦), )"),
    ("#pragma omp target device(anc¦)", "ancestor", "#pragma omp target device(ancestor: ¦)"),
    ("#pragma omp target device(dev¦: 1)", "device_num", "#pragma omp target device(device_num¦: 1)"),
    ("#pragma omp for reduction(m¦: s)", "max", "#pragma omp for reduction(max¦: s)"),
    ("#pragma omp parallel for schedule(dyn¦)", "dynamic", "#pragma omp parallel for schedule(dynamic¦)"),
]


@together(("pragma", "label", "after"), EDITS, ids=[e[0] for e in EDITS])
def test_what_is_inserted(pragma: str, label: str, after: str) -> None:
    tu, offset = marked(PROGRAM.format(pragma=pragma))
    (chosen,) = [c for c in features.completions(tu, offset) if c.label == label]
    cursor = chosen.start + (chosen.cursor if chosen.cursor >= 0 else len(chosen.insert))
    text = tu.source[: chosen.start] + chosen.insert.encode() + tu.source[chosen.end :]
    shown = (text[:cursor] + "¦".encode() + text[cursor:]).decode()
    assert after in shown


def test_what_the_region_uses_comes_first() -> None:
    tu, offset = marked(PROGRAM.format(pragma="#pragma omp target map(to: ¦)"))
    found = {c.label: c.rank for c in features.completions(tu, offset)}
    assert found["a"] < found["q[0:]"] < found["global"]


FIRST = [
    # what is proposed first, in this order
    ("¦", ["target", "target teams distribute parallel for", "target data", "target enter data"]),
    ("tar¦", ["target", "target teams distribute parallel for"]),
    ("target ¦", ["teams distribute parallel for", "data", "enter data", "exit data", "update", "map"]),
    ("target te¦", ["teams distribute parallel for", "data"]),
    ("target teams¦", ["teams", "teams distribute parallel for"]),  # it is typed in full
    ("target teams distribute parallel for ¦", ["map", "reduction", "collapse", "private", "firstprivate"]),
    ("target update ¦", ["to", "from", "nowait", "depend"]),
    ("target defau¦", ["teams distribute parallel for"]),
    ("target map(¦", ["to", "tofrom", "from", "alloc", "a"]),
    ("target map(t¦", ["to", "tofrom", "from", "alloc"]),
    ("target map(tofrom¦", ["tofrom", "to", "from"]),
    ("target enter data map(¦", ["to", "alloc"]),
    ("target exit data map(¦", ["from", "release", "delete"]),
    ("target update to(¦", ["a", "m", "n", "q[0:]"]),
    ("target defaultmap(¦", ["tofrom", "none"]),
    ("target device(¦", ["m", "n"]),
    ("target parallel if(¦", ["m", "n"]),
    ("parallel default(¦", ["none", "shared"]),
    ("parallel for schedule(¦", ["static", "dynamic", "guided", "auto", "runtime", "monotonic"]),
    ("parallel proc_bind(¦", ["close", "spread", "primary"]),
    ("task depend(¦", ["in", "out", "inout"]),
    ("parallel private(s) allocate(¦", ["omp_default_mem_alloc", "omp_large_cap_mem_alloc"]),
]


@together(("place", "first"), FIRST, ids=[f[0] for f in FIRST])
def test_what_is_usual_comes_first(place: str, first: list[str]) -> None:
    found = features.completions(*marked(PROGRAM.format(pragma=f"#pragma omp {place}")))
    assert [c.label for c in found][: len(first)] == first


SUM = """
double f(int n, const double *x, double *hist) {{
    double sum = 0; int i, other = 0;
    #pragma omp parallel for {pragma}
    for (i = 0; i < n; i++) {{ sum += x[i]; hist[i % 4] += 1; }}
    return sum + other;
}}
"""


@pytest.mark.parametrize(
    ("pragma", "first"),
    [("reduction(¦)", ["+", "max", "min", "*", "&&", "||", "&"]), ("reduction(+: ¦)", ["hist", "sum"])],
)
def test_in_a_reduction_sums_and_what_the_loop_updates_come_first(pragma: str, first: list[str]) -> None:
    tu, offset = marked(SUM.format(pragma=pragma))
    assert [c.label.partition("[")[0] for c in features.completions(tu, offset)][: len(first)] == first


def test_deprecated_directives_say_so() -> None:
    tu, offset = marked(PROGRAM.format(pragma="#pragma omp ¦"))
    assert [c.label for c in features.completions(tu, offset) if c.deprecated and " " not in c.label] == ["master"]


def test_the_names_of_a_broken_text_do_not_depend_on_how_it_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "for(long left=0; left<9; left++){\nint *a;\n}\n" + "int filled_up;\n" * 3
    text += "void f(void) {\n#pragma omp target map(le"
    found = []
    for size in (10, 4000):
        monkeypatch.setattr(blocks, "SIZE", size)
        found.append([c.label for c in features.completions(unit(text + ")\n;\n}\n"), len(text))])
    assert found[0] == found[1]


FINISHED = [
    "target ¦", "target teams distribute ¦", "target nowait ¦", "target map(to: n) ¦", "target data map(n) ¦", "for ¦",
    "target \\\n  ¦", "critical(one) ¦", "taskwait nowait depend(in: n) ¦", "target ¦ nowait",
]  # fmt: skip
UNFINISHED = [
    "¦", "target enter ¦", "target data ¦", "target data device(0) ¦", "target update ¦", "declare ¦", "requires ¦",
    "targt ¦",
    "target map(to: ¦", "target map(to: n, ¦)", "target schedule(static) ¦", "taskwait nowait ¦", "target te¦",
    "target // ¦",
]  # fmt: skip


def test_where_a_pragma_may_end_nobody_waits_for_a_list() -> None:
    for expected, cases in ((True, FINISHED), (False, UNFINISHED)):
        for case in cases:
            tu, offset = marked(PROGRAM.format(pragma="#pragma omp " + case))
            assert features.finished(tu, offset) == expected, case
