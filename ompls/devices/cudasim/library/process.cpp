// process.cpp -- the device process: takes commands from the host's module through shared memory and runs kernels.
//
// Started as `image HOST_PID INDEX ARENA_BYTES`, with the control page as file 3 and the arena as file 4.  It forks and
// ends, so that the device process is nobody's child who could wait for it.  That one owns no memory where the host could
// have some (protocol.h says where what lies): the stack that the kernel gave it is left and unmapped first of all.  It
// ends with the host, whatever the host dies of: a descriptor that is opened while the host is certainly there tells.
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <initializer_list>

#include "channel.h"
#include "checks/checks.h"
#include "engine.h"
#include "faults.h"
#include "pages.h"
#include "protocol.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

using namespace ompls_sim_channel;

namespace {

enum { CONTROL_FD = 3, ARENA_FD = 4, STATES_FD = 5 /* only with checks */ };
uint8_t *states;
int device_index;
pid_t host;
int host_fd; // a pidfd; negative before Linux 5.3
uint64_t arena_bytes;

uint64_t device_memory() { return SIM_ARENA_BASE + device_index * SIM_ARENA_STRIDE; }

// --- cores ------------------------------------------------------------------------------------------------------
// The main thread and its helpers take blocks from one counter.

struct Job {
    ompls_sim_launch launch;
    uint64_t blocks, step;
    uint64_t next;
    unsigned active; // helpers that may still be at it
};
Job job;
unsigned helpers;
uint32_t job_number; // futex
uint32_t job_done;   // futex

void take_blocks()
{
    for (;;) {
        const uint64_t first = __atomic_fetch_add(&job.next, job.step, __ATOMIC_RELAXED);
        if (first >= job.blocks) return;
        const uint64_t last = first + job.step < job.blocks ? first + job.step : job.blocks;
        for (uint64_t i = first; i < last; ++i) ompls_sim_run_block(job.launch, i);
    }
}

void *helper_main(void *)
{
    ompls_sim_catch_faults(device_memory());
    for (uint32_t seen = 0;;) {
        while (load(&job_number) == seen) futex_wait(&job_number, seen, -1);
        seen = load(&job_number);
        take_blocks();
        if (__atomic_sub_fetch(&job.active, 1, __ATOMIC_ACQ_REL) == 0) {
            __atomic_add_fetch(&job_done, 1, __ATOMIC_RELEASE);
            futex_wake(&job_done);
        }
    }
}

// The C library puts a thread's own variables on its stack: the shared memory of all kernels of the image.
size_t own_variables;

void measure_own_variables() // while the first stack is there, on which the kernel put what is asked here
{
    auto *header = reinterpret_cast<const ElfW(Phdr) *>(getauxval(AT_PHDR));
    for (unsigned long i = 0; i < getauxval(AT_PHNUM); ++i)
        if (header[i].p_type == PT_TLS) own_variables = header[i].p_memsz + header[i].p_align;
}

void start_thread(void *(*body)(void *), void *argument, size_t stack)
{
    const size_t page = 1 << 16;
    stack = (stack + own_variables + page - 1) / page * page;
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, ompls_sim_map(stack), stack);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (int failed = pthread_create(&thread, &attributes, body, argument))
        ompls_sim_fail(nullptr, "cannot start a thread: %s", strerror(failed));
    pthread_attr_destroy(&attributes);
}

unsigned count_cores()
{
    if (ompls_sim_checking) return 1;
    if (const char *asked = getenv("OMPLS_CUDASIM_CORES")) {
        const int number = atoi(asked);
        if (number > 0) return number < 1024 ? unsigned(number) : 1024;
    }
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? unsigned(CPU_COUNT(&set)) : 1;
}

void run_blocks(const ompls_sim_launch &launch)
{
    const uint64_t blocks = uint64_t(launch.grid.x) * launch.grid.y * launch.grid.z;
    static bool started;
    if (blocks > 1 && !started) {
        started = true;
        for (helpers = 0; helpers + 1 < count_cores(); ++helpers) start_thread(helper_main, nullptr, 1 << 20);
    }
    const unsigned others = blocks > 1 ? helpers : 0;
    const uint64_t step = blocks / (uint64_t(others + 1) * 16);
    job.launch = launch;
    job.blocks = blocks;
    job.step = step < 1 ? 1 : step > 256 ? 256 : step;
    job.next = 0;
    if (others == 0) return take_blocks();
    job.active = others;
    const uint32_t done = load(&job_done);
    __atomic_add_fetch(&job_number, 1, __ATOMIC_RELEASE);
    futex_wake(&job_number);
    take_blocks();
    while (load(&job_done) == done) futex_wait(&job_done, done, -1);
}

// --- commands ---------------------------------------------------------------------------------------------------

void refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(control->reason, sizeof control->reason, format, arguments);
    va_end(arguments);
    control->status = SIM_REFUSED;
}

void launch(const sim_kernel *kernel, void **params, const uint32_t *grid, const uint32_t *block)
{
    const uint64_t arena = device_memory();
    for (uint32_t i = 0; i < kernel->nparams; ++i) {
        // What the compiler checks where a kernel converts pointers (ompls/devices/cudasim/module) may come from outside, too.
        uint64_t address = 0;
        if (kernel->alignments[i] > 1) memcpy(&address, params[i], sizeof address);
        if (address - arena < arena_bytes && address % kernel->alignments[i] != 0)
            return refuse("parameter %u of the kernel points to 0x%llx, a misaligned address: no multiple of %u", i,
                          static_cast<unsigned long long>(address), kernel->alignments[i]);
    }
    ompls_sim_launch what;
    what.run = kernel->run;
    what.params = params;
    what.grid = {grid[0], grid[1], grid[2]};
    what.block = {block[0], block[1], block[2]};
    if (ompls_sim_checking) ompls_sim_check_launch(control, arena, arena_bytes);
    run_blocks(what);
    if (const uint64_t refused = ompls_sim_return_pages())
        ompls_sim_fail(nullptr, "wrote host address 0x%llx, which the program may only read", (unsigned long long)refused);
    if (ompls_sim_checking) ompls_sim_check_launch_end();
}

void *params[SIM_MAX_PARAMS]; // not on a stack: kernels read it

void launch_one()
{
    const sim_kernel *kernel = reinterpret_cast<const sim_kernel *>(control->kernel);
    if (kernel->nparams != control->nparams)
        return refuse("the kernel has %u parameters, the launch %u", kernel->nparams, control->nparams);
    for (uint32_t i = 0; i < kernel->nparams; ++i) {
        if (kernel->sizes[i] != control->sizes[i])
            return refuse("parameter %u of the kernel has %u bytes, of the launch %u", i, kernel->sizes[i], control->sizes[i]);
        params[i] = control->params + control->offsets[i];
    }
    launch(kernel, params, control->grid, control->block);
}

void launch_all()
{
    char *at = reinterpret_cast<char *>(control->address);
    for (uint32_t k = 0; k < control->length && control->status == SIM_OK; ++k) {
        const sim_queued *queued = reinterpret_cast<const sim_queued *>(at);
        const sim_kernel *kernel = reinterpret_cast<const sim_kernel *>(queued->kernel);
        control->begun = k;
        uint64_t used = 0;
        for (uint32_t i = 0; i < kernel->nparams && i < queued->nparams; ++i) {
            used = sim_place(used, kernel->sizes[i]);
            params[i] = at + sizeof *queued + used;
            used += kernel->sizes[i];
        }
        if (kernel->nparams != queued->nparams || used != queued->bytes)
            return refuse("the kernel has %u parameters in %u bytes, the launch %u in %u", kernel->nparams, unsigned(used), queued->nparams,
                          queued->bytes);
        launch(kernel, params, queued->grid, queued->block);
        at += queued->size;
    }
}

void protect()
{
    char *arena = reinterpret_cast<char *>(device_memory());
    for (uint32_t i = 0; i < control->nprotections; ++i) {
        const sim_protection &p = control->protections[i];
        // Too many separate ranges for the kernel: then there are fewer guards, never less memory.
        if (mprotect(arena + p.offset, p.size, p.accessible ? PROT_READ | PROT_WRITE : PROT_NONE) != 0 && p.accessible)
            refuse("cannot open memory of the device: %s", strerror(errno));
    }
    control->nprotections = 0;
}

void obey()
{
    control->status = SIM_OK;
    control->fault = 0;
    control->pc = 0;
    protect();
    if (control->status != SIM_OK) return;
    void *address = reinterpret_cast<void *>(control->address);
    switch (control->command) {
    case SIM_LAUNCH: launch_one(); break;
    case SIM_LAUNCH_ALL: launch_all(); break;
    case SIM_SHARE:
        if (!ompls_sim_share_host(host, control->address)) refuse("reading the program's memory: %s", strerror(errno));
        break;
    case SIM_READ: memcpy(control->staging, address, control->length); break;
    case SIM_WRITE: memcpy(address, control->staging, control->length); break;
    default: break;
    }
}

[[noreturn]] void serve()
{
    uint32_t done = 0;
    for (;;) {
        for (int spin = 0; spin < 200 && load(&control->request) == done; ++spin) sched_yield();
        while (load(&control->request) == done) futex_wait(&control->request, done, -1);
        done = load(&control->request);
        __atomic_store_n(&control->taken, done, __ATOMIC_RELEASE);
        obey();
        reply();
    }
}

// --- starting ---------------------------------------------------------------------------------------------------

int image_directory = -1;

// What is in there is ours as long as we live (runtime/scratch.py).
void lock_image()
{
    if (control->image_directory[0] == '\0') return;
    image_directory = open(control->image_directory, O_RDONLY | O_DIRECTORY);
    flock(openat(image_directory, SIM_LOCK_FILE, O_RDWR), LOCK_EX);
}

// A debugger stops where one of its processes ends, also while it runs the program once more.
bool is_traced()
{
    char line[256];
    int tracer = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && !tracer && fgets(line, sizeof line, status)) sscanf(line, "TracerPid: %d", &tracer);
    if (status) fclose(status);
    return tracer != 0;
}

// Ends the process when the host has ended.
void *watch_host(void *)
{
    pollfd wanted = {host_fd, POLLIN, 0};
    for (;;) {
        if (host_fd >= 0) poll(&wanted, 1, -1);
        else usleep(100000);
        if (host_fd < 0 ? kill(host, 0) == 0 : wanted.revents == 0) continue;
        while (image_directory >= 0 && is_traced()) usleep(100000);
        for (const char *name : {SIM_IMAGE_FILE, SIM_LOCK_FILE}) unlinkat(image_directory, name, 0);
        if (image_directory >= 0) rmdir(control->image_directory);
        _exit(0);
    }
}

uintptr_t old_stack, old_stack_end;

void find_stack()
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    unsigned long long from, to;
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "[stack]") && sscanf(line, "%llx-%llx", &from, &to) == 2) old_stack = from, old_stack_end = to;
    if (maps) fclose(maps);
}

void on_own_stack()
{
    munmap(reinterpret_cast<void *>(old_stack), old_stack_end - old_stack);
    ompls_sim_catch_faults(device_memory());
    start_thread(watch_host, nullptr, 1 << 18);
    serve();
}

} // namespace

char *ompls_sim_map(size_t size)
{
    static uintptr_t next = SIM_INTERNAL_BASE; // each device is a process of its own
    constexpr size_t page = 65536;             // the largest page size there is
    size = (size + page - 1) / page * page;
    for (;;) {
        const uintptr_t at = __atomic_fetch_add(&next, size + page, __ATOMIC_RELAXED) + page; // a page of nothing before it
        if (at + size > SIM_INTERNAL_BASE + SIM_INTERNAL_SIZE) ompls_sim_fail(nullptr, "out of address space for stacks");
        void *got = mmap(reinterpret_cast<void *>(at), size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == reinterpret_cast<void *>(at)) return static_cast<char *>(got);
        if (got != MAP_FAILED) munmap(got, size); // taken, and the kernel does not know MAP_FIXED_NOREPLACE
        else if (errno != EEXIST) ompls_sim_fail(nullptr, "out of memory for the stacks of threads: %s", strerror(errno));
    }
}

uint8_t *ompls_sim_check_states() { return states; }

double ompls_sim_seconds()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

long long ompls_sim_clock() { return (long long)(ompls_sim_seconds() * 1e9); }

namespace {

// The descriptors of the program are not ours to keep open; those that we need are 3 and 4.
void close_files()
{
    const int nothing = open("/dev/null", O_RDWR);
    for (int file = 0; file < 2; ++file) dup2(nothing, file); // printing goes through the host
    const int last = ompls_sim_checking ? STATES_FD : ARENA_FD;
    if (syscall(SYS_close_range, last + 1, ~0u, 0) != 0)
        for (int file = last + 1; file < 1024; ++file) close(file); // before Linux 5.9
}

// Returns in the second process.
void leave_the_host()
{
    host_fd = int(syscall(SYS_pidfd_open, host, 0));
    if (getppid() != host) _exit(1); // it ended before
    const pid_t made = fork();
    if (made == 0) return;
    if (made < 0) control->failed = errno;
    else __atomic_store_n(&control->process, uint32_t(made), __ATOMIC_RELEASE);
    _exit(0);
}

void map_memory()
{
    char *arena = reinterpret_cast<char *>(device_memory());
    if (mmap(arena, arena_bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, ARENA_FD, 0) != arena)
        ompls_sim_fail(nullptr, "cannot map the device's memory: %s", strerror(errno));
    close(CONTROL_FD);
    close(ARENA_FD);
    if (ompls_sim_checking) {
        void *wanted = reinterpret_cast<void *>(SIM_STATES_BASE);
        void *got = mmap(wanted, arena_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, STATES_FD, 0);
        if (got != wanted) ompls_sim_fail(nullptr, "cannot map the state of the device's memory: %s", strerror(errno));
        states = static_cast<uint8_t *>(got);
        close(STATES_FD);
    }
    mallopt(M_MMAP_MAX, 0);  // malloc in a kernel stays behind the image,
    mallopt(M_ARENA_MAX, 1); // whoever calls it
}

} // namespace

int main(int count, char **arguments)
{
    void *page = reinterpret_cast<void *>(SIM_INTERNAL_BASE + SIM_INTERNAL_SIZE), *got = MAP_FAILED;
    if (count == 4)
        got = mmap(page, sizeof(sim_control), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, CONTROL_FD, 0);
    if (got == MAP_FAILED) {
        fputs("This is a device image of ompls: it is started by the program it belongs to.\n", stderr);
        return 2;
    }
    control = static_cast<sim_control *>(got);
    host = atoi(arguments[1]);
    device_index = atoi(arguments[2]);
    arena_bytes = strtoull(arguments[3], nullptr, 10);
    close_files();
    leave_the_host();
    lock_image();
    for (int number : {SIGINT, SIGHUP, SIGQUIT, SIGTERM, SIGPIPE}) signal(number, SIG_IGN); // the host decides
    map_memory();
    prctl(PR_SET_NAME, "ompls-cudasim");
    static char cores[16];
    snprintf(cores, sizeof cores, "%u", count_cores());
    ompls_sim_heap_size(getenv("OMPLS_DEVICE_HEAP"));
    static char *no_environment[] = {nullptr};
    find_stack();
    measure_own_variables();
    environ = no_environment;
    setenv("OMPLS_CUDASIM_CORES", cores, 1);
    constexpr size_t stack = 1 << 20;
    ompls_sim_leave_stack(ompls_sim_map(stack) + stack, on_own_stack);
}
