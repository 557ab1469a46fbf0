/* start.S -- a core's first instructions: its stack begins at the global address of its own memory (STACK: below EPI_BLOCK of board.h).

   A core starts in an interrupt, SYNC.  Until that is left no other one is served, and exceptions only wait: a core that has read from a
   misaligned address would go on with a wrong value.  Of the others only exceptions are wanted: the timer and DMA raise some, too. */
#define NAME_(prefix, name) prefix##name
#define NAME(prefix, name) NAME_(prefix, name)
#define C(name) NAME(__USER_LABEL_PREFIX__, name)

#define ALL_BUT_EXCEPTIONS 0x3f9 /* of ten, the second and the third */

    .section .vectors, "ax"
    .global C(_start)
C(_start):
    b begin
    b failed /* the exceptions of a core: an instruction that it has not, a misaligned access */
    b failed /* memory that it may not touch */

    .text
failed: /* the program hears of it (ecore.c) */
    mov r0, %low(C(abort))
    movt r0, %high(C(abort))
    jr r0
begin:
    mov r0, #ALL_BUT_EXCEPTIONS
    movts imask, r0
    mov r0, %low(run)
    movt r0, %high(run)
    movts iret, r0
    rti
run:
    movfs r0, coreid
    lsl r0, r0, #20
    mov r1, #STACK
    add sp, r0, r1
    mov r0, %low(C(chip_begin))
    movt r0, %high(C(chip_begin))
    jr r0
