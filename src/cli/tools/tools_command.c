/* snug tools: what cells can call with these options, as typed stubs. */
#include <stdio.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/program/command.h"
#include "cli/terminal/term.h"
#include "cli/tools/tool_list.h"
#include "cli/tools/user_tools.h"

static int print_text(int error, str *text)
{
    if (error)
        return command_fail_memory();
    term_put(stdout, str_text(text), text->len);
    return EXIT_FINE;
}

static int print_found(const tool_list *l, const char *query)
{
    size_t found[FOUND_TOOLS], count = FOUND_TOOLS;
    str text = { 0 };
    int error = tool_list_find(found, &count, l, query);

    if (!error && count == 0)
        return command_fail(EXIT_FAILED, "no tool has a word of \"%s\"", query);
    if (!error)
        error = tool_list_write_found(&text, l, found, count);
    const int status = print_text(error, &text);
    str_free(&text);
    return status;
}

static int print_all(const tool_list *l)
{
    str text = { 0 };
    const int status = print_text(tool_list_write(&text, l), &text);

    str_free(&text);
    return status;
}

static int print_tools(const tool_list *l, const options *o)
{
    if (l->count == 0)
        return command_fail(EXIT_USAGE, "there are no tools: --upstream, --upstream-config, --mcp, "
                                        "--tool and --fetch give some");
    return o->tools_search ? print_found(l, o->tools_search) : print_all(l);
}

int command_tools(const options *o)
{
    signals s;
    tools t;

    if (signals_start(&s))
        return command_fail(EXIT_USAGE, "%s", error_message());
    int status = tools_open(&t, o, &s);
    if (!status)
        status = print_tools(t.list, o);
    tools_close(&t);
    signals_stop(&s);
    return status;
}
