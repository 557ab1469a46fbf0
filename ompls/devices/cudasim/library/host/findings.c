/* findings.c -- the program's half of the checks: the state of the arena's bytes, and what the device process found, with
   names and lines, handed to the core.

   A program is built for checks (`ompls run --check`, or OMPLS_CHECK while building); OMPLS_CHECK of the running program
   chooses among them: a comma list of races, uninit, memory, coalescing, banks, all, none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

static int choose_checks(sim_device *d, const char *text, ompls_error *err) {
    static const struct {
        const char *name;
        uint32_t bits;
    } known[] = {{"races", SIM_CHECK_RACES}, {"uninit", SIM_CHECK_UNINIT}, {"memory", SIM_CHECK_MEMORY},
                 {"coalescing", SIM_CHECK_COALESCING}, {"banks", SIM_CHECK_BANKS}, {"all", 31}, {"none", 0}};
    enum { KNOWN = sizeof known / sizeof *known };
    for (size_t length, i; *text != '\0'; text += length + (text[length] == ',')) {
        length = strcspn(text, ",");
        for (i = 0; i < KNOWN && (strlen(known[i].name) != length || strncmp(known[i].name, text, length) != 0); i++) continue;
        if (i < KNOWN) d->checks |= known[i].bits;
        else if (length > 0)
            return ompls_device_fail(err, "choose from races,uninit,memory,coalescing,banks,all,none", "OMPLS_CHECK: there is no check '%.*s'",
                                     (int)length, text);
    }
    return 0;
}

int sim_begin_checks(sim_device *d, ompls_error *err) {
    const char *text = getenv("OMPLS_CHECK");
    d->checked = true;
    if (text != NULL && *text != '\0') return choose_checks(d, text, err);
    d->checks = SIM_CHECK_RACES | SIM_CHECK_UNINIT | SIM_CHECK_MEMORY;
    return 0;
}

/* --- names ------------------------------------------------------------------------------------------------------------ */

/* The last name in a mangled one: `tmp` of _ZZ4sumsPiE3tmp; other names are themselves. */
static void plain_name(const char *symbol, char *out, size_t size) {
    const char *found = symbol;
    int length = (int)strlen(symbol);
    if (strncmp(symbol, "_Z", 2) == 0) {
        for (const char *at = symbol + 2; *at != '\0';) {
            char *end;
            long number = *at >= '1' && *at <= '9' ? strtol(at, &end, 10) : 0;
            if (number == 0 || (size_t)number > strlen(end)) {
                at++;
                continue;
            }
            found = end;
            length = (int)number;
            at = end + number;
        }
    }
    snprintf(out, size, "%.*s", length, found);
}

/* The variable of the image at an address, or at an offset of a block's shared memory. */
static bool image_variable(const sim_device *d, int type, uint64_t value, char *out, size_t size) {
    const sim_symbols table = sim_symbols_of(d);
    for (uint64_t k = 0; k < table.count; k++) {
        const Elf64_Sym *symbol = &table.of[k];
        if (ELF64_ST_TYPE(symbol->st_info) != type || value - symbol->st_value >= symbol->st_size) continue;
        plain_name(table.names + symbol->st_name, out, size);
        if (strcmp(out, "ompls_sim_dynamic_shared") == 0) snprintf(out, size, "dynamic shared memory");
        return true;
    }
    return false;
}

/* --- messages --------------------------------------------------------------------------------------------------------- */

static const char *did(uint32_t flags, uint32_t write, uint32_t atomic) {
    if (flags & write) return flags & atomic ? "updates it atomically" : "writes it";
    return flags & atomic ? "reads it atomically" : "reads it";
}

static uint32_t say_race(const sim_device *d, const sim_finding *f, ompls_finding *out) {
    char file[100] = "", other[160] = "";
    uint32_t line = sim_find_line(d, f->other_pc - 1, file, sizeof file);
    if (line != 0) snprintf(other, sizeof other, " at %.90s:%u", file, line);
    snprintf(out->what, sizeof out->what, "thread %u of block %u %s, thread %u of block %u %s%s, and nothing orders the two", f->thread,
             f->block, did(f->flags, SIM_FINDING_WRITE, SIM_FINDING_ATOMIC), f->other_thread, f->other_block,
             did(f->flags, SIM_FINDING_OTHER_WRITE, SIM_FINDING_OTHER_ATOMIC), other);
    out->kind = "data race on";
    out->check = "races";
    out->next = f->block == f->other_block ? "use `atomic`, `critical`, a `reduction`, or a barrier between them"
                                           : "use `atomic`, `critical` or a `reduction`: teams have no common barrier";
    return line;
}

/* Returns the other line, 0 when there is none. */
static uint32_t say(const sim_device *d, const sim_finding *f, ompls_finding *out) {
    switch (f->kind) {
    case SIM_FOUND_RACE:
        return say_race(d, f, out);
    case SIM_FOUND_UNINIT:
        out->kind = "uninitialised read of";
        out->check = "uninit";
        out->next = f->shared != 0 ? "write it first: shared memory begins with anything" : "map it `to`, or let the device write it first";
        snprintf(out->what, sizeof out->what, "thread %u of block %u reads %u bytes that nobody has written", f->thread, f->block, f->size);
        return 0;
    case SIM_FOUND_LOCAL:
        out->kind = "another thread's local memory,";
        out->check = "memory";
        out->next = "a pointer to a local variable is of no use to other threads: PTX ISA, \"Local State Space\"";
        snprintf(out->what, sizeof out->what, "thread %u of block %u %s", f->thread, f->block, did(f->flags, SIM_FINDING_WRITE, SIM_FINDING_ATOMIC));
        return 0;
    case SIM_FOUND_COALESCING:
        out->kind = "uncoalesced access to";
        out->check = "coalescing";
        out->next = "let neighbouring threads touch neighbouring elements";
        snprintf(out->what, sizeof out->what, "the lanes of a warp together take %.1f times the memory transactions they need", f->figure);
        return 0;
    default:
        out->kind = "bank conflicts in";
        out->check = "banks";
        out->next = "pad the rows by one element, or change which lane takes which element";
        snprintf(out->what, sizeof out->what, "shared memory delivers to a warp in %.1f times the steps it needs", f->figure);
    }
    return 0;
}

/* Whether this has been told of the device before: a region may run a thousand times. */
static bool told(sim_device *d, uint32_t kind, uint32_t line, uint32_t other) {
    enum { REMEMBERED = sizeof d->told / sizeof *d->told };
    uint64_t what = (uint64_t)kind << 60 | (uint64_t)(line < other ? line : other) << 30 | (line < other ? other : line);
    for (uint32_t i = 0; i < d->ntold && i < REMEMBERED; i++)
        if (d->told[i] == what) return true;
    d->told[d->ntold++ % REMEMBERED] = what;
    return false;
}

void sim_report(sim_device *d, const ompls_launch_request *request) {
    sim_control *control = d->control;
    for (uint32_t i = 0; i < control->nfindings; i++) {
        const sim_finding *f = &control->findings[i];
        ompls_finding out = {.region_file = request->region_file, .region_line = request->region_line, .kernel = request->name};
        out.advice = f->kind == SIM_FOUND_COALESCING || f->kind == SIM_FOUND_BANKS;
        uint32_t other = say(d, f, &out);
        out.line = sim_find_line(d, f->pc - 1, out.file, sizeof out.file);
        if (told(d, f->kind, out.line, other)) continue;
        bool named = f->shared != 0 ? image_variable(d, STT_TLS, f->shared - 1, out.variable, sizeof out.variable)
                                    : image_variable(d, STT_OBJECT, f->address, out.variable, sizeof out.variable);
        if (!named) out.address = f->address;
        ompls_report_finding(d, &out);
    }
    control->nfindings = 0;
}
