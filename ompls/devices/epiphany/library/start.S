/* start.S -- a core's first instructions: its stack begins at the global address of its own memory (STACK: below EPI_BLOCK of board.h). */
#define NAME_(prefix, name) prefix##name
#define NAME(prefix, name) NAME_(prefix, name)
#define C(name) NAME(__USER_LABEL_PREFIX__, name)

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
    movfs r0, coreid
    lsl r0, r0, #20
    mov r1, #STACK
    add sp, r0, r1
    mov r0, %low(C(chip_begin))
    movt r0, %high(C(chip_begin))
    jr r0
