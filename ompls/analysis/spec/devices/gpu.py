"""`cuda` and `cudasim`: kernels are CUDA C++ over `device_lib/cuda`; the simulator runs the same files.

Limits are those of compute capability 5.3 (CUDA C++ programming guide, "technical specifications per compute
capability").
"""

from __future__ import annotations

from dataclasses import replace

from ompls.analysis.spec.devices.host import EVERYWHERE
from ompls.analysis.spec.devices.model import DeviceSpec
from ompls.analysis.spec.runtime import FLOAT_FUNCTIONS, MATH_FUNCTIONS

_LIBC = frozenset(
    """
abs labs llabs printf puts putchar malloc calloc free memcpy memset memmove memcmp memchr strlen strcmp strncmp strcpy
strncpy strcat strchr strrchr strstr clock isnan isinf isfinite signbit abort exit __assert_fail
""".split()  # noqa: SIM905 - a table of words
)
_COMPLEX = frozenset(
    f"{name}{f}"
    for name in ("creal", "cimag", "conj", "cabs", "carg", "cproj", "cexp", "clog", "csqrt", "cpow", "csinh", "ccosh",
                 "csin", "ccos")
    for f in ("", "f")
)  # fmt: skip
# What the device library has of the OpenMP API (a test compares).
_OMP = frozenset(
    """
omp_get_thread_num omp_get_num_threads omp_get_max_threads omp_get_team_num omp_get_num_teams omp_in_parallel
omp_is_initial_device omp_get_level omp_get_active_level omp_get_thread_limit omp_get_wtime omp_get_wtick
omp_get_num_procs omp_get_device_num omp_get_team_size omp_get_ancestor_thread_num omp_get_dynamic omp_get_nested
omp_get_max_active_levels omp_get_supported_active_levels omp_get_cancellation omp_get_max_teams
omp_get_teams_thread_limit omp_get_num_devices omp_get_default_device omp_get_initial_device omp_set_num_threads
omp_set_dynamic omp_set_nested omp_set_max_active_levels omp_set_num_teams omp_set_teams_thread_limit
omp_set_default_device omp_get_proc_bind omp_get_num_places omp_get_place_num_procs omp_get_place_proc_ids
omp_get_place_num omp_get_partition_num_places omp_get_partition_place_nums omp_get_max_task_priority omp_is_free_agent
omp_ancestor_is_free_agent omp_init_allocator omp_destroy_allocator omp_set_default_allocator omp_get_default_allocator
omp_alloc omp_aligned_alloc omp_calloc omp_aligned_calloc omp_realloc omp_free omp_init_lock omp_init_lock_with_hint
omp_destroy_lock omp_set_lock omp_unset_lock omp_test_lock omp_init_nest_lock omp_init_nest_lock_with_hint
omp_destroy_nest_lock omp_set_nest_lock omp_unset_nest_lock omp_test_nest_lock
""".split()  # noqa: SIM905 - a table of words
)
_NOT_YET = "it is not there yet"
_HOST_ONLY = "only the host can do that"
_SIZE = "a GPU has no number of its size"

CUDA = DeviceSpec(
    "cuda",
    "gpu",
    True,
    lacks={
        **EVERYWHERE,
        "construct depobj": _HOST_ONLY,
        **dict.fromkeys(("construct target", "construct target data", "construct target update",
                         "construct target enter data", "construct target exit data"),
                        "a region on a device cannot start one or map data"),
        "clause detach": "tasks on a GPU run at once",
        "clause copyin": "a GPU has no threadprivate variables",
        "varargs": "a device function takes as many arguments as it declares",
        "atomic variable": "operators of C's atomic types are not there; use the `atomic` construct",
        "inline assembly": "its instructions are those of another machine",
        "type long double": _SIZE,
        "type _Float128": _SIZE,
        "type _Float16": "CUDA C++ has another type of its size; use `float`",
    },
    slow={"recursion": "nobody can tell beforehand how much of a thread's small stack it takes"},
    functions=frozenset((*MATH_FUNCTIONS, *FLOAT_FUNCTIONS, *_LIBC, *_COMPLEX, *_OMP)),
    no_function="the device has no function of that name",
    stack=512 * 1024,
    team_memory=36 * 1024,  # of 48 KiB, the device library's stack and state are 10
    threads=1024,
)  # fmt: skip
CUDASIM = replace(CUDA, name="cudasim")
