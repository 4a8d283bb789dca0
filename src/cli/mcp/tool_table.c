#include "cli/mcp/tool_table.h"

#include <string.h>

#include "base/jsontext.h"
#include "cli/mcp/asking.h"
#include "cli/tools/tool_list.h"
#include "cli/tools/user_tools.h"

/* ---- the table ---- */

#define SESSION_WORDS "handle of a session, from an earlier answer"
#define READS         "{\"readOnlyHint\":true,\"openWorldHint\":false}"
#define WRITES                                                                   \
    "{\"readOnlyHint\":false,\"destructiveHint\":false,\"idempotentHint\":true," \
    "\"openWorldHint\":false}"
#define DESTROYS                                                                \
    "{\"readOnlyHint\":false,\"destructiveHint\":true,\"idempotentHint\":true," \
    "\"openWorldHint\":false}"
/* Tools of the program's may reach anything. */
#define RUNS "{\"readOnlyHint\":false,\"destructiveHint\":true,\"openWorldHint\":true}"

#define OF_SESSION "\"session\":{\"type\":\"string\"}"
#define OBJECT(properties, required) \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "]}"
#define BRIEF                                                                               \
    OBJECT(OF_SESSION ",\"status\":{\"type\":\"string\"},\"output\":{\"type\":\"string\"}," \
                      "\"stderr\":{\"type\":\"string\"},\"value\":{\"type\":\"string\"},"   \
                      "\"error\":{\"type\":\"string\"},\"hint\":{\"type\":\"string\"},"     \
                      "\"note\":{\"type\":\"string\"},\"files\":{\"type\":\"array\","       \
                      "\"items\":{\"type\":\"string\"}}",                                   \
           "\"session\",\"status\"")
#define RESULT                                                                             \
    OBJECT("\"schema\":{\"type\":\"string\"}," OF_SESSION                                  \
           ",\"execution_count\":{\"type\":\"integer\"},\"status\":{\"type\":\"string\"}," \
           "\"state\":{\"type\":\"string\"},\"value\":{\"type\":[\"object\",\"null\"]},"   \
           "\"results\":{\"type\":\"array\"},\"stdout\":{\"type\":\"string\"},"            \
           "\"stderr\":{\"type\":\"string\"},\"error\":{\"type\":[\"object\",\"null\"]},"  \
           "\"artifacts\":{\"type\":\"array\"},\"tool_calls\":{\"type\":\"array\"},"       \
           "\"opened\":{\"type\":\"object\"}",                                             \
           "\"schema\",\"session\",\"status\",\"state\",\"stdout\",\"stderr\"")
static const mcp_tool table[] = {
    { "run_python",
      "Run Python",
      "Runs Python in a session that keeps its names, imports and files from call to call, and "
      "answers with what was printed and the value of the last expression. No network and no files "
      "but those of the session's work "
      "directory, unless the host gives functions for more. Pictures that are displayed come back "
      "as images.",
      { { "code", ARGUMENT_TEXT, 1, "the program" },
        { "session", ARGUMENT_TEXT, 0, NULL },
        { "timeout", ARGUMENT_NUMBER, 0, NULL },
        { "reset", ARGUMENT_BOOL, 0, "forget the session's names first" } },
      RUNS,
      SESSION_OPENED,
      .run = run_code },
    { "run_bash",
      "Run bash",
      "Runs a script in a session of bash that keeps variables, functions and its folder from call "
      "to call, in a sandbox without network. Sessions of bash and Python do not share files.",
      { { "code", ARGUMENT_TEXT, 1, "the script" },
        { "session", ARGUMENT_TEXT, 0, NULL },
        { "timeout", ARGUMENT_NUMBER, 0, NULL },
        { "reset", ARGUMENT_BOOL, 0, "begin with a new shell" } },
      RUNS,
      SESSION_OPENED,
      .needs_bash = 1,
      .run = run_code },
    { "list_variables",
      "List variables",
      "Lists the names of a session of Python, with types and short values.",
      { { "session", ARGUMENT_TEXT, 1, SESSION_WORDS } },
      READS,
      SESSION_NAMED,
      .run = list_variables },
    { "list_files",
      "List files",
      "Lists the files in the work directory of a session.",
      { { "session", ARGUMENT_TEXT, 1, SESSION_WORDS } },
      READS,
      SESSION_NAMED,
      .run = list_files },
    { "read_file",
      "Read a file",
      "Reads a file of a session's work directory: text as text, pictures as images.",
      { { "session", ARGUMENT_TEXT, 1, SESSION_WORDS },
        { "path", ARGUMENT_TEXT, 1, "below the work directory, as list_files has it" } },
      READS,
      SESSION_NAMED,
      .run = read_file },
    { "write_file",
      "Write a file",
      "Writes a file into a session's work directory, where programs find it by its name.",
      { { "path", ARGUMENT_TEXT, 1, "below the work directory; folders are made" },
        { "text", ARGUMENT_TEXT, 0, "what it has, or base64" },
        { "base64", ARGUMENT_TEXT, 0, "the same of bytes" },
        { "session", ARGUMENT_TEXT, 0, NULL } },
      WRITES,
      SESSION_OPENED,
      .run = write_file },
    { "reset_session",
      "Reset a session",
      "Forgets a session's names and imports. Its files stay.",
      { { "session", ARGUMENT_TEXT, 1, SESSION_WORDS } },
      DESTROYS,
      SESSION_NAMED,
      .run = reset_session },
    { "save_session",
      "Save a session",
      "Saves a session of Python with its names and files, for restore_session. It goes on.",
      { { "session", ARGUMENT_TEXT, 1, SESSION_WORDS } },
      WRITES,
      SESSION_NAMED,
      .run = save_session },
    { "restore_session",
      "Restore a session",
      "Makes a session what it was at its last save_session.",
      { { "session", ARGUMENT_TEXT, 1, SESSION_WORDS } },
      DESTROYS,
      SESSION_NAMED,
      .run = restore_session },
    { "close_session",
      "Close a session",
      "Ends a session, and removes its files and saves.",
      { { "session", ARGUMENT_TEXT, 1, SESSION_WORDS } },
      DESTROYS,
      SESSION_CLOSED,
      .run = close_session },
    { "find_tools",
      "Find tools",
      "Finds functions that programs of run_python can call, by words of what they do. Answers "
      "with "
      "typed stubs, the best first; call them in a program.",
      { { "query", ARGUMENT_TEXT, 1, "words of what a function should do" },
        { "limit", ARGUMENT_NUMBER, 0, "how many at most, up to 50; else 8" } },
      READS,
      SESSION_NONE,
      .needs_servers = 1,
      .run = find_tools },
};
enum { TOOLS = sizeof table / sizeof *table };

static int is_here(const mcp_server *s, const mcp_tool *one)
{
    if (one->needs_bash && !s->has_bash)
        return 0;
    return !one->needs_servers || s->tools->list->of_servers > 0;
}

const mcp_tool *tool_find(const mcp_server *s, const char *name)
{
    for (size_t i = 0; i < TOOLS; i++)
        if (!strcmp(table[i].name, name))
            return is_here(s, &table[i]) ? &table[i] : NULL;
    return NULL;
}

/* ---- the list ---- */

static const char *const types[] = { "string", "number", "boolean" };

static int write_about(str *out, const tool_argument *one, const mcp_call *c)
{
    if (one->about)
        return str_add(out, one->about);
    if (one->type == ARGUMENT_NUMBER)
        return str_printf(out, "seconds that it may take, %g at most",
                          (double)call_most_ms(c->server->options) / 1000);
    return str_add(out, c->peer->is_alone ? SESSION_WORDS "; without one a new session is opened"
                                          : SESSION_WORDS
                            "; without one the call goes on in the session of the "
                            "last call without one; \\\"new\\\" opens another");
}

static int write_arguments(str *out, const tool_argument *arguments, const mcp_call *c)
{
    int count = 0;

    str_add(out, "{\"type\":\"object\",\"properties\":{");
    for (const tool_argument *one = arguments; one->name; one++) {
        str_printf(out, "%s\"%s\":{\"type\":\"%s\",\"description\":\"", one == arguments ? "" : ",",
                   one->name, types[one->type]);
        write_about(out, one, c);
        str_add(out, "\"}");
    }
    str_add(out, "},\"required\":[");
    for (const tool_argument *one = arguments; one->name; one++)
        if (one->is_required)
            str_printf(out, "%s\"%s\"", count++ > 0 ? "," : "", one->name);
    return str_add(out, "],\"additionalProperties\":false}");
}

/* Of what runs Python also what its programs can call, no list of the client's has that; of
 * find_tools where there is something to be found. */
static int write_description(str *out, const mcp_server *s, const mcp_tool *one)
{
    const int is_python = one->run == run_code && !one->needs_bash;
    str text = { 0 };
    int error = str_add(&text, one->about);

    if (is_python &&
        (tool_list_describe(&text, s->tools->list) || tools_write_missing(&text, s->tools)))
        error = SNUG_ENOMEM;
    if (one->needs_servers) {
        str_add(&text, " There are: ");
        tool_list_write_servers(&text, s->tools->list);
        error = str_add(&text, ".");
    }
    if (!error)
        error = jsontext_quote(out, text.data, text.len);
    str_free(&text);
    return error;
}

/* Of what runs code alone: what else tools answer with, their texts say. */
static int write_output(str *out, const mcp_tool *one, structured_choice form)
{
    if (form == STRUCTURED_NONE || one->run != run_code)
        return SNUG_OK;
    return str_printf(out, ",\"outputSchema\":%s", form == STRUCTURED_BRIEF ? BRIEF : RESULT);
}

int tool_write_list(str *out, const mcp_call *c)
{
    const mcp_server *s = c->server;
    int error = SNUG_OK, count = 0;

    str_add(out, "\"tools\":[");
    for (size_t i = 0; i < TOOLS && !error; i++) {
        const mcp_tool *one = &table[i];
        if (!is_here(s, one))
            continue;
        str_printf(out,
                   "%s{\"name\":\"%s\",\"title\":\"%s\",\"description\":", count++ > 0 ? "," : "",
                   one->name, one->title);
        error = write_description(out, s, one);
        str_add(out, ",\"inputSchema\":");
        write_arguments(out, one->arguments, c);
        write_output(out, one, (structured_choice)s->options->mcp.structured);
        str_printf(out, ",\"annotations\":%s}", one->annotations);
    }
    return error ? error : str_add(out, "]");
}

/* ---- arguments ---- */

static int is_of_type(const cJSON *value, argument_type type)
{
    switch (type) {
    case ARGUMENT_TEXT:
        return cJSON_IsString(value);
    case ARGUMENT_NUMBER:
        return cJSON_IsNumber(value);
    case ARGUMENT_BOOL:
        return cJSON_IsBool(value);
    }
    return 0;
}

static const tool_argument *find_argument(const mcp_tool *tool, const char *name)
{
    for (const tool_argument *one = tool->arguments; one->name; one++)
        if (!strcmp(one->name, name))
            return one;
    return NULL;
}

/* 1, or 0 with what is wrong in a. */
static int check_arguments(const mcp_tool *tool, const cJSON *arguments, answer *a)
{
    static const char *const words[] = { "a string", "a number", "true or false" };
    const cJSON *one;

    for (const tool_argument *wanted = tool->arguments; wanted->name; wanted++) {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(arguments, wanted->name);
        if (!value && wanted->is_required) {
            answer_fail(a, "%s needs the argument \"%s\": %s", tool->name, wanted->name,
                        wanted->about);
            return 0;
        }
        if (value && !is_of_type(value, wanted->type)) {
            answer_fail(a, "the argument \"%s\" of %s must be %s", wanted->name, tool->name,
                        words[wanted->type]);
            return 0;
        }
    }

    cJSON_ArrayForEach(one, arguments)
    {
        if (!find_argument(tool, one->string)) {
            answer_fail(a, "%s has no argument \"%.64s\"", tool->name, one->string);
            return 0;
        }
    }
    return 1;
}

/* ---- calls ---- */

static void send_answer(mcp_call *c, answer *a)
{
    str result = { 0 };

    if (c->server->options->mcp.structured == STRUCTURED_NONE)
        str_clear(&a->structured);
    str_add(&result, "{");
    call_begin_result(&result, c, -1, NULL);
    call_result(c, answer_write(&result, a) ? NULL : result.data);
    str_free(&result);
    answer_free(a);
}

/* With the lock: the handle of that name, also one of before this process. */
static handle *know_handle(mcp_call *c, const char *name)
{
    mcp_server *s = c->server;
    handle *found = handles_find(&s->handles, c->principal->name, name);

    if (found || !handle_is_name(name))
        return found;
    pthread_mutex_unlock(&s->lock);
    const int is_there = snug_supervisor_has_session(s->supervisor, c->principal->name, name) == 1;
    pthread_mutex_lock(&s->lock);
    if (!is_there)
        return NULL;
    found = handles_find(&s->handles, c->principal->name, name);
    return found ? found : handles_know(&s->handles, c->principal->name, name);
}

/* The handle of that name is the call's: 1; 0: there is none. */
static int take_handle(mcp_call *c, const char *name)
{
    mcp_server *s = c->server;

    pthread_mutex_lock(&s->lock);
    c->handle = know_handle(c, name);
    if (c->handle)
        c->handle->calls++;
    pthread_mutex_unlock(&s->lock);
    return c->handle != NULL;
}

static int open_handle(mcp_call *c)
{
    mcp_server *s = c->server;

    pthread_mutex_lock(&s->lock);
    c->handle = handles_make(&s->handles, c->principal->name, c->tool->needs_bash);
    if (c->handle)
        c->handle->calls++;
    handles_trim(&s->handles, MOST_HANDLES);
    pthread_mutex_unlock(&s->lock);
    return c->handle != NULL;
}

/* 1, or 0 with what is wrong in a. */
static int find_session(mcp_call *c, const cJSON *arguments, answer *a)
{
    const char *name = rpc_text(arguments, "session");
    char *own = c->peer->own[c->tool->needs_bash];

    /* Messages of a peer come one after the other. */
    if (!name && !c->peer->is_alone && take_handle(c, own))
        return 1;
    if (c->tool->session == SESSION_OPENED && (!name || !strcmp(name, "new"))) {
        if (!open_handle(c))
            a->failed = 1;
        else
            memcpy(own, c->handle->name, HANDLE_BYTES);
        return !a->failed;
    }

    if (!take_handle(c, name)) {
        answer_fail(a,
                    "there is no session \"%.64s\": it was closed, or is of another server; call "
                    "run_python without \"session\" to open one",
                    name);
        return 0;
    }
    if (c->tool->run == run_code && c->handle->is_bash != c->tool->needs_bash) {
        answer_fail(a, "%s is a session of %s; %s needs one of its own", name,
                    c->handle->is_bash ? "bash" : "Python", c->tool->name);
        return 0;
    }
    return 1;
}

static void on_output(void *payload, snug_stream stream, const char *text, size_t len)
{
    (void)stream;
    call_progress(payload, text, len);
}

/* The session of the call, leased: NULL after an error in a. */
static snug_lease *lease_session(mcp_call *c, answer *a)
{
    snug_session_options wanted = c->server->options->session;
    snug_lease *lease;

    if (c->handle->is_bash)
        wanted.kind = SNUG_KIND_BASH;
    wanted.journal = c->server->tools->journal;
    wanted.on_output = on_output;
    wanted.on_approval = asking_on_approval;
    wanted.payload = c;
    if (snug_lease_open(&lease, c->server->supervisor, c->handle->principal, c->handle->name,
                        &wanted)) {
        answer_fail_library(a);
        return NULL;
    }
    return lease;
}

/* Closed by a call that had its turn before. */
static int is_closed(const mcp_call *c)
{
    pthread_mutex_lock(&c->server->lock);
    const int closed = c->handle && c->handle->is_gone;
    pthread_mutex_unlock(&c->server->lock);
    return closed;
}

static void serve_tool(mcp_call *c, const char *why)
{
    const int has_lease = c->tool->session == SESSION_OPENED || c->tool->session == SESSION_NAMED;
    snug_lease *lease = NULL;
    answer a = { 0 };

    if (!why && is_closed(c))
        why = "the session was closed before the call had its turn";
    a.has_save = !why && c->handle && call_has_save(c);
    if (!why && has_lease)
        lease = lease_session(c, &a);
    if (why)
        answer_fail(&a, "%s", why);
    else if (lease || !has_lease)
        c->tool->run(c, lease, rpc_object(c->message.params, "arguments"), &a);
    snug_lease_close(lease);
    send_answer(c, &a);
}

void tool_take(mcp_call *c)
{
    answer a = { 0 };
    const cJSON *given = cJSON_GetObjectItemCaseSensitive(c->message.params, "arguments");

    if (given && !cJSON_IsObject(given)) {
        call_fail(c, MCP_BAD, RPC_INVALID_PARAMS, "\"arguments\" must be an object", NULL);
        return;
    }
    if (!check_arguments(c->tool, given, &a) ||
        (c->tool->session != SESSION_NONE && !find_session(c, given, &a))) {
        send_answer(c, &a);
        return;
    }
    c->serve = serve_tool;
    call_queue(c);
}
