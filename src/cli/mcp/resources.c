#include "cli/mcp/resources.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/jsontext.h"
#include "base/utf8.h"
#include "cli/mcp/calls.h"
#include "cli/mcp/tool_table.h"
#include "cli/program/secrets.h"

/* ---- lists ---- */

static int write_one(str *out, const handle *h, const handle_file *file)
{
    int error = str_add(out, "{\"uri\":\"");
    if (!error)
        error = answer_uri(out, h->name, file->path);
    if (!error)
        error = str_add(out, "\",\"name\":");
    if (!error)
        error = jsontext_quote(out, file->path, strlen(file->path));
    if (!error)
        error = str_add(out, ",\"mimeType\":");
    if (!error)
        error = jsontext_quote(out, file->mime, strlen(file->mime));
    return error ? error : str_printf(out, ",\"size\":%llu}", (unsigned long long)file->bytes);
}

void resources_list(mcp_call *c)
{
    mcp_server *s = c->server;
    str out = { 0 };
    int count = 0, error = str_add(&out, "{");

    if (!error)
        error = call_begin_result(&out, c, 0, "private");
    if (!error)
        error = str_add(&out, "\"resources\":[");
    pthread_mutex_lock(&s->lock);
    for (const handle *h = s->handles.first; h && !error; h = h->next) {
        if (h->is_gone || strcmp(h->principal, c->peer->principal->name) != 0)
            continue;
        for (size_t i = 0; i < h->file_count && !error; i++) {
            if (count++ > 0)
                error = str_add(&out, ",");
            if (!error)
                error = write_one(&out, h, &h->files[i]);
        }
    }
    pthread_mutex_unlock(&s->lock);
    if (!error)
        error = str_add(&out, "]}");
    call_result(c, error ? NULL : out.data);
    str_free(&out);
}

void resources_templates(mcp_call *c)
{
    str out = { 0 };
    int error = str_add(&out, "{");

    if (!error)
        error = call_begin_result(&out, c, 3600000, "public");
    if (!error)
        error =
            str_add(&out, "\"resourceTemplates\":[{\"uriTemplate\":\"snug://{session}/{+path}\","
                          "\"name\":\"files\",\"title\":\"Files of a session\",\"description\":"
                          "\"A file in the work directory of a session\"}]}");
    call_result(c, error ? NULL : out.data);
    str_free(&out);
}

/* ---- reading ---- */

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)tolower((unsigned char)c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The session and path of a URI. 1, or 0: it is not one of ours. */
static int read_uri(char session[HANDLE_BYTES], str *path, const char *uri)
{
    static const char scheme[] = "snug://";
    if (strncmp(uri, scheme, sizeof scheme - 1) != 0)
        return 0;
    uri += sizeof scheme - 1;

    const size_t len = strcspn(uri, "/");
    if (len == 0 || len >= HANDLE_BYTES || uri[len] != '/' || !uri[len + 1])
        return 0;
    memcpy(session, uri, len);
    session[len] = '\0';

    for (const char *c = uri + len + 1; *c; c++) {
        char byte = *c;
        if (byte == '%') {
            if (!c[1] || hex_value(c[1]) < 0 || hex_value(c[2]) < 0)
                return 0;
            byte = (char)(hex_value(c[1]) * 16 + hex_value(c[2]));
            c += 2;
        }
        if (!byte || str_append(path, &byte, 1))
            return 0;
    }
    return 1;
}

static void fail_not_found(mcp_call *c, const char *uri)
{
    str data = { 0 };
    str_add(&data, "{\"uri\":");
    jsontext_quote(&data, uri, strlen(uri));
    str_add(&data, "}");
    call_fail(c, MCP_FINE, c->is_modern ? RPC_INVALID_PARAMS : MCP_RESOURCE_NOT_FOUND,
              "Resource not found", str_text(&data));
    str_free(&data);
}

void resources_read(mcp_call *c)
{
    char session[HANDLE_BYTES];
    str path = { 0 };
    const char *uri = rpc_text(c->message.params, "uri");

    if (!uri)
        call_fail(c, MCP_BAD, RPC_INVALID_PARAMS, "\"uri\" must be a string", NULL);
    else if (!read_uri(session, &path, uri) || !call_take_handle(c, session))
        fail_not_found(c, uri);
    else
        call_queue(c);
    str_free(&path);
}

static int write_contents(str *out, const snug_file *file, const char *uri)
{
    size_t len, at;
    str quoted = { 0 };
    const char *data = snug_file_data(file, &len);
    const int is_text = utf8_check(data, len, &at) == UTF8_FINE && !memchr(data, 0, len);
    int error = str_add(out, "\"contents\":[{\"uri\":");

    if (!error)
        error = jsontext_quote(out, uri, strlen(uri));
    if (!error)
        error = str_printf(out, ",\"mimeType\":\"%s\",\"%s\":", snug_file_mime(file),
                           is_text ? "text" : "blob");
    if (!error && is_text)
        error = jsontext_quote(out, data, len);
    else if (!error)
        error = base64_append(&quoted, data, len);
    if (!error && !is_text)
        error = jsontext_quote(out, str_text(&quoted), quoted.len);
    str_free(&quoted);
    return error ? error : str_add(out, "}]}");
}

static void answer_file(mcp_call *c, const snug_file *file, const char *uri)
{
    str out = { 0 };
    int error = str_add(&out, "{");
    if (!error)
        error = call_begin_result(&out, c, 0, "private");
    if (!error)
        error = write_contents(&out, file, uri);
    call_result(c, error ? NULL : out.data);
    str_free(&out);
}

void resource_serve(mcp_call *c)
{
    char session[HANDLE_BYTES];
    str path = { 0 };
    answer a = { 0 };
    snug_file *file;
    const char *uri = rpc_text(c->message.params, "uri");
    snug_lease *lease = lease_session(c, &a);

    if (!lease || !read_uri(session, &path, uri)) {
        call_fail(c, MCP_FINE, RPC_INTERNAL_ERROR, str_text(&a.text), NULL);
        goto done;
    }

    const int error = snug_session_get_file(&file, snug_lease_session(lease), str_text(&path),
                                            (size_t)c->server->limits.file_bytes);
    str why = { 0 };
    str_add(&why, secrets_error_message());
    snug_lease_close(lease);
    lease = NULL;
    if (error == SNUG_OK) {
        answer_file(c, file, uri);
        snug_file_free(file);
    } else if (error == SNUG_ENOTFOUND || error == SNUG_EINVAL) {
        pthread_mutex_lock(&c->server->lock);
        if (error == SNUG_ENOTFOUND)
            handle_forget_file(c->handle, str_text(&path));
        pthread_mutex_unlock(&c->server->lock);
        if (error == SNUG_ENOTFOUND)
            fail_not_found(c, uri);
        else
            call_fail(c, MCP_FINE, RPC_INVALID_PARAMS, str_text(&why), NULL);
    } else {
        call_fail(c, MCP_FINE, RPC_INTERNAL_ERROR, str_text(&why), NULL);
    }
    str_free(&why);

done:
    snug_lease_close(lease);
    answer_free(&a);
    str_free(&path);
}

/* ---- subscriptions ---- */

enum { SUBSCRIBED_BYTES = 256 * 1024 };

static char *find_subscribed(const mcp_peer *peer, const char *uri)
{
    const char *end = peer->subscribed.data + peer->subscribed.len;
    for (char *at = peer->subscribed.data; at && at < end; at += strlen(at) + 1)
        if (!strcmp(at, uri))
            return at;
    return NULL;
}

static void change_subscription(mcp_call *c, int is_added)
{
    const char *uri = rpc_text(c->message.params, "uri");
    mcp_peer *peer = c->peer;
    int error = SNUG_OK;

    if (!uri) {
        call_fail(c, MCP_BAD, RPC_INVALID_PARAMS, "\"uri\" must be a string", NULL);
        return;
    }
    pthread_mutex_lock(&c->server->lock);
    char *found = find_subscribed(peer, uri);
    if (is_added && !found && peer->subscribed.len < SUBSCRIBED_BYTES)
        error = str_append(&peer->subscribed, uri, strlen(uri) + 1);
    if (!is_added && found) {
        const size_t len = strlen(found) + 1;
        const char *end = peer->subscribed.data + peer->subscribed.len;
        memmove(found, found + len, (size_t)(end - found) - len);
        peer->subscribed.len -= len;
    }
    pthread_mutex_unlock(&c->server->lock);
    call_result(c, error ? NULL : "{}");
}

void resources_subscribe(mcp_call *c)
{
    change_subscription(c, 1);
}

void resources_unsubscribe(mcp_call *c)
{
    change_subscription(c, 0);
}

static int is_listed(const cJSON *uris, const char *uri)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, uris)
    {
        if (cJSON_IsString(one) && !strcmp(one->valuestring, uri))
            return 1;
    }
    return 0;
}

/* A notification of a subscription of the newer revision, or of a peer of the older ones, where id
 * is NULL. */
static void tell_change(const mcp_wire *wire, const char *id, const char *method, const char *uri)
{
    str params = { 0 }, text = { 0 };
    int error = str_add(&params, "{");

    if (!error && id)
        error = str_printf(&params, "\"_meta\":{\"" MCP_META "subscriptionId\":%s}", id);
    if (!error && uri) {
        error = str_printf(&params, "%s\"uri\":", id ? "," : "");
        if (!error)
            error = jsontext_quote(&params, uri, strlen(uri));
    }
    if (!error)
        error = str_add(&params, "}");
    if (!error)
        error = rpc_write_notification(&text, method, params.data);
    if (!error && wire->tell)
        wire->tell(wire->payload, text.data, text.len);
    str_free(&params);
    str_free(&text);
}

void server_files_changed(mcp_server *s, const handle *h, const char *path, int is_new)
{
    static const char updated[] = "notifications/resources/updated",
                      changed[] = "notifications/resources/list_changed";
    str uri = { 0 };
    if (path && answer_uri(&uri, h->name, path))
        return;

    pthread_mutex_lock(&s->lock);
    for (const mcp_call *c = s->listening; c; c = c->next) {
        if (strcmp(c->peer->principal->name, h->principal) != 0 || c->is_cancelled)
            continue;
        const cJSON *filter = rpc_object(c->message.params, "notifications");
        const cJSON *uris = cJSON_GetObjectItemCaseSensitive(filter, "resourceSubscriptions");
        if (path && is_listed(uris, uri.data))
            tell_change(&c->wire, c->message.id, updated, uri.data);
        if (is_new && c->wants_list)
            tell_change(&c->wire, c->message.id, changed, NULL);
    }
    for (const mcp_peer *peer = s->peers; peer; peer = peer->next) {
        if (!peer->legacy || peer->is_closed || strcmp(peer->principal->name, h->principal) != 0)
            continue;
        if (path && find_subscribed(peer, uri.data))
            tell_change(&peer->wire, NULL, updated, uri.data);
        if (is_new)
            tell_change(&peer->wire, NULL, changed, NULL);
    }
    pthread_mutex_unlock(&s->lock);
    str_free(&uri);
}

/* "notifications/subscriptions/acknowledged", with what is honoured. */
static int write_acknowledged(str *out, const mcp_call *c, const cJSON *filter)
{
    const cJSON *uris = cJSON_GetObjectItemCaseSensitive(filter, "resourceSubscriptions");
    char *list = cJSON_IsArray(uris) ? json_text(uris) : NULL;
    str params = { 0 };
    int error =
        str_printf(&params, "{\"_meta\":{\"" MCP_META "subscriptionId\":%s},\"notifications\":{",
                   c->message.id);
    if (!error && c->wants_list)
        error = str_printf(&params, "\"resourcesListChanged\":true%s", list ? "," : "");
    if (!error && list) {
        error = str_add(&params, "\"resourceSubscriptions\":");
        if (!error)
            error = str_add(&params, list);
    }
    if (!error)
        error = str_add(&params, "}}");
    if (!error)
        error =
            rpc_write_notification(out, "notifications/subscriptions/acknowledged", params.data);
    free(list);
    str_free(&params);
    return error;
}

/* By HTTP as many as there are connections, and so on stdio. With the lock. */
static int listens_too_often(const mcp_server *s, const mcp_peer *peer)
{
    uint64_t count = 0;
    for (const mcp_call *c = s->listening; c; c = c->next)
        count += c->peer == peer;
    return count >= s->limits.connections;
}

void listen_begin(mcp_call *c)
{
    mcp_server *s = c->server;
    const cJSON *filter = rpc_object(c->message.params, "notifications");
    str text = { 0 };

    if (!filter) {
        call_fail(c, MCP_BAD, RPC_INVALID_PARAMS, "\"notifications\" must be an object", NULL);
        return;
    }
    c->wants_list = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(filter, "resourcesListChanged"));
    if (write_acknowledged(&text, c, filter)) {
        str_free(&text);
        call_fail(c, MCP_FINE, RPC_INTERNAL_ERROR, "out of memory", NULL);
        return;
    }

    /* With the lock, so that nothing else comes before it. */
    pthread_mutex_lock(&s->lock);
    const char *why = NULL;
    mcp_status status = MCP_BAD;
    if (!c->peer->is_alone && server_has_call(s, c->peer, c->message.id))
        why = "a request of that id is being answered already";
    else if (listens_too_often(s, c->peer))
        why = "this client listens too often already (--connections)", status = MCP_OVER_SHARE;
    else if (s->is_ending)
        why = MCP_IS_ENDING, status = MCP_UNAVAILABLE;
    if (!why) {
        c->stage = CALL_LISTENS;
        c->wire.tell(c->wire.payload, text.data, text.len);
        calls_add(&s->listening, c);
        c = NULL;
    }
    pthread_mutex_unlock(&s->lock);
    str_free(&text);
    if (c)
        call_fail(c, status, status == MCP_BAD ? RPC_INVALID_REQUEST : MCP_TRY_LATER, why, NULL);
}

void listen_end(mcp_call *c)
{
    str out = { 0 };
    if (str_printf(&out,
                   "{\"resultType\":\"complete\",\"_meta\":{\"" MCP_META "subscriptionId\":%s}}",
                   c->message.id))
        str_free(&out);
    call_result(c, out.data);
    str_free(&out);
}
