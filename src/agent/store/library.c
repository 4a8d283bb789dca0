/*
 * library.c - snug/library.h: documents in passages, in an index of their words, and their
 * vectors where there is an endpoint for them.
 */
#include "agent/store/library.h"

#include <snug/library.h>
#include <stdlib.h>
#include <string.h>

#include "agent/model/embeddings.h"
#include "agent/store/database.h"
#include "agent/store/search.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/options.h"
#include "base/str.h"
#include "base/utf8.h"

/* ---- library matches ---- */

typedef struct match {
    str name, kind, title, text;
    snug_library_match seen; /* what the caller gets */
} match;

struct snug_library_result {
    match *items;
    size_t count, cap;
};

/* Empty; NULL if memory ran out. */
static snug_library_result *library_matches_new(void)
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

/* Of a row with name, kind, title, bytes and text. SNUG_OK or SNUG_ENOMEM with a message. */
static int library_matches_add(snug_library_result *matches, sqlite3_stmt *row, double score)
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

/* What the statement finds, of such rows; name: its parameter, or NULL where it has none. SNUG_OK,
 * or an error of the database. */
static int library_matches_read(snug_library_result **out, database *d, const char *sql,
                                const char *name)
{
    sqlite3_stmt *statement;
    snug_library_result *matches = library_matches_new();
    if (!matches)
        return error_no_memory();

    int error = database_select(&statement, d, sql, name ? "t" : "", name);
    while (database_next(d, statement, &error))
        error = library_matches_add(matches, statement, 0);
    sqlite3_finalize(statement);
    if (error) {
        snug_library_result_free(matches);
        return error;
    }

    *out = matches;
    return SNUG_OK;
}

enum {
    MOST_TEXT_BYTES = 1 << 20,
    MOST_NAME_BYTES = 255,
    MOST_TITLE_BYTES = 1024,
    PASSAGE_BYTES = 2000,
    SNIPPET_BYTES = 16 << 10, /* a program is cut later: half of one is of little use */
    MOST_FOUND = 200,         /* passages that are ranked, by words and by meaning */
    MOST_EMBEDDED = 16 * EMBEDDINGS_BATCH, /* passages that one call has vectors made for */
    RANK_OFFSET = 60                       /* of reciprocal rank fusion, as its authors have it */
};

/* Vectors that are less alike have nothing in common. */
#define LEAST_COSINE 0.2

struct snug_library {
    database *file;
    embeddings *embeddings; /* NULL: by words only */
    str fault;              /* of them: they are not asked any more */
    uint64_t deadline_ns;   /* of asking them */
};

/* ---- opening ---- */

int snug_library_open(snug_library **out, const char *path, int makes, const char *embedding_model)
{
    if (!out || !path)
        return error_set(SNUG_EINVAL, "snug_library_open: %s is NULL", out ? "path" : "out");
    snug_library *library = calloc(1, sizeof *library);
    if (!library)
        return error_no_memory();

    library->deadline_ns = UINT64_MAX;
    int error = database_open(&library->file, path, DATABASE_LIBRARY, makes);
    if (!error && embedding_model)
        error = embeddings_open(&library->embeddings, embedding_model);
    if (error) {
        snug_library_close(library);
        return error;
    }

    *out = library;
    return SNUG_OK;
}

void snug_library_close(snug_library *library)
{
    if (!library)
        return;
    embeddings_close(library->embeddings);
    database_close(library->file);
    str_free(&library->fault);
    free(library);
}

const char *snug_library_fault(const snug_library *library)
{
    return str_text(&library->fault);
}

void library_cancel(snug_library *library)
{
    if (library)
        embeddings_cancel(library->embeddings);
}

void library_resume(snug_library *library)
{
    if (library)
        embeddings_resume(library->embeddings);
}

void library_limit(snug_library *library, uint64_t deadline_ns)
{
    if (library)
        library->deadline_ns = deadline_ns;
}

/* ---- vectors ---- */

/* *out is NULL where there are none: the fault is kept. */
static int embed(float **out, size_t *size, snug_library *library, const str *texts, size_t count)
{
    *out = NULL;
    if (!library->embeddings || library->fault.len > 0)
        return SNUG_OK;
    return embeddings_ask(out, size, &library->fault, library->embeddings, texts, count,
                          library->deadline_ns);
}

static int store_vectors(snug_library *library, const sqlite3_int64 *passages, const float *vectors,
                         size_t size, size_t count)
{
    database *d = library->file;
    const char *model = embeddings_name(library->embeddings);
    int error = database_begin(d);
    if (error)
        return error;

    for (size_t i = 0; !error && i < count; i++) {
        const str value = { .data = (char *)(uintptr_t)(vectors + i * size),
                            .len = size * sizeof *vectors };
        error = database_change(d, "insert or replace into vector values (?, ?, ?)", "itb",
                                (int64_t)passages[i], model, &value);
    }

    return database_end(d, error);
}

/* The next passages that have no vector of this model. */
static int find_missing(snug_library *library, sqlite3_int64 *passages, str *texts, size_t *count)
{
    database *d = library->file;
    const char *model = embeddings_name(library->embeddings);
    sqlite3_stmt *statement;
    int error = database_select(
        &statement, d,
        "select p.id, d.title || char(10) || p.text from passage p join document d on"
        " d.id = p.document left join vector v on v.passage = p.id and v.model = ?"
        " where v.passage is null order by p.id limit ?",
        "ti", model, (int64_t)EMBEDDINGS_BATCH);

    *count = 0;

    while (database_next(d, statement, &error)) {
        passages[*count] = sqlite3_column_int64(statement, 0);
        error = database_column(&texts[(*count)++], statement, 1) ? error_no_memory() : SNUG_OK;
    }

    sqlite3_finalize(statement);
    return error;
}

/* Vectors for the passages that have none, as far as one call goes, and half of its time: the
 * query needs one too. */
static int embed_missing(snug_library *library)
{
    sqlite3_int64 passages[EMBEDDINGS_BATCH];
    size_t count = 1, size = 0;
    int error = SNUG_OK;
    const uint64_t until_ns = clock_middle_ns(clock_now_ns(), library->deadline_ns);

    if (!library->embeddings || library->file->is_read_only)
        return SNUG_OK;
    for (size_t done = 0; !error && count > 0 && done < MOST_EMBEDDED && library->fault.len == 0 &&
                          clock_now_ns() < until_ns;
         done += count) {
        str texts[EMBEDDINGS_BATCH] = { { 0 } };
        float *vectors = NULL;
        if (!(error = find_missing(library, passages, texts, &count)) && count > 0)
            error = embed(&vectors, &size, library, texts, count);
        if (vectors)
            error = store_vectors(library, passages, vectors, size, count);
        free(vectors);
        for (size_t i = 0; i < EMBEDDINGS_BATCH; i++)
            str_free(&texts[i]);
    }

    return error;
}

/* ---- adding ---- */

static int is_line(const char *text, size_t most)
{
    size_t at, len = strlen(text);
    if (len > most || utf8_check(text, len, &at) != UTF8_FINE)
        return 0;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return 0;
    return 1;
}

static int check_document(const snug_library_document *document)
{
    size_t at;

    if (!document->name || !*document->name || !is_line(document->name, MOST_NAME_BYTES))
        return error_set(SNUG_EINVAL, "a document needs a name: one line of at most %d bytes",
                         MOST_NAME_BYTES);

    if (!document->kind ||
        (strcmp(document->kind, "snippet") != 0 && strcmp(document->kind, "document") != 0))
        return error_set(SNUG_EINVAL,
                         "%s: a kind is \"snippet\" or \"document\", and not \"%.40s\"",
                         document->name, document->kind ? document->kind : "");

    if (!document->text || document->len == 0)
        return error_set(SNUG_EINVAL, "%s has no text", document->name);
    if (document->len > MOST_TEXT_BYTES)
        return error_set(SNUG_EINVAL, "%s has %zu bytes, and a document at most %d", document->name,
                         document->len, MOST_TEXT_BYTES);

    if (utf8_check(document->text, document->len, &at) != UTF8_FINE)
        return error_set(SNUG_EINVAL, "%s is not UTF-8 at byte %zu", document->name, at + 1);
    if (memchr(document->text, '\0', document->len))
        return error_set(SNUG_EINVAL, "%s has a NUL byte, and is not text", document->name);
    if (document->title && !is_line(document->title, MOST_TITLE_BYTES))
        return error_set(SNUG_EINVAL, "%s: a title is one line of at most %d bytes", document->name,
                         MOST_TITLE_BYTES);

    return SNUG_OK;
}

/* *is_there: whether there was one. */
static int remove_document(snug_library *library, const char *name, int *is_there)
{
    static const char *const statements[] = {
        "delete from words where rowid in (select p.id from passage p join document d on"
        " d.id = p.document where d.name = ?)",
        "delete from vector where passage in (select p.id from passage p join document d on"
        " d.id = p.document where d.name = ?)",
        "delete from passage where document in (select id from document where name = ?)",
        "delete from document where name = ?",
    };
    database *d = library->file;
    int error = SNUG_OK;

    for (size_t i = 0; !error && i < sizeof statements / sizeof *statements; i++)
        error = database_change(d, statements[i], "t", name);

    *is_there = !error && sqlite3_changes(d->db) > 0;
    return error;
}

static int insert_document(database *d, const snug_library_document *document)
{
    return database_change(d, "insert into document (name, kind, title, bytes) values (?, ?, ?, ?)",
                           "ttti", document->name, document->kind,
                           document->title ? document->title : "", (int64_t)document->len);
}

static int insert_words(database *d, const snug_library_document *document, const str *text)
{
    str title = { 0 }, body = { 0 };
    const char *given = document->title ? document->title : "";
    int error;

    search_words(&title, document->name, strlen(document->name));
    str_add(&title, "\n");
    search_words(&title, given, strlen(given));
    search_words(&body, str_text(text), text->len);
    if (str_error(&title) || str_error(&body))
        error = error_no_memory();
    else
        error = database_change(
            d, "insert into words (rowid, title, body) values (last_insert_rowid(), ?, ?)", "ss",
            &title, &body);
    str_free(&title);
    str_free(&body);
    return error;
}

static int insert_passages(database *d, const snug_library_document *document)
{
    const int is_snippet = strcmp(document->kind, "snippet") == 0;
    const int64_t id = sqlite3_last_insert_rowid(d->db);
    int error = SNUG_OK;

    for (size_t from = 0, end; !error && from < document->len; from = end) {
        end = search_passage(document->text, document->len, from,
                             is_snippet ? SNIPPET_BYTES : PASSAGE_BYTES);
        const str text = { .data = (char *)(uintptr_t)document->text + from, .len = end - from };
        error = database_change(d, "insert into passage (document, text) values (?, ?)", "is", id,
                                &text);
        if (!error)
            error = insert_words(d, document, &text);
    }

    return error;
}

int snug_library_add(snug_library *library, const snug_library_document *given)
{
    snug_library_document taken;
    const snug_library_document *document = &taken;
    int was_there;

    if (!library || !given)
        return error_set(SNUG_EINVAL, "snug_library_add: %s is NULL",
                         library ? "document" : "library");

    int error = options_take(&taken, sizeof taken, given, "snug_library_document");
    if (error || (error = check_document(document)) || (error = database_begin(library->file)))
        return error;

    if (!(error = remove_document(library, document->name, &was_there)) &&
        !(error = insert_document(library->file, document)))
        error = insert_passages(library->file, document);

    if ((error = database_end(library->file, error)))
        return error;
    return embed_missing(library);
}

int snug_library_remove(snug_library *library, const char *name)
{
    int was_there = 0;

    if (!library || !name)
        return error_set(SNUG_EINVAL, "snug_library_remove: %s is NULL",
                         library ? "name" : "library");

    int error = database_begin(library->file);
    if (error)
        return error;

    if (!(error = remove_document(library, name, &was_there)) && !was_there)
        error = error_set(SNUG_ENOTFOUND, "the library %s has nothing of the name %.300s",
                          str_text(&library->file->path), name);
    return database_end(library->file, error);
}

/* ---- listing ---- */

int snug_library_list(snug_library_result **out, snug_library *library)
{
    if (!out || !library)
        return error_set(SNUG_EINVAL, "snug_library_list: %s is NULL", out ? "library" : "out");
    return library_matches_read(out, library->file,
                                "select name, kind, title, bytes, '' from document order by name",
                                NULL);
}

/* Its passages stand one behind the other, without anything between them. */
int snug_library_find(snug_library_result **out, snug_library *library, const char *name)
{
    if (!out || !library || !name)
        return error_set(SNUG_EINVAL, "snug_library_find: an argument is NULL");
    int error =
        library_matches_read(out, library->file,
                             "select name, kind, title, bytes, (select group_concat(text, '') from"
                             " (select text from passage where passage.document = document.id"
                             " order by passage.id)) from document where name = ?",
                             name);
    if (error || snug_library_result_match_count(*out) > 0)
        return error;
    snug_library_result_free(*out);
    *out = NULL;
    return error_set(SNUG_ENOTFOUND, "the library %s has nothing of the name %.300s",
                     str_text(&library->file->path), name);
}

/* ---- searching ---- */

/* A document and the passage of it that was found first. */
typedef struct hit {
    sqlite3_int64 document, passage;
    double score;
} hit;

typedef struct hits {
    hit items[2 * MOST_FOUND];
    size_t count;
} hits;

static hit *find_hit(hits *h, sqlite3_int64 document)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->items[i].document == document)
            return &h->items[i];
    return NULL;
}

/* The best passage of a document comes first, and counts. */
static void add_hit(hits *h, sqlite3_int64 document, sqlite3_int64 passage, double score)
{
    if (!find_hit(h, document) && h->count < MOST_FOUND)
        h->items[h->count++] = (hit){ document, passage, score };
}

static int find_words(hits *out, snug_library *library, const char *query)
{
    database *d = library->file;
    sqlite3_stmt *statement;
    str words = { 0 };

    if (search_query(&words, query, strlen(query)))
        return error_no_memory();
    if (words.len == 0)
        return SNUG_OK;

    int error = database_select(
        &statement, d,
        "select p.document, p.id, bm25(words, 4.0, 1.0) as rank from words join passage p on"
        " p.id = words.rowid where words match ? order by rank, p.id limit ?",
        "si", &words, (int64_t)MOST_FOUND);

    while (database_next(d, statement, &error))
        add_hit(out, sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1),
                -sqlite3_column_double(statement, 2));

    sqlite3_finalize(statement);
    str_free(&words);
    return error;
}

static int by_score(const void *left, const void *right)
{
    const hit *a = left, *b = right;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    return a->document < b->document ? -1 : a->document > b->document;
}

/* Of the vector in a row and the query's, both of length 1; below 0 where it is of another size. */
static double cosine_of(sqlite3_stmt *row, int column, const float *vector, size_t size)
{
    const char *bytes = sqlite3_column_blob(row, column);
    double cosine = 0;

    if (!bytes || (size_t)sqlite3_column_bytes(row, column) != size * sizeof *vector)
        return -1;

    for (size_t i = 0; i < size; i++) {
        float number;
        memcpy(&number, bytes + i * sizeof number, sizeof number);
        cosine += (double)number * (double)vector[i];
    }

    return cosine;
}

static void keep_best(hits *h)
{
    qsort(h->items, h->count, sizeof *h->items, by_score);
    if (h->count > MOST_FOUND)
        h->count = MOST_FOUND;
}

/* The best passage of a document counts, in whatever order they come. */
static void add_best(hits *h, const hit *found)
{
    hit *known = find_hit(h, found->document);

    if (known) {
        if (known->score < found->score)
            *known = *found;
        return;
    }

    if (h->count == sizeof h->items / sizeof *h->items)
        keep_best(h);
    h->items[h->count++] = *found;
}

/* The documents whose best passages are most alike the query. */
static int find_meaning(hits *out, snug_library *library, const float *vector, size_t size)
{
    database *d = library->file;
    const char *model = embeddings_name(library->embeddings);
    sqlite3_stmt *statement;
    int error = database_select(&statement, d,
                                "select p.document, p.id, v.value from vector v join passage p on"
                                " p.id = v.passage where v.model = ?",
                                "t", model);

    while (database_next(d, statement, &error)) {
        const hit found = { sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1),
                            cosine_of(statement, 2, vector, size) };
        if (found.score >= LEAST_COSINE)
            add_best(out, &found);
    }

    sqlite3_finalize(statement);
    keep_best(out);
    return error;
}

/* Reciprocal rank fusion: https://doi.org/10.1145/1571941.1572114 */
static void merge_hits(hits *words, const hits *meaning)
{
    for (size_t i = 0; i < words->count; i++)
        words->items[i].score = 1.0 / (double)(RANK_OFFSET + 1 + i);
    const size_t count = words->count;
    for (size_t i = 0; i < meaning->count; i++) {
        const hit *found = &meaning->items[i];
        const double score = 1.0 / (double)(RANK_OFFSET + 1 + i);
        hit *known = find_hit(words, found->document);
        if (known)
            known->score += score;
        else
            words->items[words->count++] = (hit){ found->document, found->passage, score };
    }

    if (words->count > count || count > 0)
        qsort(words->items, words->count, sizeof *words->items, by_score);
}

static int collect_matches(snug_library_result *matches, database *d, const hits *found,
                           size_t most)
{
    int error = SNUG_OK;

    for (size_t i = 0;
         !error && i < found->count && snug_library_result_match_count(matches) < most; i++) {
        sqlite3_stmt *statement;
        error = database_select(&statement, d,
                                "select d.name, d.kind, d.title, d.bytes, p.text from passage p"
                                " join document d on d.id = p.document where p.id = ?",
                                "i", (int64_t)found->items[i].passage);
        /* One that another process has removed meanwhile is left out. */
        if (database_next(d, statement, &error))
            error = library_matches_add(matches, statement, found->items[i].score);
        sqlite3_finalize(statement);
    }

    return error;
}

static int search_meaning(hits *out, snug_library *library, const char *query)
{
    const str text = { (char *)(uintptr_t)query, strlen(query), 0 };
    float *vector;
    size_t size = 0;
    int error = embed_missing(library);

    if (!error)
        error = embed(&vector, &size, library, &text, 1);
    if (!error && vector) {
        error = find_meaning(out, library, vector, size);
        free(vector);
    }

    return error;
}

int snug_library_search(snug_library_result **out, snug_library *library, const char *query,
                        size_t most)
{
    if (!out)
        return error_set(SNUG_EINVAL, "snug_library_search: out is NULL");
    if (!library)
        return error_set(SNUG_EINVAL, "snug_library_search: library is NULL");
    if (!query)
        return error_set(SNUG_EINVAL, "snug_library_search: query is NULL");

    snug_library_result *matches = library_matches_new();
    hits *words = calloc(1, sizeof *words), *meaning = calloc(1, sizeof *meaning);
    int error = SNUG_OK;

    if (!matches || !words || !meaning)
        error = error_no_memory();
    if (!error)
        error = find_words(words, library, query);
    if (!error && library->embeddings) {
        error = search_meaning(meaning, library, query);
        if (!error && library->fault.len == 0)
            merge_hits(words, meaning);
    }

    if (!error)
        error = collect_matches(matches, library->file, words, most);
    free(words);
    free(meaning);
    if (error) {
        snug_library_result_free(matches);
        return error;
    }

    *out = matches;
    return SNUG_OK;
}
