#include "fetch/request.h"

#include <string.h>
#include <strings.h>

#include <snug/snug.h>

#include "base/ascii.h"

void fetch_request_free(fetch_request *request)
{
    for (size_t i = 0; i < request->header_count; i++) {
        str_free(&request->headers[i].name);
        str_free(&request->headers[i].value);
    }
    str_free(&request->url);
    str_free(&request->body);
}

static int refuse(str *why, const char *sentence)
{
    return str_add(why, sentence) ? SNUG_ENOMEM : SNUG_EINVAL;
}

/* ---- headers ---- */

/* Those are the connection's, and libcurl writes them: a second one would be read by somebody. */
static const char *const kept[] = { "host",           "content-length", "transfer-encoding",
                                    "connection",     "upgrade",        "te",
                                    "trailer",        "expect",         "keep-alive",
                                    "http2-settings", "accept-encoding" };

static int is_kept(const char *name)
{
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (!strcasecmp(kept[i], name))
            return 1;
    return !strncasecmp(name, "proxy-", 6);
}

static int is_token(const str *name)
{
    for (size_t i = 0; i < name->len; i++)
        if (!is_word(name->data[i]) && !strchr("!#$%&'*+-.^`|~", name->data[i]))
            return 0;
    return name->len > 0;
}

static int is_value(const str *value)
{
    for (size_t i = 0; i < value->len; i++) {
        const unsigned char c = (unsigned char)value->data[i];
        if ((c < ' ' && c != '\t') || c == 0x7f)
            return 0;
    }
    return 1;
}

static int check_header(str *why, const fetch_header *header)
{
    if (!is_token(&header->name) || strlen(header->name.data) != header->name.len)
        return refuse(why, "the name of a header has letters, digits and hyphens");
    if (!is_value(&header->value))
        return refuse(why, "the value of a header has no control characters or ends of lines");
    if (is_kept(header->name.data)) {
        str_printf(why, "the header %s is the connection's, and not to be set", header->name.data);
        return SNUG_EINVAL;
    }
    return SNUG_OK;
}

static int add_header(fetch_request *r, str *why, const char *name, size_t len, const str *value)
{
    if (r->header_count == FETCH_HEADERS)
        return refuse(why, "a request has at most 64 headers");
    fetch_header *header = &r->headers[r->header_count++];
    *header = (fetch_header){ 0 };
    int error = str_append(&header->name, name, len);
    if (!error)
        error = str_add_str(&header->value, value);
    return error ? error : check_header(why, header);
}

static int take_headers(fetch_request *r, str *why, jsontext_span headers)
{
    jsontext j;
    jsontext_token name;
    jsontext_span value;
    size_t bytes = 0;
    int error = SNUG_OK;

    if (!headers.text || jsontext_is(headers, "null"))
        return SNUG_OK;
    if (headers.text[0] != '{' || !jsontext_enter(&j, headers))
        return refuse(why, "headers is a dict of strings");
    while (!error && jsontext_item(&j, &name, &value)) {
        str key = { 0 }, text = { 0 };
        error = jsontext_token_string(&key, &name);
        if (!error && jsontext_string(&text, value) == SNUG_EINVAL)
            error = refuse(why, "headers is a dict of strings");
        bytes += key.len + text.len;
        if (!error && bytes > FETCH_HEADER_BYTES)
            error = refuse(why, "the headers have more than 16 KiB");
        if (!error)
            error = add_header(r, why, str_text(&key), key.len, &text);
        str_free(&key);
        str_free(&text);
    }
    return error;
}

static int has_header(const fetch_request *r, const char *name)
{
    for (size_t i = 0; i < r->header_count; i++)
        if (!strcasecmp(r->headers[i].name.data, name))
            return 1;
    return 0;
}

/* ---- the URL ---- */

/* Text of a string, or of a number or truth value as JSON has it. */
static int take_text(str *out, jsontext_span value)
{
    int error = jsontext_string(out, value);
    return error == SNUG_EINVAL ? str_append(out, value.text, value.len) : error;
}

static int add_params(fetch_request *r, str *why, const placeholders *secrets, jsontext_span params)
{
    jsontext j;
    jsontext_token name;
    jsontext_span value;
    int error = SNUG_OK;

    if (!params.text || jsontext_is(params, "null"))
        return SNUG_OK;
    if (params.text[0] != '{' || !jsontext_enter(&j, params))
        return refuse(why, "params is a dict");
    while (!error && jsontext_item(&j, &name, &value)) {
        str key = { 0 }, text = { 0 };
        error = jsontext_token_string(&key, &name);
        if (!error)
            error = take_text(&text, value);
        if (!error)
            error = str_add(&r->url, strchr(str_text(&r->url), '?') ? "&" : "?");
        if (!error)
            error = placeholders_encode(&r->url, secrets, str_text(&key), key.len);
        if (!error)
            error = str_add(&r->url, "=");
        if (!error)
            error = placeholders_encode(&r->url, secrets, str_text(&text), text.len);
        str_free(&key);
        str_free(&text);
    }
    return error;
}

static int take_url(fetch_request *r, str *why, const placeholders *secrets, jsontext_span all)
{
    int error = jsontext_string(&r->url, jsontext_member(all, "url"));
    if (error == SNUG_EINVAL || strlen(str_text(&r->url)) != r->url.len)
        return refuse(why, "url is a string");
    char *fragment = error || !r->url.data ? NULL : strchr(r->url.data, '#');
    if (fragment) {
        *fragment = '\0';
        r->url.len = (size_t)(fragment - r->url.data);
    }
    if (!error)
        error = add_params(r, why, secrets, jsontext_member(all, "params"));
    if (!error && r->url.len > FETCH_URL_BYTES)
        error = refuse(why, "the URL has more than 16 KiB");

    const size_t before = strcspn(str_text(&r->url), "?");
    if (!error && placeholders_are_in(secrets, str_text(&r->url), before))
        error = refuse(why, "a placeholder stands in the query, in a header or in the body, and "
                            "not before them");
    return error;
}

/* ---- the rest ---- */

static int take_method(fetch_request *r, str *why, jsontext_span method)
{
    str text = { 0 };
    int error = method.text ? jsontext_string(&text, method) : str_add(&text, "GET");
    const int is_fine = !error && text.len > 0 && text.len < sizeof r->method;

    for (size_t i = 0; is_fine && i < text.len; i++)
        r->method[i] = to_upper(text.data[i]);
    str_free(&text);
    if (error == SNUG_ENOMEM)
        return error;
    return is_fine ? SNUG_OK : refuse(why, "method is a string, as \"GET\"");
}

static int take_body(fetch_request *r, str *why, jsontext_span body, jsontext_span json)
{
    static const str json_type = { (char *)(uintptr_t) "application/json", 16, 0 };
    const int has_json = json.text && !jsontext_is(json, "null");

    r->has_body = body.text && !jsontext_is(body, "null");
    if (has_json && r->has_body)
        return refuse(why, "a request has body or json, and not both");
    if (r->has_body && jsontext_string(&r->body, body) == SNUG_EINVAL)
        return refuse(why, "body is a string; json is for other values");
    if (!has_json)
        return SNUG_OK;

    r->has_body = 1;
    int error = str_append(&r->body, json.text, json.len);
    if (!error && !has_header(r, "content-type"))
        error = add_header(r, why, "Content-Type", 12, &json_type);
    return error;
}

int fetch_request_read(fetch_request *out, str *why, const placeholders *secrets,
                       const char *arguments, size_t len)
{
    const jsontext_span all = { arguments, len };

    *out = (fetch_request){ 0 };
    int error = take_url(out, why, secrets, all);
    if (!error)
        error = take_method(out, why, jsontext_member(all, "method"));
    if (!error)
        error = take_headers(out, why, jsontext_member(all, "headers"));
    if (!error)
        error = take_body(out, why, jsontext_member(all, "body"), jsontext_member(all, "json"));
    return error;
}
