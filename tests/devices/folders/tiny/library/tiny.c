/* tiny.c -- what runs on the core: a loop that does what the host asks for, and OpenMP for one thread.

   The host writes a request of four words, perhaps with bytes behind it, and gets bytes or a word back.  It is the host
   that says which memory is free; here is only one array of it. */
#include "tiny.h"

enum { READ = 1, WRITE, LAUNCH };
enum { STACK = 4096, PARAMETERS = 32, BYTES = 512 };

char tiny_memory[TINY_MEMORY] __attribute__((aligned(16)));
char tiny_stack[STACK] __attribute__((aligned(16)));
int ompls_image_device_number;

static int call(int number, int a, void *b, int c) {
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
    return result;
}

static void end(int code) {
    for (;;) call(1, code, 0, 0);
}

static void receive(void *into, int size) {
    for (char *at = into; size > 0;) {
        int done = call(3, 0, at, size);
        if (done <= 0) end(done != 0);
        at += done, size -= done;
    }
}

static void send(void *from, int size) {
    for (char *at = from; size > 0;) {
        int done = call(4, 1, at, size);
        if (done <= 0) end(1);
        at += done, size -= done;
    }
}

/* `count` sizes, then the bytes of as many parameters. */
static void launch(void (*kernel)(void **), int count) {
    static int sizes[PARAMETERS];
    static char bytes[BYTES] __attribute__((aligned(16)));
    static void *params[PARAMETERS];
    int at = 0;
    receive(sizes, count * 4);
    for (int i = 0; i < count; i++) {
        params[i] = bytes + at;
        receive(params[i], sizes[i]);
        at += (sizes[i] + 15) / 16 * 16;
    }
    kernel(params);
}

void tiny_main(void);
void tiny_main(void) {
    for (;;) {
        struct { int what; char *at; int size, count; } asked;
        receive(&asked, sizeof asked);
        if (asked.what == READ) send(asked.at, asked.size);
        if (asked.what == WRITE) receive(asked.at, asked.size);
        if (asked.what == LAUNCH) launch((void (*)(void **))asked.at, asked.count);
        if (asked.what != READ) send(&asked.what, 4);
    }
}

/* Everything is in the 32 KiB, the stack too. */
__asm__(".globl _start\n_start:\n\tmovl $tiny_stack + 4096, %esp\n\txorl %ebp, %ebp\n\tcall tiny_main\n");

/* --- the C library ------------------------------------------------------------------------------------------------- */

void *memcpy(void *to, const void *from, __SIZE_TYPE__ size) {
    char *out = to;
    for (const char *in = from; size > 0; size--) *out++ = *in++;
    return to;
}

void *memset(void *to, int value, __SIZE_TYPE__ size) {
    for (char *out = to; size > 0; size--) *out++ = (char)value;
    return to;
}

/* Copies of variables, which no other region changes meanwhile (core/image.c). */
void *ompls_remember(const void *copy, unsigned long size) {
    (void)size;
    return (void *)copy;
}

void ompls_put_back(void *variable, const void *copy, void *before, unsigned long size) {
    (void)before;
    memcpy(variable, copy, size);
}

/* --- OpenMP, as gcc calls it, for one thread ------------------------------------------------------------------------- */

void GOMP_target_ext(int device, void (*body)(void *), __SIZE_TYPE__ count, void **host) {
    (void)device, (void)count;
    body(host);
}

void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags) {
    (void)threads, (void)flags;
    body(data);
}

_Bool GOMP_teams4(unsigned low, unsigned high, unsigned limit, _Bool first) {
    (void)low, (void)high, (void)limit;
    return first; /* one team */
}

void GOMP_barrier(void) {}
void GOMP_critical_start(void) {}
void GOMP_critical_end(void) {}
void GOMP_critical_name_start(void **name) { (void)name; }
void GOMP_critical_name_end(void **name) { (void)name; }
void GOMP_atomic_start(void) {}
void GOMP_atomic_end(void) {}
_Bool GOMP_single_start(void) { return 1; }

/* A loop whose iterations are dealt out: all of them at once. */
_Bool GOMP_loop_dynamic_start(long start, long end_, long step, long chunk, long *first, long *last) {
    (void)step, (void)chunk;
    *first = start, *last = end_;
    return start != end_;
}
_Bool GOMP_loop_guided_start(long, long, long, long, long *, long *) __attribute__((alias("GOMP_loop_dynamic_start")));
_Bool GOMP_loop_nonmonotonic_dynamic_start(long, long, long, long, long *, long *) __attribute__((alias("GOMP_loop_dynamic_start")));
_Bool GOMP_loop_nonmonotonic_guided_start(long, long, long, long, long *, long *) __attribute__((alias("GOMP_loop_dynamic_start")));
_Bool GOMP_loop_dynamic_next(long *first, long *last) { (void)first, (void)last; return 0; }
_Bool GOMP_loop_guided_next(long *, long *) __attribute__((alias("GOMP_loop_dynamic_next")));
_Bool GOMP_loop_nonmonotonic_dynamic_next(long *, long *) __attribute__((alias("GOMP_loop_dynamic_next")));
_Bool GOMP_loop_nonmonotonic_guided_next(long *, long *) __attribute__((alias("GOMP_loop_dynamic_next")));
void GOMP_loop_end(void) {}
void GOMP_loop_end_nowait(void) {}

int omp_get_thread_num(void) { return 0; }
int omp_get_num_threads(void) { return 1; }
int omp_get_max_threads(void) { return 1; }
int omp_get_team_num(void) { return 0; }
int omp_get_num_teams(void) { return 1; }
int omp_in_parallel(void) { return 0; } /* a region of one thread is inactive */
int omp_is_initial_device(void) { return 0; }
int omp_get_device_num(void) { return ompls_image_device_number; }
