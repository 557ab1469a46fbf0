/* touched.c -- faults in the program's own process: memory of a device that the host touches, kernels on `host`.

   When a device is opened these signals get a handler, unless the program has one.  All else that is done beforehand is that a thread
   notes what it launches (launch.c).  What is called here a signal handler may call.
   A fault that is none of these happens again as if there were no handler. */
#define _GNU_SOURCE
#include "launch.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

enum { NULL_PAGE = 4096, NEAR = 1 << 24 };

/* The program at the fault. */
typedef struct {
    uintptr_t address, code;
    bool write;
} fault;

/* What the kernel says of the mapping in which an address lies. */
typedef struct {
    uintptr_t begin, end;
    uintptr_t base; /* where its file is loaded */
    char path[256];
} mapping;

/* Where code is, as far as debug information and the symbols of its file tell: "" and 0. */
typedef struct {
    char function[256], file[256];
    unsigned line;
} place_in_text;

static fault fault_of(const siginfo_t *info, const ucontext_t *context) {
    fault f = {.address = (uintptr_t)info->si_addr};
#if defined(__x86_64__)
    f.code = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
    f.write = (context->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#elif defined(__aarch64__)
    f.code = context->uc_mcontext.pc;
#else
    (void)context;
#endif
    return f;
}

/* --- /proc and binutils ------------------------------------------------------------------------------------------------ */

/* One line of /proc/self/maps: "BEGIN-END RIGHTS OFFSET DEVICE INODE   PATH".  False: it has no path. */
static void read_mapping(const char *line, mapping *m) {
    char *rest;
    m->begin = strtoull(line, &rest, 16);
    m->end = *rest == '-' ? strtoull(rest + 1, &rest, 16) : m->begin;
    const char *path = strchr(rest, '/');
    snprintf(m->path, sizeof m->path, "%s", path != NULL ? path : "");
}

static bool find_mapping(uintptr_t address, mapping *found) {
    char buffer[4096], line[512], before[sizeof found->path] = "";
    size_t length = 0;
    uintptr_t base = 0;
    bool there = false;
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    for (ssize_t got; file >= 0 && !there && (got = read(file, buffer, sizeof buffer)) > 0;) {
        for (ssize_t i = 0; i < got && !there; i++) {
            if (buffer[i] != '\n') {
                if (length < sizeof line - 1) line[length++] = buffer[i];
                continue;
            }
            line[length] = '\0';
            length = 0;
            read_mapping(line, found);
            if (strcmp(found->path, before) != 0) base = found->begin;
            memcpy(before, found->path, sizeof before);
            found->base = base;
            there = address >= found->begin && address < found->end;
        }
    }
    if (file >= 0) close(file);
    return there;
}

/* A name by which a file without one can be opened: an image is in memory only. */
static void openable(mapping *m) {
    char link[64], target[sizeof m->path];
    if (strstr(m->path, " (deleted)") == NULL) return;
    for (int file = 0; file < 4096; file++) {
        snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)getpid(), file);
        ssize_t length = readlink(link, target, sizeof target - 1);
        if (length < 0) continue;
        target[length] = '\0';
        if (strcmp(target, m->path) == 0) {
            memcpy(m->path, link, sizeof link);
            return;
        }
    }
}

/* Whether code is where the file says (-no-pie); else that is from where it is loaded on. */
static bool is_fixed(const char *path) {
    struct {
        unsigned char ident[EI_NIDENT];
        uint16_t type;
    } head = {.type = ET_NONE};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    bool got = read(file, &head, sizeof head) == sizeof head;
    close(file);
    return got && head.type == ET_EXEC;
}

static place_in_text find_place(uintptr_t code) {
    place_in_text found = {.line = 0};
    mapping object;
    int ends[2];
    char address[32], text[768];
    if (code == 0 || !find_mapping(code, &object) || object.path[0] == '\0' || pipe(ends) != 0) return found;
    openable(&object);
    snprintf(address, sizeof address, "%#" PRIxPTR, is_fixed(object.path) ? code : code - object.base);
    pid_t child = vfork(); /* not fork: this thread may be in the middle of malloc */
    if (child == 0) {
        dup2(ends[1], 1);
        dup2(open("/dev/null", O_WRONLY), 2);
        execlp("addr2line", "addr2line", "-f", "-e", object.path, address, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got; child > 0 && length < sizeof text - 1 && (got = read(ends[0], text + length, sizeof text - 1 - length)) > 0;) length += (size_t)got;
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
    text[length] = '\0';
    char *second = strchr(text, '\n'), *colon = second != NULL ? strrchr(second, ':') : NULL;
    if (colon == NULL) return found;
    *second++ = *colon = '\0';
    if (text[0] != '?') snprintf(found.function, sizeof found.function, "%.255s", text);
    found.line = (unsigned)strtoul(colon + 1, NULL, 10);
    if (found.line != 0) snprintf(found.file, sizeof found.file, "%.255s", ompls_known_source(second));
    return found;
}

/* --- what code of libraries was called by ------------------------------------------------------------------------------- */

static _Unwind_Word (*get_ip)(struct _Unwind_Context *);
static _Unwind_Reason_Code (*walk)(_Unwind_Trace_Fn, void *); /* gcc's unwinder; 0: not there */

/* Loaded when a device opens that has memory of its own: a fault may be in the middle of malloc, where nothing can be. */
static void find_unwinder(void) {
    void *library = dlopen("libgcc_s.so.1", RTLD_LAZY);
    void *walker = library != NULL ? dlsym(library, "_Unwind_Backtrace") : NULL;
    void *ip = library != NULL ? dlsym(library, "_Unwind_GetIP") : NULL;
    memcpy(&walk, &walker, sizeof walk);
    memcpy(&get_ip, &ip, sizeof get_ip);
}

/* Whether the system has put the code there: free() is not where the user has to look. */
static bool is_of_system(uintptr_t code) {
    mapping object;
    if (!find_mapping(code, &object)) return false;
    const char *path = object.path + (strncmp(object.path, "/usr", 4) == 0 ? 4 : 0);
    return strncmp(path, "/lib/", 5) == 0 || strncmp(path, "/lib64/", 7) == 0;
}

typedef struct {
    uintptr_t fault, caller; /* the innermost frame's code that is not the system's; 0: there is none yet */
    bool below;              /* the handler's own frames are done */
} frames;

static _Unwind_Reason_Code on_frame(struct _Unwind_Context *context, void *argument) {
    frames *f = argument;
    uintptr_t code = get_ip(context);
    if (code == f->fault) f->below = true;
    else if (f->below && !is_of_system(code)) {
        f->caller = code - 1; /* of the call, not behind it */
        return _URC_END_OF_STACK;
    }
    return _URC_NO_REASON;
}

/* Where the program itself is, whose frame is the innermost. */
static place_in_text find_own_place(uintptr_t code) {
    frames f = {.fault = code};
    if (!is_of_system(code)) return find_place(code);
    if (walk != NULL && get_ip != NULL) walk(on_frame, &f);
    place_in_text found = find_place(f.caller != 0 ? f.caller : code);
    if (f.caller == 0) found.line = 0; /* a line of the C library's helps nobody: its function is told */
    return found;
}

/* --- messages ----------------------------------------------------------------------------------------------------------- */

static _Noreturn void end_with(const char *text) {
    for (size_t done = 0, length = strlen(text); done < length;) {
        ssize_t written = write(2, text + done, length - done);
        if (written <= 0) break;
        done += (size_t)written;
    }
    _exit(OMPLS_EXIT_CODE);
}

/* "FILE:LINE: ", or what there is instead. */
static void begin_line(char *out, size_t size, const place_in_text *where) {
    if (where->line != 0) snprintf(out, size, "%s:%u: ", where->file, where->line);
    else if (where->function[0] != '\0') snprintf(out, size, "ompls: error: in %s(): ", where->function);
    else snprintf(out, size, "ompls: error: ");
}

/* --- memory of devices that the host touches ------------------------------------------------------------------------------ */

/* The range in which those of all devices lie that are known. */
static uintptr_t first_reserved = UINTPTR_MAX, end_reserved;

ompls_device *ompls_memory_of(uintptr_t address) {
    if (OMPLS_LIKELY(address < first_reserved || address >= end_reserved)) return NULL;
    for (int i = 0; i < ompls_device_count(); i++) {
        ompls_device *device = ompls_device_at(i);
        if (address - device->properties.reserved < device->properties.reserved_bytes) return device;
    }
    return NULL;
}

/* What corresponds to a list item there; 0: nothing does. */
static ompls_entry *entry_at(ompls_device *device, uintptr_t address) {
    uint32_t count = atomic_load(&device->table.count);
    for (uint32_t i = 0; i < count; i++) {
        ompls_entry *entry = ompls_table_entry(&device->table, i);
        if (address - atomic_load(&entry->device) < atomic_load(&entry->end) - atomic_load(&entry->begin)) return entry;
    }
    return NULL;
}

/* Devices whose ranges are not known have the addresses of what is mapped. */
static ompls_device *device_with(uintptr_t address, ompls_entry **entry) {
    ompls_device *device = ompls_memory_of(address);
    *entry = device != NULL ? entry_at(device, address) : NULL;
    for (int i = 0; device == NULL && i < ompls_device_count(); i++) {
        ompls_device *other = ompls_device_at(i);
        if (atomic_load(&other->status) != OMPLS_OPEN || other->properties.shares_host_memory || other->properties.pointer_bytes == 4) continue;
        if ((*entry = entry_at(other, address)) != NULL) device = other;
    }
    return device;
}

static void tell_touch(const fault *f, ompls_device *device, const ompls_entry *entry) {
    static char line[600], what[400], text[1600];
    place_in_text where = find_own_place(f->code);
    begin_line(line, sizeof line, &where);
    if (entry != NULL)
        snprintf(what, sizeof what, "'%.200s' there, byte %" PRIuPTR, entry->name, f->address - (uintptr_t)atomic_load(&entry->device));
    else snprintf(what, sizeof what, "of omp_target_alloc, or of what was mapped");
    snprintf(text, sizeof text,
             "%sthe host %s device address %#" PRIxPTR ", memory of %s (%s): the host cannot reach it; use the variable itself with `target update`, "
             "omp_target_memcpy, or a region with is_device_ptr or has_device_addr\n",
             line, f->write ? "wrote" : "read", f->address, device->name, what);
    end_with(text);
}

/* --- kernels on `host` ------------------------------------------------------------------------------------------------------ */

/* The region whose kernel this thread runs, as `host` does; 0: it runs none. */
static const ompls_run *run_of(const ompls_run *launched) {
    return launched != NULL && launched->at.device->properties.shares_host_memory ? launched : NULL;
}

static const ompls_run *const *of_opener; /* what the thread launches that has opened a device */

/* Of another thread of the kernel's team: the code is the kernel's, and the opener has launched it. */
static const ompls_run *run_of_team(const fault *f) {
    static place_in_text where;
    mapping thread;
    if (of_opener == NULL || !find_mapping((uintptr_t)of_opener, &thread)) return NULL; /* it has ended */
    const ompls_run *run = run_of(*of_opener);
    if (run == NULL) return NULL;
    where = find_place(f->code);
    size_t length = strlen(run->at.region->kernel);
    bool its = strncmp(where.function, run->at.region->kernel, length) == 0 && (where.function[length] == '.' || where.function[length] == '\0');
    return its ? run : NULL;
}

/* The nearest of a region's pointers before the address. */
static void name_nearest(const ompls_run *run, uintptr_t address, char *out, size_t size) {
    const ompls_region *region = run->at.region;
    uintptr_t least = NEAR;
    snprintf(out, size, "no memory of the program)");
    for (uint32_t i = 0; i < region->nparams; i++) {
        const ompls_param_desc *param = &region->params[i];
        uintptr_t value = 0;
        if (ompls_is_address(param) || param->kind == OMPLS_PARAM_POINTER) memcpy(&value, run->request.params[i], sizeof value);
        if (value == 0 || address - value >= least) continue;
        least = address - value;
        snprintf(out, size, "variable '%.100s', %" PRIuPTR " bytes behind where it begins)", param->name, least);
    }
}

/* What a kernel did that is no access to memory; 0: it was one. */
static const char *done_wrong(int number, int code) {
    if (number == SIGFPE) return code == FPE_INTDIV ? "divided by zero, or the least number by -1" : "computed what has no result";
    return number == SIGSEGV ? NULL : "came to a trap: __builtin_trap(), or code that the compiler takes for unreachable";
}

static void tell_kernel(const fault *f, const ompls_run *run, const char *wrong) {
    static char line[600], null[128], what[400], text[2000];
    place_in_text where = find_own_place(f->code);
    const ompls_region *region = run->at.region;
    if (where.line == 0) {
        where.line = region->line;
        snprintf(where.file, sizeof where.file, "%.255s", region->file);
    }
    begin_line(line, sizeof line, &where);
    ompls_name_null(region, run->args, run->values, null, sizeof null);
    if (wrong != NULL) snprintf(what, sizeof what, "%s", wrong);
    else {
        int done = snprintf(what, sizeof what, "%s address %#" PRIxPTR " (", f->write ? "wrote" : "read", f->address);
        if (f->address < NULL_PAGE) snprintf(what + done, sizeof what - (size_t)done, "a null pointer%s)", null);
        else name_nearest(run, f->address, what + done, sizeof what - (size_t)done);
    }
    snprintf(text, sizeof text, "%sregion on %s %s, in kernel %s of the region at %s:%u\n", line, run->at.device->name, what, region->kernel,
             region->file, region->line);
    end_with(text);
}

/* --- the signal --------------------------------------------------------------------------------------------------------------- */

static const int FAULTS[] = {SIGSEGV, SIGILL, SIGTRAP, SIGFPE}; /* a trap is SIGILL on x86_64, SIGTRAP on aarch64 */

static void on_fault(int number, siginfo_t *info, void *context) {
    fault f = fault_of(info, context);
    ompls_entry *entry;
    bool happened = info->si_code > 0; /* else it was sent */
    if (happened && (number != SIGSEGV || info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR)) {
        ompls_device *device = number == SIGSEGV ? device_with(f.address, &entry) : NULL;
        const ompls_run *run = NULL;
        if (device == NULL && (run = run_of(ompls_running)) == NULL) run = run_of_team(&f);
        if (device != NULL || run != NULL) ompls_speak_first();
        if (device != NULL) tell_touch(&f, device, entry);
        if (run != NULL) tell_kernel(&f, run, done_wrong(number, info->si_code));
    }
    signal(number, SIG_DFL);
    if (!happened || number == SIGTRAP) raise(number); /* it does not happen again */
}

void ompls_watch(const ompls_device *device) {
    static bool watching;
    uint64_t first = device->properties.reserved, bytes = device->properties.reserved_bytes;
    if (bytes != 0 && first < first_reserved) first_reserved = first;
    if (bytes != 0 && first + bytes > end_reserved) end_reserved = first + bytes;
    if (bytes != 0 && walk == NULL) find_unwinder();
    if (watching) return;
    watching = true;
    of_opener = &ompls_running;
    struct sigaction now, ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < sizeof FAULTS / sizeof *FAULTS; i++)
        if (sigaction(FAULTS[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL) sigaction(FAULTS[i], &ours, NULL);
}
