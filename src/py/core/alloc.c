#include "py/core/alloc.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/settled.h"
#include "limits/guard.h"
#include "limits/memory.h"
#include "py/core/mapped.h"
#include "py/core/python.h"
#include "py/core/state.h"

/* CPython's own, as they were before ours. */
static SETTLED union {
    struct {
        PyMemAllocatorEx raw, mem, obj;
    };
    char room[SETTLED_BYTES];
} originals;

/* Starving is asked of the interpreter and not of the guard, because the short
 * ladder has it too; the guard knows when the stack is nearly used up. */
static int must_refuse(void)
{
    return (interp_current && interp_starves(interp_current)) ||
           (guard_here && guard_refuses(guard_here));
}

/* Code that catches MemoryError and goes on would do so for ever. */
static void stop_hopeless(memory_account *m)
{
    if (interp_current && !interp_is_settled(interp_current))
        interp_stop(interp_current, STOP_MEMORY, m->limit_bytes);
}

static int charge_if_allowed(size_t bytes)
{
    if (must_refuse())
        return 0;
    if (memory_charge(memory_here, (int64_t)bytes))
        return 1;
    if (memory_is_hopeless(memory_here))
        stop_hopeless(memory_here);
    return 0;
}

/* ---- ballast ---- */

static struct {
    void *_Atomic at;
    size_t bytes;
} ballast[ALLOC_BALLASTS] = {
    [ALLOC_FOR_CODE] = { .bytes = 4 << 20 }, [ALLOC_FOR_REPORT] = { .bytes = 8 << 20 }
};

void alloc_keep_ballast(void)
{
    for (int i = 0; i < ALLOC_BALLASTS; i++) {
        if (atomic_load(&ballast[i].at))
            continue;
        void *at = mmap(NULL, ballast[i].bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                        -1, 0);
        atomic_store(&ballast[i].at, at == MAP_FAILED ? NULL : at);
    }
}

int alloc_drop_ballast(alloc_ballast which)
{
    void *at = atomic_exchange(&ballast[which].at, NULL);
    return at && munmap(at, ballast[which].bytes) == 0;
}

/* The process has no more, though the account has: it counts as a refusal. */
static int made_room(const void *block)
{
    if (block)
        return 0;
    if (room_drop())
        return 1;
    if (!interp_current || !interp_current->options.is_full)
        return 0;
    if (alloc_drop_ballast(ALLOC_FOR_CODE))
        return 1;

    memory_refuse(memory_here);
    if (memory_is_hopeless(memory_here))
        stop_hopeless(memory_here);
    return 0;
}

/* ---- the RAW domain ---- */

static _Thread_local int maps_large;

void alloc_map_large(int is_wanted)
{
    maps_large = is_wanted;
}

static size_t usable(void *block)
{
    size_t mapped = mapped_bytes(block);
    return mapped ? mapped : malloc_usable_size(block);
}

/* What was really given, once we have it. */
static void *settle_charge(void *block, size_t asked)
{
    if (!block)
        memory_release(memory_here, (int64_t)asked);
    else
        memory_release(memory_here, (int64_t)asked - (int64_t)usable(block));
    return block;
}

static void *new_mapped(size_t bytes)
{
    return maps_large && bytes >= MAPPED_LEAST ? mapped_new(bytes) : NULL;
}

static void *raw_malloc(void *ctx, size_t size)
{
    (void)ctx;
    if (!memory_here)
        return originals.raw.malloc(originals.raw.ctx, size);
    if (!charge_if_allowed(size))
        return NULL;

    void *block = new_mapped(size);
    if (!block)
        block = originals.raw.malloc(originals.raw.ctx, size);
    while (made_room(block))
        block = originals.raw.malloc(originals.raw.ctx, size);
    return settle_charge(block, size);
}

static void *raw_calloc(void *ctx, size_t count, size_t size)
{
    (void)ctx;
    if (!memory_here || (size && count > SIZE_MAX / size))
        return originals.raw.calloc(originals.raw.ctx, count, size);
    if (!charge_if_allowed(count * size))
        return NULL;

    void *block = new_mapped(count * size);
    if (!block)
        block = originals.raw.calloc(originals.raw.ctx, count, size);
    while (made_room(block))
        block = originals.raw.calloc(originals.raw.ctx, count, size);
    return settle_charge(block, count * size);
}

static void raw_free(void *ctx, void *block)
{
    (void)ctx;
    size_t mapped = mapped_bytes(block);
    if (memory_here && block)
        memory_release(memory_here, (int64_t)(mapped ? mapped : malloc_usable_size(block)));
    if (mapped)
        mapped_free(block);
    else
        originals.raw.free(originals.raw.ctx, block);
}

static void *realloc_mapped(void *block, size_t size)
{
    size_t before = mapped_bytes(block);
    void *moved = raw_malloc(NULL, size);
    if (!moved)
        return NULL;
    memcpy(moved, block, size < before ? size : before);
    raw_free(NULL, block);
    return moved;
}

static void *raw_realloc(void *ctx, void *block, size_t size)
{
    (void)ctx;
    if (mapped_bytes(block))
        return realloc_mapped(block, size);
    if (!memory_here)
        return originals.raw.realloc(originals.raw.ctx, block, size);

    size_t before = block ? malloc_usable_size(block) : 0;
    size_t more = size > before ? size - before : 0;
    if (more && !charge_if_allowed(more))
        return NULL;

    void *grown = originals.raw.realloc(originals.raw.ctx, block, size);
    while (more && made_room(grown))
        grown = originals.raw.realloc(originals.raw.ctx, block, size);
    size_t after = grown ? malloc_usable_size(grown) : before;
    memory_release(memory_here, (int64_t)(before + more) - (int64_t)after);
    return grown;
}

/* ---- starving ---- */

/* These keep no header and pass on the same context, so that a call that mixes
 * them with the originals while they are put in place is fine. */

#define STARVING(domain)                                                          \
    static void *domain##_malloc(void *ctx, size_t size)                          \
    {                                                                             \
        return must_refuse() ? NULL : originals.domain.malloc(ctx, size);         \
    }                                                                             \
    static void *domain##_calloc(void *ctx, size_t count, size_t size)            \
    {                                                                             \
        return must_refuse() ? NULL : originals.domain.calloc(ctx, count, size);  \
    }                                                                             \
    static void *domain##_realloc(void *ctx, void *block, size_t size)            \
    {                                                                             \
        return must_refuse() ? NULL : originals.domain.realloc(ctx, block, size); \
    }                                                                             \
    static void domain##_free(void *ctx, void *block)                             \
    {                                                                             \
        originals.domain.free(ctx, block);                                        \
    }

STARVING(mem)
STARVING(obj)

static struct {
    pthread_mutex_t lock;
    int sessions;
} starving = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void swap_allocators(int is_starving)
{
    PyMemAllocatorEx mem_starving = { originals.mem.ctx, mem_malloc, mem_calloc, mem_realloc,
                                      mem_free };
    PyMemAllocatorEx obj_starving = { originals.obj.ctx, obj_malloc, obj_calloc, obj_realloc,
                                      obj_free };
    PyMem_SetAllocator(PYMEM_DOMAIN_MEM, is_starving ? &mem_starving : &originals.mem);
    PyMem_SetAllocator(PYMEM_DOMAIN_OBJ, is_starving ? &obj_starving : &originals.obj);
}

void alloc_starve_begin(void)
{
    pthread_mutex_lock(&starving.lock);
    if (starving.sessions++ == 0)
        swap_allocators(1);
    pthread_mutex_unlock(&starving.lock);
}

void alloc_starve_end(void)
{
    pthread_mutex_lock(&starving.lock);
    if (--starving.sessions == 0)
        swap_allocators(0);
    pthread_mutex_unlock(&starving.lock);
}

/* ---- installing ---- */

void alloc_install(void)
{
    mapped_install();
    PyMem_GetAllocator(PYMEM_DOMAIN_RAW, &originals.raw);
    PyMem_GetAllocator(PYMEM_DOMAIN_MEM, &originals.mem);
    PyMem_GetAllocator(PYMEM_DOMAIN_OBJ, &originals.obj);
    PyMemAllocatorEx charged = { NULL, raw_malloc, raw_calloc, raw_realloc, raw_free };
    PyMem_SetAllocator(PYMEM_DOMAIN_RAW, &charged);
    settled_seal(&originals);
}

void alloc_charge_to(memory_account *m)
{
    memory_here = m;
    if (m)
        m->on_hopeless = stop_hopeless;
}

memory_account *alloc_account(void)
{
    return memory_here;
}
