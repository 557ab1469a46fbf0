// The C library and the rest of the OpenMP API that a kernel may call: memory, strings, locks, the end of the program.
//
// Types of <omp.h> are the user's header's, so what takes them is a template.  Where g++ compiles for cudasim, glibc has
// the string functions; what would reach the host's streams or process is ours there, too.
#pragma once

// --- the end of the program: there is only a trap, so the reason is printed before ------------------------------
static __device__ inline void ompls_stop(const char *why, long code)
{
    printf("ompls: the kernel called %s", why);
    if (code != 0) printf("(%ld)", code);
    printf("\n");
    __trap();
}
static __device__ inline void ompls_assert_failed(const char *text, const char *file, unsigned line, const char *function)
{
    printf("%s:%u: %s: Assertion `%s' failed.\n", file, line, function, text);
    __trap();
}
static __device__ inline void ompls_abort() { ompls_stop("abort", 0); }
static __device__ inline void ompls_exit(int code) { ompls_stop("exit", code); }
#define __assert_fail ompls_assert_failed // what <assert.h> of glibc expands to
#define abort ompls_abort
#define exit ompls_exit

static __device__ inline int ompls_puts(const char *text) { return printf("%s\n", text); }
static __device__ inline int ompls_putchar(int c)
{
    printf("%c", c);
    return static_cast<unsigned char>(c);
}
#define puts ompls_puts
#define putchar ompls_putchar

// --- strings and memory (ISO C17 section 7.24), byte by byte; nvcc has the host's of these names -----------------
#ifndef OMPLS_CUDASIM
static __device__ inline void *ompls_memmove(void *to, const void *from, unsigned long n)
{
    char *const out = static_cast<char *>(to);
    const char *const in = static_cast<const char *>(from);
    if (out < in)
        for (unsigned long i = 0; i < n; ++i) out[i] = in[i];
    else
        for (unsigned long i = n; i-- > 0;) out[i] = in[i];
    return to;
}
static __device__ inline int ompls_memcmp(const void *a, const void *b, unsigned long n)
{
    const unsigned char *const x = static_cast<const unsigned char *>(a), *const y = static_cast<const unsigned char *>(b);
    for (unsigned long i = 0; i < n; ++i)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}
static __device__ inline void *ompls_memchr(const void *in, int c, unsigned long n)
{
    const unsigned char *const x = static_cast<const unsigned char *>(in);
    for (unsigned long i = 0; i < n; ++i)
        if (x[i] == static_cast<unsigned char>(c)) return const_cast<unsigned char *>(x + i);
    return nullptr;
}
static __device__ inline unsigned long ompls_strlen(const char *s)
{
    unsigned long n = 0;
    while (s[n]) ++n;
    return n;
}
static __device__ inline int ompls_strncmp(const char *a, const char *b, unsigned long n)
{
    for (unsigned long i = 0; i < n; ++i) {
        const unsigned char x = a[i], y = b[i];
        if (x != y) return x < y ? -1 : 1;
        if (!x) break;
    }
    return 0;
}
static __device__ inline int ompls_strcmp(const char *a, const char *b) { return ompls_strncmp(a, b, ~0ul); }
static __device__ inline char *ompls_strcpy(char *to, const char *from)
{
    memcpy(to, from, ompls_strlen(from) + 1);
    return to;
}
static __device__ inline char *ompls_strncpy(char *to, const char *from, unsigned long n)
{
    unsigned long i = 0;
    for (; i < n && from[i]; ++i) to[i] = from[i];
    for (; i < n; ++i) to[i] = 0;
    return to;
}
static __device__ inline char *ompls_strcat(char *to, const char *from)
{
    ompls_strcpy(to + ompls_strlen(to), from);
    return to;
}
static __device__ inline char *ompls_strchr(const char *s, int c)
{
    for (;; ++s) {
        if (*s == static_cast<char>(c)) return const_cast<char *>(s);
        if (!*s) return nullptr;
    }
}
static __device__ inline char *ompls_strrchr(const char *s, int c)
{
    const char *found = nullptr;
    for (;; ++s) {
        if (*s == static_cast<char>(c)) found = s;
        if (!*s) return const_cast<char *>(found);
    }
}
static __device__ inline char *ompls_strstr(const char *s, const char *part)
{
    for (const unsigned long n = ompls_strlen(part);; ++s) {
        if (ompls_strncmp(s, part, n) == 0) return const_cast<char *>(s);
        if (!*s) return nullptr;
    }
}
static __device__ inline void *ompls_calloc(unsigned long count, unsigned long size)
{
    const unsigned long bytes = count * size;
    void *const made = size != 0 && bytes / size != count ? nullptr : malloc(bytes);
    return made == nullptr ? made : memset(made, 0, bytes);
}
#define memmove ompls_memmove
#define memcmp ompls_memcmp
#define memchr ompls_memchr
#define strlen ompls_strlen
#define strncmp ompls_strncmp
#define strcmp ompls_strcmp
#define strcpy ompls_strcpy
#define strncpy ompls_strncpy
#define strcat ompls_strcat
#define strchr ompls_strchr
#define strrchr ompls_strrchr
#define strstr ompls_strstr
#define calloc ompls_calloc
#endif

// --- OpenMP's allocators (OpenMP 6.0 chapter 26): all memory is the device's heap -------------------------------
// What was allocated begins on a multiple of `alignment`; the 16 bytes before say where the heap's block begins and how
// large the allocation is.  An allocator of the user's is a number that holds the alignment its traits ask for.
static __device__ inline void *ompls_allocate(unsigned long alignment, unsigned long size)
{
    if (size == 0 || size + alignment + 16 < size) return nullptr;
    if (alignment < 16) alignment = 16;
    char *const block = static_cast<char *>(malloc(size + alignment + 16));
    if (block == nullptr) return nullptr;
    const unsigned long first = reinterpret_cast<unsigned long>(block) + 16;
    unsigned long *const at = reinterpret_cast<unsigned long *>((first + alignment - 1) / alignment * alignment);
    at[-1] = size;
    at[-2] = reinterpret_cast<unsigned long>(block);
    return at;
}
enum { OMPLS_ALLOCATOR = 0x10000 }; // above the numbers of the predefined allocators
template <typename A> static __device__ unsigned long ompls_alignment(A allocator)
{
    const unsigned long number = static_cast<unsigned long>(allocator);
    return number >= OMPLS_ALLOCATOR ? number - OMPLS_ALLOCATOR : 16;
}
// `omp_init_allocator` of a traits array; the key of omp_atk_alignment is 2.
template <typename Trait> static __device__ unsigned long ompls_allocator(int count, const Trait *traits)
{
    unsigned long alignment = 16;
    for (int i = 0; i < count; ++i)
        if (static_cast<int>(traits[i].key) == 2) alignment = static_cast<unsigned long>(traits[i].value);
    return OMPLS_ALLOCATOR + alignment;
}
struct ompls_handle { // converts to the enumeration that <omp.h> declares
    unsigned long number;
    template <typename A> __device__ operator A() const { return static_cast<A>(number); }
};
template <typename Space, typename Trait>
static __device__ ompls_handle omp_init_allocator(Space, int count, const Trait *traits)
{
    return {ompls_allocator(count, traits)};
}
template <typename A> static __device__ void omp_destroy_allocator(A) {}
template <typename A> static __device__ void omp_set_default_allocator(A) {}
static __device__ inline ompls_handle omp_get_default_allocator() { return {1}; } // omp_default_mem_alloc

template <typename A> static __device__ void *omp_alloc(unsigned long size, A allocator)
{
    return ompls_allocate(ompls_alignment(allocator), size);
}
template <typename A>
static __device__ void *omp_aligned_alloc(unsigned long alignment, unsigned long size, A allocator)
{
    const unsigned long least = ompls_alignment(allocator);
    return ompls_allocate(alignment < least ? least : alignment, size);
}
template <typename A>
static __device__ void *omp_aligned_calloc(unsigned long alignment, unsigned long count, unsigned long size, A allocator)
{
    const unsigned long bytes = count * size;
    void *const made = size != 0 && bytes / size != count ? nullptr : omp_aligned_alloc(alignment, bytes, allocator);
    return made == nullptr ? made : memset(made, 0, bytes);
}
template <typename A> static __device__ void *omp_calloc(unsigned long count, unsigned long size, A allocator)
{
    return omp_aligned_calloc(16, count, size, allocator);
}
template <typename A> static __device__ void omp_free(void *what, A)
{
    if (what != nullptr) free(reinterpret_cast<void *>(static_cast<unsigned long *>(what)[-2]));
}
template <typename A, typename B>
static __device__ void *omp_realloc(void *what, unsigned long size, A allocator, B freed)
{
    void *const made = omp_alloc(size, allocator);
    if (what != nullptr && (made != nullptr || size == 0)) {
        const unsigned long before = static_cast<unsigned long *>(what)[-1];
        if (made != nullptr) memcpy(made, what, before < size ? before : size);
        omp_free(what, freed);
    }
    return made;
}

// --- locks (OpenMP 6.0 chapter 28) ------------------------------------------------------------------------------
// The first word of a lock is 0 or 1.  A nestable lock has then how often it is held, and by which thread.
// omp_set_lock by itself is for a thread that no lane of its warp competes with: the translator joins all else to what is
// done under the lock (see ompls_once_taken), and puts OMPLS_UNJOINED where it cannot.
struct ompls_nest_lock { int taken, times; unsigned long long owner; };

static __device__ inline unsigned long long ompls_me()
{
    return static_cast<unsigned long long>(ompls_team_number()) * 1024 + ompls_thread() + 1;
}
// nvrtc 12.9 breaks ("Broken function found") when it knows that what it asks twice whether it is local is a struct of
// characters, as gcc's omp_lock_t is; so it does not learn that.
template <typename L> static __device__ int *ompls_lock_word(L *lock)
{
    int *word = reinterpret_cast<int *>(lock);
    asm("" : "+l"(word));
    return word;
}
static __device__ inline int *ompls_lock_word(int *word) { return word; }
template <typename L> static __device__ int omp_test_lock(L *lock)
{
    const bool got = ompls_take(ompls_lock_word(lock));
    __threadfence();
    return got;
}
template <typename L> static __device__ void omp_set_lock(L *lock)
{
    while (!omp_test_lock(lock)) {}
}
template <typename L> static __device__ void omp_unset_lock(L *lock)
{
    __threadfence();
    ompls_let_go(ompls_lock_word(lock));
}
template <typename L> static __device__ void omp_init_lock(L *lock) { *ompls_lock_word(lock) = 0; }
template <typename L, typename H> static __device__ void omp_init_lock_with_hint(L *lock, H) { omp_init_lock(lock); }
template <typename L> static __device__ void omp_destroy_lock(L *) {}

template <typename L> static __device__ int omp_test_nest_lock(L *lock)
{
    ompls_nest_lock *const it = reinterpret_cast<ompls_nest_lock *>(ompls_lock_word(lock));
    static_assert(sizeof(L) >= sizeof *it, "a nestable lock of <omp.h> has room for ours");
    if (ompls_atomic_read(&it->owner) != ompls_me()) {
        if (!omp_test_lock(&it->taken)) return 0;
        ompls_atomic_write(&it->owner, ompls_me());
    }
    return ++it->times;
}
template <typename L> static __device__ void omp_set_nest_lock(L *lock)
{
    while (!omp_test_nest_lock(lock)) {}
}
template <typename L> static __device__ void omp_unset_nest_lock(L *lock)
{
    ompls_nest_lock *const it = reinterpret_cast<ompls_nest_lock *>(ompls_lock_word(lock));
    if (--it->times > 0) return;
    ompls_atomic_write(&it->owner, 0ull);
    omp_unset_lock(&it->taken);
}
template <typename L> static __device__ void omp_init_nest_lock(L *lock)
{
    *reinterpret_cast<ompls_nest_lock *>(lock) = {0, 0, 0};
}
template <typename L, typename H> static __device__ void omp_init_nest_lock_with_hint(L *lock, H)
{
    omp_init_nest_lock(lock);
}
template <typename L> static __device__ void omp_destroy_nest_lock(L *) {}
// What is done under a lock of the user's; `body` releases it.
template <typename L, class F> static __device__ void ompls_with_lock(L *lock, F body)
{
    ompls_once_taken([=] { return omp_test_lock(lock); }, body);
}
template <typename L, class F> static __device__ void ompls_with_nest_lock(L *lock, F body)
{
    ompls_once_taken([=] { return omp_test_nest_lock(lock); }, body);
}
// A wait for a lock that may keep the lanes of a warp apart: no code for a GPU before sm_70 is made of it.
#if OMPLS_LANES_INDEPENDENT
#define OMPLS_UNJOINED(routine, lock, why) routine(lock)
#else
#define OMPLS_UNJOINED(routine, lock, why)                                                                             \
    [&] {                                                                                                              \
        static_assert(OMPLS_LANES_INDEPENDENT,                                                                         \
                      #routine " hangs on a GPU before sm_70 when threads of a warp compete for the lock: " why);      \
        return routine(lock);                                                                                          \
    }()
#endif

// --- the rest of the API (OpenMP 6.0 chapters 21-24): a device has no places, and its tasks run at once ----------
static __device__ inline int omp_get_proc_bind(void) { return 0; } // omp_proc_bind_false
static __device__ inline int omp_get_num_places(void) { return 0; }
static __device__ inline int omp_get_place_num_procs(int) { return 0; }
static __device__ inline void omp_get_place_proc_ids(int, int *) {}
static __device__ inline int omp_get_place_num(void) { return -1; }
static __device__ inline int omp_get_partition_num_places(void) { return 0; }
static __device__ inline void omp_get_partition_place_nums(int *) {}
static __device__ inline int omp_get_max_task_priority(void) { return 0; }
static __device__ inline int omp_is_free_agent(void) { return 0; }
static __device__ inline int omp_ancestor_is_free_agent(int) { return 0; }
static __device__ inline void omp_set_max_active_levels(int) {}
static __device__ inline void omp_set_num_teams(int) {}
static __device__ inline void omp_set_teams_thread_limit(int) {}
static __device__ inline void omp_set_default_device(int) {}
