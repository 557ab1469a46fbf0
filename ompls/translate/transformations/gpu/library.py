"""What a CUDA device offers by name without a header, and the names it takes from the user."""

from __future__ import annotations

_MATH = """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor
    fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan
    nearbyint nextafter pow remainder remquo rint round scalbln scalbn sin sincos sinh sqrt tan tanh tgamma trunc
    j0 j1 jn y0 y1 yn""".split()  # noqa: SIM905
_OTHER = """abs labs llabs printf malloc free memcpy memset clock isnan isinf isfinite signbit""".split()  # noqa: SIM905
_OMP = """omp_get_thread_num omp_get_num_threads omp_get_max_threads omp_get_team_num omp_get_num_teams omp_in_parallel
    omp_is_initial_device omp_get_level omp_get_active_level omp_get_thread_limit omp_get_wtime omp_get_wtick
    omp_get_num_procs omp_get_device_num
    omp_get_team_size omp_get_ancestor_thread_num omp_get_dynamic omp_get_nested
    omp_get_max_active_levels omp_set_num_threads""".split()  # noqa: SIM905
_FUNCTIONS = frozenset([*_MATH, *(f"{m}f" for m in _MATH), *_OTHER, *_OMP])

# Functions that CUDA declares in the global scope and C does not: the user's get another name.
CUDA_NAMES = frozenset(
    """min max umin umax llmin llmax ullmin ullmax norm rnorm norm3d norm4d rsqrt rsqrtf rcbrt rcbrtf sinpi cospi
    sincospi exp10 exp10f normcdf normcdfinv erfinv erfcinv erfcx clock clock64 mulhi saturate brev clz popc ffs
    trap any all ballot""".split()  # noqa: SIM905
)


def is_device_function(name: str) -> bool:
    """Whether kernels may call the function `name` without a body in the file."""
    return name in _FUNCTIONS
