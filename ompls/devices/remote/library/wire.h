/* wire.h -- the protocol between a program and a device that is elsewhere: all of it.

   The program's side (near) sends frames, the device's (far) answers some of them.  A frame is at most OMPLS_FRAME bytes: 8 of its
   number (each side counts its own, from 1; a beat has 0), then records one after the other, each a head and `length` bytes,
   filled up to a multiple of 8.  Numbers are little-endian, as on all machines that we know.  More than
   OMPLS_INLINE bytes of data travel as a payload of their own behind the frame, in pieces of at most OMPLS_PIECE bytes.

   Records are done in their order.  Only `sync` is answered: by records of what was read, and printed since the last
   one, and `done`.  After an error nothing is done until `sync` has told it; after a fatal one never again.  While frames are
   worked on, a `beat` comes each second.

   Near chooses the addresses of what it allocates.  Where kernels use the far process's own memory (`arena` of the properties)
   they are real ones in a range that both reserve; else they are handles, 2 to the power of OMPLS_HANDLE_BITS bytes apart, which far translates:
   what `address`, `attach` and the parameters of launches name.

   Two far sides that have met (one accepts, the other one connects to its port) copy to each other: one gives, the other one
   takes, both with that pair as the next thing to do, so neither waits for more than the data.  Those are the rows one after the
   other, in payloads of OMPLS_PEER_PIECE bytes but for the last one.  A payload that is shorter says that the giver has failed. */
#ifndef OMPLS_WIRE_H
#define OMPLS_WIRE_H
#include <stdint.h>

#define OMPLS_WIRE 6 /* version */

enum { OMPLS_FRAME = 1 << 16, OMPLS_INLINE = 1 << 13, OMPLS_PIECE = 1 << 24, OMPLS_HANDLE_BITS = 40 };
enum { OMPLS_PEER_PIECE = 1 << 22, OMPLS_PORT = 1 << 10, OMPLS_DIMENSIONS = 8, OMPLS_MOST_PEERS = 1 << 12 };
/* Where the memory begins that a handle is for, within it: kernels get addresses before it, of arrays that are mapped in part. */
#define OMPLS_HANDLE_BEGIN ((uint64_t)1 << (OMPLS_HANDLE_BITS - 1))

enum { /*              a            b            c       bytes                        */
    WIRE_OPEN = 1,  /* first of the arena, bytes, index                               */
    WIRE_ALLOC,     /* address      size                    of zeros                   */
    WIRE_FREE,      /* address      size                                              */
    WIRE_WRITE,     /* to           size                    the data, or a payload     */
    WIRE_READ,      /* from         size                                              */
    WIRE_COPY,      /* to           from         size                                 */
    WIRE_ATTACH,    /* at           target                                            */
    WIRE_KERNEL,    /* number                               its name                   */
    WIRE_SYMBOL,    /* address                              name of a variable         */
    WIRE_REGION,    /* kernel       line                    id, file (each ends in 0)  */
    WIRE_LAUNCH,    /* kernel       parameters              wire_launch, parameters    */
    WIRE_SYNC,      /* number                                                         */
    WIRE_CLOSE,
    WIRE_PORT,      /* answered by its port                                           */
    WIRE_ACCEPT,    /* peer         patience                   the peer's name (ends in 0) */
    WIRE_CONNECT,   /* peer         patience                   port, name (each ends in 0) */
    WIRE_GIVE,      /* from         size of a row   peer       wire_dimension, outermost first */
    WIRE_TAKE,      /* to           size of a row   peer       the same                */
    WIRE_PART,      /* peer                                                           */
    WIRE_DIGEST,    /* from         size         key        answered by that of the bytes */

    WIRE_OPENED = 32, /* version    1: arena                ompls_properties           */
    WIRE_VALUE,       /* number: of a kernel, its threads; of a symbol, its address;   */
                      /* of a digest, its two halves, a and b                          */
    WIRE_DATA,        /*            size                    the data, or a payload     */
    WIRE_PRINTED,     /* 1 or 2                             text                       */
    WIRE_ERROR,       /*                                    ompls_error                */
    WIRE_DONE,        /* number of the sync                                           */
    WIRE_NAMED        /*                                    a port                     */
};

typedef uint64_t wire_number; /* before the records of a frame */

typedef struct {
    uint32_t what, length;
    uint64_t a, b, c;
} wire_record;

typedef struct {
    uint32_t mode, grid[3], block[3], shared_bytes;
} wire_launch;

typedef struct { /* before the bytes of a parameter, which are filled up to a multiple of 8 */
    uint32_t size, kind;
} wire_parameter;

typedef struct { /* of what is copied between far sides: how many rows, and from one to the next (bytes) */
    uint64_t count, stride;
} wire_dimension;

static const char wire_beat[16]; /* a frame that says that the other side is alive: zeros */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers travel as they are in memory");
_Static_assert(sizeof(wire_record) == 32 && sizeof(wire_launch) == 32 && sizeof(wire_parameter) == 8, "as they travel");
#endif
