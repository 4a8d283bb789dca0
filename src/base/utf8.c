#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The well-formed sequences (Unicode 15, table 3-7): how many bytes follow a lead
 * byte, and between what the first of them must lie. The others lie in 80..BF. */
static const struct lead {
    unsigned char from, to; /* of the lead byte */
    unsigned char following;
    unsigned char low, high; /* of the second byte */
} leads[] = {
    { 0x00, 0x7f, 0, 0x00, 0x00 }, { 0xc2, 0xdf, 1, 0x80, 0xbf }, { 0xe0, 0xe0, 2, 0xa0, 0xbf },
    { 0xe1, 0xec, 2, 0x80, 0xbf }, { 0xed, 0xed, 2, 0x80, 0x9f }, { 0xee, 0xef, 2, 0x80, 0xbf },
    { 0xf0, 0xf0, 3, 0x90, 0xbf }, { 0xf1, 0xf3, 3, 0x80, 0xbf }, { 0xf4, 0xf4, 3, 0x80, 0x8f },
};

static const struct lead *lead_of(unsigned char byte)
{
    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++)
        if (byte >= leads[i].from && byte <= leads[i].to)
            return &leads[i];
    return NULL;
}

static int is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* How many bytes at text begin with eight ASCII ones at a time. */
static size_t skip_ascii(const char *text, size_t len)
{
    size_t at = 0;
    for (uint64_t word; len - at >= sizeof word; at += sizeof word) {
        memcpy(&word, text + at, sizeof word);
        if (word & UINT64_C(0x8080808080808080))
            break;
    }
    return at;
}

/* The length of the sequence at text; 0 and the fault if there is none. */
static size_t sequence(const char *text, size_t len, utf8_fault *fault)
{
    const struct lead *lead = lead_of((unsigned char)text[0]);

    *fault = UTF8_INVALID;
    if (!lead || len <= lead->following)
        return 0;

    for (size_t i = 2; i <= lead->following; i++)
        if (!is_continuation(text[i]))
            return 0;

    if (lead->following) {
        unsigned char second = (unsigned char)text[1];
        if (lead->from == 0xed && second >= 0xa0 && second <= 0xbf)
            *fault = UTF8_SURROGATE;
        if (second < lead->low || second > lead->high)
            return 0;
    }

    return 1 + (size_t)lead->following;
}

size_t utf8_encode(char out[4], uint32_t c)
{
    static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    size_t len = 1;

    if (c >= 0x10000)
        len = 4;
    else if (c >= 0x800)
        len = 3;
    else if (c >= 0x80)
        len = 2;

    for (size_t i = len; i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(first[len] | c);
    return len;
}

utf8_fault utf8_check(const char *text, size_t len, size_t *at)
{
    for (size_t i = 0; i < len;) {
        i += skip_ascii(text + i, len - i);
        /* On to the next ASCII byte: the fast path is not tried within a run of others. */
        for (size_t step = 0; i < len; i += step) {
            utf8_fault fault;
            step = sequence(text + i, len - i, &fault);
            if (!step) {
                *at = i;
                return fault;
            }
            if (step == 1) {
                i++;
                break;
            }
        }
    }
    return UTF8_FINE;
}

unsigned utf8_width(unsigned char lead)
{
    const struct lead *found = lead_of(lead);
    return found ? 1U + found->following : 0;
}

void utf8_mend(char *text, size_t len)
{
    size_t fault;
    for (size_t at = 0; utf8_check(text + at, len - at, &fault) != UTF8_FINE; at += fault + 1)
        text[at + fault] = '?';
}

size_t utf8_floor(const char *text, size_t len, size_t at)
{
    size_t cut = at;
    if (at >= len)
        return len;
    /* At most three steps, so that text that is not UTF-8 costs no more. */
    while (cut > 0 && at - cut < 3 && is_continuation(text[cut]))
        cut--;
    return is_continuation(text[cut]) ? at : cut;
}

size_t utf8_ceil(const char *text, size_t len, size_t at)
{
    size_t cut = at;
    while (cut < len && cut - at < 3 && is_continuation(text[cut]))
        cut++;
    return cut;
}

size_t utf8_whole(const char *text, size_t len)
{
    size_t start = len;

    /* Back to the last lead byte. */
    while (start > 0 && len - start < 4) {
        start--;
        if (is_continuation(text[start]))
            continue;
        const struct lead *lead = lead_of((unsigned char)text[start]);
        return lead && len - start <= lead->following ? start : len;
    }

    return len;
}

/* ---- sentences that are too long ---- */

/* Of a word that is cut, a path mostly: what stays of it in a sentence, and how long it must be. */
enum { KEPT_BYTES = 200, LONG_BYTES = 2 * KEPT_BYTES };

static const char gap[] = "...";
enum { GAP_BYTES = sizeof gap - 1 };

/* Puts the gap in the place of what is between two offsets. Answers the length that is left. */
static size_t cut_out(char *text, size_t len, size_t from, size_t to)
{
    memcpy(text + from, gap, GAP_BYTES);
    memmove(text + from + GAP_BYTES, text + to, len - to + 1);
    return len - (to - from) + GAP_BYTES;
}

static size_t longest_word(size_t *at, const char *text)
{
    size_t most = 0;

    for (size_t begin = 0; text[begin];) {
        const size_t word = strcspn(text + begin, " ");
        if (word > most) {
            most = word;
            *at = begin;
        }
        begin += word + strspn(text + begin + word, " ");
    }

    return most;
}

static void shorten_sentence(char *text, size_t len, size_t most)
{
    size_t at = 0, word;

    while (len > most && (word = longest_word(&at, text)) > LONG_BYTES)
        len = cut_out(text, len, utf8_floor(text, len, at + KEPT_BYTES / 2),
                      utf8_ceil(text, len, at + word - KEPT_BYTES / 2));
    if (len <= most)
        return;

    const size_t head = utf8_floor(text, len, most / 2);
    cut_out(text, len, head, utf8_ceil(text, len, len - (most - head - GAP_BYTES)));
}

/* Shorter ones are for parts of sentences, and have no room for a gap. */
enum { LEAST_SENTENCE = 256 };

void utf8_format(char *out, size_t size, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int len = vsnprintf(out, size, format, args);
    char *whole = NULL;

    if (len < 0)
        out[0] = '\0';
    else if ((size_t)len >= size && size >= LEAST_SENTENCE)
        whole = malloc((size_t)len + 1);

    if (whole) {
        vsnprintf(whole, (size_t)len + 1, format, again);
        shorten_sentence(whole, (size_t)len, size - 1);
        memcpy(out, whole, strlen(whole) + 1);
    } else if (len >= 0 && (size_t)len >= size) {
        out[utf8_whole(out, size - 1)] = '\0';
    }

    free(whole);
    va_end(again);
}

size_t utf8_length(const char *text, size_t len)
{
    size_t count = 0;
    for (size_t i = 0; i < len; i++)
        count += !is_continuation(text[i]);
    return count;
}
