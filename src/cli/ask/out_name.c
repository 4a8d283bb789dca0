#include "cli/ask/out_name.h"

#include <snug/snug.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "cli/terminal/clean.h"

enum {
    MOST_FOLDER_BYTES = 40,
    MOST_NAME_BYTES = 255, /* of a file, to Linux */
    MOST_ENDING_BYTES = 100
};

/* How many bytes the character has that text begins with; 0: it begins with none. */
static size_t character_len(const char *text, size_t len)
{
    const size_t width = utf8_width((unsigned char)*text);
    size_t fault;

    if (width == 0 || width > len || utf8_check(text, width, &fault) != UTF8_FINE)
        return 0;
    return width;
}

/* ---- folders ---- */

/* What a line, a terminal or an eye would take for something else. */
static int is_harmless(const char *text, size_t width)
{
    static const char separators[] = "\xe2\x80\xa8\xe2\x80\xa9"; /* of lines and paragraphs */

    if (width == 1)
        return (unsigned char)*text >= 0x20 && *text != 0x7f;
    if (width == 2 && text[0] == '\xc2' && (unsigned char)text[1] < 0xa0)
        return 0;
    if (width == 3 && (!memcmp(text, separators, 3) || !memcmp(text, separators + 3, 3)))
        return 0;
    return clean_turn(text, width) == 0;
}

/* How many bytes of a word text begins with: letters and digits, and past ASCII all that does
 * nothing but the signs of Latin 1 and general punctuation. */
static size_t letter_len(const char *text, size_t len)
{
    const size_t width = character_len(text, len);

    if (width < 2)
        return width == 1 && is_alnum(*text);
    if (text[0] == '\xc2' || (text[0] == '\xe2' && text[1] == '\x80'))
        return 0;
    return is_harmless(text, width) ? width : 0;
}

/* How much of text is a word, of most bytes. */
static size_t word_len(const char *text, size_t len, size_t most)
{
    size_t at = 0, some;
    while (at < len && (some = letter_len(text + at, len - at)) > 0 && at + some <= most)
        at += some;
    return at;
}

static int add_word(str *out, const char *word, size_t len)
{
    int error = out->len > 0 ? str_add(out, "-") : SNUG_OK;

    for (size_t i = 0; i < len && !error; i++) {
        const char small = to_lower(word[i]);
        error = str_append(out, &small, 1);
    }
    return error;
}

int out_name_of_question(str *out, const char *question)
{
    const size_t len = strlen(question);
    str name = { 0 };
    int error = SNUG_OK;

    for (size_t at = 0; at < len && !error;) {
        const size_t room = MOST_FOLDER_BYTES - name.len, dash = name.len > 0;
        const size_t word = word_len(question + at, len - at, MOST_FOLDER_BYTES);
        if (word == 0) {
            at++;
            continue;
        }
        if (word + dash > room)
            break;
        error = add_word(&name, question + at, word);
        at += word;
    }

    if (!error)
        error = str_add(out, name.len > 0 ? name.data : "answer");
    str_free(&name);
    return error;
}

/* ---- files ---- */

int out_name_is_hidden(const char *path)
{
    return *path == '.' || strstr(path, "/.") != NULL;
}

/* Whether a name of the path is empty, "." or "..", of which the first one is also that of "/a". */
static int has_no_name(const char *path)
{
    for (size_t len;; path += len + 1) {
        len = strcspn(path, "/");
        if (len == 0 || (len <= 2 && strspn(path, ".") >= len))
            return 1;
        if (!path[len])
            return 0;
    }
}

int out_name_of_path(str *out, const char *path)
{
    const size_t len = strlen(path);
    int error = SNUG_OK;

    if (has_no_name(path))
        return SNUG_EINVAL;
    for (size_t at = 0, width; at < len && !error; at += width ? width : 1) {
        width = character_len(path + at, len - at);
        if (width > 0 && is_harmless(path + at, width) && !(at == 0 && *path == '-'))
            error = str_append(out, path + at, width);
        else
            error = str_add(out, "_");
    }
    return error;
}

int out_name_numbered(str *out, const char *path, unsigned number)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    char rest[MOST_ENDING_BYTES + 16];

    if (!dot || dot == name || strlen(dot) > MOST_ENDING_BYTES)
        dot = name + strlen(name);
    snprintf(rest, sizeof rest, "-%u%s", number, dot);

    size_t stem = (size_t)(dot - name);
    if (stem + strlen(rest) > MOST_NAME_BYTES)
        stem = utf8_floor(name, stem, MOST_NAME_BYTES - strlen(rest));
    if (str_append(out, path, (size_t)(name - path) + stem))
        return SNUG_ENOMEM;
    return str_add(out, rest);
}

int out_name_size(str *out, uint64_t bytes)
{
    static const char *const units[] = { "KiB", "MiB", "GiB" };
    double amount = (double)bytes / 1024;
    size_t unit = 0;

    if (bytes < 1024)
        return str_printf(out, "%" PRIu64 " byte%s", bytes, bytes == 1 ? "" : "s");
    for (; amount >= 1000 && unit < 2; unit++)
        amount /= 1024;
    return str_printf(out, "%.*f %s", amount < 9.95, amount, units[unit]);
}
