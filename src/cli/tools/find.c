#include "cli/tools/find.h"

#include <snug/snug.h>

#include <sqlite3.h>

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/str.h"

enum { MOST_WORD = 64, MOST_QUERY_WORDS = 64, MOST_TEXT_BYTES = 16 * 1024, LEAST_PART = 3 };

struct find {
    sqlite3 *db;
};

/* ---- words ---- */

/* FTS5 takes dashes and quotation marks of other alphabets out of what is one word here. */
static int is_in_word(const char *at)
{
    return is_alnum(*at) || (unsigned char)*at >= 0x80;
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
        text++;
    *at = text;
    while (text[len] && is_in_word(text + len) && !is_seam(text, text + len))
        len++;
    return len;
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

/* ---- the index ---- */

/* FTS5 knows no seams. */
static int add_words(str *out, const char *text)
{
    const char *begin = text;
    int error = SNUG_OK;

    for (size_t len; !error && text - begin < MOST_TEXT_BYTES && (len = next_word(&text)) > 0;
         text += len) {
        error = str_append(out, text, len);
        if (!error)
            error = str_add(out, " ");
    }
    return error;
}

static int add_tool(sqlite3_stmt *insert, size_t number, const stub *item)
{
    str name = { 0 }, doc = { 0 };
    int failed = add_words(&name, item->name) || add_words(&doc, item->doc);

    failed |= sqlite3_bind_int64(insert, 1, (sqlite3_int64)number);
    failed |= sqlite3_bind_text(insert, 2, str_text(&name), (int)name.len, SQLITE_STATIC);
    failed |= sqlite3_bind_text(insert, 3, str_text(&doc), (int)doc.len, SQLITE_STATIC);
    failed = failed || sqlite3_step(insert) != SQLITE_DONE;
    sqlite3_reset(insert);
    str_free(&name);
    str_free(&doc);
    return failed ? SNUG_ENOMEM : SNUG_OK;
}

int find_open(find **out, const stub *items, size_t count)
{
    static const char table[] =
        "CREATE VIRTUAL TABLE tools USING fts5(name, doc, tokenize='porter'); BEGIN";
    find *f = calloc(1, sizeof *f);
    sqlite3_stmt *insert = NULL;

    int failed = !f || sqlite3_open(":memory:", &f->db) || sqlite3_exec(f->db, table, 0, 0, 0) ||
                 sqlite3_prepare_v2(f->db, "INSERT INTO tools(rowid, name, doc) VALUES(?,?,?)", -1,
                                    &insert, NULL);
    for (size_t i = 0; i < count && !failed; i++)
        failed = add_tool(insert, i, &items[i]);
    sqlite3_finalize(insert);
    if (failed || sqlite3_exec(f->db, "COMMIT", 0, 0, 0)) {
        find_close(f);
        return SNUG_ENOMEM;
    }
    *out = f;
    return SNUG_OK;
}

void find_close(find *f)
{
    if (f)
        sqlite3_close(f->db);
    free(f);
}

/* ---- queries ---- */

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
enum {
    SYNONYMS = sizeof synonyms / sizeof *synonyms,
    IN_ROW = sizeof *synonyms / sizeof **synonyms
};

static int add_synonyms(str *out, const char *word)
{
    int error = SNUG_OK;

    for (size_t i = 0; i < SYNONYMS; i++) {
        int is_here = 0;
        for (size_t k = 0; k < IN_ROW && synonyms[i][k]; k++)
            is_here |= !strcmp(synonyms[i][k], word);
        for (size_t k = 0; k < IN_ROW && synonyms[i][k] && is_here && !error; k++)
            if (strcmp(synonyms[i][k], word) != 0)
                error = str_printf(out, " OR \"%s\"", synonyms[i][k]);
    }
    return error;
}

/* A word, which counts twice where all of it is there, and others for it. */
static int add_query_word(str *out, const char *text, size_t len)
{
    char word[MOST_WORD + 1];

    if (len > MOST_WORD)
        return SNUG_OK;
    for (size_t i = 0; i < len; i++)
        word[i] = to_lower(text[i]);
    word[len] = '\0';
    if (says_nothing(word))
        return SNUG_OK;

    int error = str_printf(out, "%s\"%s\"", out->len > 0 ? " OR " : "", word);
    if (!error && len >= LEAST_PART)
        error = str_printf(out, " OR \"%s\"*", word);
    return error ? error : add_synonyms(out, word);
}

int find_best(size_t *best, size_t *count, const find *f, const char *query)
{
    static const char sql[] =
        "SELECT rowid FROM tools WHERE tools MATCH ? ORDER BY bm25(tools, 3, 1), rowid LIMIT ?";
    const size_t most = *count;
    sqlite3_stmt *select = NULL;
    str words = { 0 };
    int error = SNUG_OK;

    *count = 0;
    for (size_t len, i = 0; !error && i < MOST_QUERY_WORDS && (len = next_word(&query)) > 0; i++) {
        error = add_query_word(&words, query, len);
        query += len;
    }
    if (!error && f && words.len > 0) {
        int code = sqlite3_prepare_v2(f->db, sql, -1, &select, NULL);
        sqlite3_bind_text(select, 1, words.data, (int)words.len, SQLITE_STATIC);
        sqlite3_bind_int64(select, 2, (sqlite3_int64)most);
        while (!code && (code = sqlite3_step(select)) == SQLITE_ROW) {
            best[(*count)++] = (size_t)sqlite3_column_int64(select, 0);
            code = 0;
        }
        error = code == SQLITE_DONE ? SNUG_OK : SNUG_ENOMEM;
        sqlite3_finalize(select);
    }
    str_free(&words);
    return error;
}
