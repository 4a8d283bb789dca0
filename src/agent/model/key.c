#include "agent/model/key.h"

#include <snug/snug.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/secret_env.h"

#define MARK "[key]"

void key_wipe(str *s)
{
    if (s->data)
        explicit_bzero(s->data, s->cap);
    str_free(s);
}

/* ---- reading ---- */

static int is_line_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* source: "variable OPENAI_API_KEY", for messages. */
static int keep_key_line(str *out, const char *source, const char *text, size_t len)
{
    const char *end = memchr(text, '\n', len);

    len = end ? (size_t)(end - text) : len;
    while (len > 0 && is_line_space(text[len - 1]))
        len--;
    while (len > 0 && is_line_space(*text))
        text++, len--;
    if (len == 0)
        return error_set(SNUG_EINVAL, "%s has no key in its first line", source);
    if (len > KEY_MOST_BYTES)
        return error_set(SNUG_EINVAL, "%s has a key of more than %d bytes", source, KEY_MOST_BYTES);

    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] <= ' ' || (unsigned char)text[i] >= 0x7f)
            return error_set(SNUG_EINVAL,
                             "%s has a key with a space, a control byte or a byte that is not "
                             "ASCII",
                             source);

    return str_append(out, text, len) ? error_no_memory() : SNUG_OK;
}

int key_read(str *out, const char *path, const char *variable)
{
    str file = { 0 }, source = { 0 };
    int error = SNUG_OK;
    const char *value = path ? NULL : secret_env(variable);

    if (path ? str_printf(&source, "key file %s", path)
             : str_printf(&source, "variable %s", variable))
        error = error_no_memory();
    else if (path && !(error = file_read(&file, path, KEY_MOST_BYTES)))
        error = keep_key_line(out, str_text(&source), str_text(&file), file.len);
    else if (!path && value && *value)
        error = keep_key_line(out, str_text(&source), value, strlen(value));

    key_wipe(&file);
    str_free(&source);
    return error;
}

/* ---- hiding ---- */

static int is_worth_hiding(const str *key)
{
    return key->len >= KEY_LEAST_HIDDEN;
}

/* Appends text with the mark for each key in it. */
static void append_hidden(str *out, const char *text, size_t len, const str *key)
{
    const char *end = text + len, *found;

    while ((found = memmem(text, (size_t)(end - text), key->data, key->len))) {
        str_append(out, text, (size_t)(found - text));
        str_add(out, MARK);
        text = found + key->len;
    }
    str_append(out, text, (size_t)(end - text));
}

int key_hide(str *text, const str *key)
{
    str hidden = { 0 };

    if (!is_worth_hiding(key) || !text->len || !memmem(text->data, text->len, key->data, key->len))
        return SNUG_OK;
    append_hidden(&hidden, text->data, text->len, key);
    int error = str_error(&hidden);
    key_wipe(text);
    if (error)
        str_free(&hidden);
    *text = hidden;
    return error;
}

/* How many bytes at the end of text may be the beginning of the key. */
static size_t begun(const char *text, size_t len, const str *key)
{
    size_t most = len < key->len - 1 ? len : key->len - 1;
    while (most > 0 && memcmp(text + len - most, key->data, most) != 0)
        most--;
    return most;
}

int key_hide_all(str *text, const key_list *keys)
{
    int error = SNUG_OK;
    for (size_t i = 0; !error && i < keys->count; i++)
        error = key_hide(text, &keys->items[i]);
    return error;
}

int key_filter_feed(str *out, key_filter *f, const char *text, size_t len)
{
    size_t most = 0;
    int error = str_append(&f->held, text, len);
    if (!error)
        error = key_hide_all(&f->held, f->keys);
    if (error || f->held.len == 0)
        return error;

    for (size_t i = 0; i < f->keys->count; i++) {
        const str *key = &f->keys->items[i];
        size_t held = is_worth_hiding(key) ? begun(f->held.data, f->held.len, key) : 0;
        if (held > most)
            most = held;
    }

    size_t shown = f->held.len - most;
    error = str_append(out, f->held.data, shown);
    if (!error) {
        memmove(f->held.data, f->held.data + shown, f->held.len - shown);
        f->held.len -= shown;
        f->held.data[f->held.len] = '\0';
    }

    return error;
}

int key_filter_end(str *out, key_filter *f)
{
    int error = str_add_str(out, &f->held);
    key_wipe(&f->held);
    return error;
}
