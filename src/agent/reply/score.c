#include "agent/reply/score.h"

#include <ctype.h>
#include <string.h>

#include "agent/text/pylex.h"
#include "base/clock.h"

#define MIB (UINT64_C(1) << 20)

/* ---- what the code says ---- */

enum { WORD_BYTES = 16 };

typedef struct reader {
    score_handling *out;
    char word[WORD_BYTES]; /* cut; the words looked for are shorter */
    int len;
    int is_clause; /* between "except" and its colon */
    int is_wide;   /* that clause is for everything */
    int is_body;   /* the first word of a handler comes next */
} reader;

static int is_among_words(const char *const *words, const char *word)
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

/* A word has ended; next is the first character behind it that is not blank. */
static void read_word_at(reader *r, char next)
{
    static const char *const risky[] = { "open",  "int",    "float",    "Decimal", "load", "loads",
                                         "index", "remove", "strptime", "next",    NULL };
    static const char *const all[] = { "Exception", "BaseException", NULL };
    static const char *const tests[] = { "if", "assert", "raise", NULL };

    r->word[r->len] = '\0';
    if (r->is_body && strcmp(r->word, "pass") == 0) {
        r->out->hides = 1;
        r->out->swallows |= r->is_wide;
    }

    r->is_body = 0;
    r->is_wide |= r->is_clause && is_among_words(all, r->word);
    if (strcmp(r->word, "except") == 0) {
        r->is_clause = 1;
        r->is_wide = next == ':';
        r->out->hides |= next == ':';
        r->out->catches |= next != ':';
    }

    r->out->tests |= is_among_words(tests, r->word);
    r->out->closes |= strcmp(r->word, "with") == 0;
    r->out->is_at_risk |= next == '(' && is_among_words(risky, r->word);
    r->len = 0;
}

static char next_solid(const char *code, size_t len, size_t at)
{
    while (at < len && (code[at] == ' ' || code[at] == '\t'))
        at++;
    return at < len ? code[at] : '\n';
}

static void take_byte(reader *r, const char *code, size_t len, size_t at)
{
    unsigned char c = (unsigned char)code[at];
    if (isalnum(c) || c == '_' || c >= 0x80) {
        if (r->len < WORD_BYTES - 1)
            r->word[r->len++] = (char)c;
        return;
    }

    if (r->len > 0)
        read_word_at(r, next_solid(code, len, at));
    r->out->is_at_risk |= c == '/';
    if (c == ':' && r->is_clause) {
        r->is_clause = 0;
        r->is_body = 1;
    }
}

score_handling score_read(const char *code, size_t len)
{
    score_handling out = { 0 };
    reader r = { .out = &out };
    pylex lex = { 0 };

    for (size_t at = 0; at < len;) {
        size_t here = at;
        at = pylex_step(&lex, code, len, at);
        if (pylex_is_code(&lex))
            take_byte(&r, code, len, here);
        else if (r.len > 0) /* a string's prefix, or the word before a comment */
            read_word_at(&r, '\n');
    }

    if (r.len > 0)
        read_word_at(&r, '\n');
    return out;
}

/* ---- points ---- */

typedef struct bound {
    uint64_t most;
    int points;
} bound;

static const bound times[] = { { 100 * NS_PER_MS, 50 }, { NS_PER_S, 40 },
                               { 5 * NS_PER_S, 30 },    { 30 * NS_PER_S, 20 },
                               { 120 * NS_PER_S, 10 },  { UINT64_MAX, 0 } };
static const bound sizes[] = { { 8 * MIB, 50 },   { 32 * MIB, 40 },  { 64 * MIB, 30 },
                               { 128 * MIB, 20 }, { 256 * MIB, 10 }, { UINT64_MAX, 0 } };

static int points(const bound *table, uint64_t value)
{
    while (value > table->most)
        table++;
    return table->points;
}

static int quality(const score_facts *f)
{
    uint64_t lost = f->findings > 4 ? 20 : 5 * f->findings;
    int sum = f->attempts > 0 ? 20 - (int)lost : 0;

    if (!f->is_answered)
        return sum;
    sum += 40;
    if (f->attempts > 0)
        sum += (int)(20 / f->attempts);
    if (!f->has_verdict || f->verdict == SNUG_AGENT_VERDICT_UNSURE)
        return sum + 10;
    return f->verdict == SNUG_AGENT_VERDICT_PASS ? sum + 20 : sum;
}

static int robustness(const score_facts *f)
{
    if (!f->has_run)
        return 0;
    const score_handling h = score_read(f->code, f->code_len);
    int guards = 25 * (h.catches + h.tests + h.closes);
    if (!h.is_at_risk || guards > 50)
        guards = 50;
    return 50 + guards - (h.hides ? 25 : 0);
}

score score_of(const score_facts *f)
{
    score s = { .quality = quality(f), .robustness = robustness(f) };
    if (f->has_run)
        s.performance = points(times, f->wall_ns) + points(sizes, f->peak_bytes);
    s.total = (s.quality + s.robustness + s.performance + 1) / 3;
    return s;
}
