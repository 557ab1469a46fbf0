/* fail.h -- how a module of a device says what went wrong (device.h). */
#ifndef OMPLS_FAIL_H
#define OMPLS_FAIL_H
#include <stdarg.h>
#include <stdio.h>

#include "device.h"

/* Fills in the reason, as printf writes it, and the next step.  Returns 1. */
__attribute__((format(printf, 3, 4), unused)) static int ompls_device_fail(ompls_error *err, const char *hint, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->reason, sizeof err->reason, format, arguments);
    va_end(arguments);
    snprintf(err->hint, sizeof err->hint, "%s", hint);
    return 1;
}
#endif
