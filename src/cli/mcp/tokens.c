#include "cli/mcp/tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/memops.h>
#include <nettle/sha2.h>

#include <snug/snug.h>

#include "base/array.h"
#include "base/error.h"
#include "base/file.h"

enum { FILE_BYTES = 1 << 20 };

/* How long the name in front of a token is; 0: there is none. The padding of base64 is not one.
 */
static size_t name_len(const char *line, size_t len)
{
    size_t at = 0;
    while (at < len && (isalnum((unsigned char)line[at]) || strchr("._-", line[at])))
        at++;
    if (at == 0 || at == len || line[at] != '=')
        return 0;
    return line[at + 1] == '=' || at + 1 == len ? 0 : at;
}

/* Of a token without one: two of those are two clients. malloc'ed. */
static char *make_name(const char *text, size_t len)
{
    enum { BYTES = 12 };
    static const char digits[] = "0123456789abcdef";
    struct sha256_ctx hash;
    uint8_t digest[BYTES];
    char *name = malloc(2 * BYTES + 1);

    sha256_init(&hash);
    sha256_update(&hash, len, (const uint8_t *)text);
    sha256_digest(&hash, BYTES, digest);
    for (size_t i = 0; name && i < BYTES; i++) {
        name[2 * i] = digits[digest[i] >> 4];
        name[2 * i + 1] = digits[digest[i] & 15];
    }
    if (name)
        name[2 * BYTES] = '\0';
    return name;
}

static int is_new_name(const tokens *t, const char *name)
{
    for (size_t i = 0; i + 1 < t->count; i++)
        if (!strcmp(t->items[i].principal, name))
            return 0;
    return 1;
}

static int add_token(tokens *t, const char *path, unsigned number, const char *line, size_t len)
{
    const size_t name = name_len(line, len);
    const char *text = name ? line + name + 1 : line;
    const size_t text_len = len - (size_t)(text - line);

    if (text_len < TOKEN_LEAST_BYTES)
        return error_set(SNUG_EINVAL, "--token-file %s, line %u: the token has fewer than %d bytes",
                         path, number, TOKEN_LEAST_BYTES);
    if (array_reserve(&t->items, &t->cap, t->count + 1, sizeof *t->items))
        return error_no_memory();
    token *one = &t->items[t->count++];
    *one =
        (token){ name ? strndup(line, name) : make_name(text, text_len), strndup(text, text_len) };
    if (!one->principal || !one->text)
        return error_no_memory();
    t->names += (size_t)is_new_name(t, one->principal);
    return SNUG_OK;
}

int tokens_read(tokens *out, const char *path)
{
    str text = { 0 };
    unsigned number = 0;
    int error = file_read_private(&text, path, FILE_BYTES);

    for (const char *line = str_text(&text); *line && !error;) {
        const size_t whole = strcspn(line, "\n");
        size_t len = whole;
        while (len > 0 && isspace((unsigned char)line[len - 1]))
            len--;
        number++;
        if (len > 0 && *line != '#')
            error = add_token(out, path, number, line, len);
        line += whole + (line[whole] == '\n');
    }
    if (text.data)
        explicit_bzero(text.data, text.len);
    str_free(&text);
    if (!error && out->count == 0)
        error = error_set(SNUG_EINVAL, "--token-file %s has no token", path);
    return error;
}

void tokens_free(tokens *t)
{
    for (size_t i = 0; i < t->count; i++) {
        free(t->items[i].principal);
        if (t->items[i].text)
            explicit_bzero(t->items[i].text, strlen(t->items[i].text));
        free(t->items[i].text);
    }
    free(t->items);
}

const char *tokens_find(const tokens *t, const char *text)
{
    const char *found = NULL;
    const size_t len = strlen(text);

    for (size_t i = 0; i < t->count; i++) {
        const token *one = &t->items[i];
        if (strlen(one->text) == len && memeql_sec(one->text, text, len) && !found)
            found = one->principal;
    }
    return found;
}
