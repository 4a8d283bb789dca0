/* snug tools: what cells can call with these options, as typed stubs or as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/jsontext.h"
#include "base/str.h"
#include "base/tool_rule.h"
#include "cli/program/command.h"
#include "cli/program/secrets.h"
#include "cli/terminal/term.h"
#include "cli/tools/tool_list.h"
#include "cli/tools/user_tools.h"
#include "cli/upstream/client.h"
#include "cli/upstream/mcptool.h"

/* ---- as JSON ---- */

typedef struct writer {
    const options *options;
    const tool_list *list;
    str *objects; /* one for each tool of the list */
} writer;

/* ---- one tool ---- */

/* text: NULL: null. */
static int add_text(str *out, const char *name, const char *text)
{
    str_printf(out, ", \"%s\": ", name);
    return text ? jsontext_quote(out, text, strlen(text)) : str_add(out, "null");
}

static int add_signature(str *out, const stub *s)
{
    str text = { 0 };
    int error = str_printf(&text, "(%s) -> %s", s->parameters, s->result);

    if (!error)
        error = add_text(out, "signature", text.data);
    str_free(&text);
    return error;
}

/* As it was given; NULL: none decides, and calls are allowed. */
static const char *find_rule(const options *o, const snug_tool *tool)
{
    for (size_t i = 0; i < o->rule_count; i++)
        if ((!o->rules[i].only_read_only || tool->is_read_only) &&
            tool_rule_fits(&o->rules[i], tool->name, tool->origin))
            return o->tool_rules.items[i];
    return NULL;
}

/* On one line: ends of lines stand between values alone. */
static int add_schema(str *out, const snug_tool *tool)
{
    const mcptool *of_server = tool->fn == mcp_call_tool ? tool->payload : NULL;
    str_add(out, ", \"schema\": ");
    const size_t from = out->len;

    str_add(out, of_server && of_server->schema ? of_server->schema : "null");
    for (size_t i = from; i < out->len; i++)
        if (out->data[i] == '\n' || out->data[i] == '\r')
            out->data[i] = ' ';
    return str_error(out);
}

static int write_tool(str *out, const writer *w, const stub *s, const snug_tool *tool)
{
    str_add(out, "{\"name\": ");
    jsontext_quote(out, s->name, strlen(s->name));
    add_text(out, "origin", tool->origin);
    add_text(out, "description", s->doc);
    const int error = add_signature(out, s);
    str_printf(out, ", \"is_read_only\": %s", tool->is_read_only ? "true" : "false");
    add_text(out, "rule", find_rule(w->options, tool));
    add_schema(out, tool);
    return error ? error : str_add(out, "}");
}

/* As snug_session_bind_tool. */
static int take_tool(void *target, const snug_tool *tool)
{
    const writer *w = target;

    for (size_t i = 0; i < w->list->count; i++)
        if (!strcmp(w->list->items[i].name, tool->name)) {
            str_clear(&w->objects[i]);
            return write_tool(&w->objects[i], w, &w->list->items[i], tool);
        }
    return SNUG_OK;
}

/* ---- all of them ---- */

static int join_objects(str *out, const writer *w, const size_t *chosen, size_t count)
{
    str text = { 0 };

    str_add(&text, "{\"schema\": \"snug.tools/1\", \"tools\": [");
    for (size_t i = 0, written = 0; i < count; i++) {
        const str *object = &w->objects[chosen[i]];
        if (object->len > 0)
            str_add(&text, written++ > 0 ? ", " : "");
        str_add_str(&text, object);
    }
    str_add(&text, "]}");
    if (!str_error(&text))
        text.len = secrets_hide_json(text.data, text.len);
    const int error = str_add_str(out, &text);
    str_free(&text);
    return error;
}

/* "snug.tools/1" with those of these numbers of the list of t, on one line. */
static int write_json(str *out, tools *t, const size_t *chosen, size_t count)
{
    writer w = { .options = t->options, .list = t->list };

    if (!(w.objects = calloc(w.list->count + 1, sizeof *w.objects)))
        return SNUG_ENOMEM;
    int error = tools_visit(t, take_tool, &w);
    if (!error)
        error = join_objects(out, &w, chosen, count);
    for (size_t i = 0; i < w.list->count; i++)
        str_free(&w.objects[i]);
    free(w.objects);
    return error ? error : str_add(out, "\n");
}

/* ---- the command ---- */

static int print_text(int error, str *text)
{
    if (error)
        command_fail_memory();
    else
        term_put(stdout, str_text(text), text->len);
    str_free(text);
    return error ? EXIT_USAGE : EXIT_FINE;
}

static int print_found(tools *t, const options *o)
{
    size_t found[FOUND_TOOLS], count = FOUND_TOOLS;
    str text = { 0 };
    int error = tool_list_find(found, &count, t->list, o->tools_search);

    if (!error && count == 0)
        return command_fail(EXIT_FAILED, "no tool has a word of \"%s\"", o->tools_search);
    if (!error)
        error = o->is_json ? write_json(&text, t, found, count)
                           : tool_list_write_found(&text, t->list, found, count);
    return print_text(error, &text);
}

static int print_all(tools *t, const options *o)
{
    const size_t count = t->list->count;
    size_t *all = calloc(count + 1, sizeof *all);
    str text = { 0 };

    if (!all)
        return command_fail_memory();
    for (size_t i = 0; i < count; i++)
        all[i] = i;
    const int error =
        o->is_json ? write_json(&text, t, all, count) : tool_list_write(&text, t->list);
    free(all);
    return print_text(error, &text);
}

static int print_tools(tools *t, const options *o)
{
    if (t->list->count == 0)
        return command_fail(EXIT_USAGE, "there are no tools: --upstream, --upstream-config, --mcp, "
                                        "--tool and --fetch give some");
    return o->tools_search ? print_found(t, o) : print_all(t, o);
}

int command_tools(const options *o)
{
    signals s;
    tools t;

    if (signals_start(&s))
        return command_fail(EXIT_USAGE, "%s", error_message());
    int status = tools_open(&t, o, &s);
    if (!status)
        status = print_tools(&t, o);
    tools_close(&t);
    signals_stop(&s);
    return status;
}
