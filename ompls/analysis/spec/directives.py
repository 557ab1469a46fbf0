"""The directives of OpenMP (C syntax, 4.0 to 6.0) as data: what they apply to, their clauses, where they are specified.

Only leaf directives are written down; the combined and composite ones are derived (OpenMP 5.2 §17).  Section numbers
are those of OpenMP 5.2; a directive that is newer carries the number of 6.0.  Nothing here looks at a program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["block", "loop", "none", "declarative", "delimited", "separating"]


@dataclass(frozen=True, slots=True)
class DirectiveSpec:
    """One directive.

    kind -- block: applies to a structured block; loop: to a loop nest; none: stand-alone; declarative: a declaration
            of its own; delimited: `begin …`/`end …`; separating: splits its surrounding block (`scan`)
    until -- the version that removed or deprecated it, "" while current
    """

    name: str
    kind: Kind
    section: str
    since: str
    summary: str
    clauses: tuple[str, ...]
    constructs: tuple[str, ...]
    until: str = ""


_DATA = "private firstprivate allocate"
_ASSUME = "absent contains holds no_openmp no_openmp_routines no_openmp_constructs no_parallelism"
_REQUIRES = (
    "reverse_offload unified_address unified_shared_memory atomic_default_mem_order dynamic_allocators self_maps "
    "device_safesync"
)
_TASK = "if final untied default mergeable private firstprivate shared in_reduction allocate priority threadset"

# name, kind, section, since, what it does, clauses[, until]
_LEAVES: tuple[tuple[str, ...], ...] = (
    ("parallel", "block", "10.1", "3.0", "runs the block with a team of threads",
     f"if num_threads default shared copyin reduction proc_bind message severity safesync {_DATA} ompx_attribute"),
    ("teams", "block", "10.2", "4.0", "runs the block once in each team of a league",
     f"num_teams thread_limit default shared reduction if {_DATA} ompx_attribute"),
    ("simd", "loop", "10.4", "4.0", "runs iterations in lanes of SIMD instructions",
     "if safelen simdlen linear aligned nontemporal private lastprivate reduction collapse order induction"),
    ("masked", "block", "10.5", "5.1", "runs the block on the threads that the filter selects", "filter"),
    ("master", "block", "10.5", "3.0", "runs the block on the primary thread", "", "5.1"),
    ("single", "block", "11.1", "3.0", "runs the block on one thread of the team", f"copyprivate nowait {_DATA}"),
    ("scope", "block", "11.2", "5.1", "gives the block its own data-sharing on every thread",
     f"reduction nowait {_DATA}"),
    ("sections", "block", "11.3", "3.0", "shares the sections out among the threads",
     f"lastprivate reduction nowait {_DATA}"),
    ("section", "block", "11.3.1", "3.0", "one section of a sections construct", ""),
    ("for", "loop", "11.5.1", "3.0", "shares the iterations out among the threads of the team",
     f"lastprivate linear reduction schedule collapse ordered nowait order induction {_DATA}"),
    ("distribute", "loop", "11.6", "4.0", "shares the iterations out among the teams of the league",
     f"lastprivate collapse dist_schedule order induction {_DATA}"),
    ("loop", "loop", "11.7", "5.0", "lets the iterations run in any order, concurrently",
     "bind collapse order private lastprivate reduction"),
    ("task", "block", "12.5", "3.0", "makes the block an explicit task",
     f"{_TASK} depend affinity detach transparent replayable"),
    ("taskloop", "loop", "12.6", "4.5", "runs chunks of the iterations as explicit tasks",
     f"{_TASK} lastprivate reduction grainsize num_tasks collapse nogroup induction transparent replayable"),
    ("taskyield", "none", "12.7", "3.1", "lets the thread switch to another task", ""),
    ("target data", "block", "13.5", "4.0", "maps data to a device for the extent of the block",
     "if device map use_device_ptr use_device_addr affinity allocate default depend detach firstprivate in_reduction "
     "mergeable nogroup nowait priority private shared transparent"),
    ("target enter data", "none", "13.6", "4.5", "maps data to a device",
     "if device map depend nowait priority replayable"),
    ("target exit data", "none", "13.7", "4.5", "unmaps data from a device",
     "if device map depend nowait priority replayable"),
    # 6.0 does not list `shared`, which says what is so anyway; the validation suite for it uses it.
    ("target", "block", "13.8", "4.0", "runs the block on a device",
     "if device thread_limit in_reduction map private firstprivate is_device_ptr has_device_addr defaultmap nowait "
     "depend allocate uses_allocators default shared priority replayable device_type dyn_groupprivate "
     "ompx_dyn_cgroup_mem ompx_bare ompx_attribute"),
    ("target update", "none", "13.9", "4.0", "copies mapped data between host and device",
     "to from if device depend nowait priority replayable"),
    ("interop", "none", "14.1", "5.1", "gives access to a foreign runtime's objects",
     "device init use destroy depend nowait"),
    ("critical", "block", "15.2", "3.0", "lets one thread at a time run the block", "hint"),
    ("barrier", "none", "15.3.1", "3.0", "waits for all threads of the team", ""),
    ("taskgroup", "block", "15.4", "4.0", "waits for the tasks of the block", "task_reduction allocate"),
    ("taskwait", "none", "15.5", "3.0", "waits for the child tasks", "depend nowait replayable"),
    ("atomic", "block", "15.8.4", "3.0", "makes one memory access atomic",
     "read write update capture compare weak fail hint seq_cst acq_rel acquire release relaxed memscope"),
    ("flush", "none", "15.8.5", "3.0", "makes the thread's view of memory consistent",
     "seq_cst acq_rel acquire release memscope"),
    ("depobj", "none", "15.9.4", "5.0", "initialises, updates or destroys a depend object",
     "depend destroy update init"),
    ("ordered", "block", "15.10", "3.0", "runs the block in the order of the iterations",
     "threads simd depend doacross"),
    ("cancel", "none", "16.1", "4.0", "cancels the innermost region of a kind",
     "parallel sections for taskgroup if"),
    ("cancellation point", "none", "16.2", "4.0", "checks for cancellation", "parallel sections for taskgroup"),
    ("scan", "separating", "5.6", "5.0", "separates the phases of a scan", "inclusive exclusive init_complete"),
    ("dispatch", "block", "7.6", "5.1", "controls variant substitution of a call",
     "depend nowait novariants nocontext device is_device_ptr has_device_addr interop"),
    ("tile", "loop", "9.1", "5.1", "tiles a loop nest", "sizes apply"),
    ("unroll", "loop", "9.2", "5.1", "unrolls a loop", "full partial apply"),
    ("fuse", "loop", "11.3", "6.0", "fuses the loops of a sequence", "looprange apply depth"),
    ("interchange", "loop", "11.4", "6.0", "permutes the loops of a nest", "permutation apply"),
    ("reverse", "loop", "11.5", "6.0", "reverses the order of the iterations", "apply"),
    ("split", "loop", "11.6", "6.0", "splits a loop into several", "counts apply"),
    ("stripe", "loop", "11.7", "6.0", "stripes a loop nest", "sizes apply"),
    ("taskgraph", "block", "14.3", "6.0", "records the tasks of the block for replay",
     "if nogroup graph_id graph_reset"),
    ("task iteration", "none", "14.2.3", "6.0", "controls the tasks of one taskloop iteration", "affinity depend if"),
    ("assume", "block", "8.3.3", "5.1", "gives invariants to the compiler", _ASSUME),
    ("nothing", "none", "8.4", "5.1", "has no effect", "apply"),
    ("error", "none", "8.5", "5.1", "makes the compiler or the runtime report an error", "at severity message"),
    ("metadirective", "none", "7.4.3", "5.0", "stands for one of several directives", "when otherwise default"),
    ("begin metadirective", "delimited", "7.4.4", "5.0", "stands for one of several directives",
     "when otherwise default"),
    ("end metadirective", "delimited", "7.4.4", "5.0", "ends a begin metadirective", ""),
    ("requires", "declarative", "8.2", "5.0", "names features that the program needs", _REQUIRES),
    ("assumes", "declarative", "8.3.2", "5.1", "gives invariants of the unit to the compiler", _ASSUME),
    ("begin assumes", "delimited", "8.3.4", "5.1", "gives invariants to the compiler", _ASSUME),
    ("end assumes", "delimited", "8.3.4", "5.1", "ends a begin assumes", ""),
    ("threadprivate", "declarative", "5.2", "3.0", "gives every thread its own copy", ""),
    ("groupprivate", "declarative", "7.5", "6.0", "gives every contention group its own copy", "device_type"),
    ("allocate", "declarative", "6.5", "5.0", "chooses the allocator of variables", "align allocator"),
    ("declare reduction", "declarative", "5.5.11", "4.0", "defines a reduction identifier", "initializer combiner"),
    ("declare induction", "declarative", "7.6.17", "6.0", "defines an induction identifier", "inductor collector"),
    ("declare mapper", "declarative", "5.8.8", "5.0", "says how a type is mapped", "map"),
    ("declare simd", "declarative", "7.7", "4.0", "makes SIMD versions of a function",
     "simdlen linear aligned uniform inbranch notinbranch"),
    ("declare variant", "declarative", "7.5.4", "5.0", "declares a specialised version of a function",
     "match adjust_args append_args"),
    ("begin declare variant", "delimited", "7.5.5", "5.1", "declares specialised versions of functions", "match"),
    ("end declare variant", "delimited", "7.5.5", "5.1", "ends a begin declare variant", ""),
    ("declare target", "declarative", "7.8.1", "4.0", "makes functions and variables available on devices",
     "enter to link local device_type indirect"),
    ("begin declare target", "delimited", "7.8.2", "5.1", "makes the declarations available on devices",
     "device_type indirect"),
    ("end declare target", "delimited", "7.8.2", "4.0", "ends a declare target", ""),
)  # fmt: skip

# Combined and composite constructs: tails of `parallel`, `teams`, `target` (OpenMP 5.2 §17; 5.1 §2.16 for master).
_PARALLEL = ("parallel for", "parallel for simd", "parallel loop", "parallel sections", "parallel masked",
             "parallel masked taskloop", "parallel masked taskloop simd", "parallel master",
             "parallel master taskloop", "parallel master taskloop simd", "parallel single")  # fmt: skip
_DISTRIBUTE = ("distribute", "distribute simd", "distribute parallel for", "distribute parallel for simd")
_TEAMS = (*(f"teams {d}" for d in _DISTRIBUTE), "teams loop")
_TARGET = ("parallel", "parallel for", "parallel for simd", "parallel loop", "simd", "teams", *_TEAMS,
           "parallel sections", "parallel masked", "parallel single", "taskloop", "taskloop simd",
           "teams distribute parallel loop")  # fmt: skip
_NEW_IN = {
    "parallel single": "6.0", "target parallel sections": "6.0", "target parallel masked": "6.0",
    "target parallel single": "6.0", "target taskloop": "6.0", "target taskloop simd": "6.0",
    "teams distribute parallel loop": "6.0", "target parallel": "4.5", "target parallel for": "4.5",
    "target parallel for simd": "4.5", "target simd": "4.5", "parallel master": "5.0",
    "target teams distribute parallel loop": "6.0",
}  # fmt: skip
_COMBINED = (
    *_PARALLEL, "for simd", "taskloop simd", "masked taskloop", "masked taskloop simd", "master taskloop",
    "master taskloop simd", *_DISTRIBUTE[1:], *_TEAMS, *(f"target {t}" for t in _TARGET),
)  # fmt: skip


def _build() -> dict[str, DirectiveSpec]:
    table: dict[str, DirectiveSpec] = {}
    for name, kind, section, since, summary, clauses, *rest in _LEAVES:
        until = rest[0] if rest else ""
        table[name] = DirectiveSpec(
            name,
            kind,  # type: ignore[arg-type]
            section,
            since,
            summary,
            tuple(clauses.split()),
            (name,),
            until,
        )
    for name in _COMBINED:
        parts = tuple(name.split())
        leaves = [table[p] for p in parts]
        union = tuple(c for c in dict.fromkeys(c for leaf in leaves for c in leaf.clauses) if not _excluded(c, parts))
        table[name] = DirectiveSpec(
            name,
            leaves[-1].kind,
            leaves[0].section if parts[0] == "target" else "17",
            _NEW_IN.get(name, max(leaf.since for leaf in leaves)),
            "; ".join(f"`{leaf.name}` {leaf.summary}" for leaf in leaves),
            union,
            parts,
            "5.1" if "master" in parts else "",
        )
    return table


def _excluded(clause: str, parts: tuple[str, ...]) -> bool:
    """What a leaf takes but not the combination (5.2 §17, and the restrictions of each combination in 5.1 §2.16)."""
    if "distribute" in parts and "for" in parts and clause in ("ordered", "linear"):
        return clause == "ordered" or "simd" not in parts  # no iteration comes after another one (5.1 §2.11.6.3)
    if "target" in parts:
        return clause == "copyin"
    if clause in ("nowait", "in_reduction"):
        return "parallel" in parts  # the end of the parallel region waits anyway; a task reduction ends there
    return False


DIRECTIVES: dict[str, DirectiveSpec] = _build()


def constructs_of(name: str) -> tuple[str, ...]:
    """The leaf constructs of a canonical directive name: ('target', 'teams') of 'target teams'; (name,) if unknown."""
    spec = DIRECTIVES.get(name)
    return spec.constructs if spec else (name,)


def clauses_of(name: str) -> tuple[str, ...]:
    """Names of the clauses that may stand on the directive; () if it is unknown."""
    spec = DIRECTIVES.get(name)
    return spec.clauses if spec else ()


def is_declarative(name: str) -> bool:
    """Whether the directive is a declaration of its own or delimits declarations (`begin …`, `end …`)."""
    spec = DIRECTIVES.get(name)
    return spec is not None and spec.kind in ("declarative", "delimited")


def is_standalone(name: str, clauses: tuple[str, ...] = ()) -> bool:
    """Whether no statement belongs to the directive.

    `clauses` are the names of its clauses: `ordered` with `depend` or `doacross` is stand-alone (5.2 §15.10.1).
    An unknown directive is taken to be stand-alone, so that the statement after it keeps its meaning.
    """
    spec = DIRECTIVES.get(name)
    if spec is None:
        return True
    if name == "ordered":
        return "depend" in clauses or "doacross" in clauses
    return spec.kind not in ("block", "loop")
