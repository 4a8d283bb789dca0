#include "py/core/arena.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/array.h"
#include "limits/memory.h"
#include "py/core/alloc.h"
#include "py/core/internals.h"
#include "py/core/python.h"

struct arena_list {
    pthread_mutex_t lock; /* 3.13 frees the stack of a thread that ends without the GIL */
    struct {
        void *at;
        size_t bytes;
    } * items;
    size_t count, cap;
    void **leftovers; /* internals_take_allocator's */
    int is_array_stale;
};

/* Whose arenas this thread maps. */
static _Thread_local arena_list *owner;

/* Under the lock, as forget_arena. */
static int note_arena(arena_list *list, void *at, size_t bytes)
{
    if (array_reserve(&list->items, &list->cap, list->count + 1, sizeof *list->items))
        return -1;

    list->items[list->count].at = at;
    list->items[list->count++].bytes = bytes;
    list->is_array_stale = list->leftovers != NULL;
    return 0;
}

static int note_arena_locked(arena_list *list, void *at, size_t bytes)
{
    pthread_mutex_lock(&list->lock);
    int answer = note_arena(list, at, bytes);
    pthread_mutex_unlock(&list->lock);
    return answer;
}

static void forget_arena(arena_list *list, const void *at)
{
    for (size_t i = list->count; i-- > 0;) {
        if (list->items[i].at == at) {
            list->items[i] = list->items[--list->count];
            break;
        }
    }
}

static void *map_pages(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return room_take(bytes);
    return at;
}

static void *map_arena(void *context, size_t bytes)
{
    (void)context;
    memory_account *account = alloc_account();
    if (account && !memory_charge_if_fits(account, (int64_t)bytes))
        return NULL;

    void *at = map_pages(bytes);
    while (!at && alloc_drop_ballast(ALLOC_FOR_CODE))
        at = map_pages(bytes);
    if (!at)
        goto fail;

    if (owner && note_arena_locked(owner, at, bytes) != 0) {
        munmap(at, bytes);
        goto fail;
    }

    return at;

fail:
    if (account)
        memory_release(account, (int64_t)bytes);
    return NULL;
}

static void unmap_arena(void *context, void *at, size_t bytes)
{
    (void)context;
    if (owner) {
        pthread_mutex_lock(&owner->lock);
        forget_arena(owner, at);
        pthread_mutex_unlock(&owner->lock);
    }

    if (alloc_account())
        memory_release(alloc_account(), (int64_t)bytes);
    munmap(at, bytes);
}

void arena_install(void)
{
    PyObjectArenaAllocator ours = { NULL, map_arena, unmap_arena };
    PyObject_SetArenaAllocator(&ours);
}

arena_list *arena_list_new(void)
{
    arena_list *list = calloc(1, sizeof *list);
    if (list)
        pthread_mutex_init(&list->lock, NULL);
    return list;
}

void arena_own(arena_list *list)
{
    owner = list;
}

void arena_list_adopt(arena_list *list, PyThreadState *tstate)
{
    list->leftovers = internals_take_allocator(tstate);
}

/* The array comes first, and is gone where it was moved. */
static void release_leftovers(const arena_list *list)
{
    if (!list->leftovers)
        return;
    size_t first = list->is_array_stale != 0;
    for (size_t i = first; list->leftovers[i]; i++)
        PyMem_RawFree(list->leftovers[i]);
}

void arena_list_release(arena_list *list)
{
    owner = NULL;
    if (!list)
        return;

    for (size_t i = 0; i < list->count; i++)
        munmap(list->items[i].at, list->items[i].bytes);
    release_leftovers(list);
    free(list->leftovers);
    free(list->items);
    pthread_mutex_destroy(&list->lock);
    free(list);
}

void arena_list_abandon(arena_list *list)
{
    owner = NULL;
    for (size_t i = 0; list && i < list->count; i++) {
        madvise(list->items[i].at, list->items[i].bytes, MADV_DONTNEED);
        mprotect(list->items[i].at, list->items[i].bytes, PROT_NONE);
    }
}
