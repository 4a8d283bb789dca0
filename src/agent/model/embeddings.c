#include "agent/model/embeddings.h"

#include <snug/snug.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/model/http.h"
#include "agent/model/key.h"
#include "agent/model/model_fault.h"
#include "agent/model/provider.h"
#include "base/error.h"
#include "base/jsontext.h"
#include "wire/json.h"

enum { CONNECT_MS = 10000, TOTAL_MS = 30000, MOST_REPLY_BYTES = 64 << 20 };

struct embeddings {
    str name; /* "provider:model" */
    const char *model;
    const provider *provider;
    provider_place place;
    str key, key_header; /* empty: none */
    http *http;
};

/* ---- opening ---- */

/* The place is that of chat completions, beside which the other one is. */
static int find_place(embeddings *e)
{
    const char *path = e->provider->dialect->path;
    if (e->provider->write_url)
        return error_set(SNUG_EINVAL, "embeddings of %s are not in this version",
                         e->provider->name);
    int error = provider_locate(&e->place, e->provider, e->model, NULL);
    if (error)
        return error;

    e->place.url.len -= strlen(path);
    e->place.url.data[e->place.url.len] = '\0';
    if (str_add(&e->place.url, "/embeddings"))
        return error_no_memory();
    return SNUG_OK;
}

static int find_key(embeddings *e)
{
    const provider *p = e->provider;
    int error = key_read(&e->key, NULL, p->key_variable);
    if (error)
        return error;

    if (e->key.len == 0)
        return p->needs_key && e->place.is_own
                   ? error_set(SNUG_EINVAL, "%s needs a key: set the variable %s",
                               str_text(&e->name), p->key_variable)
                   : SNUG_OK;

    if ((error = provider_check_key(&e->place, 0)))
        return error;
    const char *before = provider_key_header(p);
    if (str_reserve(&e->key_header, strlen(before) + e->key.len) ||
        str_add(&e->key_header, before) || str_add_str(&e->key_header, &e->key))
        return error_no_memory();

    return SNUG_OK;
}

int embeddings_open(embeddings **out, const char *name)
{
    embeddings *e = calloc(1, sizeof *e);
    int error = !e || str_add(&e->name, name) ? error_no_memory() : SNUG_OK;

    if (!error)
        error = provider_find(&e->provider, &e->model, str_text(&e->name));
    if (!error && e->provider->dialect != &dialect_openai)
        error = error_set(SNUG_EINVAL, "%s has no embeddings: name a model of another provider",
                          e->provider->name);

    if (error || (error = find_place(e)) || (error = find_key(e)) ||
        (error = http_open(&e->http))) {
        embeddings_close(e);
        return error;
    }

    *out = e;
    return SNUG_OK;
}

void embeddings_close(embeddings *e)
{
    if (!e)
        return;
    http_close(e->http);
    key_wipe(&e->key);
    key_wipe(&e->key_header);
    provider_place_free(&e->place);
    str_free(&e->name);
    free(e);
}

const char *embeddings_name(const embeddings *e)
{
    return str_text(&e->name);
}

void embeddings_cancel(embeddings *e)
{
    if (e)
        http_cancel(e->http);
}

void embeddings_resume(embeddings *e)
{
    if (e)
        http_resume(e->http);
}

/* ---- asking ---- */

static int write_texts(str *out, const embeddings *e, const str *texts, size_t count)
{
    int error = str_add(out, "{\"model\":");

    if (!error)
        error = jsontext_quote(out, e->model, strlen(e->model));
    if (!error)
        error = str_add(out, ",\"encoding_format\":\"float\",\"input\":[");
    for (size_t i = 0; !error && i < count; i++)
        if (!(error = i ? str_add(out, ",") : SNUG_OK))
            error = jsontext_quote(out, str_text(&texts[i]), texts[i].len);

    if (error)
        return error;
    return str_add(out, "]}");
}

static int on_data(void *payload, const http_reply *got, const char *data, size_t len)
{
    (void)got;
    return str_append(payload, data, len) ? -1 : HTTP_GO_ON;
}

/* What the endpoint answered in the place of vectors. */
static int explain_refusal(str *fault, const embeddings *e, const http_reply *got, const str *body)
{
    const key_list keys = { &e->key, 1 };
    dialect_error said = { 0 };
    str reason = { 0 };
    int error = SNUG_OK;

    if (got->fault == HTTP_FINE)
        error = dialect_read_refusal(&said, str_text(body), body->len);
    if (!error && got->fault == HTTP_CANCELLED)
        error = str_printf(fault, "%s: the request was cancelled", str_text(&e->name));
    else if (!error && got->fault)
        error = str_printf(fault, "%s gave no embeddings: %s", str_text(&e->name),
                           got->problem.len ? got->problem.data : "its time was up");
    else if (!error &&
             !(error = fault_quote(&reason, str_text(&said.message), said.message.len, &keys)))
        error = str_printf(fault, "%s gave no embeddings: it answered %d%s%s", str_text(&e->name),
                           got->status, reason.len ? ": " : "", str_text(&reason));

    dialect_error_free(&said);
    str_free(&reason);
    return error;
}

/* One vector into its place, made as long as 1. Whether it is one. */
static int take_vector(float *out, size_t size, const cJSON *list)
{
    const cJSON *item;
    double square = 0;
    size_t n = 0;

    cJSON_ArrayForEach(item, list)
    {
        if (n == size || !cJSON_IsNumber(item) || !isfinite(item->valuedouble))
            return 0;
        out[n++] = (float)item->valuedouble;
        square += item->valuedouble * item->valuedouble;
    }
    const float scale = square > 0 ? (float)(1 / sqrt(square)) : 0;
    for (size_t i = 0; i < n; i++)
        out[i] *= scale;
    return n == size;
}

static const cJSON *vector_of(const cJSON *item)
{
    return cJSON_GetObjectItemCaseSensitive(item, "embedding");
}

/* NULL where it is not a list of `count` vectors of one size, or memory ran out. */
static float *read_vectors(size_t *size, const cJSON *root, size_t count)
{
    const cJSON *data = cJSON_GetObjectItemCaseSensitive(root, "data"), *item;
    const int has_all = cJSON_IsArray(data) && (size_t)cJSON_GetArraySize(data) == count;
    const int wide = has_all ? cJSON_GetArraySize(vector_of(cJSON_GetArrayItem(data, 0))) : 0;
    size_t position = 0;

    if (wide <= 0 || wide > EMBEDDINGS_MOST_NUMBERS)
        return NULL;
    *size = (size_t)wide;
    float *vectors = calloc(count * *size, sizeof *vectors);
    char *is_there = calloc(count, 1);
    int is_right = vectors && is_there;
    cJSON_ArrayForEach(item, data)
    {
        const cJSON *index = cJSON_GetObjectItemCaseSensitive(item, "index");
        size_t at =
            cJSON_IsNumber(index) && index->valuedouble >= 0 && index->valuedouble < (double)count
                ? (size_t)index->valuedouble
                : position;
        position++;
        is_right =
            is_right && !is_there[at] && take_vector(vectors + at * *size, *size, vector_of(item));
        if (!is_right)
            break;
        is_there[at] = 1;
    }
    free(is_there);
    if (!is_right) {
        free(vectors);
        return NULL;
    }

    return vectors;
}

int embeddings_ask(float **out, size_t *size, str *fault, embeddings *e, const str *texts,
                   size_t count, uint64_t deadline_ns)
{
    str body = { 0 }, answer = { 0 };
    http_reply got = { 0 };
    cJSON *root = NULL;

    *out = NULL;
    int error = write_texts(&body, e, texts, count);
    const http_request request = { .url = str_text(&e->place.url),
                                   .key_header = e->key_header.len ? e->key_header.data : NULL,
                                   .body = str_text(&body),
                                   .body_len = body.len,
                                   .is_direct = e->place.is_loopback,
                                   .connect_ms = CONNECT_MS,
                                   .total_ms = TOTAL_MS,
                                   .most_bytes = MOST_REPLY_BYTES,
                                   .deadline_ns = deadline_ns,
                                   .on_data = on_data,
                                   .payload = &answer };
    if (!error)
        error = http_post(&got, e->http, &request);
    if (!error && (got.fault || got.status < 200 || got.status >= 300))
        error = explain_refusal(fault, e, &got, &answer);
    else if (!error) {
        if (json_parse(&root, str_text(&answer), answer.len) == SNUG_OK)
            *out = read_vectors(size, root, count);
        if (!*out)
            error =
                str_printf(fault, "%s gave no embeddings: its answer is not a list of %zu vectors",
                           str_text(&e->name), count);
    }

    cJSON_Delete(root);
    http_reply_free(&got);
    str_free(&body);
    str_free(&answer);
    if (error)
        return error_no_memory();
    return SNUG_OK;
}
