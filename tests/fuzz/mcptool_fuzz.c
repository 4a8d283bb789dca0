/* A tool as a server describes it becomes a function and a stub: on one line each but for the
 * docstring, with brackets that close, and under a name that Python takes. */
#include "fuzz.h"

#include <snug/snug.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "cli/tools/stubs.h"
#include "cli/upstream/mcptool.h"

/* Past a string of Python's in double quotes. */
static const char *skip_string(const char *at)
{
    for (at++; *at != '"'; at++) {
        HOLDS(*at && *at != '\n' && *at != '\r');
        if (*at == '\\')
            HOLDS(*++at);
    }
    return at;
}

/* Outside of strings there are no quotes, and all brackets that open close. */
static void check_line(const char *text)
{
    char open[64];
    size_t level = 0;

    for (const char *at = text; *at; at++) {
        HOLDS(*at != '\n' && *at != '\r' && *at != '#' && *at != '\'' && *at != '\\');
        if (*at == '"')
            at = skip_string(at);
        else if (strchr("([{", *at))
            HOLDS(level < sizeof open && (open[level++] = *at));
        else if (strchr(")]}", *at))
            HOLDS(level > 0 && strchr("()[]{}", open[--level])[1] == *at);
    }
    HOLDS(level == 0);
}

static void check_name(const char *name)
{
    HOLDS(*name && !is_digit(*name) && strlen(name) < 256);
    for (; *name; name++)
        HOLDS(is_word(*name));
}

/* The docstring ends where it should: at the last quotes. */
static void check_stub(const mcptool *t)
{
    const stub item = { t->name, t->types, t->doc };
    const size_t chosen = 0;
    str text = { 0 };
    size_t at;

    HOLDS(stubs_write(&text, &item, &chosen, 1, 0) == SNUG_OK);
    HOLDS(utf8_check(text.data, text.len, &at) == UTF8_FINE && !memchr(text.data, '\0', text.len));
    const char *doc = strstr(text.data, ":\n    \"\"\"");
    if (doc) {
        for (doc += 9; strncmp(doc, "\"\"\"", 3) != 0; doc++)
            HOLDS(*doc && (*doc != '\\' || *++doc));
        HOLDS(!strcmp(doc, "\"\"\"\n"));
    } else {
        HOLDS(text.len > 6 && !strcmp(text.data + text.len - 6, ": ...\n"));
    }
    str_free(&text);
}

static void check_arguments(const mcptool *t, jsontext_span arguments)
{
    char *copy = copy_of(arguments.text, arguments.len);
    str text = { 0 };
    size_t at;

    HOLDS(mcptool_write_arguments(&text, t, copy) == SNUG_OK);
    HOLDS(!jsontext_check(text.data, text.len, &at) && *text.data == '{');
    str_free(&text);
    free(copy);
}

static void check_result(jsontext_span result)
{
    str text = { 0 };
    int is_fine;
    size_t at;

    HOLDS(mcptool_read_result(&text, &is_fine, result) == SNUG_OK);
    HOLDS(!is_fine || !jsontext_check(text.data, text.len, &at));
    str_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = input_of(data, size);
    char *text = copy_of(in.at, in.left);
    const jsontext_span whole = { text, in.left };
    mcptool tool;
    size_t at;

    if (!jsontext_check(text, in.left, &at) && *text == '{') {
        const int error = mcptool_read(&tool, whole);
        HOLDS(error == SNUG_OK || error == SNUG_EINVAL);
        if (!error) {
            check_name(tool.name);
            check_line(tool.signature);
            check_line(tool.types);
            check_stub(&tool);
            check_arguments(&tool, whole);
            mcptool_free(&tool);
        }
        check_result(whole);
    }
    free(text);
    return 0;
}
