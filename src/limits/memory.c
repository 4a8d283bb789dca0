#include "limits/memory.h"

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
