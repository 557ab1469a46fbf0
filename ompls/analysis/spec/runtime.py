"""Functions that device code may call without a `declare target`, and functions that rules know more about.

The C library's are those that nvcc's device library or the LLVM GPU libc provides.
"""

from __future__ import annotations

# What CUDA's mathematical functions and the LLVM GPU libc have in common, for `double` and, with an `f`, for `float`.
MATH_FUNCTIONS = frozenset(
    """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax fmin
fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter
pow remainder remquo rint round scalbln scalbn sin sincos sinh sqrt tan tanh tgamma trunc j0 j1 jn y0 y1 yn
""".split()  # noqa: SIM905 - a table of words
)
FLOAT_FUNCTIONS = frozenset(f"{m}f" for m in MATH_FUNCTIONS)
COMPLEX_FUNCTIONS = frozenset(
    f"{name}{f}"
    for name in ("creal", "cimag", "conj", "cabs", "carg", "cproj", "cexp", "clog", "csqrt", "cpow", "csinh", "ccosh",
                 "csin", "ccos")
    for f in ("", "f")
)  # fmt: skip
_CLASSES = frozenset(
    ("exp10", "isnan", "isinf", "isfinite", "signbit", "__isnan", "__isinf", "__finite", "__signbit", "__fpclassify",
     "finite")
)  # fmt: skip
_MATH = MATH_FUNCTIONS | _CLASSES
_LIBC = frozenset(
    """
abs labs llabs div ldiv malloc calloc free memcpy memmove memset memcmp memchr strlen strcmp strncmp strcpy strncpy
strcat strchr strrchr strstr printf puts putchar fprintf abort exit __assert_fail assert clock qsort bsearch isalpha
isdigit isspace isupper islower isalnum toupper tolower rand srand atoi atol atof strtol strtod snprintf sprintf alloca
__stpcpy_chk __printf_chk __memcpy_chk __memset_chk
""".split()  # noqa: SIM905 - a table of words
)
# Functions of the C library and POSIX that need what only the host has, by what that is.
HOST_FUNCTIONS: dict[str, str] = {
    name: what
    for what, names in (
        ("files", "fopen fclose fread fwrite fgets fputs fgetc fputc getc getchar putc scanf fscanf fseek ftell rewind "
                  "fflush remove rename tmpfile perror open close read write lseek stat unlink mmap munmap"),
        ("the host's clock", "time gettimeofday clock_gettime localtime gmtime strftime difftime mktime nanosleep "
                             "usleep sleep"),
        ("the process", "getenv setenv system fork wait waitpid execv execvp kill signal raise atexit getpid getopt"),
        ("the host's threads", "pthread_create pthread_join pthread_mutex_lock pthread_mutex_unlock sched_yield"),
        ("the stack of the host", "setjmp longjmp _setjmp sigsetjmp siglongjmp"),
        ("the host's memory", "realloc aligned_alloc posix_memalign memalign valloc mlock"),
    )
    for name in names.split()
}  # fmt: skip
_PREFIXES = ("omp_", "llvm_omp_", "__builtin_", "__sync_", "__atomic_", "ompx_", "__kmpc_", "_mm_", "__ctype_", "GOMP_")

# What ends the program; functions of these names that a program defines itself do, too.
NO_RETURN = frozenset(("exit", "_Exit", "_exit", "abort", "quick_exit", "__assert_fail", "__builtin_unreachable"))

# What tells threads (teams) apart, and what is the same for all of a team (league).
THREADS = frozenset(("omp_get_thread_num", "omp_get_team_num"))
SAME_FOR_ALL = frozenset((
    "omp_is_initial_device", "omp_get_num_threads", "omp_get_num_teams", "omp_get_team_size", "omp_get_max_threads",
    "omp_in_parallel", "omp_get_level", "omp_get_num_procs", "omp_get_device_num", "omp_get_thread_limit",
    "omp_get_num_devices", "omp_get_initial_device", "omp_get_default_device", "omp_get_active_level",
    "omp_get_dynamic", "omp_get_max_active_levels", "omp_get_nested", "omp_get_cancellation", "omp_get_proc_bind",
))  # fmt: skip

DEVICE_FUNCTIONS = frozenset((*_MATH, *(f"{m}f" for m in _MATH), *(f"{m}l" for m in _MATH), *_LIBC))


def runs_on_devices(name: str) -> bool:
    """Whether device code may call the function although no `declare target` names it."""
    return name in DEVICE_FUNCTIONS or name.startswith(_PREFIXES)
