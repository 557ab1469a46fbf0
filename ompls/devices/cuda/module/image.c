/* image.c -- reads the index of an image: lines of words.  Nothing is copied out of the image. */
#include "image.h"

#include <stdlib.h>
#include <string.h>

static const char magic[] = "ompls cuda image 2\n", last_line[] = "end\n";
enum { ALIGNMENT = 16 };

typedef struct {
    const char *begin, *end;
} words; /* the rest of a line */

/* The next line, without its end; false: there is none.  What is between `*at` and `end` ends with an end of a line. */
static bool next_line(const char **at, const char *end, words *line) {
    if (*at >= end) return false;
    line->begin = *at;
    line->end = memchr(*at, '\n', (size_t)(end - *at));
    *at = line->end + 1;
    return true;
}

/* The next word; empty: there is none. */
static words next_word(words *line) {
    words word = {line->begin, line->begin};
    while (word.end < line->end && *word.end != ' ') word.end++;
    line->begin = word.end < line->end ? word.end + 1 : word.end;
    return word;
}

static bool is(words word, const char *text) {
    return (size_t)(word.end - word.begin) == strlen(text) && memcmp(word.begin, text, strlen(text)) == 0;
}

/* What a line says of code: `code KIND CAPABILITY POSITION LENGTH [CAPABILITY…]`. */
typedef struct {
    bool ptx, runs;
    int capability;
    uint64_t at, size;
} code_line;

static bool read_code(words line, int gpu, code_line *out) {
    words kind = next_word(&line);
    *out = (code_line){.ptx = is(kind, "ptx")};
    uint64_t number[3] = {0};
    for (int i = 0; i < 3; i++) {
        words word = next_word(&line);
        if (word.begin == word.end) return false;
        number[i] = strtoull(word.begin, NULL, 10); /* which stops at the line's end */
    }
    out->capability = (int)number[0], out->at = number[1], out->size = number[2];
    out->runs = out->ptx && out->capability <= gpu;
    while (line.begin < line.end && !out->ptx) out->runs |= strtol(next_word(&line).begin, NULL, 10) == gpu;
    return out->ptx || is(kind, "cubin");
}

static int fail_damaged(ompls_error *err, const char *why) {
    return ompls_device_fail(err, "build the program again on this machine", "the image is damaged (%s)", why);
}

/* Why none of a file's code runs on the GPU. */
static int fail_unfit(const ompls_cuda_file *file, int gpu, ompls_error *err) {
    char has[256] = "", hint[96];
    const char *at = file->begin;
    bool near = false;
    for (words line; next_line(&at, file->end, &line);) {
        code_line code;
        if (!is(next_word(&line), "code") || !read_code(line, gpu, &code)) continue;
        size_t used = strlen(has);
        snprintf(has + used, sizeof has - used, "%s%s for %d.%d", used > 0 ? ", " : "", code.ptx ? "ptx" : "cubin", code.capability / 10,
                 code.capability % 10);
        near |= !code.ptx && code.capability / 10 == gpu / 10 && code.capability <= gpu;
    }
    snprintf(hint, sizeof hint, "build the program again on this machine, or with OMPLS_CUDA_ARCH=%d.%d", gpu / 10, gpu % 10);
    return ompls_device_fail(err, hint, "the image has %s, the GPU's compute capability is %d.%d%s", has[0] != '\0' ? has : "nothing", gpu / 10,
                             gpu % 10, near ? "; machine code of a Tegra chip runs on no other GPU, nor that of others there" : "");
}

/* The newest code that runs; machine code before PTX. */
static int choose(ompls_cuda_file *file, int gpu, words all, ompls_error *err) {
    const char *at = file->begin;
    code_line best = {.capability = -1};
    for (words line; next_line(&at, file->end, &line);) {
        code_line code;
        if (!is(next_word(&line), "code")) continue;
        if (!read_code(line, gpu, &code)) return fail_damaged(err, "a line of its index");
        uint64_t size = (uint64_t)(all.end - all.begin);
        if (code.at > size || code.size >= size - code.at) return fail_damaged(err, "it ends early");
        bool better = best.capability < 0 || (best.ptx && !code.ptx) || (best.ptx == code.ptx && code.capability > best.capability);
        if (code.runs && better) best = code;
    }
    if (best.capability < 0) return fail_unfit(file, gpu, err);
    file->kind = best.ptx ? "ptx" : "cubin";
    file->code = all.begin + best.at;
    return 0;
}

/* Where the index ends: behind its last line, or 0. */
static const char *end_of_index(const char *begin, const char *end) {
    size_t length = sizeof last_line - 1;
    for (const char *at = begin; at != NULL && (size_t)(end - at) >= length; at = memchr(at, '\n', (size_t)(end - at)), at += at != NULL)
        if (memcmp(at, last_line, length) == 0) return at + length;
    return NULL;
}

int ompls_cuda_files(const void *image, uint64_t size, int capability, ompls_cuda_file **files, ompls_error *err) {
    const char *begin = image, *end = begin + size;
    if (size < sizeof magic || memcmp(begin, magic, sizeof magic - 1) != 0) {
        ompls_device_fail(err, "build the program again on this machine", "the image is not one of the device `cuda`");
        return -1;
    }
    const char *index = begin + sizeof magic - 1, *behind = end_of_index(index, end);
    if (behind == NULL) return fail_damaged(err, "its index has no end"), -1;
    uint64_t start = ((uint64_t)(behind - begin) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    words all = {begin + (start < size ? start : size), end};
    int count = 0;
    *files = NULL;
    const char *at = index;
    for (words line; next_line(&at, behind, &line);) count += is(line, "module");
    ompls_cuda_file *found = *files = calloc((size_t)count + 1, sizeof *found);
    if (found == NULL) return ompls_device_fail(err, "close other programs", "loading the image: out of memory"), -1;
    int n = -1;
    at = index;
    for (words line; next_line(&at, behind, &line);)
        if (is(line, "module")) found[++n] = (ompls_cuda_file){.begin = at, .end = at};
        else if (n >= 0) found[n].end = at;
    for (int i = 0; i < count; i++)
        if (choose(&found[i], capability, all, err) != 0) return free(found), *files = NULL, -1;
    return count;
}

bool ompls_cuda_has_kernel(const ompls_cuda_file *file, const char *name) {
    const char *at = file->begin;
    for (words line; next_line(&at, file->end, &line);)
        if (is(next_word(&line), "kernel") && is(next_word(&line), name)) return true;
    return false;
}

void ompls_cuda_kernels(const ompls_cuda_file *file, char *text, size_t size) {
    const char *at = file->begin;
    text[0] = '\0';
    for (words line; next_line(&at, file->end, &line);) {
        if (!is(next_word(&line), "kernel")) continue;
        words name = next_word(&line);
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%.*s", used > 0 ? ", " : "", (int)(name.end - name.begin), name.begin);
    }
}
