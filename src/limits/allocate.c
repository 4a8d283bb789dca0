/*
 * allocate.c - the C library's allocator as a program of ours defines it itself (see interpose.h):
 * a guard knows when its thread is in there, and what libraries take on a session's thread is
 * charged to that session.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#include "limits/guard.h"
#include "limits/memory.h"
#include "limits/text.h"

#define EXPORT  __attribute__((visibility("default")))
#define ASIDE   __attribute__((noinline))
#define FRAME() __builtin_frame_address(0)
/* Read where it is needed: an answer of __builtin_return_address would be kept in a register,
 * which each call would have to save first. */
#if defined(__x86_64__)
#define CALLER() (((const void *volatile *)FRAME())[1])
#else
#define CALLER() __builtin_return_address(0)
#endif

/* The C library has second names for these. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
extern void *__libc_valloc(size_t bytes);
extern void *__libc_pvalloc(size_t bytes);
extern void __libc_free(void *block);

/* The allocator keeps its locks across a jump, so a thread is not torn in here. */
static void leave_malloc(guard *g, const void *caller, const void *frame)
{
    if (--g->in_malloc == 0 && __builtin_expect(g->jump_wanted, 0))
        guard_settle(g, caller, frame);
}
#define LEAVE_MALLOC(g)                                                     \
    do {                                                                    \
        if (--(g)->in_malloc == 0 && __builtin_expect((g)->jump_wanted, 0)) \
            guard_settle(g, CALLER(), FRAME());                             \
    } while (0)

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

/* Python's allocators charge what they take themselves (py/core/alloc.c), and what we take is freed
 * by other threads: that is the program's code, and most calls come from there. What libraries take
 * is charged here. */
static memory_account *payer_of(const void *caller)
{
    memory_account *m = memory_here;
    return m && m->counts_libraries && text_is_of_others((uintptr_t)caller) ? m : NULL;
}

#define IS_OURS(caller) ((uintptr_t)(caller)-text_program.low < text_program.bytes)
#define PAYER(caller)   (__builtin_expect(IS_OURS(caller), 1) ? NULL : payer_of(caller))
/* Nothing to charge, to forget or to let go: as it is at most calls. The others have functions of
 * their own, so that the registers that those need are not saved each time. */
#define IS_USUAL(caller) (__builtin_expect(IS_OURS(caller), 1) && !UNUSUAL_IS_ANY())

static int pay_for(memory_account *m, size_t bytes)
{
    if (memory_charge(m, bytes > INT64_MAX ? -1 : (int64_t)bytes))
        return 1;
    if (memory_is_hopeless(m) && m->on_hopeless)
        m->on_hopeless(m);
    return 0;
}

/* What it has really got for the bytes that it has paid. */
static void settle_payment(memory_account *m, void *block, size_t bytes)
{
    size_t usable = block ? malloc_usable_size(block) : 0;
    memory_release(m, (int64_t)bytes - (int64_t)usable);
    if (usable >= LARGE_BYTES)
        large_note(block, m);
}

#define ALLOCATE_FOR(bytes, call, caller, frame)           \
    do {                                                   \
        guard *g = guard_here;                             \
        if (!g)                                            \
            return call;                                   \
        if (__builtin_expect(guard_refuses(g), 0))         \
            return no_memory();                            \
        memory_account *m = PAYER(caller);                 \
        if (m && !pay_for(m, bytes))                       \
            return no_memory();                            \
        g->in_malloc++;                                    \
        void *block = call;                                \
        while (__builtin_expect(!block, 0) && room_drop()) \
            block = call;                                  \
        if (m)                                             \
            settle_payment(m, block, bytes);               \
        leave_malloc(g, caller, frame);                    \
        return block;                                      \
    } while (0)
#define ALLOCATE(bytes, call) ALLOCATE_FOR(bytes, call, CALLER(), FRAME())

/* Where all is as usual: with few registers to save. */
#define ALLOCATE_USUALLY(call)                     \
    do {                                           \
        guard *g = guard_here;                     \
        if (!g)                                    \
            return call;                           \
        if (__builtin_expect(guard_refuses(g), 0)) \
            return no_memory();                    \
        g->in_malloc++;                            \
        void *block = call;                        \
        LEAVE_MALLOC(g);                           \
        return block;                              \
    } while (0)

static ASIDE void *malloc_unusually(size_t bytes, const void *caller, const void *frame)
{
    ALLOCATE_FOR(bytes, __libc_malloc(bytes), caller, frame);
}

EXPORT void *malloc(size_t bytes)
{
    if (!IS_USUAL(CALLER()))
        return malloc_unusually(bytes, CALLER(), FRAME());
    ALLOCATE_USUALLY(__libc_malloc(bytes));
}

static size_t product(size_t count, size_t bytes)
{
    size_t all;
    return __builtin_mul_overflow(count, bytes, &all) ? SIZE_MAX : all;
}

static ASIDE void *calloc_unusually(size_t count, size_t bytes, const void *caller,
                                    const void *frame)
{
    ALLOCATE_FOR(product(count, bytes), __libc_calloc(count, bytes), caller, frame);
}

EXPORT void *calloc(size_t count, size_t bytes)
{
    if (!IS_USUAL(CALLER()))
        return calloc_unusually(count, bytes, CALLER(), FRAME());
    ALLOCATE_USUALLY(__libc_calloc(count, bytes));
}

static void *realloc_in_room(void *before, size_t bytes)
{
    void *block = __libc_realloc(before, bytes);
    while (!block && bytes && room_drop())
        block = __libc_realloc(before, bytes);
    return block;
}

/* Of a block of a library's. */
static void *resize(memory_account *m, void *before, size_t bytes)
{
    size_t had = before ? malloc_usable_size(before) : 0;
    size_t more = bytes > had ? bytes - had : 0;
    if (more && !pay_for(m, more))
        return no_memory();

    large_forget(before);
    void *block = realloc_in_room(before, bytes);
    void *left = block;
    if (!block && bytes > 0)
        left = before; /* it was refused, and stays as it was */

    size_t has = left ? malloc_usable_size(left) : 0;
    memory_release(m, (int64_t)(had + more) - (int64_t)has);
    if (has >= LARGE_BYTES)
        large_note(left, m);
    return block;
}

static ASIDE void *realloc_unusually(void *before, size_t bytes, const void *caller,
                                     const void *frame)
{
    guard *g = guard_here;
    if (!g) {
        large_forget(before);
        return __libc_realloc(before, bytes);
    }

    if (guard_refuses(g))
        return no_memory();
    memory_account *m = PAYER(caller);
    g->in_malloc++;
    void *block;
    if (m) {
        block = resize(m, before, bytes);
    } else {
        large_forget(before);
        block = realloc_in_room(before, bytes);
    }

    leave_malloc(g, caller, frame);
    return block;
}

EXPORT void *realloc(void *before, size_t bytes)
{
    if (!IS_USUAL(CALLER()))
        return realloc_unusually(before, bytes, CALLER(), FRAME());
    guard *g = guard_here;
    if (!g)
        return __libc_realloc(before, bytes);
    if (__builtin_expect(guard_refuses(g), 0))
        return no_memory();

    g->in_malloc++;
    void *block = __libc_realloc(before, bytes);
    LEAVE_MALLOC(g);
    return block;
}

EXPORT void *memalign(size_t alignment, size_t bytes)
{
    ALLOCATE(bytes, __libc_memalign(alignment, bytes));
}

EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
    ALLOCATE(bytes, __libc_memalign(alignment, bytes));
}

EXPORT void *valloc(size_t bytes)
{
    ALLOCATE(bytes, __libc_valloc(bytes));
}

EXPORT void *pvalloc(size_t bytes)
{
    ALLOCATE(bytes, __libc_pvalloc(bytes));
}

static void *align(size_t alignment, size_t bytes, const void *caller, const void *frame)
{
    ALLOCATE_FOR(bytes, __libc_memalign(alignment, bytes), caller, frame);
}

EXPORT int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    size_t words = alignment / sizeof(void *);

    if (alignment % sizeof(void *) != 0 || words == 0 || (words & (words - 1)) != 0)
        return EINVAL;
    int saved = errno;
    void *block = align(alignment, bytes, CALLER(), FRAME());
    errno = saved;
    if (!block)
        return ENOMEM;
    *out = block;
    return 0;
}

/* Half of what an allocation needs: whoever was refused still frees what it has. */
static int has_room_to_free(const guard *g)
{
    return (uintptr_t)FRAME() - (uintptr_t)g->stack_low >= GUARD_RED_BYTES / 2;
}

static void leave_full_stack(guard *g)
{
    g->fault_address = FRAME();
    guard_leave(g, GUARD_FAULT, SIGSEGV);
}

/* It cannot fail, so the stack's end is met here and not with the allocator's lock held. */
static inline void meet_stack_end(guard *g)
{
    if (__builtin_expect(!has_room_to_free(g), 0) && g->is_running && !g->in_malloc && !g->locks &&
        !g->no_jump)
        leave_full_stack(g);
}

static ASIDE void free_unusually(void *block, const void *caller, const void *frame)
{
    guard *g = guard_here;
    memory_account *m = g ? PAYER(caller) : NULL;

    large_forget(block);
    if (m)
        memory_release(m, (int64_t)malloc_usable_size(block));
    if (!g) {
        __libc_free(block);
        return;
    }

    meet_stack_end(g);
    g->in_malloc++;
    __libc_free(block);
    leave_malloc(g, caller, frame);
}

EXPORT void free(void *block)
{
    /* More than half of the calls of a small turn. */
    if (!block)
        return;
    if (!IS_USUAL(CALLER())) {
        free_unusually(block, CALLER(), FRAME());
        return;
    }

    guard *g = guard_here;
    if (!g) {
        __libc_free(block);
        return;
    }

    meet_stack_end(g);
    g->in_malloc++;
    __libc_free(block);
    LEAVE_MALLOC(g);
}
