#include "limits/room.h"

#include <stddef.h>
#include <sys/mman.h>

#include "limits/unusual.h"

static _Thread_local void *kept __attribute__((tls_model("initial-exec")));
static _Thread_local size_t kept_bytes __attribute__((tls_model("initial-exec")));

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
    kept_bytes = ROOM_BYTES;
    return 1;
}

/* The last bytes of it are nobody's now. */
static void *cut_off(size_t bytes)
{
    char *at = kept;

    kept_bytes -= bytes;
    if (kept_bytes == 0) {
        kept = NULL;
        atomic_fetch_sub(&unusual_count, 1);
    }
    return at + kept_bytes;
}

static int give_back(size_t bytes)
{
    return munmap(cut_off(bytes), bytes) == 0;
}

int room_drop(void)
{
    if (!kept)
        return 0;
    return give_back(kept_bytes < ROOM_PIECE_BYTES ? kept_bytes : ROOM_PIECE_BYTES);
}

void *room_take(size_t bytes)
{
    return kept && bytes <= kept_bytes ? cut_off(bytes) : NULL;
}

void room_leave(void)
{
    if (kept)
        give_back(kept_bytes);
}
