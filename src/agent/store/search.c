#include "agent/store/search.h"

#include <snug/snug.h>

#include <stdint.h>
#include <stdlib.h>
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
        const int is_alone = is_unspaced(codepoint_at(text + at, &size));
        if (is_alone && str_add(out, " "))
            return SNUG_ENOMEM;
        if (str_append(out, text + at, size))
            return SNUG_ENOMEM;
        if (is_alone && str_add(out, " "))
            return SNUG_ENOMEM;
    }

    return SNUG_OK;
}

/* ---- words that say nothing ---- */

/* English, German, Spanish, French; in the order of strcmp. */
static const char *const common[] = {
    "a",    "al",   "an",    "and",    "are",   "as",   "at",    "auf",   "aus",  "be",
    "by",   "can",  "ce",    "como",   "con",   "cual", "dans",  "das",   "de",   "del",
    "dem",  "den",  "der",   "des",    "did",   "die",  "do",    "does",  "du",   "each",
    "ein",  "eine", "einem", "einen",  "einer", "el",   "en",    "es",    "est",  "et",
    "for",  "from", "give",  "have",   "how",   "i",    "il",    "im",    "in",   "is",
    "ist",  "it",   "la",    "las",    "le",    "les",  "los",   "many",  "me",   "mit",
    "much", "my",   "no",    "not",    "of",    "on",   "or",    "ou",    "para", "please",
    "por",  "que",  "quel",  "quelle", "qui",   "se",   "si",    "sind",  "so",   "son",
    "sont", "su",   "sur",   "tell",   "that",  "the",  "their", "there", "they", "this",
    "to",   "un",   "una",   "und",    "une",   "use",  "von",   "was",   "we",   "welche",
    "were", "what", "when",  "where",  "which", "who",  "why",   "wie",   "will", "with",
    "y",    "you",  "your",  "zu",     "zum",   "zur",
};

static const char common_signs[] = "的了是在和有我你他她它这那吗呢吧么什多少几哪怎请把被与或个何"
                                   "はがをにのでともかすま";

static int compare_to_common(const void *word, const void *row)
{
    return strcmp(word, *(const char *const *)row);
}

static int is_common(const char *word, size_t len)
{
    char lower[16];

    if (len >= sizeof lower)
        return 0;
    for (size_t i = 0; i < len; i++)
        lower[i] = to_lower(word[i]);
    lower[len] = '\0';
    return bsearch(lower, common, sizeof common / sizeof *common, sizeof *common,
                   compare_to_common) != NULL;
}

static int has_common_sign(const char *text, size_t len)
{
    for (size_t at = 0, size; at < len; at += size) {
        codepoint_at(text + at, &size);
        if (memmem(common_signs, sizeof common_signs - 1, text + at, size))
            return 1;
    }
    return 0;
}

/* ---- queries ---- */

typedef struct query {
    str *out;
    size_t terms;
    int takes_common;
    int error;
} query;

/* Quoted, so that nothing in it is an operator. */
static int write_term(str *out, const char *text, size_t len, int is_prefix)
{
    int error = str_add(out, "\"");

    if (!error)
        error = search_words(out, text, len);
    if (!error)
        error = str_add(out, is_prefix ? "\" *" : "\"");
    return error;
}

static int is_term_wanted(const query *q, const char *text, size_t len, int is_signs)
{
    if (q->terms == MOST_TERMS || len > MOST_TERM_BYTES)
        return 0;
    if (q->takes_common)
        return 1;
    return is_signs ? !has_common_sign(text, len) : !is_common(text, len);
}

/* One word, or signs that follow each other. */
static void add_term(query *q, const char *text, size_t len, int is_signs, int is_last)
{
    const int is_prefix = is_last && !is_signs && len >= 3;
    str term = { 0 };

    if (q->error || !is_term_wanted(q, text, len, is_signs))
        return;

    q->error = write_term(&term, text, len, is_prefix);
    const int is_there = !q->error && q->out->len > 0 && strstr(q->out->data, term.data);
    if (!q->error && !is_there) {
        if (q->terms > 0)
            q->error = str_add(q->out, " OR ");
        if (!q->error)
            q->error = str_add_str(q->out, &term);
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

static int add_terms(query *q, const char *text, size_t len)
{
    for (size_t at = 0, size; !q->error && at < len;) {
        uint32_t code = codepoint_at(text + at, &size);
        if (is_unspaced(code))
            at += add_signs(q, text + at, len - at);
        else if (is_in_word(code))
            at += add_word(q, text + at, len - at);
        else
            at += size;
    }
    return q->error ? SNUG_ENOMEM : SNUG_OK;
}

int search_query(str *out, const char *text, size_t len)
{
    str copy = { 0 };
    query q = { .out = out };

    if (str_append(&copy, text, len))
        return SNUG_ENOMEM;
    utf8_mend(copy.data, copy.len);
    int error = add_terms(&q, str_text(&copy), copy.len);
    if (!error && q.terms == 0) {
        q.takes_common = 1;
        error = add_terms(&q, str_text(&copy), copy.len);
    }

    str_free(&copy);
    return error;
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
