#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

enum { FEWEST_ITEMS = 8 };

int array_grow(void *items, size_t *cap, size_t wanted, size_t item_size)
{
    size_t room = *cap <= SIZE_MAX / 2 ? *cap * 2 : SIZE_MAX;
    void *block, *grown;

    if (room < FEWEST_ITEMS)
        room = FEWEST_ITEMS;
    if (room < wanted)
        room = wanted;
    if (room > SIZE_MAX / item_size)
        return SNUG_ENOMEM;

    /* Copied, because a T ** must not be read as a void **. */
    memcpy(&block, items, sizeof block);
    grown = realloc(block, room * item_size);
    if (!grown)
        return SNUG_ENOMEM;

    memcpy(items, &grown, sizeof grown);
    *cap = room;
    return 0;
}
