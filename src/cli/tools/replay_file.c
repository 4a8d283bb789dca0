#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsontext.h"
#include "cli/program/command.h"
#include "cli/tools/journal_inside.h"

/* *out: NULL where the member is not there. SNUG_OK, SNUG_ENOMEM, or SNUG_EINVAL for what is not
 * text. */
static int read_text(char **out, jsontext_span line, const char *member)
{
    str text = { 0 };
    const jsontext_span value = jsontext_member(line, member);

    *out = NULL;
    if (!value.text)
        return SNUG_OK;
    int error = jsontext_string(&text, value);
    if (!error && strlen(str_text(&text)) != text.len)
        error = SNUG_EINVAL;
    if (!error && !(*out = strdup(str_text(&text))))
        error = SNUG_ENOMEM;
    str_free(&text);
    return error;
}

static int is_true(jsontext_span line, const char *member)
{
    return jsontext_is(jsontext_member(line, member), "true");
}

/* How it is called. */
static int read_way(jsontext_span value)
{
    if (jsontext_is(value, "2"))
        return SNUG_TOOL_EITHER;
    return jsontext_is(value, "1") ? SNUG_TOOL_AWAITED : 0;
}

/* No call of a replay comes here. */
static void answer_nothing(void *payload, snug_call *call, const char *arguments)
{
    (void)payload;
    (void)arguments;
    snug_call_fail(call, "a replay calls no tools");
}

static int add_tool(journal_file *j, jsontext_span line)
{
    if (array_reserve(&j->tools, &j->tool_cap, j->tool_count + 1, sizeof *j->tools))
        return SNUG_ENOMEM;
    replayed_tool *t = &j->tools[j->tool_count++];
    *t = (replayed_tool){ .tool = SNUG_TOOL_INIT };

    int error = read_text(&t->name, line, "name");
    if (!error)
        error = read_text(&t->signature, line, "signature");
    if (!error)
        error = read_text(&t->doc, line, "doc");
    if (!error)
        error = read_text(&t->stub, line, "stub");
    if (!error && !t->name)
        error = SNUG_EINVAL;
    t->tool.name = t->name;
    t->tool.signature = t->signature;
    t->tool.doc = t->doc;
    t->tool.stub = t->stub;
    t->tool.is_async = read_way(jsontext_member(line, "is_async"));
    t->tool.takes_any = is_true(line, "takes_any");
    t->tool.is_read_only = (uint64_t)is_true(line, "is_read_only");
    t->tool.fn = answer_nothing;
    return error;
}

static int add_session(journal_file *j, jsontext_span line)
{
    char *name;
    int error = read_text(&name, line, "session");

    if (!error && !name)
        error = SNUG_EINVAL;
    if (!error)
        error =
            array_reserve(&j->sessions, &j->session_cap, j->session_count + 1, sizeof *j->sessions);
    if (error)
        free(name);
    else
        j->sessions[j->session_count++] = name;
    return error;
}

/* Faults of JSON are the library's to find. */
static int read_line(journal_file *j, jsontext_span line, size_t number)
{
    size_t at;

    if (line.len == 0 || *line.text != '{' || jsontext_check(line.text, line.len, &at))
        return EXIT_FINE;
    const jsontext_span schema = jsontext_member(line, "schema");
    int error = SNUG_OK;
    if (jsontext_is(schema, "\"snug.tool/1\""))
        error = add_tool(j, line);
    else if (jsontext_is(schema, "\"snug.session/1\""))
        error = add_session(j, line);
    if (error == SNUG_EINVAL)
        return command_fail(EXIT_USAGE, "--replay %s: line %zu is damaged", j->replay_path, number);
    return error ? command_fail_memory() : EXIT_FINE;
}

static void forget_run(journal_file *j)
{
    for (size_t i = 0; i < j->tool_count; i++) {
        free(j->tools[i].name);
        free(j->tools[i].signature);
        free(j->tools[i].doc);
        free(j->tools[i].stub);
    }
    for (size_t i = 0; i < j->session_count; i++)
        free(j->sessions[i]);
    j->tool_count = j->session_count = 0;
}

int replay_file_read(str *text, journal_file *j)
{
    static const char beginning[] = JOURNAL_FILE_BEGINNING;
    size_t number = 0;
    int status = EXIT_FINE;

    if (file_read(text, j->replay_path, j->most_bytes))
        return command_fail(EXIT_USAGE, "--replay %s", error_message());
    for (size_t at = 0; at < text->len && !status;) {
        const char *line = text->data + at;
        const char *end = memchr(line, '\n', text->len - at);
        const size_t len = end ? (size_t)(end - line) : text->len - at;
        if (len >= sizeof beginning - 1 && !memcmp(line, beginning, sizeof beginning - 1))
            forget_run(j);
        status = read_line(j, (jsontext_span){ line, len }, ++number);
        at += len + 1;
    }
    return status;
}

void replay_file_free(journal_file *j)
{
    forget_run(j);
    free(j->tools);
    free(j->sessions);
}
