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
        error = tool_list_write_found(&text, t->list, found, count);
    return print_text(error, &text);
}

static int print_tools(tools *t, const options *o)
{
    str text = { 0 };

    if (t->list->count == 0)
        return command_fail(EXIT_USAGE, "there are no tools: --upstream, --upstream-config, --mcp, "
                                        "--tool and --fetch give some");
    return o->tools_search ? print_found(t, o) : print_text(tool_list_write(&text, t->list), &text);
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
