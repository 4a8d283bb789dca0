#include "agent/text/figures.h"

#include <snug/snug.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/text/codepoint.h"
#include "base/array.h"
#include "base/ascii.h"
#include "base/utf8.h"

/* In folded text: a space within a number, where a plain one may also divide two. */
#define NUMBER_SPACE '\x01'

/* The numbers of the sources; once all are there, sorted. Signs are not told apart. */
typedef struct known {
    long double *values;
    size_t count, cap;
    size_t most_items; /* the largest count of items or lines */
} known;

static int add_value(known *k, long double value)
{
    if (array_reserve(&k->values, &k->cap, k->count + 1, sizeof *k->values))
        return SNUG_ENOMEM;
    k->values[k->count++] = value;
    return SNUG_OK;
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
    if (code < 0x80)
        return code == NUMBER_SPACE ? ' ' : (char)code;
    for (size_t i = 0; i < sizeof folds / sizeof *folds; i++) {
        const uint32_t row = is_digit(folds[i].plain) ? 10 : 1;
        if (code >= folds[i].code && code < folds[i].code + row)
            return (char)((unsigned char)folds[i].plain + (code - folds[i].code));
    }
    return '\0';
}

/* Digits, spaces and signs of Unicode become those of ASCII. */
static int fold(str *out, const char *text)
{
    const size_t len = strlen(text);
    size_t to = 0, width;

    if (str_append(out, text, len))
        return SNUG_ENOMEM;
    utf8_mend(out->data, len);
    for (size_t at = 0; at < len; at += width) {
        const char plain = plain_of(codepoint_at(out->data + at, &width));
        memmove(out->data + to, plain ? &plain : out->data + at, plain ? 1 : width);
        to += plain ? 1 : width;
    }

    out->len = to;
    out->data[to] = '\0';
    return SNUG_OK;
}

/* ---- groups of digits ---- */

enum { MOST_GROUPS = 32 };

/* "1,234.5" is three groups with two marks between. */
typedef struct groups {
    const char *text; /* the whole text */
    size_t begins[MOST_GROUPS], lens[MOST_GROUPS];
    char marks[MOST_GROUPS]; /* behind each group but the last */
    size_t count, end;
} groups;

/* A plain space is a part of the number only before exactly three digits, and behind no mark but
 * such spaces. */
static int joins(const groups *g, char mark)
{
    const char *next = g->text + g->end + 1;

    if (!mark || !strchr(",.'_\x01 ", mark) || !is_digit(*next))
        return 0;
    if (mark != ' ')
        return 1;
    for (size_t i = 0; i + 1 < g->count; i++)
        if (g->marks[i] != ' ')
            return 0;
    return g->lens[0] <= 3 && strspn(next, "0123456789") == 3 && g->count + 1 < MOST_GROUPS &&
           (g->count == 1 || g->lens[g->count - 1] == 3);
}

/* ".5" has an empty first group. */
static void read_groups(groups *g, const char *text, size_t at)
{
    *g = (groups){ .text = text, .end = at };
    for (;;) {
        const size_t len = strspn(text + g->end, "0123456789");
        g->begins[g->count] = g->end;
        g->lens[g->count++] = len;
        g->end += len;
        const char mark = text[g->end];
        if (g->count == MOST_GROUPS || !joins(g, mark))
            return;
        g->marks[g->count - 1] = mark;
        g->end++;
    }
}

/* Whether the first `count` groups are grouped as thousands are: 1,234,567 or 12,34,567. */
static int is_grouped(const groups *g, size_t count)
{
    const char mark = g->marks[0];
    int is_plain = g->lens[0] <= 3, is_indian = g->lens[0] <= 2 && mark == ',';

    if (mark == '_')
        return 1;
    if (count < 2 || g->lens[0] == 0 || (g->lens[0] == 1 && g->text[g->begins[0]] == '0'))
        return 0;
    for (size_t i = 1; i < count; i++) {
        is_plain &= g->lens[i] == 3;
        is_indian &= g->lens[i] == (i + 1 == count ? 3u : 2u);
    }
    return is_plain || is_indian;
}

/* Whether the first `count` marks are the same. */
static int is_uniform(const groups *g, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (g->marks[i] != g->marks[0])
            return 0;
    return 1;
}

/* ---- readings ---- */

/* What a number may mean; quantum, round and top are powers of ten: of the last digit that was
 * written, of the last and of the first that is not 0. */
typedef struct reading {
    long double value;
    long quantum, round, top;
} reading;

/* A number as it stands in the text. It may be read in several ways, of which one is meant
 * (1,234 is 1234 or 1.234), or be several numbers (1,2,3). */
typedef struct number {
    reading items[3 * 2 + 2 * MOST_GROUPS];
    size_t readings, pieces; /* which follow them */
} number;

/* More digits do not count, and larger powers are not told apart: both fit into the type. */
enum { MOST_DIGITS = 900, MOST_POWER = 3900 };

static long double power_of_ten(long exponent)
{
    if (exponent > MOST_POWER)
        exponent = MOST_POWER;
    if (exponent < -MOST_POWER)
        exponent = -MOST_POWER;
    return powl(10, (long double)exponent);
}

/* The first `whole` groups as one number, with the next one behind the point if has_part. */
static reading read_value(const groups *g, size_t from, size_t whole, int has_part, long shift)
{
    const size_t end = from + whole + (size_t)has_part;
    const long part = has_part ? (long)g->lens[end - 1] : 0;
    reading out = { .quantum = shift - part, .round = shift - part };
    long seen = 0, left_out = 0;

    for (size_t i = from; i < end; i++)
        for (size_t k = 0; k < g->lens[i]; k++) {
            const char digit = g->text[g->begins[i] + k];
            seen += seen > 0 || digit != '0';
            out.round = digit == '0' ? out.round + 1 : shift - part;
            if (seen > MOST_DIGITS)
                left_out++;
            else
                out.value = out.value * 10 + (digit - '0');
        }

    /* A zero has no digit that is not 0. */
    if (seen == 0)
        out.round = out.quantum;
    out.top = out.quantum + seen - 1;
    out.value *= power_of_ten(out.quantum + left_out);
    return out;
}

/* Adds the ways to read all groups as one number. */
static void add_whole(number *n, const groups *g, long shift)
{
    const size_t marks = g->count - 1;
    const char last = marks ? g->marks[marks - 1] : '\0';
    const int has_point = last == '.' || last == ',';

    if (marks == 0)
        n->items[n->readings++] = read_value(g, 0, 1, 0, shift);
    if (marks > 0 && is_uniform(g, marks) && is_grouped(g, g->count))
        n->items[n->readings++] = read_value(g, 0, g->count, 0, shift);
    if (has_point && marks == 1)
        n->items[n->readings++] = read_value(g, 0, 1, 1, shift);
    if (has_point && marks > 1 && g->marks[0] != last && is_uniform(g, marks - 1) &&
        is_grouped(g, marks))
        n->items[n->readings++] = read_value(g, 0, marks, 1, shift);
}

/* Adds the numbers that it is if it is a list or a date: divided at all marks but the point of
 * a decimal. */
static void add_pieces(number *n, const groups *g, long shift)
{
    for (size_t i = 0; i < g->count;) {
        size_t end = i;
        while (end + 1 < g->count && g->marks[end] == '.')
            end++;
        const int is_decimal = end - i == 1;
        for (size_t k = i; k <= end - (size_t)is_decimal; k++) {
            const int is_last = k + (size_t)is_decimal + 1 == g->count;
            n->items[n->readings + n->pieces++] =
                read_value(g, k, 1, is_decimal, is_last ? shift : 0);
        }
        i = end + 1;
    }
}

static int has_list_mark(const groups *g)
{
    for (size_t i = 0; i + 1 < g->count; i++)
        if (strchr(", \x01", g->marks[i]))
            return 1;
    return 0;
}

/* ---- what follows a number ---- */

/* A number with one of these is scaled; of the short ones that may be units too, both count. */
static const struct {
    const char *word;
    int power, is_unit;
} scales[] = {
    { "thousand", 3, 0 }, { "k", 3, 1 },         { "kb", 3, 1 },         { "million", 6, 0 },
    { "millions", 6, 0 }, { "mn", 6, 1 },        { "m", 6, 1 },          { "mb", 6, 1 },
    { "billion", 9, 0 },  { "billions", 9, 0 },  { "bn", 9, 0 },         { "b", 9, 1 },
    { "gb", 9, 1 },       { "trillion", 12, 0 }, { "trillions", 12, 0 }, { "t", 12, 1 },
};

static const char *const percents[] = { "%", "percent", "per cent", "pct" };
static const char *const ordinals[] = { "st", "nd", "rd", "th" };

typedef struct suffix {
    size_t end;
    long shift;  /* of the number itself: an exponent */
    long scale;  /* of a word, "million"; 0: none */
    int is_unit; /* the scale may be a unit instead: "5 m" */
    int is_percent, is_ordinal;
} suffix;

/* The scales whose words stand in a text: bit n for ten to the power n. Such a number ("3
 * million") may be written without its word in a table that has it in its head. */
static unsigned scales_in(const char *text)
{
    unsigned found = 0;

    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        if (!scales[i].is_unit && !(found & 1u << scales[i].power) &&
            strcasestr(text, scales[i].word))
            found |= 1u << scales[i].power;
    return found;
}

/* The length of word at text, if it ends there. */
static size_t word_at(const char *text, const char *word)
{
    const size_t len = strlen(word);
    const char next = strncasecmp(text, word, len) == 0 ? text[len] : 'a';

    if (!is_letter(word[0]))
        return strncmp(text, word, len) == 0 ? len : 0;
    return is_letter(next) || is_digit(next) || (unsigned char)next >= 0xc0 ? 0 : len;
}

static size_t past_blanks(const char *text, size_t at)
{
    while (text[at] == ' ' || text[at] == NUMBER_SPACE)
        at++;
    return at;
}

/* Reads an exponent of a few digits at `at`; answers where it ends, or 0. */
static size_t read_power(long *out, const char *text, size_t at)
{
    char *end;

    if (!is_digit(text[at + strspn(text + at, "+-")]) || strspn(text + at, "+-") > 1)
        return 0;
    *out = strtol(text + at, &end, 10);
    return end - (text + at) <= 5 ? (size_t)(end - text) : 0;
}

/* "e6", and "x 10^6" in its forms. */
static void read_exponent(suffix *s, const char *text)
{
    static const char *const times[] = { "x", "*", "\xc3\x97", "\xc2\xb7" };
    static const char *const powers[] = { "10^", "10**" };
    size_t end, at = past_blanks(text, s->end);
    long power;

    if ((text[s->end] == 'e' || text[s->end] == 'E') &&
        (end = read_power(&power, text, s->end + 1)) && !is_letter(text[end]))
        *s = (suffix){ .end = end, .shift = power };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const size_t len = strlen(times[i]);
        if (strncmp(text + at, times[i], len) != 0)
            continue;
        const size_t from = past_blanks(text, at + len);
        for (size_t p = 0; p < sizeof powers / sizeof *powers; p++)
            if (strncmp(text + from, powers[p], strlen(powers[p])) == 0 &&
                (end = read_power(&power, text, from + strlen(powers[p]))))
                *s = (suffix){ .end = end, .shift = power };
    }
}

static suffix read_suffix(const char *text, size_t end)
{
    suffix s = { .end = end };
    size_t at = past_blanks(text, end), best = 0;

    read_exponent(&s, text);
    if (s.end > end)
        return s;

    at += at == end && text[at] == '-'; /* "3-million" */
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        const size_t len = at <= end + 1 ? word_at(text + at, scales[i].word) : 0;
        if (len > best) {
            best = len;
            s = (suffix){ at + len, 0, scales[i].power, scales[i].is_unit, 0, 0 };
        }
    }
    for (size_t i = 0; best == 0 && i < sizeof percents / sizeof *percents; i++)
        if ((best = word_at(text + at, percents[i])) > 0)
            s = (suffix){ .end = at + best, .is_percent = 1 };
    for (size_t i = 0; best == 0 && i < sizeof ordinals / sizeof *ordinals; i++)
        if ((best = word_at(text + end, ordinals[i])) > 0)
            s = (suffix){ .end = end + best, .is_ordinal = 1 };
    return s;
}

/* plain_scales: scales_in() what a number is compared with. */
static void read_number(number *n, const groups *g, const suffix *s, unsigned plain_scales)
{
    n->readings = n->pieces = 0;
    if (s->scale)
        add_whole(n, g, s->shift + s->scale);
    if (!s->scale || s->is_unit || plain_scales & 1u << s->scale)
        add_whole(n, g, s->shift);
    if (s->is_percent)
        add_whole(n, g, s->shift - 2);
    if (g->count > 1 && (n->readings == 0 || has_list_mark(g)))
        add_pieces(n, g, s->shift + s->scale);
}

/* ---- sources ---- */

static int read_source_numbers(known *k, const char *original)
{
    str folded = { 0 };
    number n;
    int error = fold(&folded, original);
    const char *text = str_text(&folded);

    for (size_t at = 0; !error && text[at];) {
        groups g;
        if (!is_digit(text[at]) && !(text[at] == '.' && is_digit(text[at + 1]))) {
            at++;
            continue;
        }
        read_groups(&g, text, at);
        const suffix s = read_suffix(text, g.end);
        read_number(&n, &g, &s, ~0u);
        for (size_t i = 0; !error && i < n.readings + n.pieces; i++)
            error = add_value(k, n.items[i].value);
        at = s.end;
    }

    str_free(&folded);
    return error;
}

static int add_count(known *k, size_t count)
{
    if (count > k->most_items)
        k->most_items = count;
    return add_value(k, (long double)count);
}

/* Past the string that begins at `at`; an apostrophe begins none, and none goes past its line. */
static size_t past_string(const char *text, size_t at)
{
    const char quote = text[at];
    size_t end = at + 1;

    if (at && is_alnum(text[at - 1]))
        return at + 1;
    while (text[end] && text[end] != '\n' && text[end] != quote)
        end += text[end] == '\\' && text[end + 1] ? 2 : 1;
    return text[end] == quote ? end + 1 : at + 1;
}

/* Of lists in brackets of any kind, within one another too. */
static int count_items(known *k, const char *text)
{
    enum { MOST_LEVELS = 32 };
    size_t counts[MOST_LEVELS] = { 0 }, level = 0;
    int has_item = 0, error = SNUG_OK;

    for (size_t at = 0; text[at] && !error;) {
        const char b = text[at];
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
                error = add_count(k, counts[level] + (size_t)has_item);
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
static int count_lines(known *k, const char *text)
{
    size_t lines = 0;

    while (*text) {
        const char first = text[strspn(text, " \t\r")];
        lines += first != '\n' && first != '\0';
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    if (lines > 1 && add_count(k, lines))
        return SNUG_ENOMEM;
    return lines > 2 ? add_count(k, lines - 1) : SNUG_OK;
}

static int compare_values(const void *left, const void *right)
{
    const long double a = *(const long double *)left, b = *(const long double *)right;
    return (a > b) - (a < b);
}

/* ---- does it follow? ---- */

static int is_between(const known *k, long double low, long double high, int with_high)
{
    const long double slip = (fabsl(low) + fabsl(high)) * 1e-16L; /* of the arithmetic */
    size_t from = 0, to = k->count;

    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (k->values[middle] < low - slip)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == k->count)
        return 0;
    return with_high ? k->values[from] <= high + slip : k->values[from] < high - slip;
}

/* Whether a known number lies where this one may have been rounded from. */
static int follows(const known *k, const reading *r, int slack)
{
    enum { CUT_DIGITS = 3 };
    const long quantum = slack ? r->round : r->quantum;
    const long double step = power_of_ten(quantum);

    if (is_between(k, r->value, r->value, 1))
        return 1;
    if (slack == 2)
        return is_between(k, r->value - step, r->value + step, 1);
    if (r->top - quantum + 1 >= CUT_DIGITS)
        return is_between(k, r->value - step / 2, r->value + step, 0);
    return is_between(k, r->value - step / 2, r->value + step / 2, 1);
}

static int is_supported(const known *k, const number *n, int slack, int is_ordinal)
{
    for (size_t i = 0; i < n->readings; i++)
        if (follows(k, &n->items[i], slack) ||
            (is_ordinal && n->items[i].value <= (long double)k->most_items))
            return 1;
    for (size_t i = 0; i < n->pieces; i++)
        if (!follows(k, &n->items[n->readings + i], slack))
            return 0;
    return n->pieces > 0;
}

/* ---- what stands before a number of the answer ---- */

/* 1: zeros at its end are round; 2: one more or less of the last digit is fine. */
static const struct {
    const char *word;
    int slack;
} leads[] = {
    { "about", 1 }, { "around", 1 }, { "approximately", 1 }, { "roughly", 1 },  { "~", 1 },
    { "circa", 1 }, { "over", 2 },   { "more than", 2 },     { "nearly", 2 },   { "almost", 2 },
    { "under", 2 }, { "above", 2 },  { "less than", 2 },     { "at least", 2 }, { "below", 2 },
};

static int slack_before(const char *text, size_t at)
{
    static const char *const signs[] = { "$", "\xe2\x82\xac", "\xc2\xa3", "*", "(", "-", "+", " " };

    for (int is_more = 1; is_more;) {
        is_more = 0;
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
            const size_t len = strlen(signs[i]);
            if (at >= len && memcmp(text + at - len, signs[i], len) == 0) {
                at -= len;
                is_more = 1;
            }
        }
    }

    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++) {
        const size_t len = strlen(leads[i].word);
        if (len <= at && strncasecmp(text + at - len, leads[i].word, len) == 0 &&
            (at == len || !is_letter(*leads[i].word) || !is_letter(text[at - len - 1])))
            return leads[i].slack;
    }
    return 0;
}

/* Where the character before `at` begins a word's letters, of Latin, Greek and Cyrillic; the
 * others (Han, ...) write no spaces between words and numbers. */
static int is_word_before(const char *text, size_t at)
{
    if (at == 0)
        return 0;
    const unsigned char c = (unsigned char)text[at - 1];
    if (is_word((char)c))
        return 1;
    if (c < 0x80 || at < 2)
        return 0;
    const unsigned char lead = (unsigned char)text[at - 2];
    return lead >= 0xc3 && lead <= 0xd4;
}

/* "gpt4", "gpt-4", "Q3", "x_2". */
static int is_part_of_name(const char *text, size_t at)
{
    return is_word_before(text, at) || (at >= 2 && text[at - 1] == '-' &&
                                        is_word_before(text, at - 1) && !is_digit(text[at - 2]));
}

static size_t past_name(const char *text, size_t at)
{
    while (is_word(text[at]) || (unsigned char)text[at] >= 0xc0 ||
           ((text[at] == '.' || text[at] == '-') && is_digit(text[at + 1])))
        at++;
    return at;
}

/* "1. " at the start of a line is a number of the list if it comes next; *last is the one before.
 */
static int is_numbering(const groups *g, long *last)
{
    const char *text = g->text;
    size_t at = g->begins[0], behind = g->end + 1;

    if (g->count > 1 || g->lens[0] > 3 || !text[g->end] || !strchr(".)", text[g->end]))
        return 0;
    behind += strspn(text + behind, "*");
    if (text[behind] != ' ' && text[behind] != '\t')
        return 0;
    while (at && strchr(" \t*#>-(", text[at - 1]))
        at--;

    const long value = strtol(text + g->begins[0], NULL, 10);
    if ((at && text[at - 1] != '\n') || (value != 1 && value != *last + 1))
        return 0;
    *last = value;
    return 1;
}

/* ---- the answer ---- */

/* Whether the list, "3, 5.1, 12", has the text. */
static int is_listed(const char *list, const char *text)
{
    const size_t len = strlen(text);

    while (*list) {
        const char *comma = strstr(list, ", ");
        const size_t item = comma ? (size_t)(comma - list) : strlen(list);
        if (item == len && memcmp(list, text, len) == 0)
            return 1;
        list += item + (comma ? 2 : 0);
    }
    return 0;
}

/* Adds the number as it stands in the answer to the list that begins at begin, unless it is there
 * already. */
static int add_unsupported(str *out, size_t begin, size_t *listed, const char *text, size_t len)
{
    str shown = { 0 };
    int error = str_append(&shown, text, len);

    for (char *c = shown.data; c && *c; c++)
        if (*c == NUMBER_SPACE || *c == '\n')
            *c = ' ';
    if (!error && !is_listed(str_text(out) + begin, shown.data)) {
        error = (*listed > 0 && str_add(out, ", ")) || str_add_str(out, &shown);
        ++*listed;
    }
    str_free(&shown);
    return error ? SNUG_ENOMEM : SNUG_OK;
}

static int judge_answer(str *out, const char *text, const known *k, unsigned scales_there)
{
    const size_t begin = out->len;
    size_t listed = 0;
    long last = 0;
    number n;
    int error = SNUG_OK;

    for (size_t at = 0; !error && text[at] && listed < FIGURES_MOST;) {
        const int is_point = text[at] == '.' && is_digit(text[at + 1]);
        groups g;
        if (strncmp(text + at, "http://", 7) == 0 || strncmp(text + at, "https://", 8) == 0) {
            at += strcspn(text + at, " \t\n)>\"");
            continue;
        }
        if (!is_digit(text[at]) && !is_point) {
            at++;
            continue;
        }
        if (is_part_of_name(text, at)) {
            at = past_name(text, at + (size_t)is_point);
            continue;
        }

        read_groups(&g, text, at);
        const suffix s = read_suffix(text, g.end);
        const int is_name = text[g.end] == 'D' && !is_letter(text[g.end + 1]); /* "3D" */
        if (!is_name && !is_numbering(&g, &last)) {
            read_number(&n, &g, &s, scales_there);
            if (!is_supported(k, &n, slack_before(text, at), s.is_ordinal))
                error = add_unsupported(out, begin, &listed, text + at, s.end - at);
        }
        at = s.end;
    }

    return error;
}

int figures_unsupported(str *out, const char *answer, const char *const *sources, size_t count)
{
    known k = { 0 };
    str folded = { 0 };
    unsigned scales_there = 0;
    int error = fold(&folded, answer);

    for (size_t i = 0; i < count && !error; i++) {
        if (!sources[i])
            continue;
        scales_there |= scales_in(sources[i]);
        error = read_source_numbers(&k, sources[i]);
        if (!error)
            error = count_items(&k, sources[i]);
        if (!error)
            error = count_lines(&k, sources[i]);
    }

    if (!error && k.count > 0)
        qsort(k.values, k.count, sizeof *k.values, compare_values);
    if (!error)
        error = judge_answer(out, str_text(&folded), &k, scales_there);
    str_free(&folded);
    free(k.values);
    return error;
}
