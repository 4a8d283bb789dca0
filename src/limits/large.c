#include "limits/large.h"

#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "limits/unusual.h"

enum { SLOTS = 1024, TRIED = 16 };

/* The exception to "no file-level state": memory is the process's, and any thread may free it. */
_Atomic int unusual_count;
static _Atomic int large_count;
static struct slot {
    void *_Atomic block; /* NULL: free; CHANGING: whoever has put that here has the slot */
    memory_account *_Atomic of;
} slots[SLOTS];

static char changing;
#define CHANGING ((void *)&changing)

static struct slot *slot_at(const void *block, size_t i)
{
    return &slots[(((uintptr_t)block >> 12) + i) % SLOTS];
}

static int claim_slot(struct slot *s, void *expected)
{
    if (atomic_load_explicit(&s->block, memory_order_relaxed) != expected)
        return 0;
    return atomic_compare_exchange_strong(&s->block, &expected, CHANGING);
}

static void empty_slot(struct slot *s)
{
    atomic_store(&s->block, NULL);
    atomic_fetch_sub(&large_count, 1);
    atomic_fetch_sub(&unusual_count, 1);
}

void large_note(void *block, memory_account *m)
{
    for (size_t i = 0; i < TRIED; i++) {
        struct slot *s = slot_at(block, i);
        if (!claim_slot(s, NULL))
            continue;
        atomic_store(&s->of, m);
        atomic_fetch_add(&large_count, 1);
        atomic_fetch_add(&unusual_count, 1);
        atomic_store(&s->block, block);
        return;
    }
}

void large_forget(const void *block)
{
    if (!block || atomic_load_explicit(&large_count, memory_order_relaxed) == 0)
        return;
    for (size_t i = 0; i < TRIED; i++) {
        struct slot *s = slot_at(block, i);
        if (!claim_slot(s, (void *)(uintptr_t)block))
            continue;
        empty_slot(s);
        return;
    }
}

static void return_pages(void *block)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)block;
    uintptr_t low = (at + page - 1) & ~(page - 1);
    uintptr_t high = (at + malloc_usable_size(block)) & ~(page - 1);
    if (low < high)
        madvise((void *)low, high - low, MADV_DONTNEED);
}

static void drop_all_of(memory_account *m, int gives_back)
{
    for (size_t i = 0; i < SLOTS && atomic_load(&large_count) > 0; i++) {
        struct slot *s = &slots[i];
        void *block = atomic_load(&s->block);
        if (!block || block == CHANGING || atomic_load(&s->of) != m)
            continue;
        if (!claim_slot(s, block))
            continue;
        /* It may have become another's since. */
        if (atomic_load(&s->of) != m) {
            atomic_store(&s->block, block);
            continue;
        }
        if (gives_back)
            return_pages(block);
        empty_slot(s);
    }
}

void large_give_back(memory_account *m)
{
    drop_all_of(m, 1);
}

void large_disown(memory_account *m)
{
    drop_all_of(m, 0);
}
