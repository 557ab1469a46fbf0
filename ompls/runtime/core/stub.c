/* stub.c -- the executable of a program that may use devices written in Python.

   The program itself is a shared object in here.  When one of its Python devices may be wanted, the stub becomes the
   Python interpreter (exec: same process, same streams), which loads the program and runs its `main`; otherwise it loads
   the program itself, and no Python is in the process.  Which devices are wanted is decided without Python: from
   OMPLS_DEVICES, OMP_TARGET_OFFLOAD and whether a library that a device cannot do without is there.

   A program that was built on another machine knows of no file here: python3, from PATH, is to know the package.
   OMPLS_PYTHON replaces the interpreter that was recorded when the program was built.  It starts in the root directory,
   as start.py says, and gets ours as a descriptor. */
#define _GNU_SOURCE
#include "stub.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

extern char **environ;

static _Noreturn void fail(const char *what, const char *why, const char *next) {
    fprintf(stderr, "ompls: error: %s: %s; %s\n", what, why, next);
    exit(125);
}

static bool names_device(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; *at != '\0'; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",:") == length && strncmp(at, name, length) == 0) return true;
    return false;
}

static bool is_wanted(const char *device, const char *library) {
    const char *list = getenv("OMPLS_DEVICES");
    if (list != NULL && *list != '\0') return names_device(list, device);
    return *library == '\0' || dlopen(library, RTLD_LAZY) != NULL;
}

/* The Python devices that may be wanted, with commas between them; "" without one. */
static const char *wanted_devices(void) {
    static char names[4096];
    const char *offload = getenv("OMP_TARGET_OFFLOAD");
    if (offload != NULL && strcasecmp(offload, "disabled") == 0) return names;
    for (const char *device = ompls_stub_devices, *library; *device != '\0'; device = library + strlen(library) + 1) {
        size_t used = strlen(names);
        library = device + strlen(device) + 1;
        if (is_wanted(device, library)) snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? "," : "", device);
    }
    return names;
}

/* The program as a file of its own, that the loader and the interpreter can open. */
static int program_file(char *path, size_t size) {
    int file = memfd_create("ompls-program", 0);
    const char *from = ompls_stub_program;
    while (file >= 0 && from < ompls_stub_program_end) {
        ssize_t done = write(file, from, (size_t)(ompls_stub_program_end - from));
        if (done < 0 && errno != EINTR) fail("unpacking the program", strerror(errno), "check the limits on memory");
        if (done > 0) from += done;
    }
    if (file < 0) fail("unpacking the program", strerror(errno), "check the limits on open files");
    /* Not /proc/self: the loader knows objects by their paths, and an image may get the same number later. */
    snprintf(path, size, "/proc/%d/fd/%d", (int)getpid(), file);
    return file;
}

/* OMPLS_PYTHON as it means from the directory that we are in, or the recorded interpreter. */
static const char *interpreter(void) {
    const char *chosen = getenv("OMPLS_PYTHON");
    if (chosen == NULL || *chosen == '\0') return ompls_stub_python;
    char *here = *chosen != '/' && strchr(chosen, '/') != NULL ? getcwd(NULL, 0) : NULL, *full;
    return here != NULL && asprintf(&full, "%s/%s", here, chosen) > 0 ? full : chosen;
}

/* start.py, as `-c` runs it: what it takes off the import path is the current directory then. */
static const char from_the_package[] =
    "import sys\n"
    "try:\n"
    "    from ompls.runtime.start import main\n"
    "except ImportError as error:\n"
    "    sys.stderr.write('ompls: error: starting Python: %s (%s); pip install ompls there, or set PYTHONPATH\\n'\n"
    "                     % (error, sys.executable))\n"
    "    sys.exit(125)\n"
    "sys.exit(main())\n";

static _Noreturn void become_python(const char *devices, char *path, int argc, char **argv) {
    const char *python = interpreter();
    char what[256], why[4200], directory[16] = "";
    snprintf(what, sizeof what, "device '%.*s' is not available", (int)strcspn(devices, ","), devices);
    if (*ompls_stub_script != '\0' && access(ompls_stub_script, R_OK) != 0) {
        snprintf(why, sizeof why, "the runtime is not at %s (%s)", ompls_stub_script, strerror(errno));
        fail(what, why, "build the program again");
    }
    const char **command = calloc((size_t)argc + 10, sizeof *command);
    if (command == NULL) fail("starting", strerror(errno), "close other programs");
    int here = open(".", O_PATH | O_DIRECTORY);
    /* Where we could not go back to nothing can be found either: then it starts there. */
    if (here >= 0 && access(".", X_OK) == 0 && chdir("/") == 0) snprintf(directory, sizeof directory, "%d", here);
    int n = 0;
    command[n++] = python;
    if (*ompls_stub_script == '\0') command[n++] = "-c";
    command[n++] = *ompls_stub_script == '\0' ? from_the_package : ompls_stub_script;
    command[n++] = directory;
    command[n++] = "ompls.runtime.__main__";
    command[n++] = "host-program";
    command[n++] = path;
    command[n++] = devices;
    for (int i = 0; i < argc; i++) command[n++] = argv[i];
    execvp(python, (char **)command);
    snprintf(why, sizeof why, "it needs Python, but %s does not start (%s)", python, strerror(errno));
    fail(what, why, "set OMPLS_PYTHON or build the program again");
}

int main(int argc, char **argv) {
    char path[64];
    const char *devices = wanted_devices();
    int file = program_file(path, sizeof path);
    if (*devices != '\0') become_python(devices, path, argc, argv);
    void *program = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (program == NULL) fail("loading the program", dlerror(), "build it again on this machine");
    close(file);
    int (*run)(int, char **, char **);
    void *found = dlsym(program, "main");
    if (found == NULL) fail("loading the program", "it has no main", "build it again");
    memcpy(&run, &found, sizeof run);
    return run(argc, argv, environ);
}
