#include "agent/model/wiping.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

void wiping_free(void *block)
{
    if (block)
        explicit_bzero(block, malloc_usable_size(block));
    free(block);
}

/* Never in place: realloc would leave what was there where it moves. */
void *wiping_realloc(void *block, size_t bytes)
{
    if (!block)
        return malloc(bytes);
    size_t before = malloc_usable_size(block);
    void *moved = malloc(bytes);
    if (!moved)
        return NULL;

    memcpy(moved, block, before < bytes ? before : bytes);
    wiping_free(block);
    return moved;
}
