/* stub.h -- what the build tells the stub (stub.c): runtime/embedded.py makes an object of these. */
#ifndef OMPLS_STUB_H
#define OMPLS_STUB_H

extern const char ompls_stub_devices[]; /* of each the name and a library without which it cannot be there, or ""; then "" */
extern const char ompls_stub_python[];               /* the interpreter */
extern const char ompls_stub_script[];               /* what it runs: start.py; "": that of the package that it knows */
extern const char ompls_stub_program[], ompls_stub_program_end[];
#endif
