/* near.h -- the program's side of devices that are elsewhere: a module of core/device.h whose devices are at the ends of lines. */
#ifndef OMPLS_NEAR_H
#define OMPLS_NEAR_H
#include "../../../runtime/core/device.h"
#include "line.h"

/* What starts far sides and ends them: Python's functions (near.py).  They are called at the beginning and at the end only. */
typedef struct {
    const char *name; /* of the module, and of the class of its images */
    const char *kind; /* "cpu", … as OMP_AVAILABLE_DEVICES names it */
    /* How many there are, when `wanted` are (0: as many as there are). */
    int (*count)(int wanted);
    /* Start far side `index`, which is this image: its line, its machine's name, and what to do when it is lost.  Not 0:
       `why` is filled, in its first line; what others have said of it follows, and `hint` is what to do about that. */
    int (*start)(int index, const void *image, uint64_t size, ompls_line **line, char *machine, char *hint, char *why, uint64_t room);
    /* It ends by itself, or it is lost (not 0).  Once, of what was started. */
    void (*end)(int index, int lost);
    int peers; /* whether far sides may reach each other */
} ompls_near;

/* Add the module to the program.  Called before `main`; what it points to stays. */
void ompls_near_add(const ompls_near *near);
#endif
