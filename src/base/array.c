#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

enum { FEWEST_ITEMS = 8 };

int array_grow(void *items, size_t *cap, size_t wanted, size_t item_size)
{
    size_t room = *cap <= SIZE_MAX / 2 ? *cap * 2 : SIZE_MAX;
    void *block;

    if (room < FEWEST_ITEMS)
        room = FEWEST_ITEMS;
    if (room < wanted)
        room = wanted;
    if (room > SIZE_MAX / item_size)
        return SNUG_ENOMEM;

    /* Copied, because a T ** must not be read as a void **. */
    memcpy(&block, items, sizeof block);
    block = realloc(block, room * item_size);
    if (!block)
        return SNUG_ENOMEM;

    memcpy(items, &block, sizeof block);
    *cap = room;
    return 0;
}
