#include "base/concealed.h"

#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/base64.h"
#include "base/percent.h"
#include "base/utf8.h"

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

/* Takes form, which is left out where it is short or nothing but backslashes. */
static int add_form(concealed *c, str *form, size_t owner, int is_itself)
{
    const size_t first = strspn(str_text(form), "\\");

    if (form->len < CONCEALED_LEAST || first >= form->len) {
        wipe(form);
        return SNUG_OK;
    }
    if (array_reserve(&c->forms, &c->cap, c->count + 1, sizeof *c->forms)) {
        wipe(form);
        return SNUG_ENOMEM;
    }
    size_t *chain = &c->first[(unsigned char)form->data[first]];
    c->forms[c->count] = (concealed_form){ *form, owner, *chain, is_itself };
    *chain = ++c->count;
    return SNUG_OK;
}

/* What is certain of its base64 where before bytes of something else stand in front of it, modulo
 * three: not the characters that it shares with its neighbours. */
static int write_base64(str *out, const char *text, size_t len, size_t before, int is_for_urls)
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
    wipe(&padded);
    wipe(&whole);
    return error;
}

enum { FORMS = 8 };

static int write_form(str *out, const char *text, size_t len, int number)
{
    if (number == 0)
        return str_append(out, text, len);
    if (number == 1)
        return percent_append(out, text, len);
    return write_base64(out, text, len, (size_t)(number - 2) / 2, number % 2);
}

int concealed_add(concealed *c, const char *text, size_t len, size_t owner)
{
    int error = SNUG_OK;

    for (int number = 0; number < FORMS && !error && len >= CONCEALED_LEAST; number++) {
        str form = { 0 };
        error = write_form(&form, text, len, number);
        if (error || (number > 0 && form.len == len)) /* percent encoding changes nothing */
            wipe(&form);
        else
            error = add_form(c, &form, owner, number == 0);
    }
    return error;
}

/* ---- escapes ---- */

/* In a row. JSON in a string of JSON in a string of JSON has eight for one. */
enum { MOST_SLASHES = 64, MOST_CODED_SLASHES = 8 };

static size_t count_slashes(const concealed_scan *s, size_t at)
{
    size_t count = 0;

    while (count < MOST_SLASHES && at + count < s->len && s->text[at + count] == '\\')
        count++;
    return count;
}

/* "u00e9", without its backslash; -1: something else. */
static long read_unit(const concealed_scan *s, size_t at)
{
    long unit = 0;

    if (s->len - at < 5 || s->text[at] != 'u')
        return -1;
    for (size_t i = 1; i < 5; i++) {
        const int digit = hex_value(s->text[at + i]);
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

/* The same as UTF-8, with the other half of a pair behind it. How many bytes it is; 0: it is
 * something else. */
static size_t read_unicode(char bytes[4], size_t *count, const concealed_scan *s, size_t at)
{
    long unit = read_unit(s, at);
    size_t used = 5;

    if (unit < 0)
        return 0;
    const size_t slashes = count_slashes(s, at + used);
    const long low = slashes > 0 ? read_unit(s, at + used + slashes) : -1;
    if (unit >= 0xd800 && unit < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        used += slashes + 5;
    }
    *count = utf8_encode(bytes, (uint32_t)unit);
    return used;
}

/* ---- looking ---- */

/* In how many bytes the form stands at at; 0: it does not. Backslashes are passed over, in both, so
 * that it does not matter how many levels of JSON have put theirs in. */
static size_t match(const concealed_scan *s, size_t at, const str *form)
{
    const size_t begin = at;
    size_t i = 0, count, passed = 0;
    char bytes[4];

    while ((i += strspn(form->data + i, "\\")) < form->len) {
        const size_t slashes = count_slashes(s, at);
        const int is_escape = slashes % 2 == 1;
        at += slashes;
        if (at >= s->len || (s->is_json && !is_escape && s->text[at] == '"'))
            return 0; /* the end of the string */
        const size_t used = slashes > 0 ? read_unicode(bytes, &count, s, at) : 0;
        if (used > 0 && bytes[0] == '\\' && passed++ < MOST_CODED_SLASHES) {
            at += used;
            continue;
        }
        if (used > 0 && count <= form->len - i && !memcmp(form->data + i, bytes, count)) {
            at += used;
            i += count;
            passed = 0;
            continue;
        }
        if (s->text[at] != form->data[i] ||
            (s->is_json && is_escape && strchr("bfnrtu", s->text[at])))
            return 0;
        at++;
        i++;
        passed = 0;
    }
    return at - begin >= CONCEALED_LEAST ? at - begin : 0;
}

/* Whether the second byte rules it out. A server may write what keys begin with over and over. */
static int may_match(const concealed_scan *s, const char *form)
{
    const char *text = s->text + s->at;

    if (s->len - s->at < 2 || memchr(text, '\\', 2) || memchr(form, '\\', 2))
        return 1;
    return text[1] == form[1];
}

/* Of the forms that begin with that byte. */
static void match_forms(const concealed_scan *s, char first, size_t *longest, size_t *owner)
{
    const concealed_form *form;

    for (size_t i = s->of->first[(unsigned char)first]; i > 0; i = form->next) {
        form = &s->of->forms[i - 1];
        const size_t used = may_match(s, form->text.data) ? match(s, s->at, &form->text) : 0;
        if (used > *longest) {
            *longest = used;
            *owner = form->owner;
        }
    }
}

/* The length of the longest at the place of s. */
static size_t find_here(const concealed_scan *s, size_t *owner)
{
    const size_t at = s->at + count_slashes(s, s->at);
    size_t longest = 0, count;
    char bytes[4];

    if (at >= s->len)
        return 0;
    if (at > s->at && read_unicode(bytes, &count, s, at))
        match_forms(s, bytes[0], &longest, owner);
    match_forms(s, s->text[at], &longest, owner);
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
        const int is_looked_into = s->is_inside || !s->is_json;
        if (is_looked_into && (c == '\\' || s->of->first[(unsigned char)c] > 0) &&
            (*used = find_here(s, owner))) {
            *from = s->at;
            s->at += *used;
            return 1;
        }
        if (s->is_json && c == '"')
            s->is_inside = !s->is_inside;
        /* Of JSON, a whole escape. */
        const int is_escape = s->is_json && s->is_inside && c == '\\';
        s->at += is_escape ? read_unit(s, s->at + 1) < 0 ? 2 : 6 : 1;
    }
    return 0;
}
