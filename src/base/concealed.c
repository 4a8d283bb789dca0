#include "base/concealed.h"

#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "base/array.h"
#include "base/base64.h"
#include "base/jsontext.h"
#include "base/percent.h"

/* ---- forms ---- */

static void wipe(str *text)
{
    if (text->data)
        explicit_bzero(text->data, text->cap);
    str_free(text);
}

void concealed_free(concealed *c)
{
    for (size_t i = 0; i < c->count; i++)
        wipe(&c->forms[i].text);
    free(c->forms);
    *c = (concealed){ 0 };
}

/* A form that is too short is left out. The text is copied. */
static int add_form(concealed *c, const char *text, size_t len, size_t owner, unsigned uses)
{
    str copy = { 0 };
    if (len < CONCEALED_LEAST)
        return SNUG_OK;
    if (str_append(&copy, text, len) ||
        array_reserve(&c->forms, &c->cap, c->count + 1, sizeof *c->forms)) {
        wipe(&copy);
        return SNUG_ENOMEM;
    }

    size_t *chain = &c->first[(unsigned char)*text];
    c->forms[c->count] = (concealed_form){ copy, owner, *chain, uses };
    *chain = ++c->count;
    return SNUG_OK;
}

/* Base64 has three forms of a text, by the number of bytes before it modulo three. The characters
 * that it shares with its neighbours are left out. */
static int add_base64(concealed *c, const char *text, size_t len, size_t owner)
{
    int error = SNUG_OK;
    for (size_t before = 0; before < 3 && !error; before++) {
        const size_t first = before == 0 ? 0 : before + 1, end = (before + len) * 8 / 6;
        str padded = { 0 }, whole = { 0 };
        str_append(&padded, "xx", before);
        str_append(&padded, text, len);
        if (!(error = str_error(&padded)) &&
            !(error = base64_append(&whole, padded.data, padded.len)) && end > first)
            error = add_form(c, whole.data + first, end - first, owner,
                             CONCEALED_IN_TEXT | CONCEALED_IN_JSON);
        wipe(&padded);
        wipe(&whole);
    }
    return error;
}

/* As JSON writers escape it; some escape '/' too. */
static int add_escaped(concealed *c, const char *text, size_t len, size_t owner, int has_slashes)
{
    str quoted = { 0 }, form = { 0 };
    int error = jsontext_quote(&quoted, text, len);
    for (size_t i = 1; !error && i + 1 < quoted.len; i++) {
        if (has_slashes && quoted.data[i] == '/')
            str_append(&form, "\\", 1);
        str_append(&form, quoted.data + i, 1);
    }
    if (!error && !(error = str_error(&form)) && form.len > len)
        error = add_form(c, form.data, form.len, owner, CONCEALED_IN_TEXT | CONCEALED_IN_JSON);
    wipe(&quoted);
    wipe(&form);
    return error;
}

/* Whether text stands in a JSON string as it is. */
static int is_plain(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] == '"' || text[i] == '\\' || (unsigned char)text[i] < ' ')
            return 0;
    return 1;
}

/* As URLs have it, which servers echo. */
static int add_percent(concealed *c, const char *text, size_t len, size_t owner)
{
    str form = { 0 };
    int error = percent_append(&form, text, len);
    if (!error && form.len > len)
        error = add_form(c, form.data, form.len, owner, CONCEALED_IN_TEXT | CONCEALED_IN_JSON);
    wipe(&form);
    return error;
}

int concealed_add(concealed *c, const char *text, size_t len, size_t owner)
{
    const unsigned uses =
        CONCEALED_IN_TEXT | CONCEALED_ITSELF | (is_plain(text, len) ? CONCEALED_IN_JSON : 0);
    int error;
    if (len < CONCEALED_LEAST)
        return SNUG_OK;
    if ((error = add_form(c, text, len, owner, uses)) ||
        (error = add_escaped(c, text, len, owner, 0)) || (error = add_percent(c, text, len, owner)))
        return error;
    if (memchr(text, '/', len) && (error = add_escaped(c, text, len, owner, 1)))
        return error;
    return add_base64(c, text, len, owner);
}

/* ---- looking ---- */

/* The length of the longest form that begins at s->at; 0: none does. */
static size_t find_here(const concealed_scan *s, size_t *owner)
{
    const unsigned use = s->is_json ? CONCEALED_IN_JSON : CONCEALED_IN_TEXT;
    const concealed_form *form;
    size_t longest = 0;

    for (size_t i = s->of->first[(unsigned char)s->text[s->at]]; i > 0; i = form->next) {
        form = &s->of->forms[i - 1];
        if (form->uses & use && form->text.len > longest && form->text.len <= s->len - s->at &&
            memcmp(s->text + s->at, form->text.data, form->text.len) == 0) {
            longest = form->text.len;
            *owner = form->owner;
        }
    }
    return longest;
}

void concealed_scan_init(concealed_scan *s, const concealed *of, const char *text, size_t len,
                         int is_json)
{
    *s = (concealed_scan){ .of = of, .text = text, .len = len, .is_json = is_json };
}

int concealed_next(concealed_scan *s, size_t *from, size_t *used, size_t *owner)
{
    while (s->of->count > 0 && s->at < s->len) {
        const char c = s->text[s->at];
        if ((s->is_inside || !s->is_json) && (*used = find_here(s, owner))) {
            *from = s->at;
            s->at += *used;
            return 1;
        }
        if (s->is_json && c == '"')
            s->is_inside = !s->is_inside;
        /* Nothing begins within an escape of JSON: "\u00e9" has six characters, others have two. */
        const int is_escape = s->is_json && s->is_inside && c == '\\';
        const int is_unicode = is_escape && s->at + 1 < s->len && s->text[s->at + 1] == 'u';
        s->at += is_unicode ? 6 : is_escape ? 2 : 1;
    }
    return 0;
}
