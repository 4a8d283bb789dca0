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

static int find_place(embeddings *e)
{
    if (e->provider->write_url)
        return error_set(SNUG_EINVAL, "embeddings of %s are not in this version",
                         e->provider->name);
    int error = provider_locate(&e->place, e->provider, e->model, NULL);
    return error ? error : provider_move(&e->place, e->provider, "/embeddings");
}

static int find_key(embeddings *e)
{
    const provider *p = e->provider;
    int error = key_read(&e->key, NULL, p->key_variable);
    if (error)
        return error;

    if (e->key.len == 0 && p->needs_key && e->place.is_own)
        return error_set(SNUG_EINVAL, "%s needs a key: set the variable %s", str_text(&e->name),
                         p->key_variable);
    if (e->key.len == 0)
        return SNUG_OK;
    error = provider_check_key(&e->place, 0);
    return error ? error : provider_write_key(&e->key_header, p, &e->key);
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

static void write_texts(str *out, const embeddings *e, const str *texts, size_t count)
{
    json_open(out, NULL, '{');
    json_put_word(out, "model", e->model);
    json_put_word(out, "encoding_format", "float");
    json_open(out, "input", '[');
    for (size_t i = 0; i < count; i++)
        json_put_str(out, NULL, &texts[i]);
    json_close(out, ']');
    json_close(out, '}');
}

/* What the endpoint answered in the place of vectors. */
static int explain_refusal(str *fault, const embeddings *e, const http_reply *got, const str *body)
{
    const char *name = str_text(&e->name);

    if (got->fault == HTTP_CANCELLED)
        return str_printf(fault, "%s: the request was cancelled", name);
    if (got->fault)
        return str_printf(fault, "%s gave no embeddings: %s", name,
                          got->problem.len ? got->problem.data : "its time was up");
    str_printf(fault, "%s gave no embeddings: it answered %d", name, got->status);
    return fault_add_reason(fault, body, &e->key);
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

/* NULL where it is not a list of `count` vectors of one size, in the order of the texts, or memory
 * ran out. */
static float *read_vectors(size_t *size, const cJSON *root, size_t count)
{
    const cJSON *data = cJSON_GetObjectItemCaseSensitive(root, "data"), *item;
    const cJSON *first = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(data, 0), "embedding");
    const int wide = cJSON_GetArraySize(first);
    size_t at = 0;

    if (!cJSON_IsArray(data) || (size_t)cJSON_GetArraySize(data) != count || wide <= 0 ||
        wide > EMBEDDINGS_MOST_NUMBERS)
        return NULL;
    *size = (size_t)wide;
    float *vectors = calloc(count * *size, sizeof *vectors);
    int is_right = vectors != NULL;

    cJSON_ArrayForEach(item, data)
    {
        const cJSON *vector = cJSON_GetObjectItemCaseSensitive(item, "embedding");
        is_right = is_right && take_vector(vectors + at++ * *size, *size, vector);
    }
    if (is_right)
        return vectors;
    free(vectors);
    return NULL;
}

int embeddings_ask(float **out, size_t *size, str *fault, embeddings *e, const str *texts,
                   size_t count, uint64_t deadline_ns)
{
    str body = { 0 }, answer = { 0 };
    http_reply got = { 0 };
    cJSON *root = NULL;

    *out = NULL;
    write_texts(&body, e, texts, count);
    int error = str_error(&body);
    const http_request request = { .url = str_text(&e->place.url),
                                   .key_header = e->key_header.len ? e->key_header.data : NULL,
                                   .body = str_text(&body),
                                   .body_len = body.len,
                                   .is_direct = e->place.is_loopback,
                                   .connect_ms = CONNECT_MS,
                                   .total_ms = TOTAL_MS,
                                   .most_bytes = MOST_REPLY_BYTES,
                                   .deadline_ns = deadline_ns,
                                   .on_data = http_collect,
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
    return error ? error_no_memory() : SNUG_OK;
}
