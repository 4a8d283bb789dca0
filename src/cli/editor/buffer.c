#include "cli/editor/buffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "cli/terminal/columns.h"

enum { MOST_VERSIONS = 500, MOST_VERSION_BYTES = 8 << 20 };

/* ---- the way back ---- */

static void forget_oldest(buffer *t)
{
    t->version_bytes -= t->versions[0].text.len;
    str_free(&t->versions[0].text);
    t->version_count--;
    memmove(t->versions, t->versions + 1, t->version_count * sizeof *t->versions);
}

static void keep_version(buffer *t, buffer_change kind)
{
    int goes_on = kind != BUFFER_OTHER && kind == t->last;

    t->last = kind;
    if (goes_on)
        return;
    while (t->version_count > 0 && (t->version_count >= MOST_VERSIONS ||
                                    t->version_bytes + t->all.len > MOST_VERSION_BYTES))
        forget_oldest(t);

    buffer_version version = { .cursor = t->cursor };
    if (array_reserve(&t->versions, &t->version_cap, t->version_count + 1, sizeof *t->versions) ||
        str_append(&version.text, str_text(&t->all), t->all.len))
        return;
    t->versions[t->version_count++] = version;
    t->version_bytes += version.text.len;
}

int buffer_undo(buffer *t)
{
    if (t->version_count == 0)
        return 0;

    buffer_version *version = &t->versions[--t->version_count];
    t->version_bytes -= version->text.len;
    str_free(&t->all);
    t->all = version->text;
    t->cursor = version->cursor;
    t->last = BUFFER_OTHER;
    return 1;
}

/* ---- changes ---- */

int buffer_insert(buffer *t, const char *bytes, size_t len, buffer_change kind)
{
    if (len > BUFFER_MOST_BYTES || t->all.len + len > BUFFER_MOST_BYTES)
        return -1;
    if (len == 0)
        return 0;

    keep_version(t, kind);
    if (str_reserve(&t->all, len))
        return 0;
    size_t rest = t->all.len - t->cursor;
    memmove(t->all.data + t->cursor + len, t->all.data + t->cursor, rest);
    memcpy(t->all.data + t->cursor, bytes, len);
    t->all.len += len;
    t->all.data[t->all.len] = '\0';
    t->cursor += len;
    return 0;
}

static void take_out(buffer *t, size_t from, size_t to)
{
    memmove(t->all.data + from, t->all.data + to, t->all.len - to + 1);
    t->all.len -= to - from;
    t->cursor = from;
}

void buffer_delete(buffer *t, size_t from, size_t to, buffer_change kind)
{
    if (from >= to)
        return;
    keep_version(t, kind);
    take_out(t, from, to);
}

void buffer_cut(buffer *t, size_t from, size_t to, int is_more)
{
    str cut = { 0 };
    int error = 0;

    if (from >= to)
        return;

    int is_before = is_more && to == t->cursor;
    if (is_more && !is_before)
        error = str_add_str(&cut, &t->cut);
    if (!error)
        error = str_append(&cut, t->all.data + from, to - from);
    if (!error && is_before)
        error = str_add_str(&cut, &t->cut);
    if (error) {
        str_free(&cut);
        return;
    }

    str_free(&t->cut);
    t->cut = cut;
    buffer_delete(t, from, to, BUFFER_OTHER);
}

int buffer_set(buffer *t, const char *bytes, size_t len)
{
    if (len > BUFFER_MOST_BYTES)
        return -1;
    keep_version(t, BUFFER_OTHER);
    str_clear(&t->all);
    t->cursor = 0;
    if (str_append(&t->all, bytes, len) == 0)
        t->cursor = len;
    return 0;
}

void buffer_reset(buffer *t)
{
    while (t->version_count > 0)
        str_free(&t->versions[--t->version_count].text);
    t->version_bytes = 0;
    t->last = BUFFER_OTHER;
    str_clear(&t->all);
    t->cursor = 0;
}

void buffer_free(buffer *t)
{
    buffer_reset(t);
    free(t->versions);
    str_free(&t->all);
    str_free(&t->cut);
    *t = (buffer){ .cursor = 0 };
}

/* ---- positions ---- */

size_t buffer_line_begin(const buffer *t, size_t at)
{
    while (at > 0 && t->all.data[at - 1] != '\n')
        at--;
    return at;
}

size_t buffer_line_end(const buffer *t, size_t at)
{
    while (at < t->all.len && t->all.data[at] != '\n')
        at++;
    return at;
}

size_t buffer_before(const buffer *t, size_t at)
{
    return at > 0 ? glyph_before(t->all.data, at) : 0;
}

size_t buffer_behind(const buffer *t, size_t at)
{
    return at < t->all.len ? at + glyph_at(t->all.data + at, t->all.len - at).len : at;
}

size_t buffer_word_before(const buffer *t, size_t at)
{
    while (at > 0 && !is_name(t->all.data[at - 1]))
        at--;
    while (at > 0 && is_name(t->all.data[at - 1]))
        at--;
    return at;
}

size_t buffer_word_behind(const buffer *t, size_t at)
{
    while (at < t->all.len && !is_name(t->all.data[at]))
        at++;
    while (at < t->all.len && is_name(t->all.data[at]))
        at++;
    return at;
}

size_t buffer_indent(const buffer *t, size_t at)
{
    size_t begin = buffer_line_begin(t, at), end = begin;
    while (end < at && is_blank(t->all.data[end]))
        end++;
    return end - begin;
}

int buffer_is_indent(const buffer *t, size_t at)
{
    return buffer_indent(t, at) == at - buffer_line_begin(t, at);
}

int buffer_has_lines(const buffer *t)
{
    return t->all.len > 0 && memchr(t->all.data, '\n', t->all.len) != NULL;
}
