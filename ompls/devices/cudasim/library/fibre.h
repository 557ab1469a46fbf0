// fibre.h -- switching stacks: the callee-saved registers of x86-64 (System V ABI) and AArch64 (AAPCS64), nothing else.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Save the caller's context in *from and continue at `to`, which was saved by this or made by ompls_sim_prepare.
extern "C" void ompls_sim_switch(void **from, void *to);

#if defined(__x86_64__)
asm(R"(
.text
.globl ompls_sim_switch
.type ompls_sim_switch, @function
ompls_sim_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size ompls_sim_switch, .-ompls_sim_switch
)");

// A context that calls `entry` (which never returns) on the stack that ends at `top`.
inline void *ompls_sim_prepare(char *top, void (*entry)())
{
    void **sp = reinterpret_cast<void **>(reinterpret_cast<uintptr_t>(top) & ~uintptr_t(15));
    *--sp = nullptr; // where a return address would be: the stack is aligned as after a call
    *--sp = reinterpret_cast<void *>(entry);
    for (int i = 0; i < 6; ++i) *--sp = nullptr;
    return sp;
}
#elif defined(__aarch64__)
asm(R"(
.text
.globl ompls_sim_switch
.type ompls_sim_switch, %function
ompls_sim_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
.size ompls_sim_switch, .-ompls_sim_switch
)");

inline void *ompls_sim_prepare(char *top, void (*entry)())
{
    uint64_t *sp = reinterpret_cast<uint64_t *>(reinterpret_cast<uintptr_t>(top) & ~uintptr_t(15)) - 20;
    for (int i = 0; i < 20; ++i) sp[i] = 0;
    sp[11] = reinterpret_cast<uint64_t>(entry); // x30
    return sp;
}
#else
#error "cudasim knows x86-64 and AArch64"
#endif
