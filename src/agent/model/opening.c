/*
 * opening.c - model.h: a model from its name, address, key and further headers.
 */
#include "agent/model/client.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/error.h"

enum { BACKOFF_MS = 500, LONGEST_WAIT_MS = 60000 };

/* Of the dialect, unless the caller has one of the same name. */
static void choose_headers(model *m)
{
    const char *other = m->provider->dialect->other_header;

    if (other && !extras_has_header(&m->extras, other))
        m->other_header = other;
    if (extras_has_header(&m->extras, provider_key_header(m->provider)))
        key_wipe(&m->key_header);
}

static int list_secrets(model *m)
{
    const extras *e = &m->extras;

    m->secrets = calloc(e->secret_count + 1, sizeof *m->secrets);
    if (!m->secrets)
        return error_no_memory();
    m->secrets[0] = m->key;
    for (size_t i = 0; i < e->secret_count; i++)
        m->secrets[i + 1] = e->secrets[i];
    m->keys = (key_list){ m->secrets, e->secret_count + 1 };
    return SNUG_OK;
}

static int read_key(model *m, const model_options *options)
{
    const provider *p = m->provider;
    const char *before = provider_key_header(p);
    int error = key_read(&m->key, options->key_file, p->key_variable);
    if (error)
        return error;

    if (m->key.len == 0 && m->extras.header_count == 0) {
        if (p->needs_key && m->place.is_own)
            return error_set(SNUG_EINVAL, "%s needs a key: set the variable %s or name a key file",
                             str_text(&m->name), p->key_variable);
        return SNUG_OK;
    }

    error = provider_check_key(&m->place, options->base_url != NULL);
    if (error || m->key.len == 0)
        return error;

    /* Room for all of it first, so that no copy is left behind where it grew. */
    if (str_reserve(&m->key_header, strlen(before) + m->key.len) ||
        str_add(&m->key_header, before) || str_add_str(&m->key_header, &m->key))
        return error_no_memory();

    return SNUG_OK;
}

static void keep_options(model *m, const model_options *options)
{
    m->options = *options;
    m->options.name = m->options.base_url = m->options.key_file = NULL;
    m->options.request_fields = m->options.headers = NULL;

    m->rule = (retry_rule){ options->retries, options->backoff_ms, options->longest_wait_ms };
    if (m->rule.backoff_ms == 0)
        m->rule.backoff_ms = BACKOFF_MS;
    if (m->rule.longest_wait_ms == 0)
        m->rule.longest_wait_ms = LONGEST_WAIT_MS;
}

static int open_parts(model *m, const model_options *options)
{
    int error = provider_find(&m->provider, &m->model, str_text(&m->name));

    if (!error)
        error = provider_locate(&m->place, m->provider, m->model, options->base_url);
    if (!error)
        error = extras_read(&m->extras, options->request_fields, options->headers,
                            strcmp(m->provider->name, "ollama") == 0);
    if (!error)
        error = read_key(m, options);
    if (!error)
        error = list_secrets(m);
    if (!error)
        error = http_open(&m->http);
    return error;
}

int model_open(model **out, const model_options *options)
{
    model *m = calloc(1, sizeof *m);
    int error = !m || str_add(&m->name, options->name) ? error_no_memory() : SNUG_OK;

    if (!error)
        error = open_parts(m, options);
    if (error) {
        model_close(m);
        return error;
    }

    choose_headers(m);
    keep_options(m, options);
    if (getrandom(&m->random, sizeof m->random, GRND_NONBLOCK) != sizeof m->random)
        m->random = clock_now_ns();
    *out = m;
    return SNUG_OK;
}

void model_close(model *m)
{
    if (!m)
        return;
    http_close(m->http);
    free(m->secrets);
    extras_free(&m->extras);
    key_wipe(&m->key);
    key_wipe(&m->key_header);
    provider_place_free(&m->place);
    str_free(&m->name);
    free(m);
}

const char *model_name(const model *m)
{
    return str_text(&m->name);
}

int model_has_tools(const model *m)
{
    return m->provider->has_tools;
}

void model_cancel(model *m)
{
    http_cancel(m->http);
}

void model_resume(model *m)
{
    http_resume(m->http);
}

int model_hide_key(const model *m, str *text)
{
    return key_hide_all(text, &m->keys);
}

int model_write_key(str *out, const model *m, const model_request *request)
{
    int error = str_printf(out, "%s\n%s\n", str_text(&m->place.url), str_text(&m->name));

    if (!error)
        error = m->provider->dialect->write(out, m->model, request, 0, 0);
    if (error)
        return error;
    return extras_write(out, &m->extras);
}
