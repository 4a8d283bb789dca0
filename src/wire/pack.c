#include "wire/pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/jsontext.h"
#include "base/utf8.h"

/* ---- writing ---- */

void pack_number(packer *p, uint64_t number)
{
    char bytes[10]; /* 64 bits, seven in each */
    size_t len = 0;

    for (; number >= 0x80; number >>= 7)
        bytes[len++] = (char)(unsigned char)(number | 0x80);
    bytes[len++] = (char)(unsigned char)number;
    p->is_short |= str_append(&p->text, bytes, len) != 0;
}

void pack_bytes(packer *p, const char *bytes, size_t len)
{
    pack_number(p, len);
    p->is_short |= str_append(&p->text, bytes, len) || str_append(&p->text, "", 1);
}

/* The length that is packed counts the NUL too, so that 0 stands for NULL. */
void pack_text(packer *p, const char *text)
{
    if (!text) {
        pack_number(p, 0);
        return;
    }

    size_t size = strlen(text) + 1;
    pack_number(p, size);
    p->is_short |= str_append(&p->text, text, size) != 0;
}

void pack_str(packer *p, const str *text)
{
    pack_bytes(p, str_text(text), text->len);
}

void pack_list(packer *p, const char *const *texts)
{
    size_t count = 0;
    while (texts && texts[count])
        count++;

    pack_number(p, count);
    for (size_t i = 0; i < count; i++)
        pack_text(p, texts[i]);
}

/* ---- reading ---- */

static void spoil(unpacker *u)
{
    u->is_bad = 1;
    u->left = 0;
}

uint64_t unpack_number(unpacker *u)
{
    uint64_t number = 0;

    for (unsigned shift = 0; u->left > 0; shift += 7) {
        uint64_t byte = (unsigned char)*u->at++;
        u->left--;
        if (shift == 63 && byte > 1)
            break;
        number |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return number;
        if (shift == 63)
            break;
    }

    spoil(u);
    return 0;
}

uint64_t unpack_small(unpacker *u, uint64_t most)
{
    uint64_t number = unpack_number(u);
    if (number <= most)
        return number;
    spoil(u);
    return 0;
}

size_t unpack_count(unpacker *u, size_t least_bytes)
{
    uint64_t count = unpack_number(u);
    if (count <= u->left / least_bytes)
        return (size_t)count;
    spoil(u);
    return 0;
}

/* That many bytes and a NUL. */
static const char *take_terminated(unpacker *u, uint64_t len)
{
    if (len >= u->left || u->at[len]) {
        spoil(u);
        return "";
    }

    const char *at = u->at;
    u->at += len + 1;
    u->left -= (size_t)len + 1;
    return at;
}

const char *unpack_bytes(unpacker *u, size_t *len)
{
    uint64_t told = unpack_number(u);
    const char *at = "";

    *len = 0;
    if (!u->is_bad)
        at = take_terminated(u, told);
    if (!u->is_bad)
        *len = (size_t)told;
    return at;
}

const char *unpack_utf8(unpacker *u, size_t *len)
{
    size_t fault;
    const char *at = unpack_bytes(u, len);
    if (utf8_check(at, *len, &fault) == UTF8_FINE)
        return at;
    spoil(u);
    *len = 0;
    return "";
}

const char *unpack_text(unpacker *u)
{
    size_t fault;
    uint64_t told = unpack_number(u);
    if (told == 0)
        return NULL;

    const char *at = take_terminated(u, told - 1);
    if (u->is_bad)
        return "";
    if (strlen(at) == told - 1 && utf8_check(at, (size_t)told - 1, &fault) == UTF8_FINE)
        return at;
    spoil(u);
    return "";
}

const char *unpack_name(unpacker *u)
{
    const char *at = unpack_text(u);
    if (at)
        return at;
    spoil(u);
    return "";
}

void unpack_str(unpacker *u, str *out)
{
    size_t len;
    const char *at = unpack_utf8(u, &len);
    if (len > 0 && str_append(out, at, len) != 0)
        spoil(u);
}

void unpack_json(unpacker *u, str *out)
{
    size_t fault;
    unpack_str(u, out);
    if (out->len > 0 && jsontext_check(out->data, out->len, &fault))
        spoil(u);
}

const char **unpack_list(unpacker *u)
{
    size_t count = unpack_count(u, 2);
    if (u->is_bad)
        return NULL;

    const char **texts = calloc(count + 1, sizeof *texts);
    if (!texts) {
        spoil(u);
        return NULL;
    }

    for (size_t i = 0; i < count; i++)
        texts[i] = unpack_name(u);
    if (u->is_bad) {
        free(texts);
        return NULL;
    }

    return texts;
}

int unpack_ended(const unpacker *u)
{
    return !u->is_bad && u->left == 0;
}
