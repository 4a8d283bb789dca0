#include "limits/memory.h"

/* One thread writes, so there is no need for a read-modify-write. */
static int64_t used(const memory_account *m)
{
    return atomic_load_explicit(&m->used_bytes, memory_order_relaxed);
}

static void set_used(memory_account *m, int64_t bytes)
{
    atomic_store_explicit(&m->used_bytes, bytes, memory_order_relaxed);
}

/* a + b, for b that is not much. */
static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
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

static uint64_t reserve(const memory_account *m)
{
    if (m->limit_bytes == UINT64_MAX || m->limit_bytes / 8 < (uint64_t)MEMORY_RESERVE_BYTES)
        return MEMORY_RESERVE_BYTES;
    return m->limit_bytes / 8;
}

void memory_begin(memory_account *m)
{
    uint64_t wanted = add(floored(used(m)), reserve(m));
    uint64_t most = add(m->limit_bytes, 2 * reserve(m));
    if (wanted < m->limit_bytes)
        wanted = m->limit_bytes;
    m->ceiling_bytes = wanted < most ? wanted : most;
    m->peak_bytes = used(m);
    m->refusals = 0;
    m->grants = 0;
}

/* Whether a request over the ceiling is one of those that follow a refusal. */
static int is_granted(memory_account *m, int64_t bytes)
{
    int is_small = bytes >= 0 && bytes <= MEMORY_SMALL_BYTES;
    if (m->grants > 0) {
        m->grants--;
        return is_small;
    }
    m->refusals++;
    m->grants = is_small ? MEMORY_GRANTS : 0;
    return 0;
}

static int is_over(const memory_account *m, int64_t bytes)
{
    uint64_t after = floored(used(m)) + (uint64_t)bytes;
    return bytes < 0 || after > m->ceiling_bytes || after > INT64_MAX;
}

static int count(memory_account *m, int64_t bytes)
{
    set_used(m, used(m) + bytes);
    if (used(m) > m->peak_bytes)
        m->peak_bytes = used(m);
    return 1;
}

int memory_charge(memory_account *m, int64_t bytes)
{
    return is_over(m, bytes) && !is_granted(m, bytes) ? 0 : count(m, bytes);
}

int memory_charge_if_fits(memory_account *m, int64_t bytes)
{
    return is_over(m, bytes) ? 0 : count(m, bytes);
}

void memory_release(memory_account *m, int64_t bytes)
{
    set_used(m, used(m) - bytes);
}

uint64_t memory_peak(const memory_account *m, uint64_t stack_bytes)
{
    return add(floored(m->peak_bytes), stack_bytes);
}

int memory_is_hopeless(const memory_account *m)
{
    return m->refusals >= MEMORY_PATIENCE;
}
