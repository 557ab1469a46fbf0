/* talk.h -- what travels between a program and one far side: records that are kept, answers that are waited for. */
#ifndef OMPLS_TALK_H
#define OMPLS_TALK_H
#include <pthread.h>

#include "addresses.h"
#include "held.h"
#include "near.h"

#define near_lock_soon ompls_near_lock_soon
#define near_clean ompls_near_clean
#define near_clean_lines ompls_near_clean_lines
#define near_fail ompls_near_fail
#define near_lose ompls_near_lose
#define near_carried ompls_near_carried
#define near_put_data ompls_near_put_data
#define near_tell_count ompls_near_tell_count
#define near_flush ompls_near_flush
#define near_say ompls_near_say
#define near_damaged ompls_near_damaged
#define near_ask ompls_near_ask
#define near_hear ompls_near_hear
#define near_wait ompls_near_wait
#define near_answer ompls_near_answer

typedef struct {
    void *into;
    ompls_address from;
    uint64_t size;
    uint64_t sync; /* that asks for it */
} wanted_data;

/* What an answer has told that somebody else will want to hear. */
typedef struct near_failure {
    struct near_failure *next;
    uint64_t sync;
    ompls_error err;
} near_failure;

struct near_device {
    const ompls_near *near;
    int index;
    uint32_t many;          /* how many there are that may give each other what they have; 0: it may not */
    pthread_mutex_t lock;
    ompls_line *line;
    char machine[128], hint[256]; /* hint: what to do when it is lost */
    near_addresses addresses;
    near_holds holds;       /* what of the program's data is there */
    ompls_properties properties;
    bool asked;             /* for an answer to all that needs one */
    bool busy;              /* a kernel may run, or an answer may be on its way */
    uint64_t passing;       /* bytes that it has been told to give and to take, and may not have yet */
    uint64_t passed;        /* syncs that were said before the last of those */
    uint64_t syncs, answered, used; /* syncs said, and answered; bytes of `batch` */
    wire_number said, heard; /* frames there and back */
    uint32_t kernels;
    wanted_data *reads;     /* where what is read goes, in the order in which it was asked for */
    uint32_t nreads, taken, room; /* taken: so many of them have come */
    near_failure *failures;
    ompls_error lost;       /* why, once it is */
    char port[OMPLS_PORT];  /* where others reach it */
    char detail[1024];      /* of why it could not be started */
    struct {
        uint64_t messages, bytes;
    } there, back;          /* what has travelled; beats are no messages */
    struct near_device *peers[OMPLS_MOST_PEERS]; /* those that it has met */
    bool leaves;            /* it will be closed, and meets nobody any more */
    char batch[OMPLS_FRAME], answer[OMPLS_FRAME] __attribute__((aligned(16)));
};

/* At the end of the program: false when another thread keeps the lock for longer than a copy takes. */
bool near_lock_soon(near_device *n);

/* Functions return 0, or not 0 with `err` filled.  They are called with the lock held. */

/* A text from elsewhere on one line of a terminal. */
void near_clean(char *text, size_t size);
/* On several lines. */
void near_clean_lines(char *text, size_t size);
int near_fail(near_device *n, ompls_error *err, int fatal, const char *what, const char *hint);
/* The far side is lost: this call says why, and so do all that follow. */
int near_lose(near_device *n, ompls_error *err, const char *why);
int near_damaged(near_device *n, ompls_error *err);
/* What a function of the line returned. */
int near_carried(near_device *n, int code, ompls_error *err);
/* A payload goes there. */
int near_put_data(near_device *n, const void *bytes, uint64_t size, ompls_error *err);
/* A line with what has travelled, where OMPLS_REMOTE_COUNT says: name, messages and bytes there, messages and bytes back. */
void near_tell_count(const near_device *n);
/* Room for a record's bytes in the batch; 0: the device is lost. */
char *near_say(near_device *n, ompls_error *err, uint32_t what, uint64_t a, uint64_t b, uint64_t c, uint64_t length);
int near_flush(near_device *n, ompls_error *err);
/* An answer to all that was said is on its way there: that of sync `n->syncs`. */
int near_ask(near_device *n, ompls_error *err);
/* The answer to this sync and those before it; each is heard once.  `last` and `opened` as below. */
int near_hear(near_device *n, uint64_t sync, wire_record *last, ompls_properties *opened, ompls_error *err);
/* All that was said is done.  The last record that was an answer is `last`, of WIRE_OPENED its bytes `opened`. */
int near_wait(near_device *n, wire_record *last, ompls_properties *opened, ompls_error *err);
/* The same; the number that the answer has. */
int near_answer(near_device *n, uint64_t *value, ompls_error *err);
#endif
