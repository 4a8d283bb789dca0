#include "agent/store/cache.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/store/database.h"
#include "agent/trace/trace.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/jsontext.h"
#include "wire/json.h"

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

/* One bit is dropped: SQLite's integers are signed. */
static int64_t hash_of(const str *request)
{
    return (int64_t)(hash_bytes(str_text(request), request->len) >> 1);
}

int cache_find(str *out, run *r, cache_kind kind, const str *request)
{
    database *d = r->agent->cache;
    const int64_t now = now_ms();
    const uint64_t age = r->limits.cache_age_ms;
    sqlite3_stmt *statement;

    if (!d)
        return 0;
    /* An entry with a time in the future has no known age. */
    int error = database_select(&statement, d,
                                "select reply from entry where kind = ?1 and hash = ?2 and"
                                " request = ?3 and at_ms between ?4 and ?5 order by id desc"
                                " limit 1",
                                "iibii", (int64_t)kind, hash_of(request), request,
                                age < (uint64_t)now ? now - (int64_t)age : (int64_t)0, now);
    const int is_found = database_next(d, statement, &error);
    if (is_found && database_column(out, statement, 0))
        error = error_no_memory();
    sqlite3_finalize(statement);
    if (error)
        give_up_cache(r);
    return is_found && !error;
}

static int insert_entry(database *d, cache_kind kind, const str *request, const str *value)
{
    int error =
        database_change(d, "delete from entry where kind = ?1 and hash = ?2 and request = ?3",
                        "iib", (int64_t)kind, hash_of(request), request);
    if (error)
        return error;
    return database_change(d,
                           "insert into entry (kind, hash, request, reply, at_ms, bytes) values"
                           " (?1, ?2, ?3, ?4, ?5, ?6)",
                           "iibbii", (int64_t)kind, hash_of(request), request, value, now_ms(),
                           (int64_t)(request->len + value->len));
}

/* The newest stay, as far as there is room. */
static int drop_oldest(database *d, uint64_t most)
{
    return database_change(
        d,
        "delete from entry where id <= (select max(id) from (select id, sum(bytes) over"
        " (order by id desc) as total from entry) where total > ?)",
        "i", most < INT64_MAX ? (int64_t)most : INT64_MAX);
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

/* What is missing stays empty. */
static int read_member(str *out, jsontext_span object, const char *name)
{
    return jsontext_string(out, jsontext_member(object, name)) == SNUG_ENOMEM;
}

static int read_calls(model_reply *out, jsontext_span calls)
{
    jsontext list;
    jsontext_span item;

    if (!calls.text || !jsontext_enter(&list, calls))
        return 0;
    while (jsontext_item(&list, NULL, &item)) {
        model_call *grown = realloc(out->calls, (out->call_count + 1) * sizeof *grown);
        if (!grown)
            return 1;
        out->calls = grown;
        model_call *call = &grown[out->call_count++];
        *call = (model_call){ 0 };
        if (read_member(&call->id, item, "id") || read_member(&call->name, item, "name") ||
            read_member(&call->arguments, item, "arguments"))
            return 1;
    }
    return 0;
}

int cache_find_reply(model_reply *out, str *key, run *r, const model *m,
                     const model_request *request)
{
    str stored = { 0 };
    size_t at;

    *out = (model_reply){ 0 };
    if (r->agent->cache && model_write_key(key, m, request) == SNUG_OK)
        cache_find(&stored, r, CACHE_REPLY, key);

    const jsontext_span root = { str_text(&stored), stored.len };
    const int is_found = stored.len > 0 && !jsontext_check(root.text, root.len, &at) &&
                         !read_member(&out->text, root, "text") &&
                         !read_member(&out->thinking, root, "thinking") &&
                         !read_calls(out, jsontext_member(root, "calls")) &&
                         (out->text.len > 0 || out->call_count > 0);
    if (!is_found)
        model_reply_free(out);
    str_free(&stored);
    return is_found;
}

void cache_keep_reply(run *r, const str *key, const model_reply *reply)
{
    str value = { 0 };

    if (key->len == 0 || reply->fault || reply->stop != MODEL_STOP_END ||
        (reply->text.len == 0 && reply->call_count == 0))
        return;

    json_open(&value, NULL, '{');
    json_open(&value, "calls", '[');
    for (size_t i = 0; i < reply->call_count; i++) {
        json_open(&value, NULL, '{');
        json_put_str(&value, "id", &reply->calls[i].id);
        json_put_str(&value, "name", &reply->calls[i].name);
        json_put_str(&value, "arguments", &reply->calls[i].arguments);
        json_close(&value, '}');
    }
    json_close(&value, ']');
    json_put_str(&value, "text", &reply->text);
    json_put_str(&value, "thinking", &reply->thinking);
    json_close(&value, '}');
    if (!str_error(&value))
        cache_keep(r, CACHE_REPLY, key, &value);
    str_free(&value);
}
