/* What is judged by the head of a request alone. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "http/connections.h"

/* ---- headers ---- */

const char *http_header(const http_request *r, const char *name)
{
    return r->connection ? mhd.lookup_connection_value(r->connection, MHD_HEADER_KIND, name) : NULL;
}

typedef struct counted {
    const char *name;
    unsigned count;
} counted;

static enum MHD_Result count_header(void *payload, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    counted *c = payload;
    (void)kind;
    (void)value;
    if (!strcasecmp(name, c->name))
        c->count++;
    return MHD_YES;
}

unsigned http_header_count(const http_request *r, const char *name)
{
    counted c = { name, 0 };
    if (r->connection)
        mhd.get_connection_values(r->connection, MHD_HEADER_KIND, count_header, &c);
    return c.count;
}

/* ---- names of this machine ---- */

/* The host of "host:port" or "[::1]:port". */
static size_t host_len(const char *text)
{
    if (*text == '[')
        return strcspn(text, "]") + (strchr(text, ']') != NULL);
    return strcspn(text, ":/");
}

static int is_loopback_name(const char *text, size_t len)
{
    static const char *const names[] = { "localhost", "127.0.0.1", "[::1]", "::1" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == len && !strncasecmp(names[i], text, len))
            return 1;
    return 0;
}

int http_is_loopback(const char *host)
{
    return is_loopback_name(host, strlen(host));
}

/* Behind the host comes nothing but a port. */
static int is_loopback_host(const char *text)
{
    const size_t len = host_len(text);
    if (!is_loopback_name(text, len))
        return 0;
    if (!text[len])
        return 1;
    return text[len] == ':' && strspn(text + len + 1, "0123456789") == strlen(text + len + 1);
}

static int is_right_host(const http_request *r)
{
    const char *host = http_header(r, "Host");
    if (!host)
        return 0;
    return !r->server->is_loopback || is_loopback_host(host) ||
           !strcasecmp(host, r->server->options.host);
}

static int is_right_origin(const http_request *r)
{
    const char *origin = http_header(r, "Origin");
    const char *const *one = r->server->options.origins;

    if (!origin)
        return 1;
    for (; one && *one; one++)
        if (!strcmp(origin, *one))
            return 1;
    if (!strncmp(origin, "http://", 7))
        return is_loopback_host(origin + 7);
    return !strncmp(origin, "https://", 8) && is_loopback_host(origin + 8);
}

/* ---- who asks ---- */

static int find_principal(http_request *r)
{
    const http_options *o = &r->server->options;
    const char *given = http_header(r, "Authorization");

    r->principal = "";
    if (!o->find_principal)
        return 1;
    if (!given || strncasecmp(given, "Bearer ", 7) != 0)
        return 0;
    given += 7;
    given += strspn(given, " ");
    r->principal = o->find_principal(o->payload, given);
    return r->principal != NULL;
}

/* ---- all of it ---- */

static unsigned find_route(const char **why, http_request *r, const char *method, const char *path)
{
    int is_path = 0;

    for (const http_route *one = r->server->options.routes; one->path; one++) {
        if (strcmp(one->path, path) != 0)
            continue;
        is_path = 1;
        if (!strcmp(one->method, method))
            r->route = one;
    }
    if (r->route)
        return 0;
    *why = is_path ? "the method is not allowed here" : "there is nothing at this path";
    return is_path ? 405 : 404;
}

static const char *const single[] = { "Host",          "Content-Length", "Transfer-Encoding",
                                      "Authorization", "Origin",         "Content-Type" };

unsigned head_check(const char **why, http_request *r, const char *method, const char *path)
{
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (http_header_count(r, single[i]) > 1) {
            *why = "a header is there twice of which there is one";
            return 400;
        }

    const char *length = http_header(r, "Content-Length");
    if (length && http_header(r, "Transfer-Encoding")) {
        *why = "the request has a length and comes in chunks";
        return 400;
    }
    if (!is_right_host(r)) {
        *why = "the Host is none of this server's";
        return 403;
    }
    if (!is_right_origin(r)) {
        *why = "the Origin may not ask here";
        return 403;
    }
    if (!find_principal(r)) {
        *why = "a bearer token is needed";
        return 401;
    }

    const unsigned status = find_route(why, r, method, path);
    if (!status && length && strtoull(length, NULL, 10) > r->server->options.limits.body_bytes) {
        *why = "the body is too large";
        return 413;
    }
    return status;
}
