/*
 * array.h - arrays that grow: a pointer to the items and how many there is room for, as members of
 * whatever holds them.
 *
 *     if (array_reserve(&list->items, &list->cap, list->count + 1, sizeof *list->items))
 *         return error_no_memory();
 *     list->items[list->count++] = item;
 */
#ifndef SNUG_BASE_ARRAY_H
#define SNUG_BASE_ARRAY_H

#include <stddef.h>

/* The slow half of array_reserve: for wanted > *cap. */
int array_grow(void *items, size_t *cap, size_t wanted, size_t item_size);

/* Room for `wanted` items of item_size bytes altogether. items is the address of the pointer to
 * them, which is NULL with a *cap of 0 at first and belongs to realloc and free. Room grows by
 * doubling, so that adding items one by one takes linear time. 0, or SNUG_ENOMEM without a message:
 * pointer, room and items are as they were. */
static inline int array_reserve(void *items, size_t *cap, size_t wanted, size_t item_size)
{
    return wanted <= *cap ? 0 : array_grow(items, cap, wanted, item_size);
}

#endif
