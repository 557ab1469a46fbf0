/* epiphany.h -- the parts of the module `epiphany` in the program: epiphany.c (the table), image.c, process.c, hal.c, memory.c, cores.c,
   faults.c, launch.c. */
#ifndef OMPLS_EPIPHANY_H
#define OMPLS_EPIPHANY_H
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../../runtime/core/blocks.h"
#include "../../../runtime/core/fail.h"
#include "../../../runtime/core/watched.h"
#include "../library/board.h"

/* These stand in the user's program: the names are ours only with the prefix. */
#define epi_find ompls_epiphany_find
#define epi_find_variable ompls_epiphany_find_variable
#define epi_place_data ompls_epiphany_place_data
#define epi_place_cores ompls_epiphany_place_cores
#define epi_find_line ompls_epiphany_find_line
#define epi_wake ompls_epiphany_wake
#define epi_give_back ompls_epiphany_give_back
#define epi_look_after ompls_epiphany_look_after
#define epi_reset ompls_epiphany_reset
#define epi_start ompls_epiphany_start
#define epi_report ompls_epiphany_report
#define epi_tell_findings ompls_epiphany_tell_findings
#define epi_foreign ompls_epiphany_foreign
#define epi_seconds ompls_epiphany_seconds
#define epi_limit ompls_epiphany_limit
#define epi_wait_for_core ompls_epiphany_wait_for_core
#define epi_load ompls_epiphany_load
#define epi_hal_open ompls_epiphany_hal_open
#define epi_hal_load ompls_epiphany_hal_load
#define epi_hal_reset ompls_epiphany_hal_reset
#define epi_hal_close ompls_epiphany_hal_close
#define epi_pause ompls_epiphany_pause
#define epi_end ompls_epiphany_end
#define epi_tell ompls_epiphany_tell
#define epi_find_kernel ompls_epiphany_find_kernel
#define epi_find_symbol ompls_epiphany_find_symbol
#define epi_alloc ompls_epiphany_alloc
#define epi_free ompls_epiphany_free
#define epi_copy_in ompls_epiphany_copy_in
#define epi_copy_out ompls_epiphany_copy_out
#define epi_copy_within ompls_epiphany_copy_within
#define epi_attach ompls_epiphany_attach
#define epi_launch ompls_epiphany_launch
#define epi_synchronize ompls_epiphany_synchronize

enum { PAGE = 4096, WHOLE = EPI_EXTERNAL_SIZE + EPI_MOST * EPI_LOCAL };

typedef uint64_t cores; /* a bit for each */

static inline cores epi_bit(int n) {
    return (cores)1 << n;
}

/* The cores of a kernel, and of these the teams that masters have. */
typedef struct {
    cores all, team[EPI_MOST];
} held;

typedef struct epi_hal epi_hal; /* hal.c */

typedef struct {
    uint32_t entry, code, stack; /* where its code would end in the memory of a core; bytes that its stack needs */
    const unsigned char *core; /* its program for a real one */
} kernel;

typedef struct {
    char *memory; /* of the board, as this program sees it */
    epi_control *control;
    const unsigned char *image;
    uint64_t image_size;
    pthread_mutex_t lock;
    ompls_blocks blocks;
    epi_geometry geometry;
    int number;  /* of its cores */
    cores taken; /* which a kernel has */
    const ompls_launch_request *holder[EPI_MOST]; /* whose those are */
    uint32_t told; /* findings */
    const kernel *running[EPI_MOST]; /* what they run */
    epi_hal *hal; /* of a real board; NULL: it is emulated */
    bool started, lost;
    pid_t owner, group; /* the processes that are the board */
    ompls_watched process; /* the one that looks after its cores */
} board;

/* image.c */
bool epi_find(const board *b, const char *name, uint32_t *value);
void epi_find_variable(const board *b, uint32_t address, char *out, size_t size);
void epi_place_data(board *b);
uint32_t epi_place_cores(board *b); /* where the variables of all kernels end; 0: they do not fit */
uint32_t epi_find_line(const board *b, uint32_t place, char *where, size_t size);
int epi_find_kernel(void *handle, void *loaded, const char *name, void **out, ompls_error *err);
int epi_find_symbol(void *handle, void *loaded, const char *name, ompls_address *out, ompls_error *err);

/* hal.c */
int epi_hal_open(board *b, const char *path, ompls_error *err);
bool epi_hal_load(board *b, int n, const kernel *k);
void epi_hal_reset(board *b, cores those);
void epi_hal_close(board *b);

/* process.c */
void epi_wake(volatile uint32_t *word);
void epi_tell(board *b, volatile uint32_t *word); /* counts it up for who waits */
bool epi_pause(board *b, uint32_t now); /* until somebody has told the host since; true: nobody has, for a while */
void epi_end(const board *b); /* the processes */
int epi_load(void *handle, const void *image, uint64_t size, void **loaded, ompls_error *err);

/* memory.c */
int epi_alloc(void *handle, uint64_t size, ompls_address *out, ompls_error *err);
int epi_free(void *handle, ompls_address address, ompls_error *err);
int epi_copy_in(void *handle, ompls_address to, const void *from, uint64_t size, ompls_error *err);
int epi_copy_out(void *handle, void *to, ompls_address from, uint64_t size, ompls_error *err);
int epi_copy_within(void *handle, ompls_address to, ompls_address from, uint64_t size, ompls_error *err);
int epi_attach(void *handle, ompls_address where, ompls_address target, ompls_error *err);

/* cores.c */
void epi_start(board *b, int n, const kernel *k, uint32_t entry, uint32_t argument);
void epi_give_back(board *b, cores those);
void epi_look_after(board *b, const ompls_launch_request *request, held *mine);
void epi_reset(board *b, cores those);
int epi_wait_for_core(board *b, const ompls_launch_request *request, ompls_error *err);

/* faults.c */
uint32_t epi_foreign(uint64_t address);
int epi_report(board *b, int n, const ompls_launch_request *request, ompls_error *err);
void epi_tell_findings(board *b, const ompls_launch_request *request);

/* launch.c */
double epi_seconds(void);
double epi_limit(void);
int epi_launch(void *handle, void *found, const ompls_launch_request *request, ompls_error *err);
int epi_synchronize(void *handle, ompls_error *err);

#endif
