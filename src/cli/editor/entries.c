#include "cli/editor/entries.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

static void forget_oldest(entries *h)
{
    h->bytes -= strlen(h->items[0]);
    free(h->items[0]);
    h->count--;
    memmove(h->items, h->items + 1, h->count * sizeof *h->items);
}

static int has_room(entries *h)
{
    if (h->count < h->cap)
        return 1;
    size_t cap = h->cap ? h->cap * 2 : 64;
    char **bigger = realloc(h->items, cap * sizeof *bigger);
    if (!bigger)
        return 0;
    h->items = bigger;
    h->cap = cap;
    return 1;
}

static int is_blank_text(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len && is_space(text[at]))
        at++;
    return at == len;
}

int entries_add(entries *h, const char *text, size_t len)
{
    if (is_blank_text(text, len) || len > ENTRIES_MOST_BYTES || memchr(text, '\0', len))
        return 0;
    const char *last = h->count > 0 ? h->items[h->count - 1] : "";
    if (strlen(last) == len && memcmp(last, text, len) == 0)
        return 0;

    char *copy = strndup(text, len);
    if (!copy || !has_room(h)) {
        free(copy);
        return 0;
    }

    h->items[h->count++] = copy;
    h->bytes += len;
    while (h->count > ENTRIES_MOST || h->bytes > ENTRIES_MOST_BYTES)
        forget_oldest(h);
    return 1;
}

size_t entries_step(const entries *h, size_t at, int step, const char *prefix, size_t len)
{
    if (step > 0) {
        for (size_t i = at + 1; i < h->count; i++)
            if (strncmp(h->items[i], prefix, len) == 0)
                return i;
        return h->count;
    }

    for (size_t i = at; i-- > 0;)
        if (strncmp(h->items[i], prefix, len) == 0)
            return i;
    return at;
}

static int has_capitals(const char *words)
{
    for (; *words; words++)
        if (*words >= 'A' && *words <= 'Z')
            return 1;
    return 0;
}

/* memmem, where letters of both cases are the same. */
static const char *find_any_case(const char *text, const char *words)
{
    size_t len = strlen(words);

    for (; *text; text++) {
        size_t same = 0;
        while (same < len && to_lower(text[same]) == to_lower(words[same]))
            same++;
        if (same == len)
            return text;
    }

    return NULL;
}

size_t entries_find(const entries *h, size_t at, const char *words, size_t *place)
{
    int is_exact = has_capitals(words);

    if (!*words)
        return SIZE_MAX;
    for (size_t i = at < h->count ? at : h->count; i-- > 0;) {
        const char *found =
            is_exact ? strstr(h->items[i], words) : find_any_case(h->items[i], words);
        if (found) {
            *place = (size_t)(found - h->items[i]);
            return i;
        }
    }

    return SIZE_MAX;
}

void entries_free(entries *h)
{
    for (size_t i = 0; i < h->count; i++)
        free(h->items[i]);
    free(h->items);
    *h = (entries){ .count = 0 };
}
