#include "cli/tools/fetch_tool.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/program/command.h"
#include "cli/program/secrets.h"
#include "fetch/fetch.h"

enum { BODY_BYTES = 4 << 20, TOTAL_MS = 30000, CALLS = 10000 };

struct fetch_tool {
    tools *tools;
    fetcher fetcher;
};

static int read_lists(fetcher *f, const options *o)
{
    int error = rules_set_methods(&f->rules, o->fetch_methods ? o->fetch_methods : "GET,HEAD");

    for (size_t i = 0; i < o->fetch_hosts.count && !error; i++)
        error = rules_add(&f->rules, o->fetch_hosts.items[i]);
    for (size_t i = 0; i < o->fetch_secrets.count && !error; i++)
        error = placeholders_add(&f->secrets, o->fetch_secrets.items[i]);
    return error ? command_fail(EXIT_USAGE, "fetch: %s", error_message()) : EXIT_FINE;
}

int fetch_tool_open(fetch_tool **out, tools *t, const options *o)
{
    *out = NULL;
    if (o->fetch_hosts.count == 0)
        return command_fail(EXIT_USAGE, "--fetch-secret is for a host that --fetch names, and none "
                                        "is named");
    fetch_tool *f = calloc(1, sizeof *f);

    *out = f;
    if (!f)
        return command_fail_memory();
    f->tools = t;
    f->fetcher.body_bytes = o->fetch_bytes ? o->fetch_bytes : BODY_BYTES;
    f->fetcher.total_ms = o->fetch_ms ? o->fetch_ms : TOTAL_MS;
    if (f->fetcher.total_ms == SNUG_UNLIMITED)
        f->fetcher.total_ms = 0;
    f->fetcher.calls = o->fetch_calls ? o->fetch_calls : CALLS;
    return read_lists(&f->fetcher, o);
}

static int is_wanted(void *payload)
{
    return snug_call_is_wanted(payload);
}

static void answer(void *payload, snug_call *call)
{
    fetch_tool *f = payload;
    const char *arguments = snug_call_arguments(call);
    str text = { 0 };

    if (fetch_run(&text, &f->fetcher, arguments, strlen(arguments), is_wanted, call)) {
        secrets_hide_str(&text);
        snug_call_fail(call, text.len > 0 ? text.data : "out of memory");
    } else {
        snug_call_return(call, text.data, text.len);
    }
    str_free(&text);
}

/* On the thread that runs the cell. */
static void call_fetch(void *payload, snug_call *call, const char *arguments)
{
    fetch_tool *f = payload;

    (void)arguments;
    tools_answer(f->tools, call, answer, f);
}

int fetch_tool_bind(fetch_tool *f, int (*bind)(void *target, const snug_tool *tool), void *target)
{
    snug_tool tool = SNUG_TOOL_INIT;

    tool.name = FETCH_TOOL_NAME;
    tool.signature = FETCH_TOOL_SIGNATURE;
    tool.doc =
        "Ask a web server that the host allows.\n\n"
        "Returns a dict: status, ok, url, headers (names in lower case), text, json (parsed, "
        "or None), base64 (of a body that is not text). {{NAME}} in the query, a header or "
        "the body stands for a secret of the host's.";
    tool.is_read_only = (uint64_t)rules_only_read(&f->fetcher.rules);
    tool.is_async = SNUG_TOOL_EITHER;
    tool.fn = call_fetch;
    tool.payload = f;
    return bind(target, &tool);
}

void fetch_tool_close(fetch_tool *f)
{
    if (f)
        fetcher_free(&f->fetcher);
    free(f);
}
