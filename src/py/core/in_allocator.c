#include "py/core/in_allocator.h"

#ifdef SNUG_STATIC_PYTHON

#include <stddef.h>
#include <unwind.h>

/* All code of obmalloc.o, which py/life/archive.py puts into a section of its own: the linker
 * knows where it begins and ends. */
extern const char __start_snug_pymalloc[], __stop_snug_pymalloc[];

static int is_allocator(uintptr_t pc)
{
    return pc - (uintptr_t)__start_snug_pymalloc <
           (uintptr_t)(__stop_snug_pymalloc - __start_snug_pymalloc);
}

/* How far up the stack its callees' frames reach: an arena's mmap, the C library's
 * allocator. Above a thread's first frame its control block is larger than this, so that
 * the words can be read anywhere on a stack. */
enum { WINDOW = 192, MOST_FRAMES = 64 };

typedef struct walk {
    uintptr_t pc; /* where the question begins; the handler's own frames come before */
    uintptr_t end;
    int has_begun, is_busy, frames;
} walk;

static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *context, void *arg)
{
    walk *w = arg;
    uintptr_t pc = _Unwind_GetIP(context);

    w->has_begun |= pc == w->pc;
    if (w->has_begun && is_allocator(pc))
        w->is_busy = 1;
    if (w->is_busy || ++w->frames == MOST_FRAMES ||
        (w->has_begun && _Unwind_GetCFA(context) > w->end))
        return _URC_NORMAL_STOP;

    return _URC_NO_REASON;
}

/* Async-signal-safe: the unwinder allocates nothing and, since glibc 2.35, finds its tables
 * by _dl_find_object, which takes no lock. What it does at its first use busy_init has had
 * it do. A torn stack can make it fault, and a fault in a handler is contained like any
 * other. */
static int is_in_a_call(uintptr_t pc, const uintptr_t *sp)
{
    walk w = { .pc = pc, .end = (uintptr_t)(sp + WINDOW) };
    _Unwind_Backtrace(visit_frame, &w);
    return w.is_busy;
}

void busy_init(void)
{
    uintptr_t here = 0;
    is_in_a_call(1, &here);
}

/* Async-signal-safe: reads this thread's stack. Most often no word looks like a return
 * into the allocator, and the stack need not be unwound; one that does may be left over
 * from an earlier call. */
int busy_in_allocator(uintptr_t pc, const uintptr_t *sp)
{
    if (is_allocator(pc))
        return 1;
    for (size_t i = 0; i < WINDOW; i++)
        if (is_allocator(sp[i]))
            return is_in_a_call(pc, sp);
    return 0;
}

#else

void busy_init(void)
{
}

int busy_in_allocator(uintptr_t pc, const uintptr_t *sp)
{
    (void)pc;
    (void)sp;
    return 0;
}

#endif
