/* stub.h -- what the build tells the stub (stub.c): a generated file defines these. */
#ifndef OMPLS_STUB_H
#define OMPLS_STUB_H

typedef struct {
    const char *name;
    const char *library; /* without which the device cannot be there; 0: none */
} ompls_stub_device;

extern const ompls_stub_device ompls_stub_devices[]; /* ends with an entry without a name */
extern const char ompls_stub_python[];               /* the interpreter */
extern const char ompls_stub_script[];               /* what it runs: start.py; "": that of the package that it knows */
extern const char ompls_stub_program[], ompls_stub_program_end[];
#endif
