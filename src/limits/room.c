#include "limits/room.h"

#include <stddef.h>
#include <sys/mman.h>

#include "limits/unusual.h"

static _Thread_local void *kept __attribute__((tls_model("initial-exec")));

int room_keep(void)
{
    if (kept)
        return 1;

    /* Writable, so that a kernel that does not overcommit counts it. */
    void *at = mmap(NULL, ROOM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return 0;

    atomic_fetch_add(&unusual_count, 1);
    kept = at;
    return 1;
}

int room_drop(void)
{
    void *at = kept;
    if (!at)
        return 0;
    kept = NULL;
    atomic_fetch_sub(&unusual_count, 1);
    return munmap(at, ROOM_BYTES) == 0;
}
