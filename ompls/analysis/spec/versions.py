"""When words of OpenMP came, where that is later than their directive or clause (`since` there), and what went.

Sources: the lists of differences at the end of each specification (6.0 appendix B and its predecessors).
"""

from __future__ import annotations

VERSIONS = ("4.0", "4.5", "5.0", "5.1", "5.2", "6.0")
# What compilers have from the drafts of the next one.
DRAFT = "6.1"
# What is checked against when nobody chooses: its features' successors are no mistake of anybody's.
DEFAULT_VERSION = "5.2"
# What an earlier version deprecated is gone in this one (6.0 appendix B.2).
REMOVES_DEPRECATED = "6.0"


def _table(rows: tuple[tuple[str, str, str], ...]) -> dict[tuple[str, str], str]:
    return {(owner, word): since for owner, words, since in rows for word in words.split()}


# (leaf construct, clause) -> version in which the construct got the clause
CLAUSE_ON: dict[tuple[str, str], str] = _table((
    ("parallel", "message severity safesync", "6.0"),
    ("teams", "if", "5.2"),
    ("simd", "if order nontemporal", "5.0"),
    ("simd", "induction", "6.0"),
    ("for", "linear", "4.5"),
    ("for", "order", "5.0"),
    ("scope", "firstprivate allocate", "5.2"),
    ("distribute", "lastprivate", "4.5"),
    ("distribute", "order", "5.0"),
    ("task", "in_reduction affinity detach", "5.0"),
    ("taskloop", "reduction in_reduction", "5.0"),
    ("taskgroup", "task_reduction allocate", "5.0"),
    ("taskwait", "depend", "5.0"),
    ("taskwait", "nowait", "5.1"),
    ("target", "private firstprivate is_device_ptr defaultmap nowait depend", "4.5"),
    ("target", "in_reduction allocate uses_allocators", "5.0"),
    ("target", "thread_limit has_device_addr", "5.1"),
    ("target", "default shared priority replayable device_type", "6.0"),
    ("target data", "use_device_ptr", "4.5"),
    ("target data", "affinity allocate default depend detach firstprivate in_reduction mergeable nogroup nowait "
     "priority private shared", "6.0"),
    ("target enter data", "priority", "6.0"),
    ("target exit data", "priority", "6.0"),
    ("target update", "nowait depend", "4.5"),
    ("target update", "priority", "6.0"),
    ("atomic", "hint", "5.0"),
    ("ordered", "depend simd", "4.5"),
    ("depobj", "init", "6.0"),
    ("declare target", "device_type", "5.0"),
    ("declare target", "indirect", "5.1"),
    ("dispatch", "interop", "6.0"),
))  # fmt: skip

# (clause, keyword or modifier) -> version in which the clause got the word
WORD_OF: dict[tuple[str, str], str] = _table((
    ("default", "private firstprivate", "5.1"),
    ("default", "scalar aggregate pointer all", "6.0"),
    ("defaultmap", "alloc to from firstprivate none default aggregate pointer", "5.0"),
    ("defaultmap", "present", "5.1"),
    ("defaultmap", "all", "5.2"),
    ("defaultmap", "private self storage", "6.0"),
    ("map", "always release delete", "4.5"),
    ("map", "close mapper", "5.0"),
    ("map", "present iterator", "5.1"),
    ("map", "storage self ref_ptee ref_ptr ref_ptr_ptee attach", "6.0"),
    ("to", "mapper", "5.0"),
    ("to", "present iterator", "5.1"),
    ("from", "mapper", "5.0"),
    ("from", "present iterator", "5.1"),
    ("schedule", "monotonic nonmonotonic simd", "4.5"),
    ("depend", "sink source", "4.5"),
    ("depend", "mutexinoutset depobj iterator", "5.0"),
    ("depend", "inoutset", "5.1"),
    ("update", "mutexinoutset", "5.0"),
    ("update", "inoutset", "5.1"),
    ("linear", "val ref uval", "4.5"),
    ("linear", "step", "5.2"),
    ("reduction", "inscan task default", "5.0"),
    ("reduction", "original", "6.0"),
    ("lastprivate", "conditional", "5.0"),
    ("firstprivate", "saved", "6.0"),
    ("order", "reproducible unconstrained", "5.1"),
    ("proc_bind", "primary", "5.1"),
    ("device", "device_num ancestor", "5.0"),
    ("grainsize", "strict", "5.1"),
    ("num_tasks", "strict", "5.1"),
    ("num_threads", "strict dims", "6.0"),
    ("num_teams", "dims", "6.0"),
    ("thread_limit", "dims", "6.0"),
    ("allocate", "allocator align", "5.1"),
    ("uses_allocators", "memspace traits", "5.2"),
    ("enter", "automap", "6.0"),
    ("init", "depobj interop", "6.0"),
    ("atomic_default_mem_order", "acquire release", "6.0"),
))  # fmt: skip


def is_newer(since: str, version: str) -> bool:
    """Whether what came in `since` is not in `version` yet."""
    return since in (*VERSIONS, DRAFT) and since > version
