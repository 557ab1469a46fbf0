/* trace_line.c -- one line of a trace, while it is made. */
#include "trace.h"

#include <stdarg.h>
#include <stdio.h>

void ompls_line_add(ompls_line *l, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    l->used += (size_t)vsnprintf(l->text + l->used, sizeof l->text - l->used, format, arguments);
    va_end(arguments);
}

void ompls_line_string(ompls_line *l, const char *text) {
    size_t end = l->used + OMPLS_LINE_TEXT;
    l->text[l->used++] = '"';
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (l->used + 8 > end && ((*c & 0xc0) != 0x80 || l->used + 2 > end)) break; /* between two characters */
        if (*c == '"' || *c == '\\') ompls_line_add(l, "\\%c", *c);
        else if (*c < 0x20) ompls_line_add(l, "\\u%04x", *c);
        else l->text[l->used++] = (char)*c;
    }
    l->text[l->used++] = '"';
}
