#include "fetch/placeholders.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <snug/snug.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/base64.h"
#include "base/error.h"
#include "fetch/rules.h"

static void wipe(char *text, size_t len)
{
    if (text)
        explicit_bzero(text, len);
}

static void free_placeholder(placeholder *p)
{
    for (size_t i = 0; i < p->form_count; i++) {
        wipe(p->forms[i].data, p->forms[i].len);
        str_free(&p->forms[i]);
    }
    if (p->value)
        wipe(p->value, strlen(p->value));
    free(p->value);
    free(p->name);
    free(p->host);
}

void placeholders_free(placeholders *p)
{
    for (size_t i = 0; i < p->count; i++)
        free_placeholder(&p->items[i]);
    free(p->items);
    *p = (placeholders){ 0 };
}

/* ---- how a value is written ---- */

static int is_plain_character(int c)
{
    return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

static int encode_percent(str *out, const char *text, size_t len, const char *digits, int all)
{
    int error = SNUG_OK;

    for (size_t i = 0; i < len && !error; i++) {
        const unsigned char c = (unsigned char)text[i];
        const char escape[] = { '%', digits[c >> 4], digits[c & 15] };
        if (!all && is_plain_character(c))
            error = str_append(out, text + i, 1);
        else
            error = str_append(out, escape, sizeof escape);
    }
    return error;
}

static int encode_hex(str *out, const char *text, size_t len, const char *digits)
{
    int error = SNUG_OK;

    for (size_t i = 0; i < len && !error; i++) {
        const unsigned char c = (unsigned char)text[i];
        const char pair[] = { digits[c >> 4], digits[c & 15] };
        error = str_append(out, pair, sizeof pair);
    }
    return error;
}

/* What is certain of its base64 where before bytes of something else stand in front of it, modulo
 * three: not the characters that it shares with its neighbours. */
static int encode_base64(str *out, const char *text, size_t len, size_t before, int is_for_urls)
{
    str padded = { 0 }, whole = { 0 };
    const size_t first = before == 0 ? 0 : before + 1, all = (before + len) * 8 / 6;
    int error = str_append(&padded, "xx", before);

    if (!error)
        error = str_append(&padded, text, len);
    if (!error)
        error = base64_append(&whole, padded.data, padded.len);
    if (!error && all > first)
        error = str_append(out, whole.data + first, all - first);
    for (size_t i = 0; is_for_urls && i < out->len; i++)
        out->data[i] = (char)(out->data[i] == '+' ? '-' : out->data[i] == '/' ? '_' : out->data[i]);
    wipe(padded.data, padded.len);
    wipe(whole.data, whole.len);
    str_free(&padded);
    str_free(&whole);
    return error;
}

static int write_forms(placeholder *p)
{
    static const char upper[] = "0123456789ABCDEF", lower[] = "0123456789abcdef";
    const size_t len = strlen(p->value);
    str *at = p->forms;
    int error = str_append(at++, p->value, len);

    for (int all = 0; all < 2 && !error; all++) {
        error = encode_percent(at++, p->value, len, upper, all);
        if (!error)
            error = encode_percent(at++, p->value, len, lower, all);
    }
    if (!error)
        error = encode_hex(at++, p->value, len, lower);
    for (size_t before = 0; before < 3 && !error; before++) {
        error = encode_base64(at++, p->value, len, before, 0);
        if (!error)
            error = encode_base64(at++, p->value, len, before, 1);
    }
    if (!error && at < p->forms + PLACEHOLDER_FORMS)
        error = encode_hex(at++, p->value, len, upper);
    p->form_count = (size_t)(at - p->forms);
    return error;
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
    if (strlen(value) < PLACEHOLDER_LEAST)
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
    const char *value = getenv(colon + 1);
    int error = check_value(text, colon + 1, value);
    if (error)
        return error;
    p->name = strndup(text, (size_t)(equals - text));
    p->host = strndup(host, (size_t)(colon - host));
    p->value = strdup(value);
    if (!p->name || !p->host || !p->value || write_forms(p))
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
    if (!error && array_reserve(&p->items, &p->cap, p->count + 1, sizeof *p->items))
        error = error_no_memory();
    if (error) {
        free_placeholder(&one);
        return error;
    }

    /* The longest value first: one may begin with another, whose end would be shown. */
    size_t at = p->count++;
    for (; at > 0 && strlen(p->items[at - 1].value) < strlen(one.value); at--)
        p->items[at] = p->items[at - 1];
    p->items[at] = one;
    return SNUG_OK;
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
        } else {
            /* forms: the value, and then its percent encoding. */
            error = str_add_str(out, &found->forms[is_query ? 1 : 0]);
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
        error = encode_percent(out, text + at, 1, "0123456789ABCDEF", 0);
    }
    return error;
}

/* ---- in what comes back ---- */

/* The value of four hexadecimal digits; -1: they are none. */
static int read_hex4(const char *text)
{
    int value = 0;

    for (int i = 0; i < 4; i++) {
        const int digit = hex_value(text[i]);
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* How many bytes of a string of JSON's stand for c, of ASCII; 0: they are something else. */
static size_t match_character(const char *text, size_t len, char c)
{
    if (len >= 2 && text[0] == '\\' && text[1] == c && strchr("\"\\/", c))
        return 2;
    if (len >= 6 && text[0] == '\\' && text[1] == 'u' && read_hex4(text + 2) == c)
        return 6;
    return len > 0 && text[0] == c;
}

static size_t match_escaped(const char *text, size_t len, const str *form)
{
    size_t at = 0;

    for (size_t i = 0; i < form->len; i++) {
        const size_t used = match_character(text + at, len - at, form->data[i]);
        if (used == 0)
            return 0;
        at += used;
    }
    return at;
}

/* Where text has it next, and in how many bytes; is_escaped: as a string of JSON may write it. */
static const char *find_form(size_t *used, const char *text, size_t len, const str *form,
                             int is_escaped)
{
    *used = form->len;
    if (!is_escaped)
        return memmem(text, len, form->data, form->len);
    for (size_t at = 0; at < len; at++)
        if ((*used = match_escaped(text + at, len - at, form)))
            return text + at;
    return NULL;
}

static int hide_form(str *text, const str *form, const char *name, int is_escaped)
{
    str clean = { 0 };
    size_t from = 0, used;
    int error = SNUG_OK;

    if (form->len == 0 || text->len == 0)
        return SNUG_OK;
    for (const char *found; !error && (found = find_form(&used, text->data + from, text->len - from,
                                                         form, is_escaped));) {
        const size_t at = (size_t)(found - text->data);
        error = str_append(&clean, text->data + from, at - from);
        if (!error)
            error = str_printf(&clean, "{{%s}}", name);
        from = at + used;
    }
    if (from == 0)
        return SNUG_OK;
    if (!error)
        error = str_append(&clean, text->data + from, text->len - from);
    wipe(text->data, text->len);
    str_free(text);
    if (error)
        str_free(&clean);
    else
        *text = clean;
    return error;
}

static int hide_value(str *text, const placeholder *p)
{
    int error = SNUG_OK;

    for (size_t i = 0; i < p->form_count && !error; i++) {
        error = hide_form(text, &p->forms[i], p->name, 0);
        if (!error && text->len > 0 && memchr(text->data, '\\', text->len))
            error = hide_form(text, &p->forms[i], p->name, 1);
    }
    return error;
}

int placeholders_hide(const placeholders *p, str *text)
{
    int error = SNUG_OK;

    for (size_t i = 0; i < p->count && !error; i++)
        error = hide_value(text, &p->items[i]);
    if (error)
        str_clear(text);
    return error;
}
