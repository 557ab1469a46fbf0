"""The table of known functions: what those of the C library, POSIX, OpenMP, MPI and CUDA do to memory and to threads.

Whoever looks through calls reads this table: the abstract machine, the accesses of races, the order of tasks, rules,
features and the translator.  Which device has a function is said by `device.toml`; `on_device` and `needs` are what is
so for all of them.  What a row does not name the function does not touch.  The bytes of a stream and the state of
`rand` are not memory of the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple


class Arg(NamedTuple):
    """Memory that an argument points to.

    at -- which argument, from 0
    size -- the arguments whose product is the number of bytes; (): some, one at least
    exact -- False: it may be another number of bytes, one at least unless that product is 0
    sure -- False: it depends on more than the arguments whether it is touched at all
    behind -- the argument that says how many bytes behind it the touched ones begin
    device -- the argument that is the number of the device whose memory it is; None: the host's
    """

    at: int
    size: tuple[int, ...] = ()
    exact: bool = True
    sure: bool = True
    behind: int | None = None
    device: int | None = None


class Block(NamedTuple):
    """Fresh storage.

    size -- the arguments whose product is the number of bytes; (): not known
    filled -- what it holds at first
    into -- the argument that points to where its address is stored; None: the function returns it
    """

    size: tuple[int, ...] = ()
    filled: Literal["", "zeros", "values"] = ""
    into: int | None = None


class Lock(NamedTuple):
    """What a function does to the lock that its first argument points to."""

    taken: bool
    tried: bool = False
    nests: bool = False


class Known(NamedTuple):
    """What a function does.

    reads, writes -- memory that arguments point to
    rest -- what it does with arguments behind the format, as that says: `sprintf` reads, `sscanf` writes
    by_args -- what it writes follows from its arguments and from what they point to, but not from what was there
    later -- it touches memory only after it has returned, until something waits for that
    frees -- the argument whose storage it gives back
    allocates -- storage that it makes
    on_target -- it allocates and frees a device's memory
    returns -- the argument that it returns
    pure -- the result follows from the arguments' values, and it does nothing else
    ends, may_end -- it does not come back, or not always
    meets -- it may wait for another thread or process, or let one go on
    lock -- it takes a lock or gives it back
    number -- whose number it returns, which tells threads or teams apart; "all": the same for all of a team (league)
    on_device -- device code may call it without `declare target`: nvcc's device library or the LLVM GPU libc has it
    needs -- what it needs that only the host has
    foreign -- the name is not reserved: a program may have a function of its own with it
    """

    reads: tuple[Arg, ...] = ()
    writes: tuple[Arg, ...] = ()
    rest: Literal["", "reads", "writes"] = ""
    by_args: bool = False
    later: bool = False
    frees: int | None = None
    allocates: Block | None = None
    on_target: bool = False
    returns: int | None = None
    pure: bool = False
    ends: bool = False
    may_end: bool = False
    meets: bool = False
    lock: Lock | None = None
    number: Literal["", "thread", "team", "all"] = ""
    on_device: bool = False
    needs: str = ""
    foreign: bool = False


Rows = tuple[tuple[str, Known], ...]  # names, and what the functions of these names do

_FILES, _CLOCK, _PROCESS = "files", "the host's clock", "the process"
_THREADS, _STACK, _MEMORY = "the host's threads", "the stack of the host", "the host's memory"
_0, _1, _2 = (Arg(0),), (Arg(1),), (Arg(2),)
_0_1 = (Arg(0), Arg(1))
_MAYBE_0, _MAYBE_1 = (Arg(0, sure=False),), (Arg(1, sure=False),)


def _named(rows: Rows) -> Iterator[tuple[str, Known]]:
    return ((name, row) for names, row in rows for name in names.split())


# What CUDA's mathematical functions and the LLVM GPU libc have in common, for `double` and, with an `f`, for `float`.
_PURE_MATH = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax fmin
fmod hypot ilogb ldexp llrint llround log10 log1p log2 log logb lrint lround nearbyint nextafter pow remainder rint
round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc j0 j1 jn y0 y1 yn
"""
_PURE = Known(pure=True, on_device=True)
_OTHER_MATH: Rows = (
    ("lgamma", Known(on_device=True)),  # it sets `signgam`
    ("nan", Known(_0, on_device=True)),
    ("frexp modf", Known(writes=_1, by_args=True, on_device=True)),
    ("remquo", Known(writes=_2, by_args=True, on_device=True)),
    ("sincos", Known(writes=(Arg(1), Arg(2)), by_args=True, on_device=True)),
)
_MATH = tuple(_named(((_PURE_MATH, _PURE), *_OTHER_MATH)))
_CLASSES = "exp10 isnan isinf isfinite signbit __isnan __isinf __finite __signbit __fpclassify finite"
_COMPLEX = "creal cimag conj cabs carg cproj cexp clog csqrt cpow csinh ccosh csin ccos"

MATH_FUNCTIONS = frozenset(name for name, _ in _MATH)
FLOAT_FUNCTIONS = frozenset(f"{name}f" for name in MATH_FUNCTIONS)
COMPLEX_FUNCTIONS = frozenset(f"{name}{f}" for name in _COMPLEX.split() for f in ("", "f"))

_DEVICE = Known(on_device=True)
_READS_0 = Known(_0, on_device=True)
_READS_0_1 = Known(_0_1, on_device=True)
_SAME = Known(number="all")
_COPY = Known((Arg(1, (2,)),), (Arg(0, (2,)),), by_args=True, returns=0, on_device=True)
_SET = Known(writes=(Arg(0, (2,)),), by_args=True, returns=0, on_device=True)
_COPIES_STRING = Known(_1, _0, by_args=True, returns=0, on_device=True)
_APPENDS = Known(_0_1, _0, returns=0)
_NEW = Known(allocates=Block((0,)))

_ISO: Rows = (
    # memory and strings
    ("memcpy memmove __memcpy_chk", _COPY),
    ("memset __memset_chk", _SET),
    ("memcmp", Known((Arg(0, (2,)), Arg(1, (2,))), on_device=True)),
    ("memchr", Known((Arg(0, (2,), exact=False),), on_device=True)),
    ("strcpy", _COPIES_STRING),
    ("stpcpy", _COPIES_STRING._replace(returns=None, on_device=False)),
    ("__stpcpy_chk", _COPIES_STRING._replace(returns=None)),
    ("strncpy", Known((Arg(1, (2,), exact=False),), (Arg(0, (2,)),), by_args=True, returns=0, on_device=True)),
    ("strcat", _APPENDS._replace(on_device=True)),
    ("strncat", _APPENDS),
    ("strlen strchr strrchr", _READS_0),
    ("strstr strcmp", _READS_0_1),
    ("strncmp", Known((Arg(0, (2,), exact=False), Arg(1, (2,), exact=False)), on_device=True)),
    ("strspn strcspn strpbrk strcoll strcasecmp", Known(_0_1)),
    ("strnlen", Known((Arg(0, (1,), exact=False),))),
    ("strncasecmp", Known((Arg(0, (2,), exact=False), Arg(1, (2,), exact=False)))),
    ("strerror", Known()),
    ("mempcpy", _COPY._replace(returns=None, on_device=False)),
    # storage
    ("malloc", _NEW._replace(on_device=True)),
    ("calloc", Known(allocates=Block((0, 1), "zeros"), on_device=True)),
    ("alloca", _NEW._replace(on_device=True)),
    ("_mm_malloc", _NEW),
    ("aligned_alloc memalign", Known(allocates=Block((1,)), needs=_MEMORY)),
    ("valloc", _NEW._replace(needs=_MEMORY)),
    ("posix_memalign", Known(allocates=Block((2,), into=0), by_args=True, needs=_MEMORY)),
    ("strdup strndup", Known(_0, allocates=Block(filled="values"))),
    ("realloc", Known(allocates=Block((1,), "values"), frees=0, needs=_MEMORY)),
    ("reallocarray", Known(allocates=Block((1, 2), "values"), frees=0)),
    ("free", Known(frees=0, on_device=True)),
    ("_mm_free", Known(frees=0)),
    # text
    ("printf", Known(_0, rest="reads", on_device=True)),
    ("__printf_chk", Known(_1, rest="reads", on_device=True)),
    ("fprintf", Known(_1, rest="reads", on_device=True)),
    ("sprintf", Known(_1, _0, "reads", by_args=True, on_device=True)),
    ("snprintf", Known(_2, (Arg(0, (1,), exact=False),), "reads", by_args=True, on_device=True)),
    ("vprintf", Known(_0)),
    ("vfprintf", Known(_1)),
    ("vsprintf", Known(_1, _0)),
    ("vsnprintf", Known(_2, (Arg(0, (1,), exact=False),))),
    ("sscanf", Known(_0_1, rest="writes", by_args=True)),
    ("scanf", Known(_0, rest="writes", needs=_FILES)),
    ("fscanf", Known(_1, rest="writes", needs=_FILES)),
    ("puts", _READS_0),
    ("putchar", _DEVICE),
    # numbers
    ("abs labs llabs", _PURE),
    ("div ldiv clock", _DEVICE),
    ("isalpha isdigit isspace isupper islower isalnum toupper tolower", _DEVICE),
    ("rand srand", _DEVICE),
    ("atoi atol atof", _READS_0),
    ("atoll", Known(_0)),
    ("strtol strtod", Known(_0, _1, by_args=True, on_device=True)),
    ("strtof strtold strtoll strtoul strtoull", Known(_0, _1, by_args=True)),
    ("rand_r", Known(_0, _0)),
    ("erand48 nrand48 jrand48", Known(_0, _0)),
    ("drand48 lrand48 mrand48 srand48", Known()),
    ("drand48_r", Known(_0, _0_1)),
    ("srand48_r", Known(writes=_1)),
    ("qsort", Known((Arg(0, (1, 2)),), (Arg(0, (1, 2)),), on_device=True)),
    ("bsearch", Known((Arg(0), Arg(1, (2, 3), exact=False)), on_device=True)),
    # streams
    ("fread", Known(writes=(Arg(0, (1, 2)),), needs=_FILES)),
    ("fwrite", Known((Arg(0, (1, 2)),), needs=_FILES)),
    ("fgets", Known(writes=(Arg(0, (1,), exact=False),), needs=_FILES)),
    ("fputs perror remove", Known(_0, needs=_FILES)),
    ("fopen rename", Known(_0_1, needs=_FILES)),
    ("tmpfile fclose fgetc fputc getc getchar putc fseek ftell rewind fflush", Known(needs=_FILES)),
    ("feof ferror clearerr ungetc", Known()),
    ("setbuf", Known(writes=_MAYBE_1)),
    # time
    ("time", Known(writes=_0, needs=_CLOCK)),
    ("gettimeofday", Known(writes=_0, needs=_CLOCK)),
    ("clock_gettime", Known(writes=_1, needs=_CLOCK)),
    ("timespec_get", Known(writes=_0)),
    ("localtime gmtime", Known(_0, needs=_CLOCK)),
    ("localtime_r gmtime_r", Known(_0, _1, by_args=True)),
    ("mktime", Known(_0, _0, needs=_CLOCK)),
    ("strftime", Known((Arg(2), Arg(3)), (Arg(0, (1,), exact=False),), by_args=True, needs=_CLOCK)),
    ("difftime", Known(needs=_CLOCK)),
    ("nanosleep", Known(_0, _MAYBE_1, needs=_CLOCK)),
    ("usleep sleep", Known(needs=_CLOCK)),
    # the process
    ("exit abort __assert_fail", Known(ends=True, on_device=True)),
    ("_Exit _exit quick_exit __builtin_unreachable", Known(ends=True)),
    ("longjmp siglongjmp", Known(_0, ends=True, needs=_STACK)),
    ("setjmp _setjmp sigsetjmp", Known(writes=_0, needs=_STACK)),
    ("assert", _DEVICE),
    ("getenv", Known(_0, needs=_PROCESS)),
    ("setenv", Known(_0_1, needs=_PROCESS)),
    ("system", Known(_0, meets=True, needs=_PROCESS)),
    ("fork atexit getpid getopt raise kill signal", Known(needs=_PROCESS)),
    ("execv execvp", Known(_0_1, needs=_PROCESS)),
    ("waitpid", Known(writes=_MAYBE_1, meets=True, needs=_PROCESS)),
)

_POSIX: Rows = (
    ("read pread", Known(writes=(Arg(1, (2,), exact=False),), needs=_FILES, foreign=True)),
    ("write pwrite", Known((Arg(1, (2,)),), needs=_FILES, foreign=True)),
    ("recv", Known(writes=(Arg(1, (2,), exact=False),), meets=True, foreign=True)),
    ("send", Known((Arg(1, (2,)),), meets=True, foreign=True)),
    ("bcopy", Known((Arg(0, (2,)),), (Arg(1, (2,)),), by_args=True, foreign=True)),
    ("bzero explicit_bzero", Known(writes=(Arg(0, (1,)),), by_args=True, foreign=True)),
    ("getline", Known(_0_1, _0_1, foreign=True)),
    ("random srandom", Known(foreign=True)),
    ("open unlink", Known(_0, needs=_FILES, foreign=True)),
    ("stat", Known(_0, _1, needs=_FILES, foreign=True)),
    ("close lseek mmap", Known(needs=_FILES, foreign=True)),
    ("munmap", Known(frees=0, needs=_FILES, foreign=True)),
    ("wait", Known(writes=_MAYBE_0, meets=True, needs=_PROCESS, foreign=True)),
    ("mlock", Known(needs=_MEMORY, foreign=True)),
    ("err errx verr verrx error", Known(may_end=True, foreign=True)),
    # threads of the host
    ("pthread_create", Known((Arg(3, sure=False),), (Arg(0), Arg(3, sure=False)), needs=_THREADS)),
    ("pthread_join", Known(writes=_MAYBE_1, meets=True, needs=_THREADS)),
    ("pthread_mutex_lock", Known(lock=Lock(True), meets=True, needs=_THREADS)),
    ("pthread_mutex_unlock", Known(lock=Lock(False), meets=True, needs=_THREADS)),
    ("mtx_lock", Known(lock=Lock(True), meets=True)),
    ("mtx_unlock", Known(lock=Lock(False), meets=True)),
    ("pthread_barrier_wait pthread_cond_wait sem_wait cnd_wait", Known(meets=True)),
    ("thrd_join", Known(writes=_MAYBE_1, meets=True)),
    ("pthread_cond_signal pthread_cond_broadcast sem_post cnd_signal cnd_broadcast", Known(meets=True)),
    ("sched_yield", Known(needs=_THREADS)),
)

_TO, _FROM = Arg(0, (2,), behind=3, device=5), Arg(1, (2,), behind=4, device=6)
_OPENMP: Rows = (
    ("omp_get_thread_num", Known(number="thread")),
    ("omp_get_team_num", Known(number="team")),
    ("omp_is_initial_device omp_get_num_threads omp_get_num_teams omp_get_team_size omp_get_max_threads", _SAME),
    ("omp_in_parallel omp_get_level omp_get_num_procs omp_get_device_num omp_get_thread_limit omp_get_dynamic", _SAME),
    ("omp_get_num_devices omp_get_initial_device omp_get_default_device omp_get_active_level omp_get_nested", _SAME),
    ("omp_get_max_active_levels omp_get_cancellation omp_get_proc_bind", _SAME),
    ("omp_set_lock", Known(lock=Lock(True), meets=True)),
    ("omp_set_nest_lock", Known(lock=Lock(True, nests=True), meets=True)),
    ("omp_test_lock", Known(lock=Lock(True, tried=True), meets=True)),
    ("omp_test_nest_lock", Known(lock=Lock(True, tried=True, nests=True), meets=True)),
    ("omp_unset_lock", Known(lock=Lock(False), meets=True)),
    ("omp_unset_nest_lock", Known(lock=Lock(False, nests=True), meets=True)),
    ("omp_alloc", _NEW),
    ("omp_aligned_alloc", Known(allocates=Block((1,)))),
    ("omp_calloc", Known(allocates=Block((0, 1), "zeros"))),
    ("omp_aligned_calloc", Known(allocates=Block((1, 2), "zeros"))),
    ("omp_realloc", Known(allocates=Block((1,), "values"), frees=0)),
    ("omp_free", Known(frees=0)),
    ("omp_target_alloc", Known(allocates=Block((0,)), on_target=True)),
    ("omp_target_free", Known(frees=0, on_target=True)),
    ("omp_target_memcpy", Known((_FROM,), (_TO,), by_args=True)),
    ("omp_target_memcpy_async", Known((_FROM,), (_TO,), by_args=True, later=True)),
)

# How many bytes one of their elements has is not known here.  What a root alone reads or writes is not sure.
_BUFFER, _INTO_1, _INTO_3 = Arg(0, (1,), exact=False), Arg(1, (2,), exact=False), Arg(3, (4,), exact=False)
_MPI: Rows = (
    ("MPI_Send MPI_Ssend MPI_Rsend MPI_Bsend", Known((_BUFFER,), meets=True)),
    ("MPI_Recv", Known(writes=(_BUFFER,), meets=True)),
    ("MPI_Isend MPI_Issend", Known((_BUFFER,), later=True)),
    ("MPI_Irecv", Known(writes=(_BUFFER,), later=True)),
    ("MPI_Sendrecv", Known((_BUFFER,), (Arg(5, (6,), exact=False),), meets=True)),
    ("MPI_Sendrecv_replace", Known((_BUFFER,), (_BUFFER,), meets=True)),
    ("MPI_Bcast", Known((_BUFFER._replace(sure=False),), (_BUFFER._replace(sure=False),), meets=True)),
    ("MPI_Reduce", Known((_INTO_1._replace(at=0),), (_INTO_1._replace(sure=False),), meets=True)),
    ("MPI_Allreduce MPI_Scan MPI_Exscan", Known((_INTO_1._replace(at=0),), (_INTO_1,), meets=True)),
    ("MPI_Gather", Known((_BUFFER,), (_INTO_3._replace(sure=False),), meets=True)),
    ("MPI_Scatter", Known((_BUFFER._replace(sure=False),), (_INTO_3,), meets=True)),
    ("MPI_Allgather MPI_Alltoall", Known((_BUFFER,), (_INTO_3,), meets=True)),
    ("MPI_Comm_rank MPI_Comm_size", Known(writes=_1, by_args=True)),
    ("MPI_Barrier MPI_Wait MPI_Waitall MPI_Waitany", Known(meets=True)),
    ("MPI_Wtime", Known()),
    ("MPI_Abort", Known(ends=True)),
)

_CUDA: Rows = (
    ("cudaMemcpy", Known((Arg(1, (2,)),), (Arg(0, (2,)),), by_args=True)),
    ("cudaMemcpyAsync", Known((Arg(1, (2,)),), (Arg(0, (2,)),), by_args=True, later=True)),
    ("cudaMemset", Known(writes=(Arg(0, (2,)),), by_args=True)),
    ("cudaMemsetAsync", Known(writes=(Arg(0, (2,)),), by_args=True, later=True)),
    ("cudaMalloc cudaMallocHost cudaMallocManaged", Known(writes=_0)),
    ("cudaDeviceSynchronize cudaStreamSynchronize", Known(meets=True)),
)


def _numeric() -> Iterator[tuple[str, Known]]:
    """For `double`, `float` and `long double`."""
    for name, row in (*_MATH, *((name, _PURE) for name in _CLASSES.split())):
        yield from ((name, row), (f"{name}f", row), (f"{name}l", row))
    yield from ((name, _PURE._replace(on_device=False)) for name in COMPLEX_FUNCTIONS)


KNOWN: dict[str, Known] = dict(_named(_ISO)) | dict(_numeric())
KNOWN |= {f"__builtin_{name}": row for name, row in KNOWN.items() if not name.startswith("_")}  # gcc's other names
KNOWN |= dict(_named((*_POSIX, *_OPENMP, *_MPI, *_CUDA)))
