#include "fetch/placeholders.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <snug/snug.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/percent.h"
#include "base/secret_env.h"
#include "fetch/rules.h"

static void free_placeholder(placeholder *p)
{
    if (p->value)
        explicit_bzero(p->value, strlen(p->value));
    free(p->value);
    free(p->name);
    free(p->host);
}

void placeholders_free(placeholders *p)
{
    for (size_t i = 0; i < p->count; i++)
        free_placeholder(&p->items[i]);
    free(p->items);
    concealed_free(&p->values);
    *p = (placeholders){ 0 };
}

/* ---- reading ---- */

static int refuse(const char *text, const char *why)
{
    return error_set(SNUG_EINVAL, "%s is not NAME=HOST:VARIABLE: %s", text, why);
}

static int check_value(const char *text, const char *variable, const char *value)
{
    if (!value || !*value)
        return error_set(SNUG_EINVAL, "%s: the environment has no %s", text, variable);
    if (strlen(value) < CONCEALED_LEAST)
        return error_set(SNUG_EINVAL,
                         "%s: the value of %s is too short to be found in what comes back: a "
                         "secret has at least 8 characters",
                         text, variable);
    for (const char *c = value; *c; c++)
        if (*c <= ' ' || *c > '~')
            return error_set(SNUG_EINVAL,
                             "%s: the value of %s has a character that no header may "
                             "have",
                             text, variable);
    return SNUG_OK;
}

static int read_placeholder(placeholder *p, const char *text)
{
    const char *equals = strchr(text, '='), *colon = equals ? strrchr(equals, ':') : NULL;
    if (!equals || !colon || equals == text || colon == equals + 1 || !colon[1])
        return refuse(text, "a part is missing");
    for (const char *c = text; c < equals; c++)
        if (!is_word(*c) && *c != '-')
            return refuse(text, "NAME has letters, digits, _ and - only");

    const char *host = equals + 1;
    p->is_below = !strncmp(host, "*.", 2);
    host += p->is_below ? 2 : 0;
    const char *value = secret_env(colon + 1);
    int error = check_value(text, colon + 1, value);
    if (error)
        return error;
    p->name = strndup(text, (size_t)(equals - text));
    p->host = strndup(host, (size_t)(colon - host));
    p->value = strdup(value);
    if (!p->name || !p->host || !p->value)
        return error_no_memory();
    for (char *c = p->host; *c; c++)
        *c = to_lower(*c);
    if (p->host[strspn(p->host, "abcdefghijklmnopqrstuvwxyz0123456789-_.")] != '\0')
        return refuse(text, "HOST is a name or *.NAME, without a scheme, port or path");
    return SNUG_OK;
}

static int has_name(const placeholders *p, const char *name)
{
    for (size_t i = 0; i < p->count; i++)
        if (!strcmp(p->items[i].name, name))
            return 1;
    return 0;
}

int placeholders_add(placeholders *p, const char *text)
{
    placeholder one = { 0 };

    int error = read_placeholder(&one, text);
    if (!error && has_name(p, one.name))
        error = error_set(SNUG_EINVAL, "%s: there are two secrets of that name", text);
    if (!error && (array_reserve(&p->items, &p->cap, p->count + 1, sizeof *p->items) ||
                   concealed_add(&p->values, one.value, strlen(one.value), p->count)))
        error = error_no_memory();
    if (error)
        free_placeholder(&one);
    else
        p->items[p->count++] = one;
    return error;
}

/* ---- in a request ---- */

/* The one that stands at the beginning of text, with its length there; NULL: none. */
static const placeholder *find_at(size_t *used, const placeholders *p, const char *text, size_t len)
{
    if (len < 4 || text[0] != '{' || text[1] != '{')
        return NULL;
    for (size_t i = 0; i < p->count; i++) {
        const size_t name = strlen(p->items[i].name);
        *used = name + 4;
        if (len >= *used && !memcmp(text + 2, p->items[i].name, name) &&
            !memcmp(text + 2 + name, "}}", 2))
            return &p->items[i];
    }
    return NULL;
}

int placeholders_are_in(const placeholders *p, const char *text, size_t len)
{
    size_t used;

    for (size_t at = 0; at < len; at++)
        if (find_at(&used, p, text + at, len - at))
            return 1;
    return 0;
}

int placeholders_fill(str *out, str *why, const placeholders *p, const char *text, size_t len,
                      const char *host, int is_query)
{
    int error = SNUG_OK;

    for (size_t at = 0, used = 1; at < len && !error; at += used) {
        const placeholder *found = find_at(&used, p, text + at, len - at);
        if (!found) {
            used = 1;
            error = str_append(out, text + at, 1);
        } else if (!rule_is_host(found->host, found->is_below, host)) {
            str_printf(why, "{{%s}} does not belong to %s", found->name, host);
            return SNUG_EPOLICY;
        } else if (is_query) {
            error = percent_append(out, found->value, strlen(found->value));
        } else {
            error = str_add(out, found->value);
        }
    }
    return error;
}

int placeholders_encode(str *out, const placeholders *p, const char *text, size_t len)
{
    int error = SNUG_OK;

    for (size_t at = 0, used = 1; at < len && !error; at += used) {
        if (find_at(&used, p, text + at, len - at)) {
            error = str_append(out, text + at, used);
            continue;
        }
        used = 1;
        error = percent_append(out, text + at, 1);
    }
    return error;
}

/* ---- in what comes back ---- */

int placeholders_hide(const placeholders *p, str *text)
{
    str clean = { 0 };
    concealed_scan s;
    size_t from, used, owner, read = 0;
    int error = SNUG_OK;

    concealed_scan_init(&s, &p->values, str_text(text), text->len, 0);
    while (!error && concealed_next(&s, &from, &used, &owner)) {
        error = str_append(&clean, text->data + read, from - read);
        if (!error)
            error = str_printf(&clean, "{{%s}}", p->items[owner].name);
        read = from + used;
    }
    if (read == 0)
        return SNUG_OK;
    if (!error)
        error = str_append(&clean, text->data + read, text->len - read);
    explicit_bzero(text->data, text->len);
    str_free(text);
    if (error)
        str_free(&clean);
    *text = clean;
    return error;
}
