#include "agent/text/figures.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "agent/text/numbers.h"
#include "agent/text/numberwords.h"
#include "base/ascii.h"

/* A decimal (numbers.h) with its digits at hand. */
typedef struct value {
    const char *digits;
    size_t len;
    long exp;
} value;

/* Zero is the least: signs are not told apart. */
static int compare_values(const void *left, const void *right)
{
    const value *a = left, *b = right;
    if (!a->len || !b->len)
        return (a->len > 0) - (b->len > 0);
    if (a->exp != b->exp)
        return a->exp < b->exp ? -1 : 1;
    int order = memcmp(a->digits, b->digits, a->len < b->len ? a->len : b->len);
    return order ? order : (a->len > b->len) - (a->len < b->len);
}

/* ---- counts ---- */

typedef struct counter {
    numbers *out;
    size_t most; /* the largest count */
} counter;

static int add_count(counter *c, size_t count)
{
    if (count > c->most)
        c->most = count;
    return numbers_add_count(c->out, count);
}

/* Past the string that begins at `at`; an apostrophe begins none, and none goes past its line. */
static size_t past_string(const char *text, size_t at)
{
    char quote = text[at];
    if (at && is_alnum(text[at - 1]))
        return at + 1;
    size_t end = at + 1;
    while (text[end] && text[end] != '\n' && text[end] != quote)
        end += text[end] == '\\' && text[end + 1] ? 2 : 1;
    return text[end] == quote ? end + 1 : at + 1;
}

/* Of lists in brackets of any kind, within one another too. */
static int count_items(counter *c, const char *text)
{
    enum { MOST_LEVELS = 32 };
    size_t counts[MOST_LEVELS] = { 0 }, level = 0;
    int has_item = 0, error = SNUG_OK;
    for (size_t at = 0; text[at] && !error;) {
        char b = text[at];
        if (level && (b == '"' || b == '\'')) {
            at = past_string(text, at);
            has_item = 1;
            continue;
        }
        if (strchr("([{", b)) {
            if (level < MOST_LEVELS)
                counts[level] = 0;
            level++;
            has_item = 0;
        } else if (strchr(")]}", b) && level) {
            level--;
            if (level < MOST_LEVELS)
                error = add_count(c, counts[level] + (size_t)has_item);
            has_item = 1;
        } else if (b == ',' && level) {
            if (level <= MOST_LEVELS)
                counts[level - 1] += (size_t)has_item;
            has_item = 0;
        } else if (!strchr(" \t\n\r", b)) {
            has_item = 1;
        }
        at++;
    }

    return error;
}

/* Lines that are not blank; and one less, for the first may be a heading. */
static int count_lines(counter *c, const char *text)
{
    size_t lines = 0;

    for (const char *at = text; *at;) {
        const char first = at[strspn(at, " \t\r")];
        if (first != '\n' && first != '\0')
            lines++;
        at += strcspn(at, "\n");
        if (*at == '\n')
            at++;
    }

    int error = SNUG_OK;
    if (lines > 1)
        error = add_count(c, lines);
    if (!error && lines > 2)
        error = add_count(c, lines - 1);
    return error;
}

/* ---- does it follow? ---- */

typedef struct known {
    value *values; /* sorted */
    size_t count;
    size_t most_items;
} known;

static int is_between(const known *k, const value *low, const value *high, int with_high)
{
    size_t from = 0, to = k->count;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (compare_values(&k->values[middle], low) < 0)
            from = middle + 1;
        else
            to = middle;
    }

    if (from == k->count)
        return 0;
    int order = compare_values(&k->values[from], high);
    return order < 0 || (order == 0 && with_high);
}

/* Adds step, 1 or -1, at the last of the digits, which are not all 0 for -1. Answers 1 where there
 * is one digit more in front: a 1. */
static int move_digits(char *digits, size_t len, int step)
{
    const char full = step > 0 ? '9' : '0';
    const char empty = step > 0 ? '0' : '9';

    while (len && digits[len - 1] == full)
        digits[--len] = empty;
    if (!len)
        return 1;
    digits[len - 1] = (char)(digits[len - 1] + step);
    return 0;
}

/* The value of digits in room, in front of which there is room for one more. */
static value value_of_digits(char *room, size_t len, long exp, int has_carry)
{
    value v = { room, len, exp };

    if (has_carry) {
        room[-1] = '1';
        v = (value){ room - 1, len + 1, exp + 1 };
    }

    while (v.len && *v.digits == '0')
        v.digits++, v.len--, v.exp--;
    while (v.len && v.digits[v.len - 1] == '0')
        v.len--;
    return v;
}

/* Whether a known number lies where `d` may have been rounded from. room is for twice the digits.
 */
static int follows(const known *k, const char *digits, const decimal *d, int slack, char *room,
                   size_t room_len)
{
    enum { CUT_DIGITS = 3 };
    long quantum = d->quantum;
    if (d->len == 0) {
        value zero = { "", 0, 0 }, half = { "5", 1, quantum };
        return is_between(k, &zero, &half, 1);
    }

    if (slack && d->exp - (long)d->len > quantum)
        quantum = d->exp - (long)d->len;
    size_t width = (size_t)(d->exp - quantum);
    if (width < d->len)
        width = d->len;

    /* The digits down to the quantum, and one more. */
    char *low = room + 2, *high = low + room_len / 2;
    memset(low, '0', width + 1);
    memcpy(low, digits + d->digits, d->len);
    memcpy(high, low, width + 1);
    int has_carry = 0, with_high = 1;
    if (slack == 2) {
        move_digits(low, width, -1);
        has_carry = move_digits(high, width, 1);
    } else {
        move_digits(low, width, -1);
        low[width] = '5';
        if (width >= CUT_DIGITS) {
            has_carry = move_digits(high, width, 1);
            with_high = 0;
        } else {
            high[width] = '5';
        }
    }

    value from = value_of_digits(low, width + 1, d->exp, 0);
    value to = value_of_digits(high, width + 1, d->exp, has_carry);
    return is_between(k, &from, &to, with_high);
}

/* The number that the digits stand for, which is whole and has few. */
static size_t read_rank(const char *digits, const decimal *d)
{
    size_t rank = 0;

    for (size_t place = 0; place < (size_t)d->exp; place++) {
        rank *= 10;
        if (place < d->len)
            rank += (size_t)(digits[d->digits + place] - '0');
    }

    return rank;
}

static int is_supported(const known *k, const numbers *answer, const number *n, char *room,
                        size_t room_len)
{
    const char *digits = str_text(&answer->digits);
    const decimal *d = &answer->decimals[n->first];

    for (size_t i = 0; i < n->readings; i++, d++) {
        if (follows(k, digits, d, n->slack, room, room_len))
            return 1;

        const int is_rank = n->is_ordinal && d->exp <= 4 && d->exp >= (long)d->len;
        if (is_rank && read_rank(digits, d) <= k->most_items)
            return 1;
    }

    for (size_t i = 0; i < n->pieces; i++)
        if (!follows(k, digits, d + i, n->slack, room, room_len))
            return 0;
    return n->pieces > 0;
}

/* ---- the answer ---- */

/* Whether the list, "3, 5.1, 12", has the text. */
static int is_listed(const char *list, const str *text)
{
    while (*list) {
        const char *comma = strstr(list, ", ");
        const size_t len = comma ? (size_t)(comma - list) : strlen(list);
        if (len == text->len && memcmp(list, text->data, len) == 0)
            return 1;
        if (!comma)
            return 0;
        list = comma + 2;
    }
    return 0;
}

/* Adds the number as it stands in the answer to the list that begins at begin, unless it is there
 * already. */
static int add_unsupported(str *out, size_t begin, size_t *listed, const numbers *answer,
                           const number *n)
{
    str text = { 0 };
    int error = str_append(&text, answer->text.data + n->begin, n->end - n->begin);
    if (error)
        return error;

    for (char *c = text.data; *c; c++)
        if (*c == NUMBER_SPACE || *c == '\n')
            *c = ' ';

    if (is_listed(str_text(out) + begin, &text))
        goto done;
    if (*listed > 0)
        error = str_add(out, ", ");
    if (!error)
        error = str_add_str(out, &text);
    (*listed)++;

done:
    str_free(&text);
    return error;
}

static int read_sources(counter *c, const char *const *sources, size_t count, unsigned *scales)
{
    int error = SNUG_OK;

    for (size_t i = 0; i < count && !error; i++) {
        if (!sources[i])
            continue;

        *scales |= number_scales(sources[i]);
        error = numbers_read(c->out, sources[i], 0, ~0u);
        if (!error)
            error = count_items(c, sources[i]);
        if (!error)
            error = count_lines(c, sources[i]);
    }

    return error;
}

static int sort_known(known *out, const numbers *found)
{
    out->count = found->decimal_count;
    if (!(out->values = malloc((out->count + 1) * sizeof *out->values)))
        return SNUG_ENOMEM;

    for (size_t i = 0; i < out->count; i++) {
        const decimal *d = &found->decimals[i];
        out->values[i] = (value){ str_text(&found->digits) + d->digits, d->len, d->exp };
    }

    qsort(out->values, out->count, sizeof *out->values, compare_values);
    return SNUG_OK;
}

int figures_unsupported(str *out, const char *answer, const char *const *sources, size_t count)
{
    numbers found = { 0 }, claims = { 0 };
    counter c = { .out = &found };
    known k = { 0 };
    unsigned scales = 0;
    char *room = NULL;
    size_t listed = 0, begin = out->len;
    int error;

    if ((error = read_sources(&c, sources, count, &scales)))
        goto done;
    if ((error = sort_known(&k, &found)))
        goto done;

    k.most_items = c.most;

    if ((error = numbers_read(&claims, answer, 1, scales)))
        goto done;

    /* No number has more digits than the answer has bytes; follows() writes two such numbers, each
     * with a digit more on either side. */
    size_t room_len = 2 * (strlen(answer) + 8);
    if (!(room = malloc(room_len + 8))) {
        error = SNUG_ENOMEM;
        goto done;
    }

    for (size_t i = 0; i < claims.count && listed < FIGURES_MOST && !error; i++)
        if (!is_supported(&k, &claims, &claims.items[i], room, room_len))
            error = add_unsupported(out, begin, &listed, &claims, &claims.items[i]);

done:
    free(room);
    free(k.values);
    numbers_free(&found);
    numbers_free(&claims);
    return error;
}
