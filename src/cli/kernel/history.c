#include "cli/kernel/history.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"

enum { MOST_ENTRIES = 10000, MOST_BYTES = 32 << 20 /* of their sources and values */ };

static size_t bytes_of(const history_entry *e)
{
    return strlen(e->source) + (e->output ? strlen(e->output) : 0);
}

/* The oldest half. */
static void forget_oldest(history *h)
{
    size_t gone = (h->count + 1) / 2;

    for (size_t i = 0; i < gone; i++) {
        h->bytes -= bytes_of(&h->entries[i]);
        free(h->entries[i].source);
        free(h->entries[i].output);
    }
    h->count -= gone;
    memmove(h->entries, h->entries + gone, h->count * sizeof *h->entries);
}

void history_add(history *h, uint64_t line, const char *source, const char *output)
{
    history_entry e = { h->session + 1, (long)line, strdup(source),
                        output ? strdup(output) : NULL };

    if (!e.source || (output && !e.output) ||
        array_reserve(&h->entries, &h->cap, h->count + 1, sizeof *h->entries)) {
        free(e.source);
        free(e.output);
        return;
    }

    h->entries[h->count++] = e;
    h->bytes += bytes_of(&e);
    while (h->count > 0 && (h->count > MOST_ENTRIES || h->bytes > MOST_BYTES))
        forget_oldest(h);
}

void history_next_session(history *h)
{
    h->session++;
}

void history_free(history *h)
{
    for (size_t i = 0; i < h->count; i++) {
        free(h->entries[i].source);
        free(h->entries[i].output);
    }
    free(h->entries);
    *h = (history){ 0 };
}

/* ---- answers ---- */

typedef struct wish {
    long session, start, stop; /* of a range */
    long n;                    /* the last ones of what is found */
    str pattern;               /* of a search */
    int is_range, is_search, is_unique, has_output;
} wish;

static int read_wish(wish *out, const history *h, const kernel_message *request)
{
    str type = { 0 };
    int error = kernel_message_text(&type, request, "hist_access_type");

    *out = (wish){ .start = kernel_message_number(request, "start", 0),
                   .stop = kernel_message_number(request, "stop", LONG_MAX),
                   .n = kernel_message_number(request, "n", LONG_MAX),
                   .is_range = !strcmp(str_text(&type), "range"),
                   .is_search = !strcmp(str_text(&type), "search"),
                   .is_unique = kernel_message_flag(request, "unique", 0),
                   .has_output = kernel_message_flag(request, "output", 0) };
    if (out->is_range)
        out->n = LONG_MAX;
    out->session = kernel_message_number(request, "session", 0);
    if (out->session <= 0)
        out->session += h->session + 1;
    if (out->is_search && kernel_message_text(&out->pattern, request, "pattern"))
        error = str_add(&out->pattern, "*");
    str_free(&type);
    return error;
}

static int is_wanted(const wish *w, const history_entry *e)
{
    if (w->is_range)
        return e->session == w->session && e->line >= w->start && e->line < w->stop;
    return !w->is_search || fnmatch(str_text(&w->pattern), e->source, 0) == 0;
}

/* Whether a later one of those that are marked has the same source. */
static int comes_again(const history *h, const char *marks, size_t at)
{
    for (size_t i = at + 1; i < h->count; i++)
        if (marks[i] && !strcmp(h->entries[i].source, h->entries[at].source))
            return 1;
    return 0;
}

/* Marks what is wanted: the last n of it. */
static void mark(char *marks, const history *h, const wish *w)
{
    long left = w->n;

    for (size_t i = h->count; i-- > 0 && left > 0;) {
        marks[i] = (char)is_wanted(w, &h->entries[i]);
        if (marks[i] && w->is_unique && comes_again(h, marks, i))
            marks[i] = 0;
        left -= marks[i];
    }
}

static void add_entry(content *c, const history_entry *e, int has_output)
{
    content_next(c);
    content_printf(c, "[%ld,%ld,", e->session, e->line);
    if (has_output)
        content_add(c, "[");
    content_quote(c, e->source, strlen(e->source));
    if (has_output && e->output) {
        content_add(c, ",");
        content_quote(c, e->output, strlen(e->output));
    } else if (has_output) {
        content_add(c, ",null");
    }

    content_add(c, has_output ? "]]" : "]");
}

void history_answer(content *out, const history *h, const kernel_message *request)
{
    wish w;
    int error = read_wish(&w, h, request);
    char *marks = calloc(h->count + 1, 1);

    content_add(out, "{\"status\":\"ok\",\"history\":[");
    if (!error && marks) {
        mark(marks, h, &w);
        for (size_t i = 0; i < h->count && !out->has_failed; i++)
            if (marks[i])
                add_entry(out, &h->entries[i], w.has_output);
    }
    content_add(out, "]}");
    free(marks);
    str_free(&w.pattern);
}
