// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Whether the library's frames can be unwound as they are linked here: a walk up the stack from inside a call reaches
// the caller. Without that no panic in the library could be caught.

#include "../c/check.h"
#include "../c/outcome.h"

#include <unwind.h>

static uintptr_t caller;
static bool reached;
static unsigned frames;

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *unused)
{
    (void)unused;
    frames++;
    reached = reached || _Unwind_GetRegionStart(context) == caller;
    return _URC_NO_REASON;
}

static void on_message(int level, const char *message, void *user)
{
    (void)level, (void)message, (void)user;
    _Unwind_Backtrace(look, NULL);
}

__attribute__((noinline)) static void call(void)
{
    int local = 0;
    caller = (uintptr_t)call;
    destroy_gpu_locks(&local);
    check(frames > 3 && reached, "%u frames up from inside the library, and the caller is none of them", frames);
}

int main(int argc, char **argv)
{
    (void)argc;
    checks_begin(argv[0]);
    interlock_set_log_callback(on_message, NULL);
    call();
    return checks_end();
}
