/* reductions.c -- what tasks reduce: each thread of the team has a copy of its own, in external memory.

   gcc describes what a construct reduces by a list of words: 0: how many variables there are; 1: the bytes of a thread's copies;
   2: their alignment, from then on where the first thread's are; 4: the next list, of the same construct or around it; 5: whether the
   list is the first one of its construct; 6: where the last thread's end; then three words for a variable: its address, and where
   it is in the copies. */
#include "chip.h"

enum { COUNT, BYTES, COPIES, NEXT = 4, FIRST, END, VARIABLES };

static const uint32_t *variable(const uint32_t *list, uint32_t n) {
    return list + VARIABLES + 3 * n;
}

void reductions_register(uint32_t *list, uint32_t threads) {
    group *g = group_of(self()->group);
    for (uint32_t *l = list;; l = (uint32_t *)l[NEXT]) {
        const uint32_t size = l[BYTES] * threads;
        void *copies = chip_take(size);
        if (copies == 0) __builtin_trap();
        __builtin_memset(copies, 0, size);
        l[COPIES] = (uint32_t)copies, l[END] = l[COPIES] + size, l[FIRST] = l == list;
        if (l[NEXT] != 0) continue;
        l[NEXT] = (uint32_t)g->reductions;
        break;
    }
    g->reductions = list;
}

void GOMP_taskgroup_reduction_register(uint32_t *list) { reductions_register(list, team_of(self())->threads); }

/* A thread's list of what a worksharing construct reduces: the copies are those that the first thread has made. */
void reductions_share(uint32_t *list, const uint32_t *first) {
    group *g = group_of(self()->group);
    for (uint32_t *l = list;; l = (uint32_t *)l[NEXT], first = (const uint32_t *)first[NEXT]) {
        l[COPIES] = first[COPIES], l[END] = first[END], l[FIRST] = first[FIRST];
        if (l[NEXT] != 0) continue;
        l[NEXT] = (uint32_t)g->reductions;
        break;
    }
    g->reductions = list;
}

void GOMP_taskgroup_reduction_unregister(uint32_t *list) {
    uint32_t *l = list;
    do {
        chip_give((void *)l[COPIES]);
        l = (uint32_t *)l[NEXT];
    } while (l != 0 && !l[FIRST]);
}

/* The list of a variable, or of a thread's copy of one, and which it is; the innermost construct's. */
static const uint32_t *find(const uint32_t *lists, uint32_t address, const uint32_t **which) {
    for (const uint32_t *l = lists; l != 0; l = (const uint32_t *)l[NEXT]) {
        const bool copy = address >= l[COPIES] && address < l[END];
        const uint32_t offset = copy ? (address - l[COPIES]) % l[BYTES] : 0;
        for (uint32_t n = 0; n < l[COUNT]; n++) {
            *which = variable(l, n);
            if (copy ? (*which)[1] == offset : (*which)[0] == address) return l;
        }
    }
    __builtin_trap();
}

/* Addresses of what a task reduces become those of this thread's copies; of the first `originals` the variables' follow. */
void GOMP_task_reduction_remap(size_t number, size_t originals, uint32_t *addresses) {
    core *c = self();
    const uint32_t *lists = group_of(c->group)->reductions;
    for (size_t i = 0; i < number; i++) {
        const uint32_t *which;
        const uint32_t *list = find(lists, addresses[i], &which);
        addresses[i] = list[COPIES] + c->number * list[BYTES] + which[1];
        if (i < originals) addresses[number + i] = which[0];
    }
}
