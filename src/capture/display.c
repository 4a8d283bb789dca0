#include "capture/display.h"

#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

enum { BYTES_OF_ITS_OWN = 256 };

display *display_new(void)
{
    display *d = calloc(1, sizeof *d);
    if (d)
        atomic_init(&d->references, 1);
    return d;
}

display *display_hold(display *d)
{
    atomic_fetch_add(&d->references, 1);
    return d;
}

void display_drop(display *d)
{
    if (!d || atomic_fetch_sub(&d->references, 1) > 1)
        return;
    for (size_t i = 0; i < d->part_count; i++) {
        str_free(&d->parts[i].type);
        str_free(&d->parts[i].data);
    }
    free(d->parts);
    str_free(&d->metadata);
    str_free(&d->id);
    free(d);
}

display_part *display_add(display *d, const char *type)
{
    display_part part = { 0 };
    display_part *grown = realloc(d->parts, (d->part_count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    d->parts = grown;
    if (str_add(&part.type, type) != SNUG_OK)
        return NULL;
    d->parts[d->part_count] = part;
    return &d->parts[d->part_count++];
}

uint64_t display_bytes(const display *d)
{
    uint64_t sum = BYTES_OF_ITS_OWN + d->metadata.len + d->id.len;
    for (size_t i = 0; i < d->part_count; i++)
        sum += d->parts[i].type.len + d->parts[i].data.len;
    return sum;
}

/* The display of the list that d updates, or NULL. */
static display **find_updated(display_list *list, const display *d)
{
    for (size_t i = 0; d->is_update && i < list->count; i++)
        if (strcmp(str_text(&list->items[i]->id), str_text(&d->id)) == 0)
            return &list->items[i];
    return NULL;
}

static int has_room(display_list *list)
{
    if (list->count < list->cap)
        return 1;
    size_t cap = list->cap ? list->cap * 2 : 8;
    display **grown = realloc(list->items, cap * sizeof *grown);
    if (grown) {
        list->items = grown;
        list->cap = cap;
    }
    return grown != NULL;
}

int display_list_add(display_list *list, display *d)
{
    display **place = find_updated(list, d);
    uint64_t freed = place ? display_bytes(*place) : 0, bytes = display_bytes(d);
    if (bytes > list->limit_bytes || list->kept_bytes - freed > list->limit_bytes - bytes)
        return 0;
    if (!place && !has_room(list))
        return SNUG_ENOMEM;
    list->kept_bytes += bytes - freed;
    if (place) {
        /* Where it was shown first is where it stands. */
        memcpy(d->after, (*place)->after, sizeof d->after);
        d->is_update = (*place)->is_update;
        display_drop(*place);
        *place = display_hold(d);
    } else {
        list->items[list->count++] = display_hold(d);
    }
    return 1;
}

void display_list_clear(display_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        display_drop(list->items[i]);
    list->count = 0;
    list->kept_bytes = 0;
}

void display_list_reset(display_list *list, uint64_t limit_bytes)
{
    display_list_clear(list);
    list->left_out = 0;
    list->limit_bytes = limit_bytes;
}

void display_list_free(display_list *list)
{
    display_list_clear(list);
    free(list->items);
    *list = (display_list){ 0 };
}
