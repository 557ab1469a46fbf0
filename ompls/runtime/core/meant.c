/* meant.c -- which known name a misspelt one may have meant; as ompls/analysis/spec/near.py finds it. */
#include "core.h"

#include <string.h>

enum { LONGEST = 64 };

static int least(int a, int b) {
    return a < b ? a : b;
}

/* Damerau-Levenshtein distance (restricted): insertions, deletions, substitutions, swaps of neighbours.  b is LONGEST at most. */
static int distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    int rows[3][LONGEST + 1], *last = rows[0], *before = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++) row[j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        int *free = last;
        last = before;
        before = row;
        row = free;
        row[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = least(least(before[j], row[j - 1]) + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = least(row[j], last[j - 2] + 1);
        }
    }
    return row[b_length];
}

const char *ompls_meant(const char *name, size_t length, const char *known, size_t *found_length) {
    const char *found = NULL;
    int nearest = length < 6 ? 1 : (int)(length / 3);
    if (length > LONGEST) return NULL;
    for (size_t size; *known != '\0'; known += size) {
        known += strspn(known, ", ");
        size = strcspn(known, ",");
        int far = size <= LONGEST ? distance(name, length, known, size) : 0;
        if (far == 0 || far > nearest || (far == nearest && found != NULL && strncmp(found, known, size) <= 0)) continue;
        nearest = far;
        found = known;
        *found_length = size;
    }
    return found;
}
