/* libnvrtc.c -- NVIDIA's run-time compiler without NVIDIA: "cubins" are images of cudasim, made by compile.py beside this
   file.  PYTHON and COMPILER are given when this is compiled.  Only what runtime/nvrtc.py calls is here. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SUCCESS = 0, OUT_OF_MEMORY = 1, INVALID_INPUT = 3, COMPILATION = 6 };

typedef struct {
    char *source, *name, *log, *code;
    size_t log_size, code_size;
} program;

const char *nvrtcGetErrorString(int code) {
    return code == COMPILATION ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR";
}

int nvrtcVersion(int *major, int *minor) {
    *major = 12, *minor = 9;
    return SUCCESS;
}

int nvrtcGetNumSupportedArchs(int *count) {
    *count = 3;
    return SUCCESS;
}

int nvrtcGetSupportedArchs(int *numbers) {
    const int known[] = {53, 87, 90};
    memcpy(numbers, known, sizeof known);
    return SUCCESS;
}

int nvrtcCreateProgram(program **out, const char *source, const char *name, int count, const char **texts, const char **names) {
    (void)count, (void)texts, (void)names;
    *out = calloc(1, sizeof **out);
    if (*out == NULL) return OUT_OF_MEMORY;
    (*out)->source = strdup(source);
    (*out)->name = strdup(name);
    return SUCCESS;
}

static char *read_file(const char *directory, const char *name, size_t *size) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "rb");
    *size = 0;
    if (file == NULL) return calloc(1, 1);
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    char *bytes = calloc(1, (size_t)length + 1);
    rewind(file);
    if (bytes != NULL) *size = fread(bytes, 1, (size_t)length, file);
    fclose(file);
    unlink(path);
    return bytes;
}

int nvrtcCompileProgram(program *p, int count, const char **options) {
    char directory[] = "/tmp/ompls-fake-nvrtc-XXXXXX", command[2048];
    (void)count, (void)options;
    if (mkdtemp(directory) == NULL) return OUT_OF_MEMORY;
    snprintf(command, sizeof command, "%s/%s", directory, "source.cu");
    FILE *file = fopen(command, "w");
    if (file == NULL) return OUT_OF_MEMORY;
    fputs(p->source, file);
    fclose(file);
    snprintf(command, sizeof command, "'%s' '%s' '%s' '%s'", PYTHON, COMPILER, directory, p->name);
    int status = system(command);
    p->code = read_file(directory, "image", &p->code_size);
    p->log = read_file(directory, "log", &p->log_size);
    free(read_file(directory, "source.cu", &(size_t){0}));
    rmdir(directory);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? SUCCESS : COMPILATION;
}

int nvrtcGetProgramLogSize(program *p, size_t *size) {
    *size = p->log_size + 1;
    return SUCCESS;
}

int nvrtcGetProgramLog(program *p, char *log) {
    memcpy(log, p->log, p->log_size + 1);
    return SUCCESS;
}

int nvrtcGetCUBINSize(program *p, size_t *size) {
    *size = p->code_size;
    return SUCCESS;
}

int nvrtcGetCUBIN(program *p, char *code) {
    memcpy(code, p->code, p->code_size);
    return SUCCESS;
}

int nvrtcDestroyProgram(program **p) {
    free((*p)->source);
    free((*p)->name);
    free((*p)->log);
    free((*p)->code);
    free(*p);
    return SUCCESS;
}
