#include "capture/display.h"

#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "base/array.h"
#include "base/jsontext.h"

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

static uint64_t text_bytes(const str *text)
{
    return jsontext_quoted_bytes(text->data, text->len);
}

uint64_t display_bytes(const display *d)
{
    uint64_t sum = DISPLAY_BYTES + d->metadata.len + text_bytes(&d->id);
    for (size_t i = 0; i < d->part_count; i++) {
        const display_part *part = &d->parts[i];
        sum += DISPLAY_PART_BYTES + text_bytes(&part->type);
        sum += part->is_json ? part->data.len : text_bytes(&part->data);
    }
    return sum;
}

/* Where the list has the display of that id, or NULL. */
static display **find_display(const display_list *list, const char *id)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(str_text(&list->items[i]->id), id) == 0)
            return &list->items[i];
    return NULL;
}

/* What is left of the limit beside the displays other than one of that many bytes. */
static uint64_t room_beside(const display_list *list, uint64_t bytes)
{
    uint64_t others = list->kept_bytes - bytes;
    return others < list->limit_bytes ? list->limit_bytes - others : 0;
}

uint64_t display_list_room(const display_list *list, const char *id)
{
    display **place = *id ? find_display(list, id) : NULL;
    return room_beside(list, place ? display_bytes(*place) : 0);
}

void display_list_count(display_list *list, const display *d)
{
    list->kept_bytes += display_bytes(d);
}

int display_list_add(display_list *list, display *d)
{
    display **place = d->is_update ? find_display(list, str_text(&d->id)) : NULL;
    uint64_t freed = place ? display_bytes(*place) : 0, bytes = display_bytes(d);
    if (bytes > room_beside(list, freed))
        return 0;

    if (!place && array_reserve(&list->items, &list->cap, list->count + 1, sizeof *list->items))
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
