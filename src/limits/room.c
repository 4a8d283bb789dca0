#include "limits/room.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

#include "limits/unusual.h"

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

static int give_back(room *kept, size_t bytes)
{
    return munmap(cut_off(kept, bytes), bytes) == 0;
}

int room_drop(void)
{
    room *kept = own_room();
    if (!kept)
        return 0;
    return give_back(kept, kept->bytes < ROOM_PIECE_BYTES ? kept->bytes : ROOM_PIECE_BYTES);
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
        give_back(kept, kept->bytes);
}
