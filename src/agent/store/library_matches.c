#include "agent/store/library_matches.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"

typedef struct match {
    str name, kind, title, text;
    snug_library_match seen; /* what the caller gets */
} match;

struct snug_library_result {
    match *items;
    size_t count, cap;
};

snug_library_result *library_matches_new(void)
{
    return calloc(1, sizeof(snug_library_result));
}

void snug_library_result_free(snug_library_result *matches)
{
    if (!matches)
        return;
    for (size_t i = 0; i < matches->count; i++) {
        match *m = &matches->items[i];
        str_free(&m->name);
        str_free(&m->kind);
        str_free(&m->title);
        str_free(&m->text);
    }

    free(matches->items);
    free(matches);
}

size_t snug_library_result_match_count(const snug_library_result *matches)
{
    return matches->count;
}

const snug_library_match *snug_library_result_match(const snug_library_result *matches,
                                                    size_t index)
{
    return index < matches->count ? &matches->items[index].seen : NULL;
}

int library_matches_add(snug_library_result *matches, sqlite3_stmt *row, double score)
{
    if (array_reserve(&matches->items, &matches->cap, matches->count + 1, sizeof *matches->items))
        return error_no_memory();

    match *m = &matches->items[matches->count++];
    *m = (match){ 0 };
    if (database_column(&m->name, row, 0) || database_column(&m->kind, row, 1) ||
        database_column(&m->title, row, 2) || database_column(&m->text, row, 4))
        return error_no_memory();

    /* A file may have been written by anybody. */
    str *texts[] = { &m->name, &m->kind, &m->title, &m->text };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i]->len > 0)
            utf8_mend(texts[i]->data, texts[i]->len);

    m->seen = (snug_library_match){ .name = str_text(&m->name),
                                    .kind = str_text(&m->kind),
                                    .title = str_text(&m->title),
                                    .text = str_text(&m->text),
                                    .bytes = (uint64_t)sqlite3_column_int64(row, 3),
                                    .score = score };
    return SNUG_OK;
}

int library_matches_read(snug_library_result **out, database *d, const char *sql, const char *name)
{
    sqlite3_stmt *statement;
    int has_row = 1;

    snug_library_result *matches = library_matches_new();
    if (!matches)
        return error_no_memory();

    int error = database_prepare(&statement, d, sql);
    if (!error && name)
        database_bind(statement, 1, name, strlen(name));
    while (!error && !(error = database_row(d, statement, &has_row)) && has_row)
        error = library_matches_add(matches, statement, 0);
    sqlite3_finalize(statement);
    if (error) {
        snug_library_result_free(matches);
        return error;
    }

    *out = matches;
    return SNUG_OK;
}
