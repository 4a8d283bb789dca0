#include "base/concealed.h"

#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/base64.h"
#include "base/percent.h"

enum { MOST_LEVELS = 3 }; /* JSON in a string of JSON in a string of JSON */

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

static unsigned pair_of(const char *text)
{
    return (unsigned)(unsigned char)text[0] << 8 | (unsigned char)text[1];
}

static int is_pair(const concealed *c, unsigned pair)
{
    return c->pairs[pair / 8] >> (pair % 8) & 1;
}

static size_t chain_of(unsigned pair)
{
    return (pair ^ pair >> 8) % CONCEALED_CHAINS;
}

/* Takes form. first: of the forms of this secret. */
static int add_form(concealed *c, str *form, size_t first, size_t owner)
{
    int is_there = form->len < CONCEALED_LEAST;

    for (size_t i = first; i < c->count && !is_there; i++)
        is_there = c->forms[i].text.len == form->len &&
                   !memcmp(c->forms[i].text.data, form->data, form->len);
    if (is_there) {
        wipe(form);
        return SNUG_OK;
    }
    if (array_reserve(&c->forms, &c->cap, c->count + 1, sizeof *c->forms)) {
        wipe(form);
        return SNUG_ENOMEM;
    }
    const unsigned pair = pair_of(form->data);
    c->pairs[pair / 8] |= (unsigned char)(1 << (pair % 8));
    c->forms[c->count] = (concealed_form){
        .text = *form,
        .owner = owner,
        .pair = pair,
        .next = c->chains[chain_of(pair)],
        .is_itself = c->count == first,
    };
    c->chains[chain_of(pair)] = ++c->count;
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

enum { FORMS = 13 };

static int write_form(str *out, const char *text, size_t len, int number)
{
    const char *digits = number % 2 ? HEX_UPPER : HEX_LOWER;

    if (number == 0)
        return str_append(out, text, len);
    if (number < 5)
        return percent_append(out, text, len, digits, number > 2);
    if (number < 7)
        return hex_append(out, text, len, digits);
    return write_base64(out, text, len, (size_t)(number - 7) / 2, number % 2);
}

int concealed_add(concealed *c, const char *text, size_t len, size_t owner)
{
    const size_t first = c->count;
    int error = SNUG_OK;

    if (len < CONCEALED_LEAST)
        return SNUG_OK;
    for (int number = 0; number < FORMS && !error; number++) {
        str form = { 0 };
        error = write_form(&form, text, len, number);
        if (error)
            wipe(&form);
        else
            error = add_form(c, &form, first, owner);
    }
    return error;
}

/* ---- characters ---- */

/* What a character is: bytes, or those that an escape stands for. */
typedef struct piece {
    char bytes[4];
    unsigned count;
} piece;

static void encode(piece *out, unsigned long c)
{
    char *b = out->bytes;

    out->count = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    if (out->count == 1) {
        b[0] = (char)c;
        return;
    }
    for (unsigned i = out->count - 1; i > 0; i--, c >>= 6)
        b[i] = (char)(0x80 | (c & 0x3f));
    b[0] = (char)(0xf0 << (4 - out->count) | (int)c);
}

static size_t read_piece(piece *out, const concealed_scan *s, size_t at, int level);

/* The four digits of "\u....". How many bytes they are; 0: they are none. */
static size_t read_digits(unsigned long *out, const concealed_scan *s, size_t at, int level)
{
    const size_t begin = at;
    piece digit;

    *out = 0;
    for (int i = 0; i < 4; i++) {
        const size_t used = read_piece(&digit, s, at, level);
        if (used == 0 || digit.count != 1 || hex_value(digit.bytes[0]) < 0)
            return 0;
        *out = *out * 16 + (unsigned long)hex_value(digit.bytes[0]);
        at += used;
    }
    return at - begin;
}

static int is_half(unsigned long c, unsigned long first)
{
    return c >= first && c < first + 0x400;
}

/* The same with the other half of a pair behind it. */
static size_t read_unicode(unsigned long *out, const concealed_scan *s, size_t at, int level)
{
    const size_t used = read_digits(out, s, at, level);
    unsigned long low;
    piece sign, letter;

    if (used == 0 || !is_half(*out, 0xd800))
        return used;
    const size_t first = read_piece(&sign, s, at + used, level);
    const size_t second = first ? read_piece(&letter, s, at + used + first, level) : 0;
    if (second == 0 || sign.bytes[0] != '\\' || letter.bytes[0] != 'u')
        return used;
    const size_t more = read_digits(&low, s, at + used + first + second, level);
    if (more == 0 || !is_half(low, 0xdc00))
        return used;
    *out = 0x10000 + ((*out - 0xd800) << 10) + (low - 0xdc00);
    return used + first + second + more;
}

/* The character at at, with as many levels of escapes taken away. How many bytes it is; 0: there
 * is none. */
static size_t read_piece(piece *out, const concealed_scan *s, size_t at, int level)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    unsigned long c;
    piece next;

    if (level == 0) {
        *out = (piece){ { at < s->len ? s->text[at] : '\0' }, 1 };
        return at < s->len;
    }
    const size_t used = read_piece(out, s, at, level - 1);
    if (level == 1 && s->is_json && used && out->bytes[0] == '"')
        return 0; /* the end of the string */
    if (used == 0 || out->bytes[0] != '\\')
        return used;
    const size_t more = read_piece(&next, s, at + used, level - 1);
    if (more == 0 || next.count != 1 || next.bytes[0] == '\0')
        return used;
    if (next.bytes[0] == 'u') {
        const size_t digits = read_unicode(&c, s, at + used + more, level - 1);
        if (digits)
            encode(out, c);
        return used + (digits ? more + digits : 0);
    }
    const char *found = strchr(letters, next.bytes[0]);
    if (!found)
        return used;
    out->bytes[0] = meant[found - letters];
    return used + more;
}

/* ---- looking ---- */

/* In how many bytes the form stands at at; 0: it does not. */
static size_t match(const concealed_scan *s, size_t at, const str *form, int level)
{
    const size_t begin = at;
    piece p;

    for (size_t i = 0; i < form->len; i += p.count) {
        const char c = at < s->len ? s->text[at] : '\\';
        p.count = 1;
        if (c != '\\' && c != '"') {
            if (c != form->data[i])
                return 0;
            at++;
            continue;
        }
        const size_t used = read_piece(&p, s, at, level);
        if (used == 0 || p.count > form->len - i || memcmp(form->data + i, p.bytes, p.count) != 0)
            return 0;
        at += used;
    }
    return at - begin;
}

enum { NO_PAIR = 65536 };

/* The first two bytes of what stands at at. */
static unsigned read_pair(const concealed_scan *s, size_t at, int level)
{
    piece first, second;
    const size_t used = read_piece(&first, s, at, level);

    if (used == 0)
        return NO_PAIR;
    if (first.count > 1)
        return pair_of(first.bytes);
    if (!read_piece(&second, s, at + used, level))
        return NO_PAIR;
    const char two[] = { first.bytes[0], second.bytes[0] };
    return pair_of(two);
}

/* The length of the longest at the place of s. */
static size_t find_here(const concealed_scan *s, size_t *owner)
{
    const int last = s->has_escapes ? MOST_LEVELS : s->is_json;
    size_t longest = 0;

    for (int level = s->is_json; level <= last; level++) {
        const unsigned pair = read_pair(s, s->at, level);
        if (pair == NO_PAIR || !is_pair(s->of, pair))
            continue;
        for (size_t i = s->of->chains[chain_of(pair)]; i > 0;) {
            const concealed_form *form = &s->of->forms[i - 1];
            i = form->next;
            const size_t used = form->pair == pair ? match(s, s->at, &form->text, level) : 0;
            if (used > longest) {
                longest = used;
                *owner = form->owner;
            }
        }
    }
    return longest;
}

void concealed_scan_init(concealed_scan *s, const concealed *of, const char *text, size_t len,
                         int is_json)
{
    *s = (concealed_scan){ .of = of, .text = text, .len = len, .is_json = is_json };
    s->has_escapes = len > 0 && memchr(text, '\\', len) != NULL;
}

/* Goes past what stands there: of JSON, a whole escape. */
static void pass(concealed_scan *s)
{
    const char c = s->text[s->at];

    if (s->is_json && c == '"')
        s->is_inside = !s->is_inside;
    s->at += s->is_json && s->is_inside && c == '\\' && s->at + 1 < s->len ? 2 : 1;
}

/* To where one may begin, or something else than a character stands for itself. */
static void skip(concealed_scan *s)
{
    const char *text = s->text;

    while (s->at + 1 < s->len && text[s->at] != '\\' && text[s->at + 1] != '\\' &&
           !(s->is_json && text[s->at] == '"') && !is_pair(s->of, pair_of(text + s->at)))
        s->at++;
}

/* Into the next string. 0: there is none. */
static int enter(concealed_scan *s)
{
    const char *quote = memchr(s->text + s->at, '"', s->len - s->at);

    s->at = quote ? (size_t)(quote - s->text) + 1 : s->len;
    return s->is_inside = quote != NULL;
}

int concealed_next(concealed_scan *s, size_t *from, size_t *used, size_t *owner)
{
    while (s->of->count > 0 && s->at < s->len) {
        if (s->is_json && !s->is_inside && !enter(s))
            break;
        skip(s);
        if (s->at < s->len && (*used = find_here(s, owner))) {
            *from = s->at;
            s->at += *used;
            return 1;
        }
        if (s->at < s->len)
            pass(s);
    }
    return 0;
}
