#include "agent/text/numberwords.h"

#include <string.h>
#include <strings.h>

#include "base/ascii.h"

/* ---- what follows a number ---- */

/* A number with one of these is scaled; of the short ones that may be units too, both count. */
static const struct {
    const char *word;
    int power;
    int is_unit;
} scales[] = {
    { "hundred", 2, 0 },
    { "thousand", 3, 0 },
    { "thousands", 3, 0 },
    { "k", 3, 1 },
    { "kb", 3, 1 },
    { "tausend", 3, 0 },
    { "tsd", 3, 0 },
    { "mil millones", 9, 0 },
    { "mil", 3, 0 },
    { "mille", 3, 0 },
    { "mila", 3, 0 },
    { "\xd1\x82\xd1\x8b\xd1\x81", 3, 0 },
    { "million", 6, 0 },
    { "millions", 6, 0 },
    { "m", 6, 1 },
    { "mb", 6, 1 },
    { "mn", 6, 1 },
    { "mln", 6, 0 },
    { "mio", 6, 0 },
    { "millionen", 6, 0 },
    { "millones", 6, 0 },
    { "mill\xc3\xb3n", 6, 0 },
    { "milh\xc3\xb5"
      "es",
      6, 0 },
    { "milioni", 6, 0 },
    { "\xd0\xbc\xd0\xbb\xd0\xbd", 6, 0 },
    { "billion", 9, 0 },
    { "billions", 9, 0 },
    { "bn", 9, 0 },
    { "b", 9, 1 },
    { "gb", 9, 1 },
    { "milliarde", 9, 0 },
    { "milliarden", 9, 0 },
    { "mrd", 9, 0 },
    { "milliard", 9, 0 },
    { "milliards", 9, 0 },
    { "miliardi", 9, 0 },
    { "\xd0\xbc\xd0\xbb\xd1\x80\xd0\xb4", 9, 0 },
    { "trillion", 12, 0 },
    { "tn", 12, 1 },
    { "t", 12, 1 },
    { "billionen", 12, 0 },
    { "billones", 12, 0 },
    { "lakh", 5, 0 },
    { "lakhs", 5, 0 },
    { "crore", 7, 0 },
    { "crores", 7, 0 },
    { "\xe5\x8d\x83", 3, 0 },
    { "\xe4\xb8\x87", 4, 0 },
    { "\xe8\x90\xac", 4, 0 },
    { "\xeb\xa7\x8c", 4, 0 },
    { "\xe5\x84\x84", 8, 0 },
    { "\xe4\xba\xbf", 8, 0 },
    { "\xec\x96\xb5", 8, 0 },
    { "\xe5\x85\x86", 12, 0 },
};

/* Powers of ten that make a part of a whole. */
static const struct {
    const char *word;
    int power;
} parts[] = {
    { "%", -2 },          { "percent", -2 },   { "per cent", -2 },   { "pct", -2 },
    { "percentage", -2 }, { "prozent", -2 },   { "por ciento", -2 }, { "por cento", -2 },
    { "pour cent", -2 },  { "per cento", -2 }, { "procent", -2 },    { "\xe2\x80\xb0", -3 },
};

unsigned number_scales(const char *text)
{
    unsigned found = 0;

    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        if (scales[i].is_unit || found & 1u << scales[i].power)
            continue;
        for (const char *c = text; (c = strcasestr(c, scales[i].word)); c++)
            if (c == text || !is_letter(c[-1]) || !is_letter(scales[i].word[0]))
                found |= 1u << scales[i].power;
    }

    return found;
}

/* The length of word at text, if it ends there; words of other scripts need no end. */
static size_t word_at(const char *text, const char *word)
{
    size_t len = strlen(word);
    if (strncasecmp(text, word, len) != 0)
        return 0;
    char c = text[len];
    return !is_letter(word[0]) || !(is_letter(c) || is_digit(c) || (unsigned char)c >= 0xc0) ? len
                                                                                             : 0;
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
    int is_negative = text[at] == '-';

    at += text[at] == '-' || text[at] == '+';
    size_t begin = at;
    long power = 0;
    for (; is_digit(text[at]) && at - begin < 4; at++)
        power = power * 10 + (text[at] - '0');
    if (at == begin || is_digit(text[at]))
        return 0;
    *out = is_negative ? -power : power;
    return at;
}

/* "e6", and "x 10^6" in its forms. */
static void read_exponent(number_suffix *s, const char *text)
{
    static const char *const times[] = { "x", "*", "\xc3\x97", "\xc2\xb7", "\\times" };
    static const char *const powers[] = { "10^{", "10^", "10**" };
    long power;
    size_t end, at = s->end;
    if ((text[at] == 'e' || text[at] == 'E') && (end = read_power(&power, text, at + 1)) &&
        !is_letter(text[end])) {
        s->end = end;
        s->shift = power;
        return;
    }

    at = past_blanks(text, at);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (strncmp(text + at, times[i], strlen(times[i])) != 0)
            continue;
        size_t from = past_blanks(text, at + strlen(times[i]));
        for (size_t p = 0; p < sizeof powers / sizeof *powers; p++) {
            size_t width = strlen(powers[p]);
            if (strncmp(text + from, powers[p], width) != 0)
                continue;
            if ((end = read_power(&power, text, from + width))) {
                s->end = end;
                s->shift = power;
            }
            return;
        }
    }
}

static int read_scale(number_suffix *s, const char *text)
{
    size_t at = past_blanks(text, s->end), best = 0;

    at += at == s->end && text[at] == '-'; /* "3-million" */
    if (at > s->end + 1)
        return 0;

    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        size_t len = word_at(text + at, scales[i].word);
        if (len <= best)
            continue;
        best = len;
        s->scale = scales[i].power;
        s->is_unit = scales[i].is_unit;
    }

    if (best)
        s->end = at + best;
    return best > 0;
}

static void read_part(number_suffix *s, const char *text)
{
    size_t at = past_blanks(text, s->end);

    at += at == s->end && text[at] == '-';
    at += text[at] == '\\' && text[at + 1] == '%';
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t len = word_at(text + at, parts[i].word);
        if (len) {
            s->part = parts[i].power;
            s->end = at + len;
            return;
        }
    }
}

static void read_ordinal(number_suffix *s, const char *text)
{
    static const char *const endings[] = { "st",       "nd",         "rd", "th", "\xc2\xba",
                                           "\xc2\xaa", "\xc3\xa8me", "er", "e" };
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !s->is_ordinal; i++) {
        size_t len = word_at(text + s->end, endings[i]);
        s->is_ordinal = len > 0;
        s->end += len;
    }
}

/* "2 pm" and "2:30 p.m.". */
static void read_hour(number_suffix *s, const char *text)
{
    size_t at = s->end;
    if (text[at] == ':' && is_digit(text[at + 1]) && is_digit(text[at + 2]))
        at += 3;
    at = past_blanks(text, at);
    s->is_afternoon = word_at(text + at, "pm") || strncasecmp(text + at, "p.m", 3) == 0;
}

number_suffix number_suffix_read(const char *text, size_t end)
{
    number_suffix s = { .end = end };

    read_exponent(&s, text);
    if (s.end == end && !read_scale(&s, text)) {
        read_part(&s, text);
        read_hour(&s, text);
        read_ordinal(&s, text);
    }

    return s;
}

/* ---- what stands before a number ---- */

static const struct {
    const char *word;
    int slack;
} leads[] = {
    { "about", 1 },
    { "around", 1 },
    { "approximately", 1 },
    { "approx.", 1 },
    { "approx", 1 },
    { "roughly", 1 },
    { "circa", 1 },
    { "ca.", 1 },
    { "some", 1 },
    { "~", 1 },
    { "\xe2\x89\x88", 1 },
    { "etwa", 1 },
    { "rund", 1 },
    { "ungef\xc3\xa4hr", 1 },
    { "unos", 1 },
    { "unas", 1 },
    { "aproximadamente", 1 },
    { "cerca de", 1 },
    { "alrededor de", 1 },
    { "environ", 1 },
    { "\xe7\xba\xa6", 1 },
    { "\xe7\xb4\x84", 1 },
    { "over", 2 },
    { "more than", 2 },
    { "nearly", 2 },
    { "almost", 2 },
    { "less than", 2 },
    { "under", 2 },
    { "at least", 2 },
    { "above", 2 },
    { "below", 2 },
    { "m\xc3\xa1s de", 2 },
    { "casi", 2 },
    { "fast", 2 },
    { "knapp", 2 },
    { "\xc3\xbc"
      "ber",
      2 },
    { "plus de", 2 },
    { "presque", 2 },
};

/* Whether the text before `at` ends with the word. */
static int ends_with(const char *text, size_t at, const char *word)
{
    size_t len = strlen(word);
    if (len > at || strncasecmp(text + at - len, word, len) != 0)
        return 0;
    return at == len || !is_letter(word[0]) || !is_letter(text[at - len - 1]);
}

int number_slack(const char *text, size_t at)
{
    static const char *const signs[] = { "$", "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5", "*", "(", "-",
                                         "+" };

    for (int is_more = 1; is_more;) {
        is_more = 0;
        while (at && (text[at - 1] == ' ' || text[at - 1] == NUMBER_SPACE))
            at--;
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
            size_t len = strlen(signs[i]);
            if (at >= len && memcmp(text + at - len, signs[i], len) == 0) {
                at -= len;
                is_more = 1;
            }
        }
    }

    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++)
        if (ends_with(text, at, leads[i].word))
            return leads[i].slack;
    return 0;
}

/* ---- words for numbers ---- */

/* Words for numbers, in sources: the first five, die ersten fuenf. */
static const struct {
    const char *word;
    unsigned char value;
} words[] = {
    { "zero", 0 },      { "one", 1 },         { "two", 2 },     { "three", 3 },   { "four", 4 },
    { "five", 5 },      { "six", 6 },         { "seven", 7 },   { "eight", 8 },   { "nine", 9 },
    { "ten", 10 },      { "eleven", 11 },     { "twelve", 12 }, { "twenty", 20 }, { "fifty", 50 },
    { "hundred", 100 }, { "dozen", 12 },      { "uno", 1 },     { "dos", 2 },     { "tres", 3 },
    { "cuatro", 4 },    { "cinco", 5 },       { "seis", 6 },    { "siete", 7 },   { "ocho", 8 },
    { "nueve", 9 },     { "diez", 10 },       { "eins", 1 },    { "zwei", 2 },    { "drei", 3 },
    { "vier", 4 },      { "f\xc3\xbcnf", 5 }, { "sechs", 6 },   { "sieben", 7 },  { "acht", 8 },
    { "neun", 9 },      { "zehn", 10 },       { "deux", 2 },    { "trois", 3 },   { "quatre", 4 },
    { "cinq", 5 },      { "sept", 7 },        { "huit", 8 },    { "neuf", 9 },    { "dix", 10 },
};

int number_of_word(const char *word, size_t len)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == len && strncasecmp(words[i].word, word, len) == 0)
            return words[i].value;
    return -1;
}
