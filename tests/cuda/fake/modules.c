/* modules.c -- the fake driver's modules: images of cudasim that borrow their GPU's memory, and launches. */
#define _GNU_SOURCE
#include "fake.h"
#include "fake_ptx.h"

static gpu *loading; /* whose memory the process that is started now shares */

/* The simulator's memory files; the arena of a module is its GPU's. */
int memfd_create(const char *name, unsigned flags) {
    if (loading != NULL && strcmp(name, "ompls-cudasim-arena") == 0) return fcntl(loading->arena, F_DUPFD_CLOEXEC, 3);
    return (int)syscall(SYS_memfd_create, name, flags);
}

int fake_open_arena(sim_device *d) {
    int file = memfd_create("fake-arena", MFD_CLOEXEC), flags = MAP_SHARED | MAP_NORESERVE | MAP_FIXED;
    if (file >= 0 && ftruncate(file, (off_t)d->bytes) == 0 &&
        mmap(d->arena, d->bytes, PROT_READ | PROT_WRITE, flags, file, 0) != MAP_FAILED)
        return file;
    perror("fake libcuda: memory");
    abort();
}

static bool borrow(gpu *g, module *m) {
    ompls_error err = {0};
    if (fake_table->open(fake_table, g->number, (void **)&m->sim, &err) != 0) return false;
    munmap(m->sim->arena, m->sim->bytes);
    m->sim->arena = g->sim->arena;
    return true;
}

static int load(gpu *g, module *m, uint64_t size, ompls_error *err) {
    loading = g;
    int status = fake_table->load(m->sim, m->image, size, &m->loaded, err);
    loading = NULL;
    for (int i = 0; i < g->nblocks && status == 0; i++) status = fake_tell(m, g->blocks[i].address, g->blocks[i].size, true);
    return status;
}

static unsigned digit(char c) {
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* The image that "PTX" holds, or NULL when it is no such text. */
static void *of_ptx(const char *text) {
    if (strncmp(text, FAKE_PTX, strlen(FAKE_PTX)) != 0) return NULL;
    text += strlen(FAKE_PTX);
    size_t size = strlen(text) / 2;
    unsigned char *image = malloc(size + 1);
    for (size_t i = 0; image != NULL && i < size; i++) image[i] = (unsigned char)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
    return image;
}

static int load_image(void **out, const void *image) {
    gpu *g = fake_current();
    const Elf64_Ehdr *elf = image;
    ompls_error err = {0};
    if (g == NULL) return INVALID_CONTEXT;
    if (memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 || g->nmodules == MAX_MODULES) return INVALID_IMAGE;
    uint64_t size = elf->e_shoff + (uint64_t)elf->e_shnum * elf->e_shentsize;
    module *m = &g->modules[g->nmodules];
    *m = (module){.owner = g, .image = malloc(size)};
    if (m->image == NULL || !borrow(g, m)) return OUT_OF_MEMORY;
    memcpy(m->image, image, size);
    if (load(g, m, size, &err) != 0) {
        fprintf(stderr, "fake libcuda: %s\n", err.reason);
        return INVALID_IMAGE;
    }
    g->nmodules++;
    *out = m;
    return SUCCESS;
}

API cuModuleLoadDataEx(void **out, const void *image, unsigned n, int *options, void **values) {
    (void)n, (void)options, (void)values;
    void *translated = of_ptx(image);
    fake_lock();
    int status = load_image(out, translated != NULL ? translated : image);
    fake_unlock();
    free(translated);
    return status;
}

API cuModuleLoadData(void **out, const void *image) {
    return cuModuleLoadDataEx(out, image, 0, NULL, NULL);
}

API cuModuleUnload(void *loaded) {
    (void)loaded; /* goes with the context */
    return SUCCESS;
}

API cuModuleGetGlobal_v2(uint64_t *address, size_t *size, void *loaded, const char *name) {
    module *m = loaded;
    ompls_error err = {0};
    if (fake_table->find_symbol(m->sim, m->loaded, name, address, &err) != 0) return NOT_FOUND;
    *address |= (uint64_t)(m - m->owner->modules + 1) << MODULE_SHIFT;
    if (size != NULL) *size = 8;
    return SUCCESS;
}

/* What a variable of the module's process holds. */
static int peek(module *m, uint64_t address, void *to, uint64_t size) {
    ompls_error err = {0};
    return size > 0 ? fake_table->copy_out(m->sim, to, address, size, &err) : 0;
}

static int peek_variable(module *m, const char *prefix, const char *name, void *to, uint64_t size) {
    char symbol[512];
    uint64_t address;
    ompls_error err = {0};
    snprintf(symbol, sizeof symbol, "%s%s", prefix, name);
    return fake_table->find_symbol(m->sim, m->loaded, symbol, &address, &err) != 0 ? 1 : peek(m, address, to, size);
}

API cuModuleGetFunction(void **out, void *loaded, const char *name) {
    module *m = loaded;
    ompls_error err = {0};
    sim_kernel described;
    uint64_t aligns;
    function *f = calloc(1, sizeof *f);
    if (f == NULL) return OUT_OF_MEMORY;
    f->in = m;
    snprintf(f->name, sizeof f->name, "%s", name);
    if (peek_variable(m, "ompls_sim_kernel_", name, &described, sizeof described) != 0 ||
        peek_variable(m, "fake_aligns_", name, &aligns, sizeof aligns) != 0 ||
        fake_table->find_kernel(m->sim, m->loaded, f->name, &f->kernel, &err) != 0) {
        free(f);
        return NOT_FOUND;
    }
    f->nparams = described.nparams;
    f->sizes = calloc(f->nparams + 1, 2 * sizeof *f->sizes);
    if (f->sizes == NULL) return OUT_OF_MEMORY;
    f->aligns = f->sizes + f->nparams;
    peek(m, (uint64_t)(uintptr_t)described.sizes, f->sizes, f->nparams * sizeof *f->sizes);
    peek(m, aligns, f->aligns, f->nparams * sizeof *f->aligns);
    *out = f;
    return SUCCESS;
}

/* What a kernel of many registers has: OMPLS_FAKE_THREADS. */
static int most_threads(void) {
    const char *text = getenv("OMPLS_FAKE_THREADS");
    return text != NULL ? atoi(text) : SIM_MAX_THREADS;
}

API cuFuncGetAttribute(int *value, int attribute, void *f) {
    (void)f;
    *value = attribute == 0 ? most_threads() : 0; /* MAX_THREADS_PER_BLOCK */
    return SUCCESS;
}

API cuFuncSetBlockShape(void *f, int x, int y, int z) {
    (void)f, (void)x, (void)y, (void)z;
    return SUCCESS;
}

API cuFuncSetSharedSize(void *f, unsigned bytes) {
    (void)f, (void)bytes;
    return SUCCESS;
}

/* Into the file OMPLS_FAKE_LAUNCHES. */
static void write_down(const char *kernel) {
    const char *path = getenv("OMPLS_FAKE_LAUNCHES");
    FILE *file = path != NULL ? fopen(path, "ae") : NULL;
    if (file == NULL) return;
    fprintf(file, "%s\n", kernel);
    fclose(file);
}

API cuLaunchKernel(void *kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **args, void **extra) {
    function *f = kernel;
    gpu *g = fake_current();
    const char *buffer = NULL;
    uint64_t given = 0, at = 0, sizes[SIM_MAX_PARAMS];
    const void *params[SIM_MAX_PARAMS];
    if (fake_before_kernel(stream) != SUCCESS) return g == NULL ? INVALID_CONTEXT : g->sticky;
    if (g == NULL) return INVALID_CONTEXT;
    if (g->sticky) return g->sticky;
    for (int i = 0; extra != NULL && extra[i] != NULL; i += 2) {
        if (extra[i] == (void *)1) buffer = extra[i + 1];              /* CU_LAUNCH_PARAM_BUFFER_POINTER */
        if (extra[i] == (void *)2) given = *(const size_t *)extra[i + 1]; /* CU_LAUNCH_PARAM_BUFFER_SIZE */
    }
    for (uint32_t i = 0; i < f->nparams; i++) {
        at = sim_round_up(at, f->aligns[i]);
        params[i] = args != NULL ? args[i] : buffer + at;
        sizes[i] = f->sizes[i];
        at += sizes[i];
    }
    if (args == NULL && at > given) return INVALID_VALUE;
    if (args != NULL && extra != NULL) return INVALID_VALUE;
    if (bx * by * bz > (unsigned)most_threads()) return LAUNCH_OUT_OF_RESOURCES;
    ompls_launch_request request = {.region_file = "", .name = f->name, .grid = {gx, gy, gz}, .block = {bx, by, bz},
                                    .shared_bytes = shared, .nparams = f->nparams, .params = params, .sizes = sizes};
    ompls_error err = {0};
    write_down(f->name);
    if (fake_table->launch(f->in->sim, f->kernel, &request, &err) == 0) {
        fake_behind_kernel();
        return SUCCESS;
    }
    int code = fake_code(g, &err);
    return g->sticky ? SUCCESS : code; /* a GPU tells later */
}
