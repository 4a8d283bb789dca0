#include "base/nearest.h"

#include <stdint.h>
#include <string.h>

#include "base/ascii.h"

enum { MOVE_COST = 2, CASE_COST = 1, MAX_BYTES = 40, MAX_NAMES = 750 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t substitution_cost(char a, char b)
{
    if (a == b)
        return 0;
    return to_lower(a) == to_lower(b) ? CASE_COST : MOVE_COST;
}

/* Levenshtein's distance of a, which is not longer than b, row by row. */
static size_t distance_of(const char *a, size_t a_len, const char *b, size_t b_len, size_t limit)
{
    /* row[j]: the cost of the first j bytes of a against the bytes of b so far. */
    size_t row[MAX_BYTES + 1];

    for (size_t j = 0; j <= a_len; j++)
        row[j] = j * MOVE_COST;
    for (size_t i = 0; i < b_len; i++) {
        size_t diagonal = row[0], best = SIZE_MAX;
        row[0] = (i + 1) * MOVE_COST;
        for (size_t j = 0; j < a_len; j++) {
            size_t substituted = diagonal + substitution_cost(a[j], b[i]);
            size_t moved = smaller(row[j], row[j + 1]) + MOVE_COST;
            diagonal = row[j + 1];
            row[j + 1] = smaller(substituted, moved);
            best = smaller(best, row[j + 1]);
        }
        /* No later row is cheaper than the cheapest of this one. */
        if (best > limit)
            return limit + 1;
    }

    return smaller(row[a_len], limit + 1);
}

size_t nearest_distance(const char *a, size_t a_len, const char *b, size_t b_len, size_t limit)
{
    /* What both begin and end with costs nothing. */
    while (a_len && b_len && *a == *b) {
        a++;
        b++;
        a_len--;
        b_len--;
    }

    while (a_len && b_len && a[a_len - 1] == b[b_len - 1]) {
        a_len--;
        b_len--;
    }

    if (!a_len || !b_len)
        return smaller((a_len + b_len) * MOVE_COST, limit + 1);
    if (a_len > MAX_BYTES || b_len > MAX_BYTES)
        return limit + 1;

    if (a_len <= b_len)
        return distance_of(a, a_len, b, b_len, limit);
    return distance_of(b, b_len, a, a_len, limit);
}

const char *nearest_name(const char *word, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t word_len = strlen(word), beaten = SIZE_MAX;

    if (count >= MAX_NAMES)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(names[i]);
        if (!strcmp(word, names[i]))
            continue;
        /* No more than a third of the bytes may have to change. */
        size_t limit = smaller((word_len + len + 3) * MOVE_COST / 6, beaten - 1);
        size_t distance = nearest_distance(word, word_len, names[i], len, limit);
        if (distance > limit)
            continue;
        nearest = names[i];
        beaten = distance;
    }

    return nearest;
}

static int is_swapped(const char *a, const char *b)
{
    size_t at = 0;

    while (a[at] && a[at] == b[at])
        at++;
    return a[at] && a[at + 1] && a[at] == b[at + 1] && a[at + 1] == b[at] &&
           strcmp(a + at + 2, b + at + 2) == 0;
}

const char *nearest_typed(const char *word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_swapped(word, names[i]))
            return names[i];
    return nearest_name(word, names, count);
}
