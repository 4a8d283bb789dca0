#include "cli/upstream/upstreams.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <snug/snug.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsontext.h"
#include "base/secret_env.h"
#include "base/shellword.h"
#include "cli/program/command.h"
#include "cli/program/secrets.h"
#include "cli/upstream/mcptool.h"

enum { FILE_BYTES = 4 << 20 };

static void free_secret(char *text)
{
    if (text)
        explicit_bzero(text, strlen(text));
    free(text);
}

static void free_upstream(upstream *one)
{
    free(one->name);
    free_secret(one->command);
    free_secret(one->url);
    for (size_t i = 0; i < one->header_count; i++)
        free_secret(one->headers[i]);
    free(one->headers);
}

void upstreams_free(upstreams *u)
{
    for (size_t i = 0; i < u->count; i++)
        free_upstream(&u->items[i]);
    free(u->items);
    *u = (upstreams){ 0 };
}

int upstream_is_url(const char *text)
{
    return strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0;
}

/* Takes what one has, but for its name, which is made an identifier: "my-server" is my_server. */
static int add(upstreams *u, const char *name, size_t len, upstream *one)
{
    one->name = strndup(name, len);
    if (!one->name || (!one->command && !one->url) ||
        array_reserve(&u->items, &u->cap, u->count + 1, sizeof *u->items)) {
        free_upstream(one);
        return SNUG_ENOMEM;
    }
    for (char *c = one->name; *c; c++)
        if (!is_word(*c))
            *c = '_';
    u->items[u->count++] = *one;
    return SNUG_OK;
}

/* ---- what is secret ---- */

static int is_one_of(const char *const *words, const char *text, size_t len)
{
    for (; *words; words++)
        if (strlen(*words) == len && strncasecmp(*words, text, len) == 0)
            return 1;
    return 0;
}

/* Whether a variable of that name has a secret: GITHUB_TOKEN, not TOKEN_FILE. */
static int names_secret(const char *name)
{
    static const char *const words[] = {
        "key",        "apikey",      "token", "secret", "password", "passwd", "pass", "passphrase",
        "credential", "credentials", "auth",  "pat",    "cookie",   "bearer", "jwt",  NULL,
    };
    const char *last = strrchr(name, '_');

    last = last ? last + 1 : name;
    return is_one_of(words, last, strlen(last));
}

/* Headers whose values are words of the protocol or of a browser's, and no secret. */
static int is_open_header(const char *name)
{
    static const char *const names[] = {
        "accept", "accept-encoding", "accept-language",      "cache-control", "content-type",
        "host",   "origin",          "mcp-protocol-version", "user-agent",    NULL,
    };
    return is_one_of(names, name, strlen(name));
}

/* ---- files ---- */

static int refuse(str *why, const char *name, const char *sentence)
{
    return str_printf(why, "%s%s%s", name, *name ? ": " : "", sentence) ? SNUG_ENOMEM : SNUG_EINVAL;
}

/* ${NAME} and ${NAME:-DEFAULT} are the environment's. */
static int expand_name(str *out, char *name)
{
    char *other = strstr(name, ":-");

    if (other)
        *other = '\0';
    /* As VS Code writes it. */
    const char *variable = strncmp(name, "env:", 4) ? name : name + 4;
    const char *value = secret_env(variable);
    if (value && names_secret(variable) && secrets_add_value(value))
        return SNUG_ENOMEM;
    return str_add(out, value ? value : other ? other + 2 : "");
}

static int expand(str *out, const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        const char *end = NULL;
        if (len - at > 3 && text[at] == '$' && text[at + 1] == '{')
            end = memchr(text + at, '}', len - at);
        if (!end) {
            str_append(out, text + at++, 1);
            continue;
        }
        char *inner = strndup(text + at + 2, (size_t)(end - text) - at - 2);
        const int error = inner ? expand_name(out, inner) : SNUG_ENOMEM;
        free(inner);
        if (error)
            return error;
        at = (size_t)(end - text) + 1;
    }
    return str_error(out);
}

static int read_value(str *out, str *why, const char *name, jsontext_span value)
{
    str raw = { 0 };
    int error = jsontext_string(&raw, value);

    if (error == SNUG_EINVAL || strlen(str_text(&raw)) != raw.len)
        error =
            refuse(why, name, "command, args, url and the values of env and headers are strings");
    if (!error && strstr(str_text(&raw), "${input:"))
        error = refuse(why, name, "it asks for an ${input:...}, which is VS Code's to ask for");
    if (!error)
        error = expand(out, str_text(&raw), raw.len);
    str_free(&raw);
    return error;
}

static int add_value(str *out, str *why, const char *name, jsontext_span value, int is_secret)
{
    str text = { 0 };
    int error = read_value(&text, why, name, value);

    if (!error && is_secret)
        error = secrets_add_value(str_text(&text));
    if (!error && !(error = shellword_append(out, str_text(&text), text.len)))
        error = str_add(out, " ");
    if (text.data)
        explicit_bzero(text.data, text.len);
    str_free(&text);
    return error;
}

/* The shell would take another word for a command. */
static int is_variable(const str *name)
{
    for (size_t i = 0; i < name->len; i++)
        if (!is_word(name->data[i]))
            return 0;
    return name->len > 0 && !is_digit(*name->data);
}

static int add_variable(str *out, str *why, const char *name, const jsontext_token *key,
                        jsontext_span value)
{
    str variable = { 0 };
    int error = jsontext_token_string(&variable, key);

    if (!error && !is_variable(&variable))
        error = refuse(why, name, "env has a name that no variable has");
    if (!error && !(error = str_printf(out, "%s=", str_text(&variable))))
        error = add_value(out, why, name, value, names_secret(variable.data));
    str_free(&variable);
    return error;
}

/* Of an object, variables; of a list, words. */
static int add_all(str *out, str *why, const char *name, jsontext_span values, int is_env)
{
    jsontext j;
    jsontext_token key;
    jsontext_span value;
    int error = SNUG_OK;

    if (!values.text || !jsontext_enter(&j, values))
        return SNUG_OK;
    while (!error && jsontext_item(&j, &key, &value))
        error = is_env ? add_variable(out, why, name, &key, value)
                       : add_value(out, why, name, value, 0);
    return error;
}

static int add_command(upstream *one, str *why, const char *name, jsontext_span server)
{
    str line = { 0 };
    int error;

    if (!(error = add_all(&line, why, name, jsontext_member(server, "env"), 1)) &&
        !(error = str_add(&line, "exec ")) &&
        !(error = add_value(&line, why, name, jsontext_member(server, "command"), 0)))
        error = add_all(&line, why, name, jsontext_member(server, "args"), 0);
    one->command = str_take(&line);
    return error;
}

/* A name as HTTP has it, and a value that ends no line. */
static int is_header(const str *name, const str *value)
{
    for (size_t i = 0; i < name->len; i++)
        if (!is_alnum(name->data[i]) && !strchr("!#$%&'*+-.^_`|~", name->data[i]))
            return 0;
    for (size_t i = 0; i < value->len; i++)
        if ((unsigned char)value->data[i] < ' ' || value->data[i] == 0x7f)
            return 0;
    return name->len > 0;
}

static int add_header(upstream *one, str *why, const char *server, const jsontext_token *key,
                      jsontext_span text)
{
    str name = { 0 }, value = { 0 }, line = { 0 };
    int error = jsontext_token_string(&name, key);

    if (!error)
        error = read_value(&value, why, server, text);
    if (!error && !is_header(&name, &value))
        error = refuse(why, server, "headers has what is none");
    if (!error && !is_open_header(str_text(&name)))
        error = secrets_add_value(str_text(&value));
    /* libcurl leaves out a header without a value. */
    if (!error && value.len > 0)
        error = str_printf(&line, "%s: %s", name.data, value.data);
    if (!error && value.len > 0)
        one->headers[one->header_count++] = str_take(&line);
    if (value.data)
        explicit_bzero(value.data, value.len);
    str_free(&name);
    str_free(&value);
    str_free(&line);
    return error;
}

static int add_headers(upstream *one, str *why, const char *name, jsontext_span headers)
{
    jsontext j;
    jsontext_token key;
    jsontext_span value;
    size_t cap = 0;
    int error = SNUG_OK;

    if (!headers.text)
        return SNUG_OK;
    if (*headers.text != '{' || !jsontext_enter(&j, headers))
        return refuse(why, name, "headers is an object");
    while (!error && jsontext_item(&j, &key, &value)) {
        error = array_reserve(&one->headers, &cap, one->header_count + 1, sizeof *one->headers);
        if (!error)
            error = add_header(one, why, name, &key, value);
    }
    return error;
}

static int add_url(upstream *one, str *why, const char *name, jsontext_span server)
{
    str url = { 0 };
    int error = read_value(&url, why, name, jsontext_member(server, "url"));

    if (!error && !upstream_is_url(str_text(&url)))
        error = refuse(why, name, "url is one of http or https");
    if (!error)
        error = add_headers(one, why, name, jsontext_member(server, "headers"));
    one->url = str_take(&url);
    return error;
}

static int add_server(upstreams *u, str *why, const char *name, jsontext_span server)
{
    const int has_command = jsontext_member(server, "command").text != NULL;
    upstream one = { 0 };

    if (jsontext_is(jsontext_member(server, "disabled"), "true"))
        return SNUG_OK;
    if (!has_command && !jsontext_member(server, "url").text)
        return refuse(why, name, "it has no command, nor a url");
    if (!has_command && jsontext_is(jsontext_member(server, "type"), "\"sse\""))
        return refuse(why, name,
                      "it is of type sse, the transport before streamable HTTP, which is "
                      "not spoken");

    int error =
        has_command ? add_command(&one, why, name, server) : add_url(&one, why, name, server);
    if (!error)
        return add(u, name, strlen(name), &one);
    free_upstream(&one);
    return error;
}

int upstreams_parse(upstreams *u, str *why, const char *text, size_t len)
{
    jsontext j;
    jsontext_token key;
    jsontext_span server;
    size_t at;
    int error = SNUG_OK;
    const char *fault = jsontext_check(text, len, &at);

    if (fault)
        return str_printf(why, "%s at byte %zu", fault, at + 1) ? SNUG_ENOMEM : SNUG_EINVAL;
    jsontext_span all = jsontext_member((jsontext_span){ text, len }, "mcpServers");
    if (!all.text)
        all = jsontext_member((jsontext_span){ text, len }, "servers");
    if (!all.text || *all.text != '{' || !jsontext_enter(&j, all))
        return refuse(why, "", "it has no mcpServers");

    while (!error && jsontext_item(&j, &key, &server)) {
        str name = { 0 };
        error = jsontext_token_string(&name, &key);
        if (!error)
            error = add_server(u, why, str_text(&name), server);
        str_free(&name);
    }
    return error;
}

static int read_config(upstreams *u, const char *path)
{
    str text = { 0 }, why = { 0 };
    int status = EXIT_FINE;

    if (file_read(&text, path, FILE_BYTES))
        status = command_fail(EXIT_USAGE, "--upstream-config %s: %s", path, error_message());
    if (!status && upstreams_parse(u, &why, str_text(&text), text.len))
        status = command_fail(EXIT_USAGE, "--upstream-config %s: %s", path,
                              why.len > 0 ? why.data : "out of memory");
    str_free(&text);
    str_free(&why);
    return status;
}

/* ---- all of them ---- */

static int has_twice(const upstreams *u, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < u->count; i++)
        count += !strcmp(u->items[i].name, name);
    return count > 1;
}

/* As NAME of NAME.tool. */
static int check(const upstreams *u, const options *o)
{
    for (size_t i = 0; i < u->count; i++) {
        const char *name = u->items[i].name;
        if (!*name || is_digit(*name) || *name == '_')
            return command_fail(EXIT_USAGE, "upstream %s: a name begins with a letter", name);
        if (mcptool_is_keyword(name))
            return command_fail(EXIT_USAGE, "upstream %s: the name is a keyword of Python", name);
        if (has_twice(u, name))
            return command_fail(EXIT_USAGE, "upstream %s: there are two of that name", name);
        if (snug_tool_check_name(name, o->session.profile, o->session.allow) == SNUG_EINVAL)
            return command_fail(EXIT_USAGE,
                                "upstream %s: %s: choose another name by --upstream "
                                "NAME=COMMAND or NAME=URL",
                                name, snug_error_message());
    }
    return EXIT_FINE;
}

int upstreams_read(upstreams *u, const options *o)
{
    int status = EXIT_FINE;

    for (size_t i = 0; i < o->upstreams.count && !status; i++) {
        const char *spec = o->upstreams.items[i];
        const size_t len = strcspn(spec, "=");
        upstream one = { 0 };
        *(upstream_is_url(spec + len + 1) ? &one.url : &one.command) = strdup(spec + len + 1);
        if (add(u, spec, len, &one))
            status = command_fail_memory();
    }
    for (size_t i = 0; i < o->upstream_files.count && !status; i++)
        status = read_config(u, o->upstream_files.items[i]);
    return status ? status : check(u, o);
}
