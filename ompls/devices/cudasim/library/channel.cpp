// channel.cpp -- what the device process says to the host, and how it ends.
#include "channel.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "engine.h"

using namespace ompls_sim_channel;

namespace {

pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;
int ended; // someone reports the end of the process

void raise_event()
{
    __atomic_add_fetch(&control->event, 1, __ATOMIC_RELEASE);
    futex_wake(&control->event);
}

} // namespace

namespace ompls_sim_channel {

sim_control *control;

void futex_wait(uint32_t *word, uint32_t seen, long milliseconds)
{
    const timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    syscall(SYS_futex, word, FUTEX_WAIT, seen, milliseconds < 0 ? nullptr : &limit, nullptr, 0);
}

void futex_wake(uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE, 0x7fffffff, nullptr, nullptr, 0); }

void reply()
{
    __atomic_store_n(&control->reply, load(&control->request), __ATOMIC_RELEASE);
    raise_event();
}

void claim_the_end()
{
    if (__atomic_exchange_n(&ended, 1, __ATOMIC_ACQ_REL))
        for (;;) pause();
}
[[noreturn]] void end_process()
{
    control->status = SIM_FAILED;
    reply();
    _exit(1);
}

} // namespace ompls_sim_channel

void ompls_sim_fail(const void *pc, const char *format, ...)
{
    claim_the_end();
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(control->reason, sizeof control->reason, format, arguments);
    va_end(arguments);
    control->fault = 0;
    control->pc = reinterpret_cast<uint64_t>(pc);
    end_process();
}

void ompls_sim_fault(const void *pc, const char *format, ...)
{
    claim_the_end();
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(control->reason, sizeof control->reason, format, arguments);
    va_end(arguments);
    control->pc = reinterpret_cast<uint64_t>(pc) - 1;
    end_process();
}

void ompls_sim_assert_failed(const char *expression, const char *file, unsigned line, const char *function)
{
    ompls_sim_fail(nullptr, "%s:%u: %s: block (%u,%u,%u), thread (%u,%u,%u): assertion `%s` failed", file, line, function,
                   ompls_sim_current.block.x, ompls_sim_current.block.y, ompls_sim_current.block.z,
                   ompls_sim_current.thread.x, ompls_sim_current.thread.y, ompls_sim_current.thread.z, expression);
}

int ompls_sim_printf(const char *format, ...)
{
    char small[1024], *text = small;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    if (length >= int(sizeof small) && (text = static_cast<char *>(malloc(size_t(length) + 1)))) {
        va_start(arguments, format);
        vsnprintf(text, size_t(length) + 1, format, arguments);
        va_end(arguments);
    }
    if (length < 0 || !text) return -1;
    pthread_mutex_lock(&printing);
    for (int done = 0; done < length;) {
        const uint32_t drained = load(&control->drained), room = sizeof control->output - (control->written - drained);
        if (room == 0) {
            raise_event();
            futex_wait(&control->drained, drained, 100);
            continue;
        }
        const uint32_t at = control->written % sizeof control->output;
        uint32_t part = uint32_t(length - done) < room ? uint32_t(length - done) : room;
        if (part > sizeof control->output - at) part = sizeof control->output - at;
        memcpy(control->output + at, text + done, part);
        __atomic_store_n(&control->written, control->written + part, __ATOMIC_RELEASE);
        done += int(part);
    }
    pthread_mutex_unlock(&printing);
    if (text != small) free(text);
    return length;
}
