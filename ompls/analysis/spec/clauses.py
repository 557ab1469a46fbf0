"""The clauses of OpenMP (C syntax, 4.0 to 6.0) as data: the shape of their arguments, where they are specified.

`shape` drives the pragma parser; which directive takes which clause is in `directives.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Shape = Literal["none", "expr", "exprs", "list", "keyword", "raw"]


@dataclass(frozen=True, slots=True)
class ClauseSpec:
    """One clause.

    shape -- none: no arguments; expr/exprs: one or several expressions; list: list items; keyword: one word;
             raw: not parsed further (context selectors, requirements with own grammar)
    keywords -- the words that may select the variant, before the colon (list, expr) or as the argument (keyword);
                the most usual first, as they are proposed
    modifiers -- the further words that may stand before the colon
    optional -- the parenthesised part may be left out
    """

    name: str
    shape: Shape
    section: str
    since: str
    summary: str
    keywords: tuple[str, ...] = ()
    modifiers: tuple[str, ...] = ()
    optional: bool = False
    until: str = ""


_DEPEND = "in out inout mutexinoutset inoutset depobj source sink"
_MAPS = "to tofrom from alloc release delete storage"

# name, shape (a `?` after it: parentheses may be missing), section, since, summary, keywords, modifiers[, until]
_TABLE: tuple[tuple[str, ...], ...] = (
    # data-sharing (5.4)
    ("default", "keyword", "5.4.1", "3.0", "data-sharing of variables that no clause lists",
     "none shared firstprivate private", "scalar aggregate pointer all allocatable"),
    ("shared", "list", "5.4.2", "3.0", "one variable for all threads or tasks", "", ""),
    ("private", "list", "5.4.3", "3.0", "a new, uninitialised variable each", "", ""),
    ("firstprivate", "list", "5.4.4", "3.0", "a new variable each, with the original's value", "", "saved"),
    ("lastprivate", "list", "5.4.5", "3.0", "private, and the last iteration's value goes back", "", "conditional"),
    ("linear", "list", "5.4.6", "4.0", "private, with a value linear in the iteration", "", "val ref uval step"),
    ("is_device_ptr", "list", "5.4.7", "4.5", "the pointer already holds a device address", "", ""),
    ("use_device_ptr", "list", "5.4.8", "4.5", "the pointer becomes the device address in the block", "", ""),
    ("has_device_addr", "list", "5.4.9", "5.1", "the variable already lies on the device", "", ""),
    ("use_device_addr", "list", "5.4.10", "5.0", "references are to the device's copy in the block", "", ""),
    # reductions (5.5), scan (5.6)
    ("reduction", "list", "5.5.8", "3.0", "private copies, combined into the original at the end", "",
     "inscan task default original"),
    ("task_reduction", "list", "5.5.9", "5.0", "a reduction over the tasks of a taskgroup", "", ""),
    ("in_reduction", "list", "5.5.10", "5.0", "takes part in a surrounding task reduction", "", ""),
    ("induction", "list", "7.6.13", "6.0", "private, with a value that follows the iterations", "",
     "strict relaxed step"),
    ("inclusive", "list", "5.6.1", "5.0", "the scan includes the iteration's own value", "", ""),
    ("exclusive", "list", "5.6.2", "5.0", "the scan excludes the iteration's own value", "", ""),
    ("init_complete", "expr?", "7.7.3", "6.0", "ends the initialisation phase of a scan", "", ""),
    ("initializer", "raw", "5.5.4", "4.0", "how a private copy of a reduction starts", "", ""),
    ("combiner", "raw", "7.6.15", "6.0", "how two values of a reduction combine", "", ""),
    ("inductor", "raw", "7.6.18", "6.0", "how an induction variable moves", "", ""),
    ("collector", "raw", "7.6.19", "6.0", "how steps of an induction collect", "", ""),
    ("copyin", "list", "5.7.1", "3.0", "copies the primary thread's threadprivate variable", "", ""),
    ("copyprivate", "list", "5.7.2", "3.0", "broadcasts the single thread's variable", "", ""),
    ("uniform", "list", "5.10", "4.0", "the argument is the same in all lanes", "", ""),
    ("aligned", "list", "5.11", "4.0", "the pointer is aligned", "", ""),
    ("nontemporal", "list", "10.4.1", "5.0", "accesses have low temporal locality", "", ""),
    # mapping (5.8, 5.9)
    ("map", "list", "5.8.3", "4.0", "gives the variable a corresponding variable on the device", _MAPS,
     "always close present self ref_ptee ref_ptr ref_ptr_ptee delete mapper iterator attach"),
    ("enter", "list", "5.8.4", "5.2", "the variable or function exists on the device", "", "automap"),
    ("link", "list", "5.8.5", "4.5", "the variable exists on the device while it is mapped", "", ""),
    ("local", "list", "7.14", "6.0", "every device has a variable of its own", "", ""),
    ("defaultmap", "keyword", "5.8.7", "4.5", "mapping of variables that no clause lists",
     "tofrom none to from firstprivate alloc present default private self storage",
     "scalar aggregate pointer all allocatable"),
    ("to", "list", "5.9.1", "4.0", "copies to the device", "", "present mapper iterator"),
    ("from", "list", "5.9.2", "4.0", "copies from the device", "", "present mapper iterator"),
    # devices (13)
    ("device_type", "keyword", "13.1", "5.0", "which devices get a version", "host nohost any", ""),
    ("device", "expr", "13.2", "4.0", "the device that executes", "device_num ancestor", ""),
    ("thread_limit", "exprs", "13.3", "4.0", "most threads of a team", "", "dims"),
    ("indirect", "expr?", "7.8.3", "5.1", "the function may be called through a pointer", "", ""),
    ("dyn_groupprivate", "expr", "13.9", "6.1", "dynamic memory of the contention group", "", "cgroup fallback"),
    # loops and teams
    ("if", "expr", "3.4", "3.0", "whether the construct does its work", "", ""),
    ("collapse", "expr", "4.4.3", "3.0", "how many loops form one iteration space", "", ""),
    ("ordered", "expr?", "4.4.4", "3.0", "the loop has ordered regions", "", ""),
    ("schedule", "keyword", "11.5.3", "3.0", "how iterations are dealt to threads",
     "static dynamic guided auto runtime", "monotonic nonmonotonic simd"),
    ("dist_schedule", "keyword", "11.6.1", "4.0", "how iterations are dealt to teams", "static", ""),
    ("order", "keyword", "10.3", "5.0", "iterations may run in any order", "concurrent", "reproducible unconstrained"),
    ("bind", "keyword", "11.7.1", "5.0", "which threads run the loop", "teams parallel thread", ""),
    ("num_threads", "exprs", "10.1.2", "3.0", "size of the team", "", "strict dims"),
    ("proc_bind", "keyword", "10.1.4", "4.0", "where the threads are placed", "close spread primary master", ""),
    ("num_teams", "exprs", "10.2.1", "4.0", "size of the league (lower bound: upper bound)", "", "dims"),
    ("safelen", "expr", "10.4.2", "4.0", "largest distance of concurrent iterations", "", ""),
    ("simdlen", "expr", "10.4.3", "4.0", "preferred number of lanes", "", ""),
    ("filter", "expr", "10.5.1", "5.1", "the thread that runs the block", "", ""),
    ("nowait", "expr?", "15.6", "3.0", "no waiting at the end", "", ""),
    ("sizes", "exprs", "9.1.1", "5.1", "tile sizes", "", ""),
    ("full", "none", "9.2.1", "5.1", "unrolls completely", "", ""),
    ("partial", "expr?", "9.2.2", "5.1", "unroll factor", "", ""),
    ("looprange", "exprs", "11.3.1", "6.0", "the loops of the sequence that take part", "", ""),
    ("depth", "expr", "11.3", "6.1", "how many loops of each nest take part", "", ""),
    ("permutation", "exprs", "11.4.1", "6.0", "the new order of the loops", "", ""),
    ("counts", "exprs", "11.6.1", "6.0", "iterations of each part", "", ""),
    ("apply", "raw", "11.1", "6.0", "transformations of the generated loops", "", ""),
    # tasks (12)
    ("untied", "expr?", "12.1", "3.0", "any thread may resume the task", "", ""),
    ("mergeable", "expr?", "12.2", "3.1", "the task may be merged", "", ""),
    ("final", "expr", "12.3", "3.1", "tasks inside are included tasks", "", ""),
    ("priority", "expr", "12.4", "4.5", "execution order hint", "", ""),
    ("affinity", "list", "12.5.1", "5.0", "data near which to run the task", "", "iterator"),
    ("detach", "list", "12.5.2", "5.0", "the task completes with this event", "", ""),
    ("grainsize", "expr", "12.6.1", "4.5", "iterations of a task", "", "strict"),
    ("num_tasks", "expr", "12.6.2", "4.5", "number of tasks", "", "strict"),
    ("nogroup", "expr?", "15.7", "4.5", "no implicit taskgroup", "", ""),
    ("threadset", "keyword", "14.8", "6.0", "which threads may run the task", "omp_pool omp_team", ""),
    ("transparent", "expr?", "17.9.6", "6.0", "dependences reach through the task", "", ""),
    ("replayable", "expr?", "14.6", "6.0", "the task is recorded", "", ""),
    ("graph_id", "expr", "14.3.1", "6.0", "selects the recorded graph", "", ""),
    ("graph_reset", "expr?", "14.3.2", "6.0", "records again", "", ""),
    # synchronisation (15)
    ("hint", "expr", "15.1", "4.5", "expected contention", "", ""),
    ("depend", "list", "15.9.5", "4.0", "orders the task after others", _DEPEND, "iterator"),
    ("doacross", "exprs", "15.9.6", "5.2", "orders iterations", "source sink", ""),
    ("update", "keyword?", "15.9.3", "3.1", "the access reads and writes; or the new dependence type",
     "in out inout mutexinoutset inoutset", ""),
    ("destroy", "list?", "3.5", "5.0", "destroys the object", "", ""),
    ("read", "expr?", "15.8.2", "3.1", "the access reads", "", ""),
    ("write", "expr?", "15.8.2", "3.1", "the access writes", "", ""),
    ("capture", "expr?", "15.8.3", "3.1", "keeps the value too", "", ""),
    ("compare", "expr?", "15.8.3", "5.1", "updates if a comparison holds", "", ""),
    ("weak", "expr?", "15.8.3", "5.1", "the comparison may fail spuriously", "", ""),
    ("fail", "keyword", "15.8.3", "5.1", "memory order when the comparison fails", "seq_cst acquire relaxed", ""),
    ("seq_cst", "expr?", "15.8.1", "4.0", "sequentially consistent", "", ""),
    ("acq_rel", "expr?", "15.8.1", "5.0", "acquires and releases", "", ""),
    ("acquire", "expr?", "15.8.1", "5.0", "acquires", "", ""),
    ("release", "expr?", "15.8.1", "5.0", "releases", "", ""),
    ("relaxed", "expr?", "15.8.1", "5.0", "orders nothing else", "", ""),
    ("memscope", "keyword", "17.8.4", "6.0", "threads that see the order", "all cgroup device", ""),
    ("safesync", "expr?", "12.1.5", "6.0", "threads make progress together", "", ""),
    ("threads", "expr?", "15.10.2", "4.5", "ordered among threads", "", ""),
    ("simd", "expr?", "15.10.2", "4.5", "ordered among lanes", "", ""),
    # cancellation (16): the construct kinds
    ("parallel", "expr?", "16.1", "4.0", "the parallel region", "", ""),
    ("sections", "expr?", "16.1", "4.0", "the sections region", "", ""),
    ("for", "expr?", "16.1", "4.0", "the worksharing-loop region", "", ""),
    ("taskgroup", "expr?", "16.1", "4.0", "the taskgroup region", "", ""),
    # memory (6)
    ("align", "expr", "6.3", "5.1", "alignment of the allocation", "", ""),
    ("allocator", "expr", "6.4", "5.0", "allocator of the variables", "", ""),
    ("allocate", "list", "6.6", "5.0", "allocator of the private variables", "", "allocator align"),
    ("uses_allocators", "exprs", "6.8", "5.0", "allocators that the region uses", "", "memspace traits"),
    # variants, interoperability, assumptions, requirements, the rest
    ("when", "raw", "7.4.1", "5.0", "the directive for a context", "", ""),
    ("otherwise", "raw", "7.4.2", "5.2", "the directive when no context matches", "", ""),
    ("match", "raw", "7.5.1", "5.0", "the context of the variant", "", ""),
    ("adjust_args", "raw", "7.5.2", "5.1", "how arguments are adapted", "", ""),
    ("append_args", "raw", "7.5.3", "5.1", "arguments that are added", "", ""),
    ("novariants", "expr", "7.6.1", "5.1", "calls the base function", "", ""),
    ("nocontext", "expr", "7.6.2", "5.1", "leaves `dispatch` out of the context", "", ""),
    ("inbranch", "expr?", "7.7.1", "4.0", "always called from a branch", "", ""),
    ("notinbranch", "expr?", "7.7.1", "4.0", "never called from a branch", "", ""),
    ("init", "list", "14.1.2", "5.1", "initialises the object", "",
     "target targetsync prefer_type depobj interop"),
    ("use", "list", "14.1.3", "5.1", "uses the object", "", ""),
    ("interop", "list", "7.6", "6.0", "the interop objects of the call", "", ""),
    ("absent", "raw", "8.3.1", "5.1", "directives that do not occur", "", ""),
    ("contains", "raw", "8.3.1", "5.1", "directives that occur", "", ""),
    ("holds", "expr", "8.3.1", "5.1", "the expression is true", "", ""),
    ("no_openmp", "expr?", "8.3.1", "5.1", "no OpenMP in the block", "", ""),
    ("no_openmp_routines", "expr?", "8.3.1", "5.1", "no OpenMP routine is called", "", ""),
    ("no_openmp_constructs", "expr?", "8.3.1", "6.0", "no OpenMP construct is met", "", ""),
    ("no_parallelism", "expr?", "8.3.1", "5.1", "no parallelism in the block", "", ""),
    ("reverse_offload", "expr?", "8.2.1", "5.0", "needs `device(ancestor: 1)`", "", ""),
    ("unified_address", "expr?", "8.2.1", "5.0", "needs one address space", "", ""),
    ("unified_shared_memory", "expr?", "8.2.1", "5.0", "needs memory that host and devices share", "", ""),
    ("atomic_default_mem_order", "keyword", "8.2.1", "5.0", "memory order of atomics",
     "seq_cst acq_rel relaxed acquire release", ""),
    ("dynamic_allocators", "expr?", "8.2.1", "5.0", "needs allocators everywhere", "", ""),
    ("self_maps", "expr?", "10.5.1.6", "6.0", "needs mapping onto itself", "", ""),
    ("device_safesync", "expr?", "10.5.1.7", "6.0", "needs safe synchronisation on devices", "", ""),
    ("at", "keyword", "8.1", "5.1", "when the error is raised", "compilation execution", ""),
    ("severity", "keyword", "8.5.1", "5.1", "how bad the error is", "fatal warning", ""),
    ("message", "expr", "8.5.2", "5.1", "the text of the error", "", ""),
    # extensions of LLVM and AMD
    ("ompx_dyn_cgroup_mem", "expr", "3.1", "4.0", "dynamic shared memory of each team, in bytes (LLVM)", "", ""),
    ("ompx_bare", "none", "3.1", "4.0", "a kernel without the runtime's set-up (LLVM)", "", ""),
    ("ompx_attribute", "raw", "3.1", "4.0", "attributes of the kernel (LLVM)", "", ""),
)  # fmt: skip


def _build() -> dict[str, ClauseSpec]:
    table: dict[str, ClauseSpec] = {}
    for name, shape, section, since, summary, keywords, modifiers in _TABLE:
        table[name] = ClauseSpec(
            name,
            shape.rstrip("?"),  # type: ignore[arg-type]
            section,
            since,
            summary,
            tuple(keywords.split()),
            tuple(modifiers.split()),
            shape.endswith("?") or shape == "none",
        )
    return table


CLAUSES: dict[str, ClauseSpec] = _build()

MAP_TYPES = tuple(_MAPS.split())
DEPEND_TYPES = tuple(_DEPEND.split())
MAP_EXTENSIONS = ("ompx_hold", "ompx_local")  # modifiers of LLVM, and of ours
_VENDOR_PREFIXES = ("ompx_", "ext_", "ompt_")


def is_known_clause(name: str) -> bool:
    """Whether `name` is a clause of some directive, or an implementation's own (5.2 §3.1 reserves `ompx_`, `ext_`)."""
    return name in CLAUSES or is_extension(name)


def is_extension(name: str) -> bool:
    """Whether `name` is an implementation's own: a clause, a modifier, a directive."""
    return name.startswith(_VENDOR_PREFIXES)
