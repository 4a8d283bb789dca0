#include "cli/tools/stubs.h"

#include <snug/snug.h>

#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"

size_t stub_server_len(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot ? (size_t)(dot - name) : 0;
}

static int is_same_server(const char *one, const char *other)
{
    const size_t len = stub_server_len(one);
    return len > 0 && len == stub_server_len(other) && memcmp(one, other, len) == 0;
}

/* ---- docstrings ---- */

/* One byte of it, so that it ends neither the string nor a line that goes on. */
static int write_byte(str *out, const char *text, size_t left)
{
    const unsigned char byte = (unsigned char)*text;
    const int is_last = left == 1;

    if (byte == '\\')
        return str_add(out, "\\\\");
    if (byte == '"' && (is_last || text[1] == '"'))
        return str_add(out, "\\\"");
    if (byte == '\r' && !is_last && text[1] == '\n')
        return SNUG_OK;
    if ((byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f)
        return str_printf(out, "\\x%02x", byte);
    return str_append(out, text, 1);
}

/* Lines below the first are indented as the first one. */
static int write_lines(str *out, const char *text, size_t len, const char *indentation)
{

    for (size_t i = 0; i < len; i++) {
        write_byte(out, text + i, len - i);
        if (text[i] == '\n' && i + 1 < len && text[i + 1] != '\n')
            str_add(out, indentation);
    }
    return str_error(out);
}

static size_t trim(const char **text, size_t len)
{
    while (len > 0 && is_space(**text)) {
        ++*text;
        len--;
    }
    while (len > 0 && is_space((*text)[len - 1]))
        len--;
    return len;
}

/* ":" and the docstring, or " ..." where there is none. */
static int write_body(str *out, const char *doc, size_t most, const char *indentation)
{
    size_t len = trim(&doc, strlen(doc));
    const int is_cut = most > 0 && len > most;
    str_add(out, len > 0 ? ":\n" : ": ...\n");

    if (str_error(out) || len == 0)
        return str_error(out);
    if (is_cut)
        len = trim(&doc, utf8_floor(doc, len, most));
    str_printf(out, "%s\"\"\"", indentation);
    write_lines(out, doc, len, indentation);
    if (is_cut)
        str_add(out, " ...");
    if (memchr(doc, '\n', len))
        str_printf(out, "\n%s", indentation);
    return str_add(out, "\"\"\"\n");
}

/* ---- functions ---- */

static int write_function(str *out, const stub *s, size_t doc_bytes)
{
    enum { MOST_BYTES = 3000 };
    const size_t server = stub_server_len(s->name);
    const int is_long = doc_bytes > 0 && strlen(s->types) > MOST_BYTES;

    str_add(out, server > 0 ? "    @staticmethod\n    " : "");
    str_printf(out, "def %s%s", server > 0 ? s->name + server + 1 : s->name,
               is_long ? "(**arguments: Any) -> Any" : s->types);
    return write_body(out, s->doc, doc_bytes, server > 0 ? "        " : "    ");
}

/* The first of its server brings the others of it. */
static int is_written(const stub *items, const size_t *chosen, size_t at)
{
    for (size_t i = 0; i < at && stub_server_len(items[chosen[at]].name) > 0; i++)
        if (is_same_server(items[chosen[i]].name, items[chosen[at]].name))
            return 1;
    return 0;
}

static int write_class(str *out, const stub *items, const size_t *chosen, size_t count,
                       size_t doc_bytes)
{
    const char *name = items[chosen[0]].name;

    str_printf(out, "class %.*s:\n", (int)stub_server_len(name), name);
    for (size_t i = 0; i < count; i++)
        if (is_same_server(name, items[chosen[i]].name))
            write_function(out, &items[chosen[i]], doc_bytes);
    return str_error(out);
}

int stubs_write(str *out, const stub *items, const size_t *chosen, size_t count, size_t doc_bytes)
{
    for (size_t i = 0, blocks = 0; i < count; i++) {
        const stub *one = &items[chosen[i]];
        if (is_written(items, chosen, i))
            continue;
        str_add(out, blocks++ > 0 ? "\n" : "");
        if (stub_server_len(one->name) > 0)
            write_class(out, items, chosen + i, count - i, doc_bytes);
        else
            write_function(out, one, doc_bytes);
    }
    return str_error(out);
}
