"""OpenMP's runtime routines with a value that an expression in a clause can use: name, declaration, since when."""

from __future__ import annotations

from typing import NamedTuple


class Routine(NamedTuple):
    name: str
    declaration: str
    since: str


_INT = (
    ("omp_get_num_devices", "4.0"), ("omp_get_default_device", "4.0"), ("omp_get_initial_device", "4.5"),
    ("omp_get_device_num", "5.0"), ("omp_is_initial_device", "4.0"), ("omp_get_max_threads", "4.0"),
    ("omp_get_num_threads", "4.0"), ("omp_get_thread_num", "4.0"), ("omp_get_num_procs", "4.0"),
    ("omp_get_thread_limit", "4.0"), ("omp_get_num_teams", "4.0"), ("omp_get_team_num", "4.0"),
    ("omp_get_max_teams", "5.1"), ("omp_get_teams_thread_limit", "5.1"), ("omp_get_level", "4.0"),
    ("omp_get_active_level", "4.0"), ("omp_get_max_active_levels", "4.0"), ("omp_in_parallel", "4.0"),
    ("omp_in_final", "4.0"), ("omp_get_dynamic", "4.0"), ("omp_get_cancellation", "4.0"),
    ("omp_get_max_task_priority", "4.5"), ("omp_get_num_places", "4.5"), ("omp_get_place_num", "4.5"),
)  # fmt: skip
ROUTINES = (
    *(Routine(name, f"int {name}(void)", since) for name, since in _INT),
    Routine("omp_target_is_present", "int omp_target_is_present(const void *ptr, int device_num)", "4.5"),
    Routine("omp_target_is_accessible",
            "int omp_target_is_accessible(const void *ptr, size_t size, int device_num)", "5.1"),
)  # fmt: skip
