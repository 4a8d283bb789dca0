/* The tools beside those that run code: variables, files, the life of a session, and functions that
 * programs can call. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/jsontext.h"
#include "base/utf8.h"
#include "cli/mcp/tool_table.h"
#include "cli/tools/tool_list.h"

/* ---- variables ---- */

void list_variables(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a)
{
    snug_description *variables;
    size_t len;

    (void)c;
    (void)arguments;
    if (snug_session_list_variables(&variables, snug_lease_session(lease))) {
        answer_fail_library(a);
    } else {
        answer_arrival(a, snug_lease_arrival(lease));
        const char *json = snug_description_json(variables, &len);
        str_append(&a->text, json, len);
        str_append(&a->structured, json, len);
        snug_description_free(variables);
    }
}

/* ---- files ---- */

static void add_entry(answer *a, const snug_entry *entry, int is_first)
{
    str_add(&a->structured, is_first ? "{\"path\":" : ",{\"path\":");
    jsontext_quote(&a->structured, entry->path, strlen(entry->path));
    str_printf(&a->structured, ",\"kind\":\"%s\",\"bytes\":%llu}",
               snug_entry_kind_name(entry->kind), (unsigned long long)entry->bytes);
    answer_name(a, entry->path);
    answer_say(a, "%s %llu\n", entry->kind == SNUG_ENTRY_FOLDER ? "/" : "",
               (unsigned long long)entry->bytes);
}

void list_files(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a)
{
    snug_listing *listing;
    const snug_entry *entry;

    (void)arguments;
    if (snug_session_list_files(&listing, snug_lease_session(lease))) {
        answer_fail_library(a);
        return;
    }

    answer_arrival(a, snug_lease_arrival(lease));
    str_printf(&a->structured, "{\"session\":\"%s\",\"files\":[", c->handle->name);
    for (size_t i = 0; (entry = snug_listing_entry(listing, i)); i++)
        add_entry(a, entry, i == 0);
    str_printf(&a->structured, "],\"is_whole\":%s}",
               snug_listing_is_whole(listing) ? "true" : "false");
    if (snug_listing_entry_count(listing) == 0)
        answer_say(a, "There are no files.\n");
    snug_listing_free(listing);
}

static void add_bytes(answer *a, const char *data, size_t len, int is_text)
{
    str_add(&a->structured, is_text ? ",\"text\":" : ",\"base64\":\"");
    if (is_text) {
        jsontext_quote(&a->structured, data, len);
        str_append(&a->text, data, len);
        return;
    }
    base64_append(&a->structured, data, len);
    str_add(&a->structured, "\"");
}

static void add_file(answer *a, const snug_file *file, const char *path, const handle *h,
                     int has_base64)
{
    size_t len, at;
    const char *data = snug_file_data(file, &len), *mime = snug_file_mime(file);
    const int is_text = utf8_check(data, len, &at) == UTF8_FINE && !memchr(data, 0, len);

    str_printf(&a->structured, "{\"session\":\"%s\",\"path\":", h->name);
    jsontext_quote(&a->structured, path, strlen(path));
    str_add(&a->structured, ",\"mime\":");
    jsontext_quote(&a->structured, mime, strlen(mime));
    str_printf(&a->structured, ",\"bytes\":%zu", len);
    if (is_text || has_base64)
        add_bytes(a, data, len, is_text);
    str_add(&a->structured, "}");
    if (is_text)
        return;

    answer_say(a, "%s: %s, %zu bytes, no text\n", path, mime, len);
    if (!strcmp(mime, "image/png") || !strcmp(mime, "image/jpeg") || !strcmp(mime, "image/gif") ||
        !strcmp(mime, "image/webp")) {
        str picture = { 0 };
        base64_append(&picture, data, len);
        str_printf(&a->items, ",{\"type\":\"image\",\"mimeType\":\"%s\",\"data\":\"", mime);
        str_add_str(&a->items, &picture);
        str_add(&a->items, "\"}");
        a->failed |= str_error(&picture);
        str_free(&picture);
    }
}

void read_file(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a)
{
    snug_file *file;
    const char *path = rpc_text(arguments, "path");

    if (snug_session_get_file(&file, snug_lease_session(lease), path,
                              (size_t)c->server->limits.file_bytes)) {
        answer_fail_library(a);
    } else {
        answer_trouble(a, snug_lease_arrival(lease));
        add_file(a, file, path, c->handle, c->server->options->mcp.structured == STRUCTURED_FULL);
        snug_file_free(file);
    }
}

/* What is to be written: in *out, or 0 after an error in a. */
static int read_data(str *out, const cJSON *arguments, const mcp_server *s, answer *a)
{
    const char *text = rpc_text(arguments, "text"), *base64 = rpc_text(arguments, "base64");

    if (!text == !base64) {
        answer_fail(a, "give one of \"text\" and \"base64\"");
        return 0;
    }
    const int error = text ? str_add(out, text) : base64_decode(out, base64, strlen(base64));
    if (error == SNUG_EINVAL)
        answer_fail(a, "\"base64\" is not base64");
    else if (error)
        a->failed = 1;
    else if (out->len > s->limits.file_bytes)
        answer_fail(a, "the file has %zu bytes, and a call takes %llu at most (--file-size)",
                    out->len, (unsigned long long)s->limits.file_bytes);
    else
        return 1;
    return 0;
}

static void tell_written(mcp_call *c, const char *path, const str *data, answer *a)
{
    answer_name(a, path);
    answer_say(a, " has %zu bytes now.\nSession: %s\n", data->len, c->handle->name);
    str_printf(&a->structured, "{\"session\":\"%s\",\"path\":", c->handle->name);
    jsontext_quote(&a->structured, path, strlen(path));
    str_printf(&a->structured, ",\"bytes\":%zu}", data->len);
}

void write_file(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a)
{
    str data = { 0 };
    const char *path = rpc_text(arguments, "path");

    if (!read_data(&data, arguments, c->server, a)) {
        /* a says why */
    } else if (snug_session_put_file(snug_lease_session(lease), path, str_text(&data), data.len)) {
        answer_fail_library(a);
    } else {
        answer_trouble(a, snug_lease_arrival(lease));
        tell_written(c, path, &data, a);
    }
    str_free(&data);
}

/* ---- the life of a session ---- */

static void tell_done(answer *a, const handle *h, const char *done)
{
    answer_say(a, "%s\nSession: %s\n", done, h->name);
    str_printf(&a->structured, "{\"session\":\"%s\",\"done\":true}", h->name);
}

void reset_session(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a)
{
    (void)arguments;
    if (snug_session_reset(snug_lease_session(lease)))
        answer_fail_library(a);
    else
        tell_done(a, c->handle, "The session has forgotten its names; its files are there still.");
}

/* Where a client has saved the session: a file of the state folder, which the handle names. */
static int find_save(str *out, const mcp_call *c)
{
    return str_printf(out, "%s/%s.kept", c->server->state_dir, c->handle->name);
}

int call_has_save(const mcp_call *c)
{
    str path = { 0 };
    const int has_save = find_save(&path, c) == SNUG_OK && access(path.data, F_OK) == 0;

    str_free(&path);
    return has_save;
}

/* What the program binds again: nothing is lost with it. */
static int is_tool(const mcp_call *c, const snug_binding *entry)
{
    const size_t len = strlen(entry->name);

    for (char **head = c->server->tools->list->heads;
         *head && strstr(entry->reason, " of the host"); head++)
        if (!strncmp(*head, entry->name, len) && ((*head)[len] == '.' || (*head)[len] == '('))
            return 1;
    return 0;
}

static void tell_saved(answer *a, snug_saved *saved, const mcp_call *c, const char *how)
{
    const char *name = c->handle->name;
    const snug_binding *entry;

    answer_say(a, "The session was %s, with %zu files.\n", how, snug_saved_file_count(saved));
    for (size_t i = 0; (entry = snug_saved_binding(saved, i)); i++)
        if (!entry->how && !is_tool(c, entry))
            answer_say(a, "Left out: %s: %s\n", entry->name, entry->reason);
    answer_say(a, "Session: %s\n", name);
    str_printf(&a->structured, "{\"session\":\"%s\",\"done\":true,\"files\":%zu}", name,
               snug_saved_file_count(saved));
    snug_saved_free(saved);
}

static void save_or_restore(mcp_call *c, snug_lease *lease, answer *a, int is_save)
{
    snug_saved *saved;
    str path = { 0 };
    snug_session *session = snug_lease_session(lease);

    if (find_save(&path, c))
        a->failed = 1;
    else if (!is_save && !a->has_save)
        answer_fail(a, "session %s was never saved by save_session", c->handle->name);
    else if (is_save ? snug_session_save(&saved, session, path.data)
                     : snug_session_restore(&saved, session, path.data))
        answer_fail_library(a);
    else {
        if (is_save)
            answer_trouble(a, snug_lease_arrival(lease));
        tell_saved(a, saved, c, is_save ? "saved" : "restored");
    }
    str_free(&path);
}

void save_session(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a)
{
    (void)arguments;
    save_or_restore(c, lease, a, 1);
}

void restore_session(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a)
{
    (void)arguments;
    save_or_restore(c, lease, a, 0);
}

void close_session(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a)
{
    str path = { 0 };
    handle *h = c->handle;

    (void)lease;
    (void)arguments;
    if (snug_supervisor_remove_session(c->server->supervisor, h->principal, h->name)) {
        answer_fail_library(a);
        return;
    }
    if (find_save(&path, c) == SNUG_OK)
        unlink(path.data);
    str_free(&path);

    pthread_mutex_lock(&c->server->lock);
    h->is_gone = 1;
    pthread_mutex_unlock(&c->server->lock);
    answer_say(a, "Session %s is closed, with its files and saves.\n", h->name);
    str_printf(&a->structured, "{\"session\":\"%s\",\"done\":true}", h->name);
}

/* ---- functions of upstream servers ---- */

static size_t read_limit(const cJSON *arguments)
{
    const cJSON *limit = cJSON_GetObjectItemCaseSensitive(arguments, "limit");

    if (!limit)
        return FOUND_TOOLS;
    if (!(limit->valuedouble >= 1))
        return 1;
    return (size_t)fmin(limit->valuedouble, MOST_FOUND_TOOLS);
}

static void add_names(answer *a, const tool_list *l, const size_t *found, size_t count)
{
    str_add(&a->structured, "{\"tools\":[");
    for (size_t i = 0; i < count; i++) {
        const char *name = l->items[found[i]].name;
        str_add(&a->structured, i > 0 ? "," : "");
        jsontext_quote(&a->structured, name, strlen(name));
    }
    str_add(&a->structured, "],\"stubs\":");
}

void find_tools(mcp_call *c, snug_lease *lease, const cJSON *arguments, answer *a)
{
    const tool_list *l = c->server->tools->list;
    size_t found[MOST_FOUND_TOOLS], count = read_limit(arguments);

    (void)lease;
    if (tool_list_find(found, &count, l, rpc_text(arguments, "query"))) {
        a->failed = 1;
        return;
    }
    add_names(a, l, found, count);
    a->failed |= tool_list_write_found(&a->text, l, found, count);
    jsontext_quote(&a->structured, str_text(&a->text), count > 0 ? a->text.len : 0);
    str_add(&a->structured, "}");
}
