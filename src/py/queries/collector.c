#include "py/queries/collector.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/jsontext.h"

/* A guest's __dir__ can answer anything; a prompt needs no more than this. */
enum { NAMES_MAX = 10000, BYTES_OF_A_NAME = 4 };

static int begins_with(piece prefix, const char *text, size_t len)
{
    return len >= prefix.len && memcmp(text, prefix.at, prefix.len) == 0;
}

void offer_text(collector *to, const char *text, size_t len, name_kind kind)
{
    name_list *list = to->list;
    if (to->error || list->count >= NAMES_MAX || !begins_with(to->prefix, text, len))
        return;

    uint64_t bytes = jsontext_quoted_bytes(text, len) + BYTES_OF_A_NAME;
    if (bytes > to->room_bytes)
        return;

    to->room_bytes -= bytes;
    if (array_reserve(&list->items, &to->room, list->count + 1, sizeof *list->items)) {
        to->error = error_no_memory();
        return;
    }

    list->items[list->count] = (found_name){ .kind = kind };
    if (str_append(&list->items[list->count].text, text, len))
        to->error = error_no_memory();
    else
        list->count++;
}

void offer(collector *to, const char *name, size_t len, name_kind kind)
{
    if (name[0] != '_' || to->prefix.len > 0)
        offer_text(to, name, len, kind);
}

static int is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

/* 1: spelled; 0: it cannot be; SNUG_ENOMEM. */
static int spell_text(str *out, const char *text, size_t len, literal_style style)
{
    int error = style.is_whole ? str_append(out, &style.quote, 1) : SNUG_OK;

    for (size_t i = 0; i < len && !error; i++) {
        const int is_escaped = text[i] == style.quote || text[i] == '\\';
        if ((is_escaped && style.is_raw) || is_control(text[i]))
            return 0;
        if (is_escaped)
            error = str_add(out, "\\");
        if (!error)
            error = str_append(out, text + i, 1);
    }

    if (!error && style.is_whole)
        error = str_append(out, &style.quote, 1);
    return error ? error : 1;
}

void offer_quoted(collector *to, const char *text, size_t len, literal_style style, name_kind kind)
{
    str spelled = { 0 };
    int is_spelled = spell_text(&spelled, text, len, style);

    if (is_spelled < 0)
        to->error = error_no_memory();
    else if (is_spelled && spelled.len > 0)
        offer_text(to, spelled.data, spelled.len, kind);
    str_free(&spelled);
}

/* %time stands beside %%time, as in IPython. */
static int compare_texts(const char *one, const char *other)
{
    const int order = strcmp(one + strspn(one, "%"), other + strspn(other, "%"));

    return order ? order : strcmp(other, one);
}

/* Parameters first: they are what a call is completed for. */
static int compare_names(const void *a, const void *b)
{
    const found_name *one = a, *other = b;
    const int is_one = one->kind == NAME_OF_PARAMETER, is_other = other->kind == NAME_OF_PARAMETER;

    return is_one != is_other ? is_other - is_one
                              : compare_texts(str_text(&one->text), str_text(&other->text));
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
