/* available.c -- OMP_AVAILABLE_DEVICES (OpenMP 6.0 section 4.3.8): which devices the program sees, in which order.

   A comma list of items; each device goes to the first item that it matches, and the devices are numbered in the order of
   the items.  What matches none does not exist for the program.
       item  = ('*' | expr) [ '[' index | [first] ':' [length] ']' ]     a subscript counts in what the item matches
       expr  = and ('||' and)*      and = unit ('&&' unit)*      unit = '!' unit | '(' expr ')' | trait '(' name ')'
       trait = kind | uid | arch | isa | vendor
   Of a device we know its kind (nohost, any, and what its module says), its uid and, as its arch, the name of its module. */
#include "core.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct {
    const char *at; /* the rest of the text; 0 after an error */
    const ompls_device *device;
} reader;

static bool accept(reader *r, const char *word) {
    while (r->at != NULL && isspace((unsigned char)*r->at)) r->at++;
    size_t length = strlen(word);
    if (r->at == NULL || strncmp(r->at, word, length) != 0) return false;
    r->at += length;
    return true;
}

static bool is(const char *text, size_t length, const char *word) {
    return strlen(word) == length && strncasecmp(text, word, length) == 0;
}

static bool has_trait(const ompls_device *device, const char *trait, size_t length, const char *name, size_t size) {
    if (is(trait, length, "kind"))
        return is(name, size, "any") || is(name, size, "nohost") || (device->module->kind != NULL && is(name, size, device->module->kind));
    if (is(trait, length, "uid")) return is(name, size, device->name);
    return is(trait, length, "arch") && is(name, size, device->module->name);
}

/* Whether device `number` is of a kind: what generated code asks for the `target_device` selectors of OpenMP 5.1. */
int ompls_device_is(int number, const char *kind) {
    int devices = ompls_device_count();
    if (number == OMPLS_DEVICE_INITIAL || number == devices) return strcmp(kind, "host") == 0 || strcmp(kind, "cpu") == 0;
    const ompls_device *device = ompls_device_at(number);
    return device != NULL && has_trait(device, "kind", 4, kind, strlen(kind));
}

static bool one_of(reader *r);

static bool unit(reader *r) {
    if (accept(r, "!")) return !unit(r);
    if (accept(r, "(")) {
        bool value = one_of(r);
        if (!accept(r, ")")) r->at = NULL;
        return value;
    }
    if (r->at == NULL) return false;
    const char *trait = r->at;
    while (isalpha((unsigned char)*r->at)) r->at++;
    size_t length = (size_t)(r->at - trait);
    static const char *const known[] = {"kind", "uid", "arch", "isa", "vendor"};
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) found = found || is(trait, length, known[i]);
    const char *name = r->at + 1;
    size_t size = *r->at == '(' ? strcspn(name, ")") : 0;
    if (!found || size == 0 || name[size] != ')') {
        r->at = NULL;
        return false;
    }
    r->at = name + size + 1;
    return has_trait(r->device, trait, length, name, size);
}

static bool all_of(reader *r) {
    bool value = unit(r);
    while (accept(r, "&&")) value = unit(r) && value;
    return value;
}

static bool one_of(reader *r) {
    bool value = all_of(r);
    while (accept(r, "||")) value = all_of(r) || value;
    return value;
}

static long number(reader *r, long otherwise) {
    accept(r, "");
    if (r->at == NULL || !isdigit((unsigned char)*r->at)) return otherwise;
    char *end;
    long value = strtol(r->at, &end, 10);
    r->at = end;
    return value;
}

/* The item's subscript: which of the devices that match it are meant.  Read for every device, the same each time. */
static void subscript(reader *r, long *first, long *length) {
    *first = 0;
    *length = -1; /* all */
    if (!accept(r, "[")) return;
    *first = number(r, -1);
    if (accept(r, ":")) {
        if (*first < 0) *first = 0;
        *length = number(r, -1);
    } else {
        *length = *first < 0 ? 0 : 1;
        if (*first < 0) r->at = NULL;
    }
    if (!accept(r, "]")) r->at = NULL;
}

static _Noreturn void malformed(const char *text) {
    ompls_fail((ompls_place){0}, "write for example \"uid(cudasim:1),kind(gpu)[:2],*\"",
               "OMP_AVAILABLE_DEVICES: cannot read '%s' (OpenMP 6.0 section 4.3.8)", text);
}

int ompls_choose_available(ompls_device **devices, int count) {
    const char *text = getenv("OMP_AVAILABLE_DEVICES");
    if (text == NULL || *text == '\0') return count;
    ompls_device *chosen[OMPLS_MAX_DEVICES];
    bool taken[OMPLS_MAX_DEVICES] = {false};
    int available = 0;
    for (const char *item = text, *next = text; next != NULL; item = next) {
        long matched = 0, first, length;
        const char *end = item;
        for (int i = 0; i < count || i == 0; i++) { /* without devices the text is read all the same */
            static const ompls_module none = {.name = ""};
            static const ompls_device nothing = {.module = (ompls_module *)&none};
            reader r = {item, count > 0 ? devices[i] : &nothing};
            bool matches = accept(&r, "*") || one_of(&r);
            subscript(&r, &first, &length);
            accept(&r, "");
            if (r.at == NULL || (*r.at != ',' && *r.at != '\0')) malformed(text);
            end = r.at;
            if (count == 0 || !matches || taken[i]) continue;
            long place = matched++;
            if (place < first || (length >= 0 && place >= first + length)) continue;
            taken[i] = true;
            chosen[available++] = devices[i];
        }
        next = *end == ',' ? end + 1 : NULL;
    }
    for (int i = 0; i < available; i++) {
        devices[i] = chosen[i];
        devices[i]->number = i;
    }
    return available;
}
