#include "agent/text/numbers.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "agent/text/codepoint.h"
#include "agent/text/numberwords.h"
#include "base/array.h"
#include "base/ascii.h"
#include "base/utf8.h"

void numbers_free(numbers *n)
{
    str_free(&n->text);
    str_free(&n->digits);
    free(n->decimals);
    free(n->items);
    *n = (numbers){ 0 };
}

/* ---- folding ---- */

/* Code points that have the meaning of a character of ASCII; a row of ten where it is a digit. */
static const struct {
    unsigned code;
    char plain;
} folds[] = {
    { 0x660, '0' },           { 0x6f0, '0' },           { 0x966, '0' },
    { 0xff10, '0' },          { 0x66b, '.' },           { 0x66c, ',' },
    { 0xff0e, '.' },          { 0x66a, '%' },           { 0xff05, '%' },
    { 0xa0, NUMBER_SPACE },   { 0x202f, NUMBER_SPACE }, { 0x2009, NUMBER_SPACE },
    { 0x2007, NUMBER_SPACE }, { 0x2019, '\'' },         { 0x2212, '-' },
    { 0x2011, '-' },
};

/* The character of ASCII that stands for it, or 0. */
static char plain_of(uint32_t code)
{
    for (size_t i = 0; i < sizeof folds / sizeof *folds; i++) {
        const uint32_t row = is_digit(folds[i].plain) ? 10 : 1;
        if (code >= folds[i].code && code < folds[i].code + row)
            return (char)((unsigned char)folds[i].plain + (code - folds[i].code));
    }
    return '\0';
}

/* LaTeX writes 1{,}234 and 1\,234; the length of such a mark at text, or 0. */
static size_t latex_at(char *plain, const char *text)
{
    if (text[0] == '{' && text[1] && strchr(",.", text[1]) && text[2] == '}') {
        *plain = text[1];
        return 3;
    }
    *plain = NUMBER_SPACE;
    return text[0] == '\\' && text[1] == ',' ? 2 : 0;
}

/* What stands for the mark or character at text, whose bytes go to *width; 0: itself. */
static char fold_one(const char *text, size_t *width)
{
    char plain;

    *width = latex_at(&plain, text);
    if (*width > 0)
        return plain;

    const uint32_t code = codepoint_at(text, width);
    if (code == NUMBER_SPACE)
        return ' ';
    return code < 0x80 ? (char)code : plain_of(code);
}

static int fold(str *out, const char *text)
{
    size_t begin = out->len, to = begin, len = strlen(text), width;
    if (str_append(out, text, len) != SNUG_OK)
        return SNUG_ENOMEM;

    utf8_mend(out->data + begin, len);
    for (size_t at = begin; at < begin + len; at += width) {
        const char plain = fold_one(out->data + at, &width);
        if (plain) {
            out->data[to++] = plain;
        } else {
            memmove(out->data + to, out->data + at, width);
            to += width;
        }
    }

    out->len = to;
    out->data[to] = '\0';
    return SNUG_OK;
}

/* ---- decimals ---- */

/* Adds what `whole` and `part` behind the point are, times ten to the power of shift. */
static int add_decimal(numbers *out, const char *whole, size_t whole_len, const char *part,
                       size_t part_len, long shift)
{
    if (array_reserve(&out->decimals, &out->decimal_cap, out->decimal_count + 1,
                      sizeof *out->decimals))
        return SNUG_ENOMEM;

    decimal d = { .digits = out->digits.len,
                  .exp = (long)whole_len + shift,
                  .quantum = shift - (long)part_len };
    if (str_append(&out->digits, whole, whole_len) || str_append(&out->digits, part, part_len))
        return SNUG_ENOMEM;

    d.len = whole_len + part_len;
    const char *digits = str_text(&out->digits) + d.digits;
    while (d.len && *digits == '0') {
        digits++;
        d.digits++;
        d.len--;
        d.exp--;
    }

    while (d.len && digits[d.len - 1] == '0')
        d.len--;
    out->decimals[out->decimal_count++] = d;
    return SNUG_OK;
}

int numbers_add_count(numbers *out, size_t count)
{
    char text[24];
    size_t at = sizeof text;
    do
        text[--at] = (char)('0' + count % 10);
    while (count /= 10);
    return add_decimal(out, text + at, sizeof text - at, "", 0, 0);
}

/* ---- what stands before a number ---- */

/* Where the character before `at` begins a word's letters, of Latin, Greek and Cyrillic; the
 * others (Han, ...) write no spaces between words and numbers. */
static int is_word_before(const char *text, size_t at)
{
    if (at == 0)
        return 0;
    unsigned char c = (unsigned char)text[at - 1];
    if (is_letter((char)c) || is_digit((char)c) || c == '_')
        return 1;
    if (c < 0x80 || at < 2)
        return 0;
    unsigned char lead = (unsigned char)text[at - 2];
    return (lead == 0xc3) || (lead >= 0xc4 && lead <= 0xd4);
}

/* Money is written so: "USD5". */
static int is_currency_before(const char *text, size_t at)
{
    static const char *const codes[] = { "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "MXN",
                                         "ARS", "BRL", "CAD", "AUD", "Rs",  "R",   "kr" };

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        size_t len = strlen(codes[i]);
        if (at >= len && memcmp(text + at - len, codes[i], len) == 0 &&
            !is_word_before(text, at - len))
            return 1;
    }

    return 0;
}

/* "gpt4", "gpt-4", "Q3", "x_2". */
static int is_part_of_name(const char *text, size_t at)
{
    if (is_word_before(text, at))
        return !is_currency_before(text, at);
    return at >= 2 && text[at - 1] == '-' && is_word_before(text, at - 1) &&
           !is_digit(text[at - 2]);
}

/* ---- groups of digits ---- */

enum { MOST_GROUPS = 32 };

/* "1,234.5" is three groups with two marks between. */
typedef struct run {
    const char *text; /* the whole text */
    size_t begins[MOST_GROUPS], lens[MOST_GROUPS];
    char marks[MOST_GROUPS]; /* behind each group but the last */
    size_t count, end;
} run;

static size_t digits_at(const char *text, size_t at)
{
    size_t len = 0;
    while (is_digit(text[at + len]))
        len++;
    return len;
}

/* A plain space is a part of the number only before exactly three digits, and behind no mark but
 * such spaces. */
static int joins(const run *r, char mark)
{
    const char *next = r->text + r->end + 1;

    if (!mark || !strchr(",.'_\x01 ", mark) || !is_digit(*next))
        return 0;
    if (mark != ' ')
        return 1;

    size_t first = r->lens[0];
    for (size_t i = 0; i + 1 < r->count; i++)
        if (r->marks[i] != ' ')
            return 0;

    return first <= 3 && digits_at(r->text, r->end + 1) == 3 && r->count + 1 < MOST_GROUPS &&
           (r->count == 1 || r->lens[r->count - 1] == 3);
}

static void read_run(run *r, const char *text, size_t at)
{
    *r = (run){ .text = text, .end = at };
    for (;;) {
        size_t len = digits_at(text, r->end);
        r->begins[r->count] = r->end;
        r->lens[r->count++] = len;
        r->end += len;
        char mark = text[r->end];
        if (r->count == MOST_GROUPS || !joins(r, mark))
            return;
        r->marks[r->count - 1] = mark;
        r->end++;
    }
}

/* Whether the first `count` groups are grouped as thousands are: 1,234,567 or 12,34,567. */
static int is_grouped(const run *r, size_t count)
{
    char mark = r->marks[0];
    int is_plain = r->lens[0] <= 3, is_indian = r->lens[0] <= 2 && mark == ',';
    if (mark == '_')
        return 1;

    if (count < 2 || r->lens[0] == 0 || (r->lens[0] == 1 && r->text[r->begins[0]] == '0'))
        return 0;
    for (size_t i = 1; i < count; i++) {
        is_plain &= r->lens[i] == 3;
        is_indian &= r->lens[i] == (i + 1 == count ? 3u : 2u);
    }

    return is_plain || is_indian;
}

/* Whether the first `count` marks are the same. */
static int is_uniform(const run *r, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (r->marks[i] != r->marks[0])
            return 0;
    return 1;
}

/* Adds the first `whole` groups as one number, with the next one behind the point if has_part. */
static int add_groups(numbers *out, const run *r, size_t from, size_t whole, int has_part,
                      long shift)
{
    str joined = { 0 };
    int error = SNUG_OK;

    for (size_t i = from; i < from + whole && !error; i++)
        error = str_append(&joined, r->text + r->begins[i], r->lens[i]);

    const char *part = "";
    size_t part_len = 0;
    if (has_part) {
        part = r->text + r->begins[from + whole];
        part_len = r->lens[from + whole];
    }

    if (!error)
        error = add_decimal(out, str_text(&joined), joined.len, part, part_len, shift);

    str_free(&joined);
    return error;
}

/* Adds the ways to read all groups as one number. */
static int add_whole(numbers *out, const run *r, long shift)
{
    size_t marks = r->count - 1;
    char last = marks ? r->marks[marks - 1] : '\0';
    int has_point = last == '.' || last == ',', error = SNUG_OK;

    if (marks == 0)
        return add_groups(out, r, 0, 1, 0, shift);
    if (is_uniform(r, marks) && is_grouped(r, r->count))
        error = add_groups(out, r, 0, r->count, 0, shift);
    if (!error && has_point && marks == 1)
        error = add_groups(out, r, 0, 1, 1, shift);
    if (!error && has_point && marks > 1 && r->marks[0] != last && is_uniform(r, marks - 1) &&
        is_grouped(r, r->count - 1))
        error = add_groups(out, r, 0, r->count - 1, 1, shift);

    return error;
}

/* Adds the numbers that it is if it is a list or a date: divided at all marks but the point of
 * a decimal. */
static int add_pieces(numbers *out, const run *r, long shift)
{
    int error = SNUG_OK;

    for (size_t i = 0; i < r->count && !error;) {
        size_t end = i;
        while (end + 1 < r->count && r->marks[end] == '.')
            end++;
        if (end - i == 1) {
            error = add_groups(out, r, i, 1, 1, end + 1 == r->count ? shift : 0);
        } else {
            for (size_t k = i; k <= end && !error; k++)
                error = add_groups(out, r, k, 1, 0, k + 1 == r->count ? shift : 0);
        }
        i = end + 1;
    }

    return error;
}

static int has_list_mark(const run *r)
{
    for (size_t i = 0; i + 1 < r->count; i++)
        if (strchr(", \x01", r->marks[i]))
            return 1;
    return 0;
}

/* ---- numbers ---- */

static int add_afternoon(numbers *out, const run *r)
{
    size_t hour = 0;
    for (size_t i = 0; i < r->lens[0] && i < 3; i++)
        hour = hour * 10 + (size_t)(r->text[r->begins[0] + i] - '0');
    if (r->count == 1 && hour < 12)
        return numbers_add_count(out, hour + 12);
    return SNUG_OK;
}

static int add_number(numbers *out, const run *r, const number_suffix *s, unsigned plain_scales)
{
    number n = { .begin = r->begins[0],
                 .end = s->end,
                 .first = out->decimal_count,
                 .is_ordinal = s->is_ordinal };
    int error = SNUG_OK;
    int is_plain = !s->scale || s->is_unit || plain_scales & 1u << s->scale;

    if (s->scale)
        error = add_whole(out, r, s->shift + s->scale);
    if (!error && is_plain)
        error = add_whole(out, r, s->shift);
    if (!error && s->part)
        error = add_whole(out, r, s->shift + s->part);
    if (!error && s->is_afternoon)
        error = add_afternoon(out, r);
    n.readings = out->decimal_count - n.first;
    if (!error && r->count > 1 && (n.readings == 0 || has_list_mark(r)))
        error = add_pieces(out, r, s->shift + s->scale);
    n.pieces = out->decimal_count - n.first - n.readings;
    n.slack = number_slack(r->text, n.begin);
    if (!error)
        error = array_reserve(&out->items, &out->cap, out->count + 1, sizeof *out->items);
    if (!error)
        out->items[out->count++] = n;
    return error;
}

/* "1. " at the start of a line is a number of the list if it comes next; *last is the one before.
 */
static int is_numbering(const char *text, const run *r, size_t *last)
{
    size_t at = r->begins[0], value = 0;

    if (r->count > 1 || r->lens[0] > 3 || !strchr(".)", text[r->end]) || !text[r->end])
        return 0;
    size_t behind = r->end + 1;
    while (text[behind] == '*')
        behind++;
    if (text[behind] != ' ' && text[behind] != '\t')
        return 0;

    while (at && strchr(" \t*#>-(", text[at - 1]))
        at--;
    if (at && text[at - 1] != '\n')
        return 0;

    for (size_t i = 0; i < r->lens[0]; i++)
        value = value * 10 + (size_t)(text[r->begins[0] + i] - '0');
    if (value != 1 && value != *last + 1)
        return 0;
    *last = value;
    return 1;
}

static size_t past_name(const char *text, size_t at)
{
    while (is_letter(text[at]) || is_digit(text[at]) || text[at] == '_' ||
           (unsigned char)text[at] >= 0xc0 ||
           ((text[at] == '.' || text[at] == '-') && is_digit(text[at + 1])))
        at++;
    return at;
}

static int read_number_word(numbers *out, const char *text, size_t *at)
{
    size_t begin = *at;
    while (is_letter(text[*at]) || (unsigned char)text[*at] >= 0x80)
        ++*at;
    int value = number_of_word(text + begin, *at - begin);
    if (value < 0)
        return SNUG_OK;
    return numbers_add_count(out, (size_t)value);
}

static int is_link(const char *text)
{
    return strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0;
}

/* Reads the number that begins at *at, and goes past it. */
static int read_one_number(numbers *out, const char *text, size_t *at, int is_strict,
                           unsigned plain_scales, size_t *last)
{
    run r;

    if (text[*at] == '.') { /* .5 */
        r = (run){ .text = text, .count = 2, .begins = { *at, *at + 1 }, .marks = { '.' } };
        r.lens[1] = digits_at(text, *at + 1);
        r.end = *at + 1 + r.lens[1];
    } else {
        read_run(&r, text, *at);
    }

    number_suffix s = number_suffix_read(text, r.end);
    *at = s.end;

    /* 2D and 3D are names. */
    int is_name = text[r.end] == 'D' && !is_letter(text[r.end + 1]);
    if (is_strict && (is_name || is_numbering(text, &r, last)))
        return SNUG_OK;
    return add_number(out, &r, &s, plain_scales);
}

int numbers_read(numbers *out, const char *original, int is_strict, unsigned plain_scales)
{
    size_t last = 0;

    str_clear(&out->text);
    int error = fold(&out->text, original);
    const char *text = str_text(&out->text);
    for (size_t at = 0; !error && text[at];) {
        int is_point = text[at] == '.' && is_digit(text[at + 1]);
        if (is_strict && is_link(text + at))
            at += strcspn(text + at, " \t\n)>\"");
        else if (!is_strict && is_letter(text[at]))
            error = read_number_word(out, text, &at);
        else if (!is_digit(text[at]) && !is_point)
            at++;
        else if (is_strict && is_part_of_name(text, at))
            at = past_name(text, at + (size_t)is_point);
        else
            error = read_one_number(out, text, &at, is_strict, plain_scales, &last);
    }

    return error;
}
