#include "cli/tools/find.h"

#include <snug/snug.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"

enum { MOST_WORD = 64, MOST_QUERY_WORDS = 64, MOST_TEXT_BYTES = 16 * 1024 };

/* How much a word of the name counts more than one of the text. */
static const double name_weight = 3, text_weight = 1;
/* Of what only begins with the word that was asked for. */
static const double part_weight = 0.4;
/* Of another word for the same. */
static const double synonym_weight = 0.5;
/* As Robertson and Zaragoza have them in "The Probabilistic Relevance Framework". */
static const double k1 = 1.2, b = 0.75;

/* That a word stands in a tool, as often as weight says. */
typedef struct posting {
    char *word;
    size_t tool;
    double weight;
} posting;

struct find {
    posting *items; /* in the order of words, then of tools */
    size_t count, cap;
    double *lengths; /* of each tool */
    size_t tools;
    double mean; /* of lengths */
};

/* ---- words ---- */

/* How many bytes of a mark between words stand there that is not ASCII: a dash, a quotation mark, a
 * full stop of Chinese, the last byte of them being any. 0: none. */
static size_t mark_len(const char *at)
{
    static const char *const marks[] = { "\xe2\x80", "\xe2\x81", "\xe3\x80", "\xc2" };

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const size_t len = strlen(marks[i]);
        if (!strncmp(at, marks[i], len) && at[len])
            return len + 1;
    }
    return 0;
}

/* Whether what begins there belongs to a word; letters of other alphabets than ours do. */
static int is_in_word(const char *at)
{
    return is_alnum(*at) || ((unsigned char)*at >= 0x80 && mark_len(at) == 0);
}

static int is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* "searchIssues", "HTTPServer": where the next word begins in one. */
static int is_seam(const char *text, const char *at)
{
    if (at == text || !is_upper(*at))
        return 0;
    return !is_upper(at[-1]) || (at[1] >= 'a' && at[1] <= 'z');
}

/* The next word, from *at on; 0: there is none. */
static size_t next_word(const char **at)
{
    const char *text = *at;
    size_t len = 0;

    while (*text && !is_in_word(text))
        text += mark_len(text) > 0 ? mark_len(text) : 1;
    *at = text;
    while (text[len] && is_in_word(text + len) && !is_seam(text, text + len))
        len++;
    return len;
}

static int ends_in(const char *word, size_t len, const char *end)
{
    const size_t size = strlen(end);
    return len > size + 1 && memcmp(word + len - size, end, size) == 0;
}

/* Issues and issue, queries and query, searches and search. */
static void make_singular(char *word)
{
    static const char *const longer[] = { "ches", "shes", "sses", "xes" };
    const size_t len = strlen(word);

    if (len < 4 || word[len - 1] != 's' || ends_in(word, len, "ss") || ends_in(word, len, "us"))
        return;
    if (ends_in(word, len, "ies")) {
        memcpy(word + len - 3, "y", 2);
        return;
    }
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        if (ends_in(word, len, longer[i])) {
            word[len - 2] = '\0';
            return;
        }
    word[len - 1] = '\0';
}

static int says_nothing(const char *word)
{
    static const char *const words[] = { "a",    "an", "and", "as",   "at",    "be",
                                         "by",   "do", "can", "for",  "from",  "how",
                                         "i",    "in", "is",  "it",   "may",   "me",
                                         "my",   "of", "on",  "or",   "that",  "the",
                                         "this", "to", "was", "what", "which", "with" };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i]))
            return 1;
    return 0;
}

/* As it is looked for, into word; 0: it is none. */
static int take_word(char word[MOST_WORD + 1], const char *text, size_t len)
{
    if (len > MOST_WORD)
        return 0;
    for (size_t i = 0; i < len; i++)
        word[i] = to_lower(text[i]);
    word[len] = '\0';
    if (says_nothing(word))
        return 0;
    make_singular(word);
    return 1;
}

/* ---- other words ---- */

/* Those of a row are the same in a query. */
static const char *const synonyms[][4] = {
    { "find", "search" },
    { "create", "make", "new", "add" },
    { "delete", "remove", "forget" },
    { "write", "save", "store" },
    { "update", "change", "edit", "modify" },
    { "move", "rename" },
    { "run", "execute" },
    { "directory", "folder", "mkdir" },
    { "image", "picture", "photo" },
    { "issue", "bug", "ticket" },
    { "pull", "pr" },
    { "mail", "email" },
};

/* What stands before the ending of "searching" and "merged"; 0: there is none. */
static size_t stem_len(const char *word)
{
    static const char *const ends[] = { "ing", "ed" };
    enum { LEAST_STEM = 3 };
    const size_t len = strlen(word);

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t end = strlen(ends[i]);
        if (len < end + LEAST_STEM || strcmp(word + len - end, ends[i]) != 0)
            continue;
        return strcspn(word, "aeiouy") < len - end ? len - end : 0; /* string has none */
    }
    return 0;
}

/* The words that it may come from: "search", "merge" and "run" of "running", by their number. 0:
 * there are no more. */
static int make_stem(char stem[MOST_WORD + 1], const char *word, int number)
{
    size_t len = stem_len(word);
    const int is_doubled = len > 1 && word[len - 1] == word[len - 2];

    if (len == 0 || number > 1 + is_doubled)
        return 0;
    memcpy(stem, word, len);
    if (number == 1)
        stem[len++] = 'e';
    stem[number == 2 ? len - 1 : len] = '\0';
    return 1;
}

/* ---- the index ---- */

static int add_posting(find *f, const char *word, size_t tool, double weight)
{
    if (array_reserve(&f->items, &f->cap, f->count + 1, sizeof *f->items))
        return SNUG_ENOMEM;
    posting *p = &f->items[f->count];
    *p = (posting){ strdup(word), tool, weight };
    if (!p->word)
        return SNUG_ENOMEM;
    f->count++;
    f->lengths[tool] += weight;
    return SNUG_OK;
}

static int add_text(find *f, const char *text, size_t tool, double weight)
{
    char word[MOST_WORD + 1];
    const char *begin = text;
    int error = SNUG_OK;

    for (size_t len; !error && text - begin < MOST_TEXT_BYTES && (len = next_word(&text)) > 0;
         text += len)
        if (take_word(word, text, len))
            error = add_posting(f, word, tool, weight);
    return error;
}

static int compare_postings(const void *one, const void *other)
{
    const posting *p = one, *q = other;
    const int order = strcmp(p->word, q->word);
    if (order)
        return order;
    return (p->tool > q->tool) - (p->tool < q->tool);
}

/* A word of a tool has one. */
static void merge_postings(find *f)
{
    size_t kept = 0;

    for (size_t i = 0; i < f->count; i++) {
        posting *last = kept > 0 ? &f->items[kept - 1] : NULL;
        if (last && compare_postings(last, &f->items[i]) == 0) {
            last->weight += f->items[i].weight;
            free(f->items[i].word);
        } else {
            f->items[kept++] = f->items[i];
        }
    }
    f->count = kept;
}

int find_open(find **out, const stub *items, size_t count)
{
    find *f = calloc(1, sizeof *f);
    int error = SNUG_OK;

    if (!f || !(f->lengths = calloc(count + 1, sizeof *f->lengths))) {
        find_close(f);
        return SNUG_ENOMEM;
    }
    f->tools = count;
    for (size_t i = 0; i < count && !error; i++) {
        error = add_text(f, items[i].name, i, name_weight);
        if (!error)
            error = add_text(f, items[i].doc, i, text_weight);
        f->mean += f->lengths[i] / (double)count;
    }
    if (error) {
        find_close(f);
        return error;
    }
    if (f->count > 0)
        qsort(f->items, f->count, sizeof *f->items, compare_postings);
    merge_postings(f);
    *out = f;
    return SNUG_OK;
}

void find_close(find *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->count; i++)
        free(f->items[i].word);
    free(f->items);
    free(f->lengths);
    free(f);
}

/* ---- queries ---- */

/* The first of that word, or behind it. */
static size_t seek_word(const find *f, const char *word)
{
    size_t low = 0, high = f->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(f->items[middle].word, word) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds what the postings from `from` to `to`, which are one word's, are worth to each tool. */
static void add_scores(double *scores, const find *f, size_t from, size_t to, double weight)
{
    const double with = (double)(to - from), all = (double)f->tools;
    const double rarity = log(1 + (all - with + 0.5) / (with + 0.5));

    for (size_t i = from; i < to; i++) {
        const posting *p = &f->items[i];
        const double length = f->mean > 0 ? f->lengths[p->tool] / f->mean : 1;
        const double often = p->weight * (k1 + 1) / (p->weight + k1 * (1 - b + b * length));
        scores[p->tool] += weight * rarity * often;
    }
}

static void add_word(double *scores, const find *f, const char *word, double weight)
{
    enum { LEAST_PART = 3 };
    const size_t len = strlen(word);

    for (size_t from = seek_word(f, word), to; from < f->count; from = to) {
        const char *found = f->items[from].word;
        const int is_whole = !strcmp(found, word);
        if (!is_whole && (len < LEAST_PART || strncmp(found, word, len) != 0))
            return;
        for (to = from + 1; to < f->count && !strcmp(f->items[to].word, found);)
            to++;
        add_scores(scores, f, from, to, is_whole ? weight : weight * part_weight);
    }
}

static void add_synonyms(double *scores, const find *f, const char *word)
{
    enum { IN_ROW = sizeof *synonyms / sizeof **synonyms };

    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
        size_t at = 0;
        while (at < IN_ROW && synonyms[i][at] && strcmp(synonyms[i][at], word) != 0)
            at++;
        if (at == IN_ROW || !synonyms[i][at])
            continue;
        for (size_t k = 0; k < IN_ROW && synonyms[i][k]; k++)
            if (k != at)
                add_word(scores, f, synonyms[i][k], synonym_weight);
    }
}

/* A word of a query, what it may come from, and others for it. */
static void add_query_word(double *scores, const find *f, const char *word)
{
    char stem[MOST_WORD + 1];

    add_word(scores, f, word, 1);
    add_synonyms(scores, f, word);
    for (int i = 0; make_stem(stem, word, i); i++) {
        add_word(scores, f, stem, 1);
        add_synonyms(scores, f, stem);
    }
}

/* Moves the best that is left to its place, count times at most. Answers how many there are. */
static size_t take_best(size_t *best, size_t most, double *scores, size_t tools)
{
    size_t count = 0;

    while (count < most) {
        size_t first = tools;
        for (size_t i = 0; i < tools; i++)
            if (scores[i] > 0 && (first == tools || scores[i] > scores[first]))
                first = i;
        if (first == tools)
            break;
        scores[first] = 0;
        best[count++] = first;
    }
    return count;
}

int find_best(size_t *best, size_t *count, const find *f, const char *query)
{
    char word[MOST_WORD + 1];
    double *scores = calloc(f->tools + 1, sizeof *scores);
    size_t words = 0;

    if (!scores)
        return SNUG_ENOMEM;
    for (size_t len; words < MOST_QUERY_WORDS && (len = next_word(&query)) > 0; query += len)
        if (take_word(word, query, len)) {
            add_query_word(scores, f, word);
            words++;
        }
    *count = take_best(best, *count, scores, f->tools);
    free(scores);
    return SNUG_OK;
}
