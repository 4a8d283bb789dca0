#include "py/queries/collector.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/jsontext.h"

/* A guest's __dir__ can answer anything; a prompt needs no more than this. */
enum { NAMES_MAX = 10000, BYTES_OF_A_NAME = 4 };

/* Names with an underscore are for those who begin with one. */
static int is_wanted(piece prefix, const char *name, size_t len)
{
    if (len < prefix.len || memcmp(name, prefix.at, prefix.len) != 0)
        return 0;
    return name[0] != '_' || prefix.len > 0;
}

void offer(collector *to, const char *name, size_t len, name_kind kind)
{
    name_list *list = to->list;
    if (to->error || list->count >= NAMES_MAX || !is_wanted(to->prefix, name, len))
        return;

    uint64_t bytes = jsontext_quoted_bytes(name, len) + BYTES_OF_A_NAME;
    if (bytes > to->room_bytes)
        return;

    to->room_bytes -= bytes;
    if (array_reserve(&list->items, &to->room, list->count + 1, sizeof *list->items)) {
        to->error = error_no_memory();
        return;
    }

    list->items[list->count] = (found_name){ .kind = kind };
    if (str_append(&list->items[list->count].text, name, len))
        to->error = error_no_memory();
    else
        list->count++;
}

/* Parameters first: they are what a call is completed for. */
static int compare_names(const void *a, const void *b)
{
    const found_name *one = a, *other = b;
    const int is_one = one->kind == NAME_OF_PARAMETER, is_other = other->kind == NAME_OF_PARAMETER;

    return is_one != is_other ? is_other - is_one
                              : strcmp(str_text(&one->text), str_text(&other->text));
}

void sort_names(name_list *list)
{
    size_t kept = 0;

    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, compare_names);
    for (size_t i = 0; i < list->count; i++) {
        if (kept && compare_names(&list->items[kept - 1], &list->items[i]) == 0)
            str_free(&list->items[i].text);
        else
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
}
