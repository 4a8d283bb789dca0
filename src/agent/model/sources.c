/*
 * sources.c - snug_agent_sources: who can be asked here, and for which models.
 */
#include <snug/agent.h>

#include <stdlib.h>
#include <string.h>

#include "agent/model/http.h"
#include "agent/model/key.h"
#include "agent/model/model_fault.h"
#include "agent/model/provider.h"
#include "base/array.h"
#include "base/error.h"
#include "base/secret_env.h"
#include "wire/json.h"

enum { USUAL_MS = 3000, MOST_LIST_BYTES = 4 << 20, MOST_MODELS = 10000 };

/* One of them, with what snug_agent_source points to. */
typedef struct source {
    snug_agent_source told;
    str address, fault;
    char **models;
    size_t model_cap;
} source;

struct snug_agent_sources {
    source *items;
    size_t count, cap;
    http *http;
    uint64_t timeout_ms;
};

/* ---- what a provider answers ---- */

/* Without control characters, of which some have two bytes. */
static int is_name(const char *id)
{
    for (const unsigned char *at = (const unsigned char *)id; *at; at++)
        if (*at < 0x20 || *at == 0x7f || (*at == 0xc2 && at[1] < 0xa0))
            return 0;
    return *id != '\0';
}

/* Gemini's are "models/gemini-2.5-pro", and known without that too. */
static int add_model(source *s, const provider *p, const char *id)
{
    const size_t at = s->told.model_count;
    str name = { 0 };

    if (strncmp(id, "models/", 7) == 0)
        id += 7;
    if (at == MOST_MODELS || !is_name(id))
        return SNUG_OK;
    if (array_reserve(&s->models, &s->model_cap, at + 1, sizeof *s->models) ||
        str_printf(&name, "%s:%s", p->name, id))
        return SNUG_ENOMEM;

    s->models[s->told.model_count++] = name.data;
    return SNUG_OK;
}

/* {"data": [{"id": "gpt-5-mini"}, ...]} of both dialects. */
static int read_list(source *s, const provider *p, const str *body)
{
    cJSON *root = NULL;
    const cJSON *item;
    int error = SNUG_OK;

    if (json_parse(&root, str_text(body), body->len))
        return str_add(&s->fault, "it answers with something that is not JSON: is this the address "
                                  "of a model's server?");

    const cJSON *data = cJSON_GetObjectItemCaseSensitive(root, "data");
    if (!cJSON_IsArray(data))
        error = str_add(&s->fault, "it answers with something else than a list of models");
    cJSON_ArrayForEach(item, data)
    {
        const char *id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "id"));
        if (!error && id)
            error = add_model(s, p, id);
    }
    cJSON_Delete(root);
    return error;
}

static int explain_refusal(source *s, const provider *p, const str *key, const http_reply *got,
                           const str *body)
{
    if (got->fault == HTTP_TOO_LARGE)
        return str_printf(&s->fault, "its list of models has more than %d bytes", MOST_LIST_BYTES);
    if (got->fault)
        return str_printf(&s->fault, "it cannot be asked: %s",
                          got->problem.len ? got->problem.data : "its time was up");
    if (got->status == 401 || got->status == 403)
        str_printf(&s->fault, "it does not accept the key of %s", p->key_variable);
    else
        str_printf(&s->fault, "it gives no list of its models: it answered %d", got->status);
    return fault_add_reason(&s->fault, body, key);
}

/* ---- asking one ---- */

/* *is_there: something answers, or somebody has said that it should. */
static int ask_for_list(source *s, int *is_there, snug_agent_sources *all, const provider *p,
                        const provider_place *place, const str *key)
{
    str header = { 0 }, body = { 0 };
    http_reply got = { 0 };
    int error = key->len > 0 ? provider_write_key(&header, p, key) : SNUG_OK;
    const http_request request = { .url = str_text(&place->url),
                                   .key_header = header.len ? header.data : NULL,
                                   .other_header = p->dialect->other_header,
                                   .is_direct = place->is_loopback,
                                   .connect_ms = all->timeout_ms,
                                   .total_ms = all->timeout_ms,
                                   .most_bytes = MOST_LIST_BYTES,
                                   .deadline_ns = UINT64_MAX,
                                   .on_data = http_collect,
                                   .payload = &body };

    if (!error && http_get(&got, all->http, &request))
        error = error_no_memory();
    *is_there = s->told.found_by || got.fault != HTTP_NOT_CONNECTED;
    if (!error && *is_there && (got.fault || got.status < 200 || got.status >= 300))
        error = explain_refusal(s, p, key, &got, &body) ? error_no_memory() : SNUG_OK;
    else if (!error && *is_there)
        error = read_list(s, p, &body) ? error_no_memory() : SNUG_OK;

    http_reply_free(&got);
    key_wipe(&header);
    str_free(&body);
    return error;
}

/* What is wrong with an address or a key is reported as its fault. */
static int fill_source(source *s, int *is_there, snug_agent_sources *all, const provider *p)
{
    provider_place place = { 0 };
    str key = { 0 };

    *is_there = 1;
    if (p->write_url) {
        if (str_printf(&s->fault, "its deployments have names of one's own: name one, as %s:NAME",
                       p->name))
            return error_no_memory();
        return SNUG_OK;
    }

    int error = provider_locate(&place, p, "", NULL);
    if (!error)
        error = key_read(&key, NULL, p->key_variable);
    if (!error && key.len)
        error = provider_check_key(&place, 0);
    if (error == SNUG_EINVAL) {
        error = str_add(&s->fault, error_message()) ? error_no_memory() : SNUG_OK;
    } else if (!error && !(error = provider_move(&place, p, "/models"))) {
        error = str_add_str(&s->address, &place.host) ? error_no_memory() : SNUG_OK;
        if (!error)
            error = ask_for_list(s, is_there, all, p, &place, &key);
    }

    provider_place_free(&place);
    key_wipe(&key);
    return error;
}

/* ---- which one is taken ---- */

/* "claude-sonnet-4-5-20250929" is claude-sonnet-4-5. */
static int is_version_of(const char *known, const char *wanted, size_t len)
{
    const char *rest = known + len;

    if (strncmp(known, wanted, len) != 0)
        return 0;
    return !*rest || (*rest == '-' && strspn(rest + 1, "0123456789-") == strlen(rest + 1) &&
                      strlen(rest) > 5);
}

static const char *find_version(const source *s, const provider *p, const char *wanted, size_t len)
{
    const size_t before = strlen(p->name) + 1;

    for (size_t i = 0; i < s->told.model_count; i++)
        if (is_version_of(s->models[i] + before, wanted, len))
            return s->models[i];
    return NULL;
}

/* The first that the provider has; on a server of one's own the first that writes text. */
static const char *choose_model(const source *s, const provider *p)
{
    for (const char *at = p->preferred; at && *at; at += strspn(at, " ")) {
        const size_t len = strcspn(at, " ");
        const char *found = find_version(s, p, at, len);
        if (found)
            return found;
        at += len;
    }

    for (size_t i = 0; !p->preferred && i < s->told.model_count; i++)
        if (!strstr(s->models[i], "embed"))
            return s->models[i];
    return NULL;
}

/* ---- all ---- */

static const char *variable_that_is_set(const provider *p)
{
    const char *const names[] = { p->key_variable, p->url_variable };

    for (int i = 0; i < 2; i++) {
        const char *value = secret_env(names[i]);
        if (value && *value)
            return names[i];
    }
    return NULL;
}

static void free_source(source *s)
{
    for (size_t i = 0; i < s->told.model_count; i++)
        free(s->models[i]);
    free(s->models);
    str_free(&s->address);
    str_free(&s->fault);
}

static int look_at(snug_agent_sources *all, const provider *p)
{
    const char *variable = variable_that_is_set(p);
    source s = { .told = { .size = sizeof s.told, .provider = p->name, .found_by = variable } };
    int is_there = 0;

    /* Somebody else's is not asked where nobody has a key. */
    if (!variable && p->needs_key)
        return SNUG_OK;
    int error = fill_source(&s, &is_there, all, p);
    if (!error && is_there &&
        array_reserve(&all->items, &all->cap, all->count + 1, sizeof *all->items))
        error = error_no_memory();
    if (error || !is_there) {
        free_source(&s);
        return error;
    }

    s.told.choice = choose_model(&s, p);
    all->items[all->count++] = s;
    return SNUG_OK;
}

int snug_agent_sources_open(snug_agent_sources **out, uint64_t timeout_ms)
{
    const provider *p;

    if (!out)
        return error_set(SNUG_EINVAL, "snug_agent_sources_open: out is NULL");
    *out = NULL;
    snug_agent_sources *all = calloc(1, sizeof *all);
    if (!all)
        return error_no_memory();

    all->timeout_ms = timeout_ms ? timeout_ms : USUAL_MS;
    int error = http_open(&all->http);
    for (size_t i = 0; !error && (p = provider_at(i)); i++)
        error = look_at(all, p);
    if (error) {
        snug_agent_sources_close(all);
        return error;
    }

    *out = all;
    return SNUG_OK;
}

void snug_agent_sources_close(snug_agent_sources *all)
{
    if (!all)
        return;
    for (size_t i = 0; i < all->count; i++)
        free_source(&all->items[i]);
    free(all->items);
    http_close(all->http);
    free(all);
}

size_t snug_agent_sources_entry_count(const snug_agent_sources *all)
{
    return all->count;
}

const snug_agent_source *snug_agent_sources_entry(const snug_agent_sources *all, size_t index)
{
    if (index >= all->count)
        return NULL;
    source *s = &all->items[index];
    s->told.address = str_text(&s->address);
    s->told.fault = s->fault.len ? s->fault.data : NULL;
    s->told.models = (const char *const *)s->models;
    return &s->told;
}
