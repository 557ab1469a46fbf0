/* libnvrtc.c -- NVIDIA's run-time compiler without NVIDIA: "cubins" are images of cudasim, made by compile.py beside this
   file; "PTX" is such an image in hexadecimal digits.  PYTHON and COMPILER are given when this is compiled.  Only what the
   module's nvrtc.py calls is here.  GENERATION (1002 is CUDA 10.2) is the one whose functions it has, and which refuses
   what that one refuses. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_ptx.h"

#ifndef GENERATION
#define GENERATION 1209
#endif
enum { SUCCESS = 0, OUT_OF_MEMORY = 1, INVALID_INPUT = 3, INVALID_OPTION = 5, COMPILATION = 6 };

#if GENERATION >= 1300
static const int known[] = {75, 87, 90, 121};
#elif GENERATION >= 1102
static const int known[] = {53, 87, 90};
#else
static const int known[] = {52, 53, 62, 72, 75};
#endif
enum { KNOWN = sizeof known / sizeof *known };

typedef struct {
    char *source, *name, *log, *code;
    size_t log_size, code_size;
} program;

const char *nvrtcGetErrorString(int code) {
    return code == COMPILATION ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR";
}

int nvrtcVersion(int *major, int *minor) {
    *major = GENERATION / 100, *minor = GENERATION % 100;
    return SUCCESS;
}

#if GENERATION >= 1102
int nvrtcGetNumSupportedArchs(int *count) {
    *count = KNOWN;
    return SUCCESS;
}

int nvrtcGetSupportedArchs(int *numbers) {
    memcpy(numbers, known, sizeof known);
    return SUCCESS;
}
#endif

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

static int knows_architecture(const char *name) {
    const char *number = strrchr(name, '_');
    if (number == NULL || (GENERATION < 1101 && strstr(name, "compute_") == NULL)) return 0;
    for (int i = 0; i < KNOWN; i++)
        if (known[i] == atoi(number + 1)) return 1;
    return 0;
}

/* What the real one says of it, or NULL. */
static const char *refusal(const char *option) {
    if (GENERATION < 1100 && strcmp(option, "--std=c++17") == 0) return "nvrtc: error: invalid value for --std (-std)\n";
    if (GENERATION < 1105 && strcmp(option, "--device-int128") == 0)
        return "nvrtc: error: unrecognized option --device-int128 found\n";
    if (GENERATION < 1101 && strncmp(option, "--ptxas-options", 15) == 0)
        return "nvrtc: error: unrecognized option --ptxas-options found\n";
    if (strncmp(option, "--gpu-architecture", 18) == 0 && !knows_architecture(option))
        return "nvrtc: error: invalid value for --gpu-architecture (-arch)\n";
    return NULL;
}

int nvrtcCompileProgram(program *p, int count, const char **options) {
    char directory[] = "/tmp/ompls-fake-nvrtc-XXXXXX", command[2048];
    for (int i = 0; i < count; i++) {
        const char *says = refusal(options[i]);
        if (says == NULL) continue;
        p->log = strdup(says);
        p->log_size = strlen(says);
        return INVALID_OPTION;
    }
    if (GENERATION < 1105 && strstr(p->source, "__int128") != NULL) {
        p->log = strdup("kernel.cu(1): error: identifier \"__int128\" is undefined\n");
        p->log_size = strlen(p->log);
        return COMPILATION;
    }
    if (mkdtemp(directory) == NULL) return OUT_OF_MEMORY;
    snprintf(command, sizeof command, "%s/%s", directory, "source.cu");
    FILE *file = fopen(command, "w");
    if (file == NULL) return OUT_OF_MEMORY;
    for (int i = 0; i < count; i++) /* macros; other options mean nothing here */
        if (strncmp(options[i], "-D", 2) == 0) {
            int name = (int)strcspn(options[i] + 2, "=");
            fprintf(file, "#define %.*s %s\n", name, options[i] + 2, options[i] + 2 + name + 1);
        }
    fprintf(file, "#line 1\n%s", p->source);
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

#if GENERATION >= 1101
int nvrtcGetCUBINSize(program *p, size_t *size) {
    *size = p->code_size;
    return SUCCESS;
}

int nvrtcGetCUBIN(program *p, char *code) {
    memcpy(code, p->code, p->code_size);
    return SUCCESS;
}
#endif

int nvrtcGetPTXSize(program *p, size_t *size) {
    *size = strlen(FAKE_PTX) + 2 * p->code_size + 1;
    return SUCCESS;
}

int nvrtcGetPTX(program *p, char *text) {
    text += sprintf(text, "%s", FAKE_PTX);
    for (size_t i = 0; i < p->code_size; i++) text += sprintf(text, "%02x", (unsigned char)p->code[i]);
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
