"""Which clauses may be given once, exclude each other, or must be there (OpenMP 5.2 §3.2 and each clause's section)."""

from __future__ import annotations

# The clauses with the unique property; `if`, `default`, `defaultmap` once for each directive name or category.
ONCE = frozenset(
    """
if collapse ordered schedule dist_schedule num_threads num_teams thread_limit device default defaultmap proc_bind nowait
safelen simdlen order bind filter final priority untied mergeable grainsize num_tasks nogroup hint detach device_type
at severity message sizes full partial read write update capture compare weak fail threads simd match novariants
nocontext indirect inbranch notinbranch atomic_default_mem_order align allocator permutation counts looprange
seq_cst acq_rel acquire release relaxed memscope safesync threadset transparent replayable graph_id graph_reset interop
inclusive exclusive init_complete initializer combiner inductor collector append_args otherwise no_openmp
no_openmp_routines no_openmp_constructs no_parallelism reverse_offload unified_address unified_shared_memory
dynamic_allocators self_maps device_safesync ompx_dyn_cgroup_mem ompx_bare dyn_groupprivate
""".split()  # noqa: SIM905 - a table of words
)

_ORDER = "seq_cst acq_rel acquire release relaxed"

# Directive words ('' any; a leaf construct), clauses of which at most one may stand, section
EXCLUSIVE: tuple[tuple[str, frozenset[str], str], ...] = tuple(
    (where, frozenset(clauses.split()), section)
    for where, clauses, section in (
        ("taskloop", "grainsize num_tasks", "12.6"),
        ("taskloop", "nogroup reduction", "12.6"),
        ("task", "detach mergeable", "12.5.2"),
        ("unroll", "full partial", "9.2"),
        ("declare simd", "inbranch notinbranch", "7.7"),
        ("scan", "inclusive exclusive init_complete", "5.6"),
        ("atomic", _ORDER, "15.8.4"),
        ("flush", _ORDER, "15.8.5"),
        ("atomic", "read write update", "15.8.4"),
        ("atomic", "read capture", "15.8.4"),
        ("atomic", "write capture", "15.8.4"),
        ("atomic", "read compare", "15.8.4"),
        ("atomic", "write compare", "15.8.4"),
        ("ordered", "doacross threads", "15.10"),
        ("ordered", "doacross simd", "15.10"),
        ("ordered", "depend threads", "15.10"),
        ("ordered", "depend simd", "15.10"),
        ("ordered", "depend doacross", "15.10"),
        ("depobj", "depend destroy update init", "15.9.4"),
        ("cancel", "parallel sections for taskgroup", "16.1"),
        ("cancellation point", "parallel sections for taskgroup", "16.2"),
    )
)

# What may stand beside `device(ancestor: …)` on a target construct (5.2 §13.8).
BESIDE_ANCESTOR = frozenset(("device", "firstprivate", "private", "defaultmap", "map"))

# Directives and the clauses of which one must stand.
REQUIRED: dict[str, tuple[str, ...]] = {
    "target data": ("map", "use_device_ptr", "use_device_addr"),
    "target enter data": ("map",),
    "target exit data": ("map",),
    "target update": ("to", "from"),
    "depobj": ("depend", "destroy", "update", "init"),
    "scan": ("inclusive", "exclusive", "init_complete"),
    "cancel": ("parallel", "sections", "for", "taskgroup"),
    "cancellation point": ("parallel", "sections", "for", "taskgroup"),
    "tile": ("sizes",),
    "stripe": ("sizes",),
    "split": ("counts",),
    "interop": ("init", "use", "destroy"),
    "declare variant": ("match",),
    "begin declare variant": ("match",),
    "declare mapper": ("map",),
}
# Clauses that mean nothing without another one: (directive, clause, needed).
NEEDS: tuple[tuple[str, str, str], ...] = (
    ("taskwait", "nowait", "depend"),
    ("atomic", "weak", "compare"),
    ("atomic", "fail", "compare"),
)

# Map types by directive; '' is the default type.  `tofrom` on enter/exit data came with 5.2.
_BLOCK = frozenset(("", "to", "from", "tofrom", "alloc", "storage"))
MAP_TYPES_OF: dict[str, frozenset[str]] = {
    "target": _BLOCK,
    "target data": _BLOCK,
    "target enter data": frozenset(("", "to", "tofrom", "alloc", "storage")),
    "target exit data": frozenset(("", "from", "tofrom", "release", "delete", "storage")),
}

# The least value of a clause's integer arguments.
LEAST: dict[str, int] = {
    **dict.fromkeys(
        ("collapse", "ordered", "num_threads", "num_teams", "thread_limit", "safelen", "simdlen", "grainsize",
         "num_tasks", "schedule", "dist_schedule", "partial", "sizes", "align"), 1
    ),
    "priority": 0,
    "filter": 0,
    "device": -1,
}  # fmt: skip
# Clauses whose argument is an integer constant expression.
CONSTANT = frozenset(("collapse", "ordered", "safelen", "simdlen", "partial", "align"))
