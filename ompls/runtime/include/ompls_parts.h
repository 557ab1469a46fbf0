/* ompls_parts.h -- an array in blocks of rows on several devices, with borders that overlap, and data that all of them have.

   Plain OpenMP 5.1 and C, to be copied to wherever a program is built without ompls: each function is a loop over devices that
   calls routines of <omp.h>.  With ompls the devices of `mpinode` copy to each other, not through the host.

   Rows 0 to `rows` - 1 of the array belong to devices 0 to `devices` - 1, each row to one of them.  A device also has up to
   `halo` rows of either neighbour.  What a device has is present there (as after `target enter data`): regions name it as
   array[ompls_first_there(&p, d) * …:ompls_rows_there(&p, d) * …].  Functions return 0, or an error number of <errno.h>; with no
   devices the array is where it is, one part, and they do nothing. */
#ifndef OMPLS_PARTS_H
#define OMPLS_PARTS_H
#include <errno.h>
#include <omp.h>
#include <stddef.h>

typedef struct {
    char *array;
    size_t row;  /* bytes */
    long rows, halo;
    int devices; /* at least 1 */
} ompls_parts;

/* The first row that is device d's own; of d + 1: the first one behind them. */
static inline long ompls_first(const ompls_parts *p, int d)
{
    return p->rows / p->devices * d + (d < p->rows % p->devices ? d : p->rows % p->devices);
}

/* The first row that device d has, its neighbour's among them. */
static inline long ompls_first_there(const ompls_parts *p, int d)
{
    long first = ompls_first(p, d) - p->halo;
    return first < 0 ? 0 : first;
}

static inline long ompls_rows_there(const ompls_parts *p, int d)
{
    long last = ompls_first(p, d + 1) + p->halo;
    return (last > p->rows ? p->rows : last) - ompls_first_there(p, d);
}

static inline int ompls_parts_copy(const ompls_parts *p, long first, long rows, int to, int from)
{
    char *begin = p->array + (size_t)first * p->row;
    void *there = omp_get_mapped_ptr(begin, to), *here = omp_get_mapped_ptr(begin, from);
    if (there == NULL || here == NULL) return EINVAL;
    return rows > 0 ? omp_target_memcpy(there, here, (size_t)rows * p->row, 0, 0, to, from) : 0;
}

/* Nothing of the array is on the devices any more; the host's rows stay as they are. */
static inline int ompls_release(const ompls_parts *p)
{
    int failed = 0;
    for (int d = 0; d < p->devices && omp_get_num_devices() > 0; d++) {
        char *begin = p->array + (size_t)ompls_first_there(p, d) * p->row;
        void *there = omp_get_mapped_ptr(begin, d);
        if (there == NULL || omp_target_disassociate_ptr(begin, d) != 0) failed = EINVAL;
        else omp_target_free(there, d);
    }
    return failed;
}

/* Deal the array out; `devices` 0: to all of them.  Each part has at least `halo` rows. */
static inline int ompls_split(ompls_parts *p, void *array, size_t row, long rows, long halo, int devices)
{
    int all = omp_get_num_devices(), host = omp_get_initial_device(), failed = 0;
    p->array = (char *)array, p->row = row, p->rows = rows, p->halo = halo;
    p->devices = devices > 0 ? devices : all > 0 ? all : 1;
    if (array == NULL || row == 0 || halo < 0 || p->devices > (all > 0 ? all : 1) || rows < p->devices || rows / p->devices < halo) return EINVAL;
    for (int d = 0; d < p->devices && all > 0 && failed == 0; d++) {
        long first = ompls_first_there(p, d);
        size_t size = (size_t)ompls_rows_there(p, d) * row;
        void *there = omp_target_alloc(size, d);
        if (there == NULL) failed = ENOMEM;
        else if (omp_target_associate_ptr(p->array + (size_t)first * row, there, size, 0, d) != 0) omp_target_free(there, d), failed = EINVAL;
        else failed = ompls_parts_copy(p, first, ompls_rows_there(p, d), d, host);
    }
    if (failed != 0) ompls_release(p);
    return failed;
}

/* Every device gets what its neighbours have written to their rows of its borders. */
static inline int ompls_exchange(const ompls_parts *p)
{
    int failed = 0;
    for (int odd = 0; odd < 2; odd++) { /* pairs that share no device at once */
        #pragma omp parallel for num_threads(p->devices / 2 + 1) reduction(|: failed)
        for (int d = 1 + odd; d < p->devices; d += 2) {
            long border = ompls_first(p, d);
            failed |= ompls_parts_copy(p, border - p->halo, p->halo, d, d - 1);
            failed |= ompls_parts_copy(p, border, p->halo, d - 1, d);
        }
    }
    return failed;
}

/* The host gets every row from the device that it belongs to. */
static inline int ompls_collect(const ompls_parts *p)
{
    int host = omp_get_initial_device(), failed = 0;
    for (int d = 0; d < p->devices && omp_get_num_devices() > 0; d++)
        failed |= ompls_parts_copy(p, ompls_first(p, d), ompls_first(p, d + 1) - ompls_first(p, d), host, d);
    return failed;
}

/* Devices 0 to `devices` - 1, where the bytes are present already (`map(alloc: …)`), get what device `from` of them has, from those
   that have it: twice as many each time. */
static inline int ompls_pass_on(const void *data, size_t bytes, int from, int devices)
{
    int failed = 0;
    ompls_parts p = {(char *)data, bytes, 1, 0, 1};
    for (int have = 1; have < devices && failed == 0; have *= 2) {
        int more = devices - have < have ? devices - have : have;
        #pragma omp parallel for num_threads(more) reduction(|: failed)
        for (int d = 0; d < more; d++)
            failed |= ompls_parts_copy(&p, 0, 1, (from + have + d) % devices, (from + d) % devices);
    }
    return failed;
}

/* The same with the host's bytes, which go to the first device once. */
static inline int ompls_spread(const void *data, size_t bytes, int devices)
{
    ompls_parts p = {(char *)data, bytes, 1, 0, 1};
    if (omp_get_num_devices() == 0 || devices < 1) return 0;
    int failed = ompls_parts_copy(&p, 0, 1, 0, omp_get_initial_device());
    return failed != 0 ? failed : ompls_pass_on(data, bytes, 0, devices);
}
#endif
