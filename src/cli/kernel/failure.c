#include "cli/kernel/failure.h"

#include <string.h>

#include "base/ascii.h"

#define RED    "\x1b[1;31m"
#define CYAN   "\x1b[36m"
#define YELLOW "\x1b[33m"
#define OFF    "\x1b[0m"

/* A line of a traceback, coloured up to its byte `styled`. */
static void add_line(content *c, const char *colour, const char *line, size_t styled, size_t len)
{
    str text = { 0 };

    c->has_failed |= str_add(&text, colour) || str_append(&text, line, styled) ||
                     (*colour && str_add(&text, OFF)) ||
                     str_append(&text, line + styled, len - styled);
    content_next(c);
    content_quote(c, str_text(&text), text.len);
    str_free(&text);
}

/* "ZeroDivisionError: division by zero", "KeyboardInterrupt", "mod.Odd: ..." */
static size_t exception_name(const char *line, size_t len)
{
    size_t n = 0;
    while (n < len && (is_word(line[n]) || line[n] == '.'))
        n++;
    return n < len && line[n] != ':' ? 0 : n;
}

static void add_traceback_line(content *c, const char *line, size_t len)
{
    size_t indent = strspn(line, " |");
    if (indent > len)
        indent = len;

    if (!strncmp(line + indent, "File \"", 6))
        add_line(c, CYAN, line, len, len);
    else if (indent < len && strspn(line + indent, "^~") == len - indent)
        add_line(c, RED, line, len, len);
    else if (indent == 0 && exception_name(line, len) > 0)
        add_line(c, RED, line, exception_name(line, len), len);
    else
        add_line(c, "", line, 0, len);
}

static void add_error(content *c, const char *name, const char *value)
{
    str line = { 0 };

    c->has_failed |= str_add(&line, name) || (*value && str_printf(&line, ": %s", value));
    for (const char *at = str_text(&line); *at;) {
        size_t len = strcspn(at, "\n");
        add_line(c, RED, at, at == line.data ? strlen(name) : 0, len);
        at += len + (at[len] == '\n');
    }
    str_free(&line);
}

static void add_hint(content *c, const char *hint)
{
    str line = { 0 };
    c->has_failed |= str_printf(&line, "Hint: %s", hint) != SNUG_OK;
    add_line(c, YELLOW, str_text(&line), strlen("Hint: "), line.len);
    str_free(&line);
}

void failure_of_result(content *c, const snug_result *result, const char *what_to_do)
{
    const char *name = snug_result_error_name(result), *value = snug_result_error_value(result);
    const char *traceback = snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL);
    const char *hint = snug_result_error_hint(result);

    content_text(c, "ename", name);
    content_text(c, "evalue", value);
    content_member(c, "traceback", "[");
    for (const char *at = traceback; *at;) {
        size_t len = strcspn(at, "\n");
        add_traceback_line(c, at, len);
        at += len + (at[len] == '\n');
    }
    if (!*traceback)
        add_error(c, name, value);
    if (what_to_do)
        add_hint(c, what_to_do);
    else if (*hint && strcmp(hint, value) != 0)
        add_hint(c, hint);
    content_add(c, "]");
}

void failure_of_kernel(content *c, const char *name, const char *value, const char *what_to_do)
{
    content_text(c, "ename", name);
    content_text(c, "evalue", value);
    content_member(c, "traceback", "[");
    add_error(c, name, value);
    if (what_to_do)
        add_hint(c, what_to_do);
    content_add(c, "]");
}
