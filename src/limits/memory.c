#include "limits/memory.h"

#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/u64.h"

_Thread_local memory_account *memory_here __attribute__((tls_model("initial-exec")));

#define GET(field)      atomic_load_explicit(&m->field, memory_order_relaxed)
#define SET(field, now) atomic_store_explicit(&m->field, now, memory_order_relaxed)

static int64_t used(const memory_account *m)
{
    return GET(used_bytes);
}

/* Most often one thread writes, and there is no need for a read-modify-write. */
static void change_used(memory_account *m, int64_t bytes)
{
    if (m->is_shared)
        atomic_fetch_add_explicit(&m->used_bytes, bytes, memory_order_relaxed);
    else
        SET(used_bytes, used(m) + bytes);
}

/* Less than nothing is used where a session frees what others allocated. */
static uint64_t floored(int64_t bytes)
{
    return bytes > 0 ? (uint64_t)bytes : 0;
}

void memory_init(memory_account *m, uint64_t limit_bytes)
{
    *m = (memory_account){ .limit_bytes = limit_bytes, .ceiling_bytes = limit_bytes };
}

static uint64_t reserve_of(const memory_account *m)
{
    if (m->limit_bytes == UINT64_MAX || m->limit_bytes / 8 < (uint64_t)MEMORY_RESERVE_BYTES)
        return MEMORY_RESERVE_BYTES;
    return m->limit_bytes / 8;
}

void memory_begin(memory_account *m)
{
    uint64_t wanted = u64_sum(floored(used(m)), reserve_of(m));
    uint64_t most = u64_most(u64_sum(m->limit_bytes, 2 * reserve_of(m)),
                             u64_sum(floored(m->restored_bytes), reserve_of(m)));

    if (wanted < m->limit_bytes)
        wanted = m->limit_bytes;
    m->ceiling_bytes = u64_least(wanted, most);
    SET(peak_bytes, used(m));
    SET(refusals, 0);
    SET(grants, 0);
}

void memory_begin_copy(memory_account *m)
{
    memory_begin(m);
    m->ceiling_bytes = u64_sum(m->ceiling_bytes, m->ceiling_bytes);
}

void memory_end_copy(memory_account *m)
{
    m->restored_bytes = used(m);
}

/* Whether a request over the ceiling is one of those that follow a refusal. */
static int is_granted(memory_account *m, int64_t bytes)
{
    int is_small = bytes >= 0 && bytes <= MEMORY_SMALL_BYTES;
    int left = GET(grants);
    if (left > 0) {
        SET(grants, left - 1);
        return is_small;
    }

    SET(refusals, GET(refusals) + 1);
    SET(grants, is_small ? MEMORY_GRANTS : 0);
    return 0;
}

static int is_over(const memory_account *m, int64_t bytes)
{
    uint64_t after = floored(used(m)) + (uint64_t)bytes;
    return bytes < 0 || after > m->ceiling_bytes || after > INT64_MAX;
}

static int count_bytes(memory_account *m, int64_t bytes)
{
    change_used(m, bytes);
    if (used(m) > GET(peak_bytes))
        SET(peak_bytes, used(m));
    return 1;
}

int memory_charge(memory_account *m, int64_t bytes)
{
    if (is_over(m, bytes) && !is_granted(m, bytes))
        return 0;
    return count_bytes(m, bytes);
}

int memory_charge_if_fits(memory_account *m, int64_t bytes)
{
    if (is_over(m, bytes))
        return 0;
    return count_bytes(m, bytes);
}

void memory_release(memory_account *m, int64_t bytes)
{
    change_used(m, -bytes);
}

uint64_t memory_peak(const memory_account *m, uint64_t stack_bytes)
{
    return u64_sum(floored(GET(peak_bytes)), stack_bytes);
}

void memory_refuse(memory_account *m)
{
    SET(refusals, GET(refusals) + 1);
}

int memory_is_hopeless(const memory_account *m)
{
    return GET(refusals) >= MEMORY_PATIENCE;
}

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

/* At the beginning of the mapping. */
typedef struct room {
    size_t bytes; /* that are left, with this */
} room;

/* A thread's own, by a key: thread-locals of a library have little room, and this is rarely asked
 * for. */
static struct {
    pthread_once_t once;
    pthread_key_t key;
    int has_key;
} rooms = { .once = PTHREAD_ONCE_INIT };

static void make_key(void)
{
    rooms.has_key = pthread_key_create(&rooms.key, NULL) == 0;
}

static room *own_room(void)
{
    return rooms.has_key ? pthread_getspecific(rooms.key) : NULL;
}

int room_keep(void)
{
    pthread_once(&rooms.once, make_key);
    if (own_room())
        return 1;

    /* Writable, so that a kernel that does not overcommit counts it. */
    void *at = mmap(NULL, ROOM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return 0;
    if (!rooms.has_key || pthread_setspecific(rooms.key, at) != 0) {
        munmap(at, ROOM_BYTES);
        return 0;
    }

    atomic_fetch_add(&unusual_count, 1);
    ((room *)at)->bytes = ROOM_BYTES;
    return 1;
}

/* The last bytes of it are nobody's now, and zero. */
static void *cut_off(room *kept, size_t bytes)
{
    size_t left = kept->bytes - bytes;

    kept->bytes = left;
    if (left == 0) {
        pthread_setspecific(rooms.key, NULL);
        atomic_fetch_sub(&unusual_count, 1);
    }
    return (char *)kept + left;
}

static int unmap_room(room *kept, size_t bytes)
{
    return munmap(cut_off(kept, bytes), bytes) == 0;
}

int room_drop(void)
{
    room *kept = own_room();
    if (!kept)
        return 0;
    return unmap_room(kept, kept->bytes < ROOM_PIECE_BYTES ? kept->bytes : ROOM_PIECE_BYTES);
}

void *room_take(size_t bytes)
{
    room *kept = own_room();
    return kept && bytes <= kept->bytes ? cut_off(kept, bytes) : NULL;
}

void room_leave(void)
{
    room *kept = own_room();
    if (kept)
        unmap_room(kept, kept->bytes);
}
