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
#include "limits/large.h"
#include "limits/memory.h"
#include "limits/room.h"
#include "limits/text.h"

#define EXPORT   __attribute__((visibility("default")))
#define CALLER() __builtin_return_address(0)
#define FRAME()  __builtin_frame_address(0)

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

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

/* Python's allocators charge what they take themselves (py/alloc.c), and what we take is freed by
 * other threads: that is the program's code, and most calls come from there. What libraries take
 * is charged here. */
static memory_account *payer_of(const void *caller)
{
    memory_account *m = memory_here;
    return m && m->counts_libraries && text_is_of_others((uintptr_t)caller) ? m : NULL;
}

#define IS_OURS(caller) ((uintptr_t)(caller)-text_program.low < text_program.bytes)
#define PAYER(caller)   (__builtin_expect(IS_OURS(caller), 1) ? NULL : payer_of(caller))
#define IS_WATCHED(caller) \
    __builtin_expect(      \
        !IS_OURS(caller) || atomic_load_explicit(&large_count, memory_order_relaxed) > 0, 0)

/* Of whichever thread. */
#define FORGET(block)                                                                          \
    do {                                                                                       \
        if (__builtin_expect(atomic_load_explicit(&large_count, memory_order_relaxed) > 0, 0)) \
            large_forget(block);                                                               \
    } while (0)

static int pay(memory_account *m, size_t bytes)
{
    if (memory_charge(m, bytes > INT64_MAX ? -1 : (int64_t)bytes))
        return 1;
    if (memory_is_hopeless(m) && m->on_hopeless)
        m->on_hopeless(m);
    return 0;
}

/* What it has really got for the bytes that it has paid. */
static void settle(memory_account *m, void *block, size_t bytes)
{
    size_t usable = block ? malloc_usable_size(block) : 0;
    memory_release(m, (int64_t)bytes - (int64_t)usable);
    if (usable >= LARGE_BYTES)
        large_note(block, m);
}

#define ALLOCATE_FOR(bytes, call, caller, frame)        \
    do {                                                \
        guard *g = guard_here;                          \
        if (!g)                                         \
            return call;                                \
        if (__builtin_expect(guard_refuses(g), 0))      \
            return no_memory();                         \
        memory_account *m = PAYER(caller);              \
        if (m && !pay(m, bytes))                        \
            return no_memory();                         \
        g->in_malloc++;                                 \
        void *block = call;                             \
        if (__builtin_expect(!block, 0) && room_drop()) \
            block = call;                               \
        if (m)                                          \
            settle(m, block, bytes);                    \
        leave_malloc(g, caller, frame);                 \
        return block;                                   \
    } while (0)
#define ALLOCATE(bytes, call) ALLOCATE_FOR(bytes, call, CALLER(), FRAME())

EXPORT void *malloc(size_t bytes)
{
    ALLOCATE(bytes, __libc_malloc(bytes));
}

static size_t product(size_t count, size_t bytes)
{
    size_t all;
    return __builtin_mul_overflow(count, bytes, &all) ? SIZE_MAX : all;
}

EXPORT void *calloc(size_t count, size_t bytes)
{
    ALLOCATE(product(count, bytes), __libc_calloc(count, bytes));
}

/* Of a block of a library's. */
static void *resize(memory_account *m, void *before, size_t bytes)
{
    size_t had = before ? malloc_usable_size(before) : 0, more = bytes > had ? bytes - had : 0;
    if (more && !pay(m, more))
        return no_memory();
    if (before)
        FORGET(before);
    void *block = __libc_realloc(before, bytes);
    int is_freed = !block && bytes == 0;
    size_t has = block ? malloc_usable_size(block) : is_freed ? 0 : had;
    memory_release(m, (int64_t)(had + more) - (int64_t)has);
    if (has >= LARGE_BYTES)
        large_note(block ? block : before, m);
    return block;
}

/* Where it has to be charged or forgotten: whole, so that the usual way keeps no registers. */
static __attribute__((noinline)) void *realloc_watched(void *before, size_t bytes,
                                                       const void *caller, const void *frame)
{
    guard *g = guard_here;
    if (!g) {
        FORGET(before);
        return __libc_realloc(before, bytes);
    }
    if (guard_refuses(g))
        return no_memory();
    memory_account *m = PAYER(caller);
    g->in_malloc++;
    if (!m)
        FORGET(before);
    void *block = m ? resize(m, before, bytes) : __libc_realloc(before, bytes);
    leave_malloc(g, caller, frame);
    return block;
}

EXPORT void *realloc(void *before, size_t bytes)
{
    guard *g = guard_here;
    if (IS_WATCHED(CALLER()))
        return realloc_watched(before, bytes, CALLER(), FRAME());
    if (!g)
        return __libc_realloc(before, bytes);
    if (__builtin_expect(guard_refuses(g), 0))
        return no_memory();
    g->in_malloc++;
    void *block = __libc_realloc(before, bytes);
    if (__builtin_expect(!block, 0) && bytes && room_drop())
        block = __libc_realloc(before, bytes);
    leave_malloc(g, CALLER(), FRAME());
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

static inline void free_by(guard *g, void *block, const void *caller, const void *frame)
{
    /* It can not fail, so the stack's end is met here and not with the allocator's lock
     * held. */
    if (__builtin_expect(!has_room_to_free(g), 0) && g->is_running && !g->in_malloc && !g->locks &&
        !g->no_jump)
        leave_full_stack(g);
    g->in_malloc++;
    __libc_free(block);
    leave_malloc(g, caller, frame);
}

static __attribute__((noinline)) void free_watched(void *block, const void *caller,
                                                   const void *frame)
{
    guard *g = guard_here;
    memory_account *m = g ? PAYER(caller) : NULL;
    FORGET(block);
    if (m && block)
        memory_release(m, (int64_t)malloc_usable_size(block));
    if (g)
        free_by(g, block, caller, frame);
    else
        __libc_free(block);
}

EXPORT void free(void *block)
{
    guard *g = guard_here;
    if (IS_WATCHED(CALLER()))
        free_watched(block, CALLER(), FRAME());
    else if (!g)
        __libc_free(block);
    else
        free_by(g, block, CALLER(), FRAME());
}
