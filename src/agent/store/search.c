#include "agent/store/search.h"

#include <snug/snug.h>

#include <stdint.h>
#include <string.h>

#include "agent/text/codepoint.h"
#include "base/ascii.h"
#include "base/utf8.h"

enum { MOST_TERMS = 64, MOST_TERM_BYTES = 128 };

/* ---- characters ---- */

static const struct range {
    uint32_t first, last;
} unspaced[] = {
    { 0x3041, 0x30ff },   /* Hiragana, Katakana */
    { 0x3400, 0x4dbf },   /* Han */
    { 0x4e00, 0x9fff },   /* Han */
    { 0xac00, 0xd7af },   /* Hangul, whose words have endings */
    { 0xf900, 0xfaff },   /* Han */
    { 0x20000, 0x3134f }, /* Han */
};

static int is_unspaced(uint32_t code)
{
    for (size_t i = 0; i < sizeof unspaced / sizeof *unspaced; i++)
        if (code >= unspaced[i].first && code <= unspaced[i].last)
            return 1;
    return 0;
}

/* The tokenizer knows which characters are letters; what certainly is not one ends a word here. */
static int is_in_word(uint32_t code)
{
    if (code < 0x80)
        return is_alnum((int)code);
    return code != 0xa0 && (code < 0x2000 || code > 0x206f) && (code < 0x3000 || code > 0x303f) &&
           (code < 0xff00 || code > 0xff0f) && code != 0xff1a && code != 0xff1f;
}

int search_words(str *out, const char *text, size_t len)
{
    for (size_t at = 0, size; at < len; at += size) {
        const char *space = is_unspaced(codepoint_at(text + at, &size)) ? " " : "";
        str_add(out, space);
        str_append(out, text + at, size);
        str_add(out, space);
    }

    return str_error(out);
}

/* ---- words that say nothing ---- */

static const char common[] = " a an and are as at be by can did do does each for from give have "
                             "how i in is it many me much my "
                             "no not of on or please so tell that the their there they this to use "
                             "was we were what when where "
                             "which who why will with you your ";

static int is_common(const char *word, size_t len)
{
    char spaced[16];
    size_t at = 0;

    if (len + 3 > sizeof spaced)
        return 0;
    spaced[at++] = ' ';
    for (size_t i = 0; i < len; i++)
        spaced[at++] = to_lower(word[i]);
    spaced[at++] = ' ';
    spaced[at] = '\0';
    return strstr(common, spaced) != NULL;
}

/* ---- queries ---- */

typedef struct query {
    str *out;
    size_t terms;
    int takes_common;
} query;

/* One word, or signs that follow each other; quoted, so that nothing in it is an operator. */
static void add_term(query *q, const char *text, size_t len, int is_signs, int is_last)
{
    str term = { 0 };

    if (q->terms == MOST_TERMS || len > MOST_TERM_BYTES ||
        (!q->takes_common && !is_signs && is_common(text, len)))
        return;

    str_add(&term, "\"");
    search_words(&term, text, len);
    str_add(&term, is_last && !is_signs && len >= 3 ? "\" *" : "\"");
    if (q->terms == 0 || !strstr(str_text(q->out), str_text(&term))) {
        str_add(q->out, q->terms > 0 ? " OR " : "");
        str_add_str(q->out, &term);
        q->terms++;
    }
    str_free(&term);
}

/* Signs from one to the end of their row, two by two. */
static size_t add_signs(query *q, const char *text, size_t len)
{
    size_t at = 0, size, before = 0, count = 0;

    while (at < len && is_unspaced(codepoint_at(text + at, &size))) {
        if (count++ > 0)
            add_term(q, text + before, at + size - before, 1, 0);
        before = at;
        at += size;
    }

    if (count == 1)
        add_term(q, text, at, 1, 0);
    return at;
}

static size_t add_word(query *q, const char *text, size_t len)
{
    size_t at = 0, size;

    while (at < len) {
        const uint32_t code = codepoint_at(text + at, &size);
        if (!is_in_word(code) || is_unspaced(code))
            break;
        at += size;
    }

    add_term(q, text, at, 0, at == len);
    return at;
}

static void add_terms(query *q, const char *text, size_t len)
{
    for (size_t at = 0, size; at < len;) {
        uint32_t code = codepoint_at(text + at, &size);
        if (is_unspaced(code))
            at += add_signs(q, text + at, len - at);
        else if (is_in_word(code))
            at += add_word(q, text + at, len - at);
        else
            at += size;
    }
}

int search_query(str *out, const char *text, size_t len)
{
    str copy = { 0 };
    query q = { .out = out };

    if (str_append(&copy, text, len))
        return SNUG_ENOMEM;
    utf8_mend(copy.data, copy.len);
    add_terms(&q, copy.data, copy.len);
    if (q.terms == 0) {
        q.takes_common = 1;
        add_terms(&q, copy.data, copy.len);
    }

    str_free(&copy);
    return str_error(out);
}

/* ---- passages ---- */

static size_t last_of(const char *text, size_t len, const char *end)
{
    size_t size = strlen(end);
    for (size_t at = len; at >= size; at--)
        if (memcmp(text + at - size, end, size) == 0)
            return at;
    return 0;
}

size_t search_passage(const char *text, size_t len, size_t from, size_t most)
{
    static const char *const ends[] = { "\n\n", "\n", ". ", " " };

    if (len - from <= most)
        return len;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t end = last_of(text + from, most, ends[i]);
        if (end > most / 3)
            return from + end;
    }

    size_t end = utf8_floor(text, len, from + most);
    return end > from ? end : len;
}
