#include "fetch/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <snug/snug.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/error.h"
#include "fetch/address.h"

enum { HTTP_PORT = 80, HTTPS_PORT = 443, MOST_PORT = 65535 };

static int refuse(const char *text, const char *why)
{
    return error_set(SNUG_EINVAL, "%s names no server that could be asked: %s", text, why);
}

/* ---- reading ---- */

static const char *skip_scheme(fetch_rule *rule, const char *at)
{
    if (!strncasecmp(at, "https://", 8))
        return at + 8;
    if (strncasecmp(at, "http://", 7) != 0)
        return at;
    rule->is_plain = 1;
    return at + 7;
}

static int is_host_text(const char *host)
{
    size_t len = strlen(host);
    if (len == 0 || host[0] == '.' || host[len - 1] == '.')
        return 0;
    for (const char *c = host; *c; c++)
        if (!is_word(*c) && *c != '-' && *c != '.')
            return 0;
    return 1;
}

/* [::1] or a name; at ends up behind it. */
static int take_host(fetch_rule *rule, const char *text, const char **at)
{
    struct sockaddr_storage address;
    const int has_brackets = **at == '[';
    const char *begin = *at + has_brackets;
    size_t len = strcspn(begin, has_brackets ? "]" : ":=/");

    if (!has_brackets && !strncmp(begin, "*.", 2)) {
        rule->is_below = 1;
        begin += 2;
        len -= 2;
    }
    *at = begin + len;
    if (has_brackets && **at != ']')
        return refuse(text, "the bracket is not closed");
    *at += has_brackets;

    rule->host = strndup(begin, len);
    if (!rule->host)
        return error_no_memory();
    for (char *c = rule->host; *c; c++)
        *c = to_lower(*c);
    rule->has_address = address_read(&address, rule->host);
    if (rule->has_address)
        rule->address = address;
    if (has_brackets ? !rule->has_address || strchr(rule->host, ':') == NULL
                     : !is_host_text(rule->host))
        return refuse(text, "a host is a name in ASCII, or an address, IPv6 in brackets");
    if (rule->is_below && (rule->has_address || !strchr(rule->host, '.')))
        return refuse(text, "what is below a whole domain as *.com, or below an address, is not "
                            "one's own to allow");
    return SNUG_OK;
}

static int take_port(fetch_rule *rule, const char *text, const char **at)
{
    char *end;

    rule->port = rule->is_plain ? HTTP_PORT : HTTPS_PORT;
    if (**at != ':')
        return SNUG_OK;
    unsigned long port = strtoul(*at + 1, &end, 10);
    if (end == *at + 1 || !is_digit((*at)[1]) || port < 1 || port > MOST_PORT)
        return refuse(text, "a port is a number from 1 to 65535");
    rule->port = (unsigned)port;
    *at = end;
    return SNUG_OK;
}

static int take_pin(fetch_rule *rule, const char *text, const char *at)
{
    if (*at == '/' && at[1] == '\0')
        at++;
    if (*at == '\0')
        return SNUG_OK;
    if (*at != '=')
        return refuse(text, "rules have no path");
    if (rule->is_below || rule->has_address)
        return refuse(text, "an address behind = belongs to one name");
    rule->pinned = strdup(at + 1);
    if (!rule->pinned)
        return error_no_memory();
    rule->has_address = address_read(&rule->address, rule->pinned);
    if (!rule->has_address)
        return refuse(text, "what stands behind = is not an address");
    return SNUG_OK;
}

static void free_rule(fetch_rule *rule)
{
    free(rule->host);
    free(rule->pinned);
}

int rules_add(fetch_rules *r, const char *text)
{
    fetch_rule rule = { 0 };
    const char *at = skip_scheme(&rule, text);

    int error = take_host(&rule, text, &at);
    if (!error)
        error = take_port(&rule, text, &at);
    if (!error)
        error = take_pin(&rule, text, at);
    if (!error && array_reserve(&r->items, &r->cap, r->count + 1, sizeof *r->items))
        error = error_no_memory();
    if (error) {
        free_rule(&rule);
        return error;
    }

    r->items[r->count++] = rule;
    return SNUG_OK;
}

static void forget_methods(fetch_rules *r)
{
    for (size_t i = 0; i < r->method_count; i++)
        free(r->methods[i]);
    free(r->methods);
    r->methods = NULL;
    r->method_count = 0;
}

static int add_method(fetch_rules *r, const char *name, size_t len)
{
    char **grown = realloc(r->methods, (r->method_count + 1) * sizeof *grown);
    if (!grown)
        return error_no_memory();
    r->methods = grown;
    char *method = strndup(name, len);
    if (!method)
        return error_no_memory();
    for (char *c = method; *c; c++)
        *c = to_upper(*c);
    r->methods[r->method_count++] = method;
    return SNUG_OK;
}

int rules_set_methods(fetch_rules *r, const char *text)
{
    static const char *const known[] = {
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"
    };
    forget_methods(r);
    for (const char *at = text; *at;) {
        size_t len = strcspn(at, ",");
        size_t i = 0;
        while (i < sizeof known / sizeof *known &&
               (strlen(known[i]) != len || strncasecmp(known[i], at, len) != 0))
            i++;
        if (i == sizeof known / sizeof *known)
            return error_set(SNUG_EINVAL,
                             "there is no method %.*s: there are GET, HEAD, POST, PUT, "
                             "PATCH, DELETE and OPTIONS",
                             (int)len, at);
        int error = add_method(r, at, len);
        if (error)
            return error;
        at += len + (at[len] == ',');
    }
    return SNUG_OK;
}

void rules_free(fetch_rules *r)
{
    for (size_t i = 0; i < r->count; i++)
        free_rule(&r->items[i]);
    free(r->items);
    forget_methods(r);
    *r = (fetch_rules){ 0 };
}

int rules_only_read(const fetch_rules *r)
{
    for (size_t i = 0; i < r->method_count; i++)
        if (strcmp(r->methods[i], "GET") != 0 && strcmp(r->methods[i], "HEAD") != 0 &&
            strcmp(r->methods[i], "OPTIONS") != 0)
            return 0;
    return 1;
}

/* ---- asking ---- */

int rule_is_host(const char *pattern, int is_below, const char *host)
{
    size_t len = strlen(host), end = strlen(pattern);

    if (!is_below)
        return !strcmp(host, pattern);
    return len > end + 1 && host[len - end - 1] == '.' && !strcmp(host + len - end, pattern);
}

static int is_method(const fetch_rules *r, const char *method)
{
    for (size_t i = 0; i < r->method_count; i++)
        if (!strcmp(r->methods[i], method))
            return 1;
    return 0;
}

const fetch_rule *rules_find(const fetch_rules *r, const fetch_target *target, str *why)
{
    const int is_plain = !strcmp(target->scheme, "http");
    const fetch_rule *of_host = NULL;

    if (!is_plain && strcmp(target->scheme, "https") != 0) {
        str_printf(why, "%s: is not a scheme that can be fetched: http and https are",
                   target->scheme);
        return NULL;
    }
    if (!is_method(r, target->method)) {
        str_printf(why, "the method %s is not allowed here", target->method);
        return NULL;
    }

    for (size_t i = 0; i < r->count; i++) {
        const fetch_rule *rule = &r->items[i];
        if (!rule_is_host(rule->host, rule->is_below, target->host))
            continue;
        of_host = rule;
        if (rule->is_plain == is_plain && rule->port == target->port)
            return rule;
    }

    if (of_host)
        str_printf(why, "%s may be asked by %s on port %u, and not by %s on port %u", target->host,
                   of_host->is_plain ? "http" : "https", of_host->port, target->scheme,
                   target->port);
    else
        str_printf(why, "%s is not among the hosts that may be asked", target->host);
    return NULL;
}

int rule_allows_address(const fetch_rule *rule, const struct sockaddr *address)
{
    if (rule->has_address)
        return address_is_same((const struct sockaddr *)&rule->address, address);
    if (!strcmp(rule->host, "localhost"))
        return address_is_loopback(address);
    return address_is_public(address);
}
