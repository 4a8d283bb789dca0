#include "limits/room.h"

#include <stddef.h>
#include <sys/mman.h>

static _Thread_local void *kept __attribute__((tls_model("initial-exec")));

int room_keep(void)
{
    if (kept)
        return 1;
    /* Writable, so that a kernel that does not overcommit counts it. */
    void *at = mmap(NULL, ROOM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    kept = at == MAP_FAILED ? NULL : at;
    return kept != NULL;
}

int room_drop(void)
{
    void *at = kept;
    kept = NULL;
    return at && munmap(at, ROOM_BYTES) == 0;
}
