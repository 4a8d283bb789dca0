#include "agent/model/provider.h"

#include <snug/snug.h>

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/utf8.h"

enum { MOST_NAME_BYTES = 256 };

static int write_azure_url(str *out, const char *base, const char *deployment);

/* Where a provider is and how it has its key, by its own documentation:
 * https://platform.openai.com/docs/api-reference, https://docs.anthropic.com/en/api/messages,
 * https://learn.microsoft.com/azure/ai-services/openai/reference,
 * https://openrouter.ai/docs/api-reference, https://ai.google.dev/gemini-api/docs/openai,
 * https://github.com/ollama/ollama/blob/main/docs/openai.md. */
static const provider providers[] = {
    { "openai", &dialect_openai, "https://api.openai.com/v1", "OPENAI_BASE_URL", "OPENAI_API_KEY",
      .needs_key = 1, .has_tools = 1,
      .preferred = "gpt-6-luna gpt-5.6-luna gpt-5.4-mini gpt-5-mini gpt-4.1-mini gpt-4o-mini" },
    { "anthropic", &dialect_anthropic, "https://api.anthropic.com", "ANTHROPIC_BASE_URL",
      "ANTHROPIC_API_KEY", .needs_key = 1, .has_tools = 1,
      .preferred = "claude-sonnet-5-5 claude-sonnet-5 claude-sonnet-4-6 claude-sonnet-4-5 "
                   "claude-sonnet-4-0 claude-haiku-4-5" },
    { "ollama", &dialect_openai, "http://localhost:11434/v1", "OLLAMA_HOST", "OLLAMA_API_KEY" },
    { "vllm", &dialect_openai, "http://localhost:8000/v1", "VLLM_BASE_URL", "VLLM_API_KEY" },
    { "llamacpp", &dialect_openai, "http://localhost:8080/v1", "LLAMACPP_BASE_URL",
      "LLAMA_API_KEY" },
    { "lmstudio", &dialect_openai, "http://localhost:1234/v1", "LMSTUDIO_BASE_URL",
      "LMSTUDIO_API_KEY" },
    { "azure", &dialect_openai, NULL, "AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY",
      .needs_key = 1, .has_tools = 1, .key_header = "api-key: ", .write_url = write_azure_url },
    { "openrouter", &dialect_openai, "https://openrouter.ai/api/v1", "OPENROUTER_BASE_URL",
      "OPENROUTER_API_KEY", .needs_key = 1, .has_tools = 1,
      .preferred = "openai/gpt-5.4-mini openai/gpt-5-mini openai/gpt-4.1-mini" },
    { "gemini", &dialect_openai, "https://generativelanguage.googleapis.com/v1beta/openai",
      "GEMINI_BASE_URL", "GEMINI_API_KEY", .needs_key = 1, .has_tools = 1,
      .preferred = "gemini-3-flash-preview gemini-2.5-flash" },
};

enum { COUNT = sizeof providers / sizeof *providers };

#define NAMES "openai, anthropic, ollama, vllm, llamacpp, lmstudio, azure, openrouter, gemini"

const provider *provider_at(size_t index)
{
    return index < COUNT ? &providers[index] : NULL;
}

/* ---- names ---- */

static int is_model_name(const char *name)
{
    size_t len = strlen(name), at;
    if (len == 0 || len > MOST_NAME_BYTES || utf8_check(name, len, &at) != UTF8_FINE)
        return 0;
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f)
            return 0;
    return 1;
}

static int unknown(const char *name, const char *wanted)
{
    const char *names[COUNT];

    for (size_t i = 0; i < COUNT; i++)
        names[i] = providers[i].name;
    const char *nearest = nearest_name(wanted, names, COUNT);
    if (nearest)
        return error_set(SNUG_EINVAL, "model \"%s\": there is no provider \"%s\"; is it \"%s\"?",
                         name, wanted, nearest);

    return error_set(SNUG_EINVAL, "model \"%s\": there is no provider \"%s\"; there are " NAMES,
                     name, wanted);
}

int provider_find(const provider **out, const char **rest, const char *name)
{
    const char *colon = strchr(name, ':');
    char wanted[MOST_NAME_BYTES + 1];

    if (!is_model_name(name))
        return error_set(SNUG_EINVAL,
                         "a model's name is PROVIDER:MODEL in at most %d bytes, "
                         "without spaces, as in \"openai:gpt-4o\"",
                         MOST_NAME_BYTES);

    if (!colon)
        return error_set(SNUG_EINVAL,
                         "model \"%s\" has no provider: the form is PROVIDER:MODEL, as in "
                         "\"openai:gpt-4o\"; providers are " NAMES,
                         name);

    size_t len = (size_t)(colon - name);
    memcpy(wanted, name, len);
    wanted[len] = '\0';
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(providers[i].name, wanted) == 0) {
            if (!colon[1])
                return error_set(SNUG_EINVAL, "\"%s\" names a provider and no model", name);
            *out = &providers[i];
            *rest = colon + 1;
            return SNUG_OK;
        }

    return unknown(name, wanted);
}

/* ---- places ---- */

void provider_place_free(provider_place *place)
{
    str_free(&place->url);
    str_free(&place->host);
}

static int starts_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* OLLAMA_HOST, as Ollama's own clients read it: "host", ":port", "host:port" or a URL without
 * a path. A server that listens everywhere is asked on this machine. */
static int write_ollama(str *out, const char *host)
{
    int is_url = starts_with(host, "http://") || starts_with(host, "https://");
    const char *rest = is_url ? strstr(host, "://") + 3 : host;
    size_t len = strcspn(rest, "/");
    const char *colon = memchr(rest, ':', len), *bracket = memchr(rest, ']', len);

    if (bracket)
        colon = bracket + 1 < rest + len && bracket[1] == ':' ? bracket + 1 : NULL;
    size_t name_len = colon ? (size_t)(colon - rest) : len;
    int is_any = name_len == 0 || (name_len == 7 && starts_with(rest, "0.0.0.0"));
    const int has_path = rest[len + strspn(rest + len, "/")] != '\0';

    str_append(out, host, (size_t)(rest - host));
    str_add(out, is_url ? "" : "http://");
    str_append(out, is_any ? "localhost" : rest, is_any ? strlen("localhost") : name_len);
    if (colon)
        str_append(out, colon, len - name_len);
    else if (!is_url)
        str_add(out, ":11434");
    return str_add(out, has_path ? rest + len : "/v1");
}

static int is_loopback(const char *host)
{
    return strcasecmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0 ||
           (starts_with(host, "127.") && strspn(host, "0123456789.") == strlen(host));
}

/* Takes scheme and host out of the URL. */
static int read_url(provider_place *out, CURLU *parts, const char *url)
{
    char *scheme = NULL, *host = NULL, *port = NULL, *query = NULL;
    int error = SNUG_OK;
    CURLUcode fault = curl_url_set(parts, CURLUPART_URL, url, CURLU_DISALLOW_USER);
    if (fault == CURLUE_USER_NOT_ALLOWED)
        return error_set(SNUG_EINVAL,
                         "%s has a user name in it; a key is given by its variable "
                         "or a file",
                         out->asked);

    if (!fault)
        fault = curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0);
    if (!fault)
        fault = curl_url_get(parts, CURLUPART_HOST, &host, 0);
    if (fault == CURLUE_OUT_OF_MEMORY)
        error = error_no_memory();
    else if (fault || (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0))
        error = error_set(SNUG_EINVAL, "%s is not an http or https URL: %.200s", out->asked, url);
    else if (curl_url_get(parts, CURLUPART_QUERY, &query, 0) == CURLUE_OK)
        error = error_set(SNUG_EINVAL, "%s has a \"?\" in it: %.*s", out->asked,
                          (int)strcspn(url, "?"), url); /* without the key behind it */

    if (!error) {
        out->is_encrypted = strcmp(scheme, "https") == 0;
        out->is_loopback = is_loopback(host);
        const int has_port = curl_url_get(parts, CURLUPART_PORT, &port, 0) == CURLUE_OK;
        if (str_add(&out->host, host) || (has_port && str_printf(&out->host, ":%s", port)))
            error = error_no_memory();
    }

    curl_free(scheme);
    curl_free(host);
    curl_free(port);
    curl_free(query);
    return error;
}

const char *provider_key_header(const provider *p)
{
    return p->key_header ? p->key_header : p->dialect->key_header;
}

static int ends_with(const char *text, const char *end)
{
    const size_t len = strlen(text), end_len = strlen(end);
    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

/* Of a deployment, whose name is the model's: {base}/openai/deployments/{name}/chat/completions
 * with the version of the interface as a query. A base that ends in /openai/v1 is that of the newer
 * interface, which has neither. */
static int write_azure_url(str *out, const char *base, const char *deployment)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    const char *version = getenv("OPENAI_API_VERSION");
    const char *openai = ends_with(base, "/openai") ? "" : "/openai";

    if (ends_with(base, "/openai/v1")) {
        if (str_printf(out, "%s/chat/completions", base))
            return error_no_memory();
        return SNUG_OK;
    }

    if (!version || !*version)
        version = "2024-10-21"; /* the last that is not a preview */
    if (strspn(version, letters) != strlen(version))
        return error_set(SNUG_EINVAL, "the variable OPENAI_API_VERSION is not a version, as "
                                      "2024-10-21");

    char *name = curl_easy_escape(NULL, deployment, 0);
    int error = !name || str_printf(out, "%s%s/deployments/%s/chat/completions?api-version=%s",
                                    base, openai, name, version)
                    ? error_no_memory()
                    : SNUG_OK;
    curl_free(name);
    return error;
}

/* The base URL without slashes at its end, and the path of requests. */
static int write_url(str *out, const provider *p, const char *rest, const char *base)
{
    size_t len = strlen(base), version_len = strlen(p->dialect->version);

    while (len > 0 && base[len - 1] == '/')
        len--;
    if (p->write_url) {
        str trimmed = { 0 };
        int error = str_append(&trimmed, base, len) ? error_no_memory() : SNUG_OK;
        if (!error)
            error = p->write_url(out, str_text(&trimmed), rest);
        str_free(&trimmed);
        return error;
    }

    int has_version = len >= version_len &&
                      memcmp(base + len - version_len, p->dialect->version, version_len) == 0;
    if (str_append(out, base, len) || str_add(out, has_version ? "" : p->dialect->version) ||
        str_add(out, p->dialect->path))
        return error_no_memory();

    return SNUG_OK;
}

int provider_read_url(provider_place *out, const char *url, const char *asked)
{
    CURLU *parts = curl_url();
    *out = (provider_place){ .asked = asked };
    int error = !parts || str_add(&out->url, url) ? error_no_memory() : read_url(out, parts, url);
    curl_url_cleanup(parts);
    if (error)
        provider_place_free(out);
    return error;
}

int provider_locate(provider_place *out, const provider *p, const char *rest, const char *base_url)
{
    const char *variable = getenv(p->url_variable);
    str base = { 0 };

    *out = (provider_place){ .asked = "the base URL" };
    int error = SNUG_OK;
    if (base_url) {
        error = str_add(&base, base_url);
    } else if (variable && *variable) {
        out->asked = p->url_variable;
        error = strcmp(p->url_variable, "OLLAMA_HOST") == 0 ? write_ollama(&base, variable)
                                                            : str_add(&base, variable);
    } else if (!p->base_url) {
        return error_set(SNUG_EINVAL,
                         "%s has an address for each customer: set the variable %s or the base "
                         "URL, as https://NAME.openai.azure.com",
                         p->name, p->url_variable);
    } else {
        error = str_add(&base, p->base_url);
    }

    out->is_own = !p->base_url || (!base_url && !(variable && *variable));

    CURLU *parts = curl_url();
    if (error || !parts)
        error = error_no_memory();
    if (!error)
        error = read_url(out, parts, str_text(&base));
    if (!error)
        error = write_url(&out->url, p, rest, str_text(&base));
    if (!error)
        out->has_version = p->write_url || strstr(str_text(&out->url), "/v1");
    curl_url_cleanup(parts);
    str_free(&base);
    if (error)
        provider_place_free(out);
    return error;
}

int provider_check_key(const provider_place *place, int is_callers_url)
{
    if (place->is_encrypted || place->is_loopback || is_callers_url)
        return SNUG_OK;
    return error_set(SNUG_EINVAL,
                     "%s is http: the key would go to %s unencrypted; use https, or give the "
                     "address as the base URL of the model",
                     place->asked, str_text(&place->host));
}

int provider_move(provider_place *place, const provider *p, const char *path)
{
    place->url.len -= strlen(p->dialect->path);
    place->url.data[place->url.len] = '\0';
    return str_add(&place->url, path) ? error_no_memory() : SNUG_OK;
}

int provider_write_key(str *out, const provider *p, const str *key)
{
    const char *before = provider_key_header(p);

    /* Room for all of it first, so that no copy is left behind where it grew. */
    if (str_reserve(out, strlen(before) + key->len) || str_add(out, before) ||
        str_add_str(out, key))
        return error_no_memory();
    return SNUG_OK;
}
