#include "agent/store/cache.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/store/database.h"
#include "agent/trace/step_events.h"
#include "base/error.h"
#include "base/hash.h"

int cache_open(snug_agent *agent, const snug_agent_options *o)
{
    if (o->cache_file)
        return database_open(&agent->cache, o->cache_file, DATABASE_CACHE, 1);
    if (o->caches_results)
        return error_set(SNUG_EINVAL, "caches_results needs a cache_file");
    return SNUG_OK;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A file that failed once would fail for each request. */
static void give_up_cache(run *r)
{
    event_fault(r, "cache", error_message());
    database_close(r->agent->cache);
    r->agent->cache = NULL;
}

/* The parameters 1 to 3 of a statement; the request must outlive it. One bit of the hash is
 * dropped: SQLite's integers are signed. */
static void bind_request(sqlite3_stmt *statement, cache_kind kind, const str *request)
{
    uint64_t hash = hash_bytes(str_text(request), request->len);
    sqlite3_bind_int(statement, 1, (int)kind);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)(hash >> 1));
    sqlite3_bind_blob64(statement, 3, str_text(request), request->len, SQLITE_STATIC);
}

int cache_find(str *out, run *r, cache_kind kind, const str *request)
{
    database *d = r->agent->cache;
    sqlite3_stmt *statement;
    int has_row = 0;

    if (!d)
        return 0;
    int error = database_prepare(&statement, d,
                                 "select reply from entry where kind = ?1 and hash = ?2 and"
                                 " request = ?3 and at_ms between ?4 and ?5 order by id desc"
                                 " limit 1");
    if (!error) {
        const int64_t now = now_ms();
        const uint64_t age = r->limits.cache_age_ms;
        bind_request(statement, kind, request);
        sqlite3_bind_int64(statement, 4, age < (uint64_t)now ? now - (int64_t)age : 0);
        /* An entry with a time in the future has no known age. */
        sqlite3_bind_int64(statement, 5, now);
        error = database_row(d, statement, &has_row);
    }

    if (!error && has_row && database_column(out, statement, 0))
        error = error_no_memory();
    sqlite3_finalize(statement);
    if (error)
        give_up_cache(r);
    return !error && has_row;
}

static int insert_entry(database *d, cache_kind kind, const str *request, const str *value)
{
    sqlite3_stmt *statement;
    int error = database_prepare(
        &statement, d, "delete from entry where kind = ?1 and hash = ?2 and request = ?3");

    if (!error)
        bind_request(statement, kind, request);
    if ((error = database_finish(d, statement, error)))
        return error;

    error = database_prepare(&statement, d,
                             "insert into entry (kind, hash, request, reply, at_ms, bytes) values"
                             " (?1, ?2, ?3, ?4, ?5, ?6)");
    if (!error) {
        bind_request(statement, kind, request);
        sqlite3_bind_blob64(statement, 4, str_text(value), value->len, SQLITE_STATIC);
        sqlite3_bind_int64(statement, 5, now_ms());
        sqlite3_bind_int64(statement, 6, (sqlite3_int64)(request->len + value->len));
    }

    return database_finish(d, statement, error);
}

/* The newest stay, as far as there is room. */
static int drop_oldest(database *d, uint64_t most)
{
    sqlite3_stmt *statement;
    int error = database_prepare(
        &statement, d,
        "delete from entry where id <= (select max(id) from (select id, sum(bytes) over"
        " (order by id desc) as total from entry) where total > ?)");

    if (!error)
        sqlite3_bind_int64(statement, 1, most < INT64_MAX ? (sqlite3_int64)most : INT64_MAX);
    return database_finish(d, statement, error);
}

void cache_keep(run *r, cache_kind kind, const str *request, const str *value)
{
    database *d = r->agent->cache;
    if (!d)
        return;

    int error = database_begin(d);
    if (!error) {
        if (!(error = insert_entry(d, kind, request, value)))
            error = drop_oldest(d, r->limits.cache_bytes);
        error = database_end(d, error);
    }

    if (error)
        give_up_cache(r);
}

/* ---- replies of models ---- */

static int read_member(str *out, const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    if (text)
        return str_add(out, text);
    return SNUG_OK;
}

static int read_calls(model_reply *out, const cJSON *calls)
{
    const cJSON *item;
    const int count = cJSON_GetArraySize(calls);
    if (count <= 0)
        return SNUG_OK;

    if (!(out->calls = calloc((size_t)count, sizeof *out->calls)))
        return SNUG_ENOMEM;
    cJSON_ArrayForEach(item, calls)
    {
        model_call *call = &out->calls[out->call_count++];
        if (read_member(&call->id, item, "id") || read_member(&call->name, item, "name") ||
            read_member(&call->arguments, item, "arguments"))
            return SNUG_ENOMEM;
    }
    return SNUG_OK;
}

int cache_find_reply(model_reply *out, str *key, run *r, const model *m,
                     const model_request *request)
{
    str stored = { 0 };
    cJSON *root = NULL;
    int is_found = 0;

    *out = (model_reply){ 0 };
    if (!r->agent->cache || model_write_key(key, m, request) != SNUG_OK ||
        !cache_find(&stored, r, CACHE_REPLY, key)) {
        str_free(&stored);
        return 0;
    }

    if (json_parse(&root, str_text(&stored), stored.len) == SNUG_OK && cJSON_IsObject(root)) {
        is_found = !read_member(&out->text, root, "text") &&
                   !read_member(&out->thinking, root, "thinking") &&
                   !read_calls(out, cJSON_GetObjectItemCaseSensitive(root, "calls")) &&
                   (out->text.len > 0 || out->call_count > 0);
        if (!is_found)
            model_reply_free(out);
    }

    cJSON_Delete(root);
    str_free(&stored);
    return is_found;
}

static int add_str_text(cJSON *object, const char *name, const str *text)
{
    return json_add_text_len(object, name, str_text(text), text->len);
}

static int write_reply(str *out, const model_reply *reply)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *calls = root ? json_add_array(root, "calls") : NULL;
    int failed = !calls || add_str_text(root, "text", &reply->text) ||
                 add_str_text(root, "thinking", &reply->thinking);

    for (size_t i = 0; !failed && i < reply->call_count; i++) {
        cJSON *call = json_add_object(calls, NULL);
        failed = !call || add_str_text(call, "id", &reply->calls[i].id) ||
                 add_str_text(call, "name", &reply->calls[i].name) ||
                 add_str_text(call, "arguments", &reply->calls[i].arguments);
    }

    char *text = failed ? NULL : json_text(root);
    failed = !text || str_add(out, text);
    free(text);
    cJSON_Delete(root);
    return failed ? SNUG_ENOMEM : SNUG_OK;
}

void cache_keep_reply(run *r, const str *key, const model_reply *reply)
{
    str value = { 0 };
    if (key->len > 0 && !reply->fault && reply->stop == MODEL_STOP_END &&
        (reply->text.len > 0 || reply->call_count > 0) && write_reply(&value, reply) == SNUG_OK)
        cache_keep(r, CACHE_REPLY, key, &value);
    str_free(&value);
}
