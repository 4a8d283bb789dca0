#include "py/alloc.h"

#include <malloc.h>
#include <pthread.h>

#include "limits/guard.h"
#include "py/python.h"
#include "py/state.h"

static _Thread_local memory_account *account __attribute__((tls_model("initial-exec")));

/* CPython's own, as they were before ours. */
static PyMemAllocatorEx raw, mem, obj;

/* Starving is asked of the interpreter and not of the guard, because the short
 * ladder has it too; the guard knows when the stack is nearly used up. */
static int refuses(void)
{
    return (interp_current && interp_starves(interp_current)) ||
           (guard_here && guard_refuses(guard_here));
}

/* Code that catches MemoryError and goes on would do so for ever. */
static int afford(size_t bytes)
{
    if (refuses())
        return 0;
    if (memory_charge(account, (int64_t)bytes))
        return 1;
    if (memory_is_hopeless(account) && interp_current && !interp_is_settled(interp_current))
        interp_stop(interp_current, STOP_MEMORY, account->limit_bytes);
    return 0;
}

/* What the C library really gave, once we have it. */
static void *settle(void *block, size_t asked)
{
    if (!block)
        memory_release(account, (int64_t)asked);
    else
        memory_release(account, (int64_t)asked - (int64_t)malloc_usable_size(block));
    return block;
}

static void *raw_malloc(void *ctx, size_t size)
{
    (void)ctx;
    if (!account)
        return raw.malloc(raw.ctx, size);
    if (!afford(size))
        return NULL;
    return settle(raw.malloc(raw.ctx, size), size);
}

static void *raw_calloc(void *ctx, size_t count, size_t size)
{
    (void)ctx;
    if (!account || (size && count > SIZE_MAX / size))
        return raw.calloc(raw.ctx, count, size);
    if (!afford(count * size))
        return NULL;
    return settle(raw.calloc(raw.ctx, count, size), count * size);
}

static void *raw_realloc(void *ctx, void *block, size_t size)
{
    (void)ctx;
    if (!account)
        return raw.realloc(raw.ctx, block, size);
    size_t before = block ? malloc_usable_size(block) : 0;
    size_t more = size > before ? size - before : 0;
    if (more && !afford(more))
        return NULL;
    void *grown = raw.realloc(raw.ctx, block, size);
    size_t after = grown ? malloc_usable_size(grown) : before;
    memory_release(account, (int64_t)(before + more) - (int64_t)after);
    return grown;
}

static void raw_free(void *ctx, void *block)
{
    (void)ctx;
    if (account && block)
        memory_release(account, (int64_t)malloc_usable_size(block));
    raw.free(raw.ctx, block);
}

/* ---- starving ------------------------------------------------------------ */

/* These keep no header and pass on the same context, so that a call that mixes
 * them with the originals while they are put in place is fine. */

#define STARVING(domain)                                               \
    static void *domain##_malloc(void *ctx, size_t size)               \
    {                                                                  \
        return refuses() ? NULL : domain.malloc(ctx, size);            \
    }                                                                  \
    static void *domain##_calloc(void *ctx, size_t count, size_t size) \
    {                                                                  \
        return refuses() ? NULL : domain.calloc(ctx, count, size);     \
    }                                                                  \
    static void *domain##_realloc(void *ctx, void *block, size_t size) \
    {                                                                  \
        return refuses() ? NULL : domain.realloc(ctx, block, size);    \
    }                                                                  \
    static void domain##_free(void *ctx, void *block)                  \
    {                                                                  \
        domain.free(ctx, block);                                       \
    }

STARVING(mem)
STARVING(obj)

static struct {
    pthread_mutex_t lock;
    int sessions;
} starving = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void put_in_place(int is_starving)
{
    PyMemAllocatorEx mem_starving = { mem.ctx, mem_malloc, mem_calloc, mem_realloc, mem_free };
    PyMemAllocatorEx obj_starving = { obj.ctx, obj_malloc, obj_calloc, obj_realloc, obj_free };
    PyMem_SetAllocator(PYMEM_DOMAIN_MEM, is_starving ? &mem_starving : &mem);
    PyMem_SetAllocator(PYMEM_DOMAIN_OBJ, is_starving ? &obj_starving : &obj);
}

void alloc_starve_begin(void)
{
    pthread_mutex_lock(&starving.lock);
    if (starving.sessions++ == 0)
        put_in_place(1);
    pthread_mutex_unlock(&starving.lock);
}

void alloc_starve_end(void)
{
    pthread_mutex_lock(&starving.lock);
    if (--starving.sessions == 0)
        put_in_place(0);
    pthread_mutex_unlock(&starving.lock);
}

/* ---- installing ---------------------------------------------------------- */

void alloc_install(void)
{
    PyMem_GetAllocator(PYMEM_DOMAIN_RAW, &raw);
    PyMem_GetAllocator(PYMEM_DOMAIN_MEM, &mem);
    PyMem_GetAllocator(PYMEM_DOMAIN_OBJ, &obj);
    PyMemAllocatorEx charged = { NULL, raw_malloc, raw_calloc, raw_realloc, raw_free };
    PyMem_SetAllocator(PYMEM_DOMAIN_RAW, &charged);
}

void alloc_charge_to(memory_account *m)
{
    account = m;
}

memory_account *alloc_account(void)
{
    return account;
}
