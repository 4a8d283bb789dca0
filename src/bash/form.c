/*
 * form.c - the functions of snug.h for sessions of bash.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/jsontext.h"
#include "base/shellword.h"
#include "base/str.h"
#include "base/utf8.h"
#include "bash/bash.h"
#include "bash/grants.h"
#include "bash/shell_bounds.h"
#include "bash/usage.h"
#include "session/cells/inquiries.h"
#include "session/cells/run_cell.h"
#include "session/files/workdir.h"
#include "session/life/make.h"
#include "wire/json.h"

/* ---- names ---- */

/* The variables and functions of a shell, as it declares them at the end of a cell. The
 * guest's own shell does that: they are a convenience, and nothing rests on them. */

/* What bash and the prelude change by themselves. */
static const char *const own[] = {
    "_",        "COLUMNS",       "COMP_WORDBREAKS",
    "DIRSTACK", "EPOCHREALTIME", "EPOCHSECONDS",
    "FUNCNAME", "GROUPS",        "HISTCMD",
    "LINENO",   "LINES",         "OLDPWD",
    "OPTIND",   "PIPESTATUS",    "PPID",
    "PS1",      "PS2",           "PWD",
    "RANDOM",   "SECONDS",       "SHELLOPTS",
    "SHLVL",    "SRANDOM",       "command_not_found_handle",
    "exit",     "read",          "trap",
};

static int is_own(const char *name, size_t len)
{
    if (strncmp(name, "BASH", 4) == 0 || strncmp(name, "__snug", 6) == 0)
        return 1;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strlen(own[i]) == len && memcmp(own[i], name, len) == 0)
            return 1;
    return 0;
}

static const char *type_of(const char *flags)
{
    static const struct {
        char flag;
        const char *type;
    } types[] = { { 'A', "map" }, { 'a', "array" }, { 'f', "function" }, { 'i', "integer" } };
    size_t len = strcspn(flags, " ");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (memchr(flags, types[i].flag, len))
            return types[i].type;

    return "string";
}

/* What a row has in JSON besides its texts, and what is shown of a value. */
enum { VARIABLE_BYTES = 72, SUMMARY_BYTES = 200 };

typedef struct listing {
    cJSON *rows;
    const str *first;
    uint64_t left_bytes;
    size_t left_out;
} listing;

/* Whether the text has these lines, whole. */
static int has_lines(const str *text, const char *lines, size_t len)
{
    const char *at = str_text(text), *end = at + text->len;
    while ((at = memmem(at, (size_t)(end - at), lines, len))) {
        const char *stop = at + len;
        if ((at == text->data || at[-1] == '\n') && (stop == end || *stop == '\n'))
            return 1;
        at++;
    }
    return 0;
}

/* How much of a value is shown: not past what is not UTF-8. */
static size_t shown_bytes(const char *value, size_t len)
{
    size_t fault, most = len;
    if (utf8_check(value, len, &fault) != UTF8_FINE)
        most = fault;
    return utf8_floor(value, most, most < SUMMARY_BYTES ? most : SUMMARY_BYTES);
}

static int add_row(listing *l, const char *name, size_t name_len, const char *type,
                   const char *value, size_t len)
{
    const size_t shown = shown_bytes(value, len);
    const uint64_t bytes = VARIABLE_BYTES + strlen(type) + jsontext_quoted_bytes(name, name_len) +
                           jsontext_quoted_bytes(value, shown);
    if (bytes > l->left_bytes) {
        l->left_out++;
        return 0;
    }

    l->left_bytes -= bytes;
    cJSON *row = json_add_object(l->rows, NULL);
    return !row || json_add_text_len(row, "name", name, name_len) ||
           json_add_text(row, "type", type) || json_add_number(row, "bytes", (double)len) ||
           json_add_text_len(row, "summary", value, shown);
}

/* "declare -ax name=(...)", with what is in further lines. */
static int add_declaration(listing *l, const char *line, size_t len)
{
    static const char begin[] = "declare -";
    const char *flags = line + sizeof begin - 1, *end = line + len;
    const char *name = memchr(flags, ' ', len - (sizeof begin - 1));
    size_t fault;

    if (!name)
        return 0;
    const char *stop = ++name;
    while (stop < end && *stop != '=' && *stop != '\n')
        stop++;
    const size_t name_len = (size_t)(stop - name);
    if (name_len == 0 || is_own(name, name_len) || has_lines(l->first, line, len) ||
        utf8_check(name, name_len, &fault) != UTF8_FINE)
        return 0;

    const char *value = stop < end && *stop == '=' ? stop + 1 : end;
    return add_row(l, name, name_len, type_of(flags), value, (size_t)(end - value));
}

static int add_declarations(listing *l, const str *names)
{
    const char *text = str_text(names), *end = text + names->len;
    int failed = 0;

    while (!failed && text < end) {
        int is_declaration = strncmp(text, "declare -", 9) == 0;
        const char *stop = strstr(text, is_declaration ? "\ndeclare -" : "\n");
        if (!stop) /* the last one ends with its line, as the others do */
            stop = end - (end[-1] == '\n');
        if (is_declaration)
            failed = add_declaration(l, text, (size_t)(stop - text));
        text = stop + 1;
    }

    return failed;
}

/* snug.variables/1 of those that `declare -p` and `declare -F` wrote now and not first, as far as
 * list_bytes go. NULL if memory ran out. */
static char *names_describe(const str *now, const str *first, const char *session,
                            uint64_t list_bytes)
{
    cJSON *root = cJSON_CreateObject();
    listing l = { .first = first, .left_bytes = list_bytes };
    int failed = !root || json_add_text(root, "schema", "snug.variables/1") ||
                 json_add_text(root, "session", session);

    if (!failed)
        l.rows = json_add_array(root, "variables");
    failed = !l.rows || add_declarations(&l, now);
    if (!failed && l.left_out > 0)
        failed = json_add_number(root, "left_out", (double)l.left_out);
    char *text = failed ? NULL : json_text(root);
    cJSON_Delete(root);
    return text;
}

static int refuse_feature(const char *what)
{
    return error_set(SNUG_EINVAL, "a bash session has no %s", what);
}

/* ---- open and close ---- */

static int open_bash_session(snug_session *session, const snug_session_options *options)
{
    if (options->kind != SNUG_KIND_BASH || !session->files.workdir)
        return error_set(SNUG_EINVAL, "this worker has bash sessions only");
    bash_session *b = session->shell = calloc(1, sizeof *b);
    if (!b)
        return error_no_memory();
    if ((b->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
        return error_system("eventfd");
    if ((errno = disk_open(&session->files.disk, session->files.workdir, 1)))
        return error_system("work directory %s", session->files.workdir);

    disk_touch(&session->files.disk);
    /* What is there now is not the session's. */
    disk_begin(&session->files.disk, session->limits.disk_bytes, session->limits.disk_files);
    disk_check(&session->files.disk);
    capture_spill_to(&session->output, session->files.workdir, NULL);
    int error = bash_start(session, NULL);
    if (!error && procs_look(&b->now, b->shell.pid) == 0)
        b->cpu_ns = b->now.cpu_ns;
    if (!error)
        error = watch_open(session);
    if (!error)
        grants_set(session);
    return error;
}

static int end_bash_session(snug_session *session)
{
    bash_session *b = session->shell;
    if (!b)
        return 0;

    grants_set(NULL);
    watch_close(session);
    procs_end_all();
    shell_close(&b->shell);
    if (b->wake >= 0)
        close(b->wake);
    str_free(&b->first);
    str_free(&b->names);
    procs_free(&b->before);
    procs_free(&b->now);
    str_free(&b->pieces[0]);
    str_free(&b->pieces[1]);
    free(b);
    session->shell = NULL;
    return 0;
}

static int restart_shell(snug_session **at)
{
    snug_session *session = *at;
    bash_session *b = session->shell;

    watch_enter(session);
    procs_end_all();
    usage_empty_memory_files();
    session->cells = 0;
    session->cpu_used_ns = 0;
    b->watch.reason = BASH_RUNS;
    int error = bash_start(session, NULL);
    if (!error && procs_look(&b->now, b->shell.pid) == 0)
        b->cpu_ns = b->now.cpu_ns;
    watch_leave(session);
    return error;
}

static void interrupt_shell(snug_session *session)
{
    if (atomic_exchange(&session->shell->is_wanted, 1))
        return; /* the cell is being ended */
    bash_wake(session->shell);
}

/* ---- names ---- */

static int is_shell_name(const char *name)
{
    if (!is_word(*name) || is_digit(*name))
        return 0;
    while (is_word(*name))
        name++;
    return *name == '\0';
}

/* A string's text; of other values their JSON. */
static int variable_text(str *out, const char *json, size_t len)
{
    str text = { 0 };
    int error = str_append(&text, json, len);
    const char *at = str_text(&text) + strspn(str_text(&text), " \t\r\n");
    size_t rest = strlen(at);

    while (rest > 0 && strchr(" \t\r\n", at[rest - 1]))
        rest--;
    if (!error && *at == '"')
        error = json_unquote(out, at, rest);
    else if (!error)
        error = str_append(out, at, rest);

    str_free(&text);
    return error;
}

static int settle_shell(snug_session *session, const char *line)
{
    watch_enter(session);
    int error = bash_settle(session, line);
    watch_leave(session);
    return error;
}

static int declare_variable(snug_session *session, const char *name, const char *json, size_t len)
{
    str value = { 0 }, line = { 0 };

    if (!is_shell_name(name))
        return error_set(SNUG_EINVAL, "%s is not the name of a variable in bash", name);
    int error = variable_text(&value, json, len);
    if (!error && memchr(str_text(&value), '\0', value.len)) {
        error = error_set(SNUG_EINVAL, "%s: a variable of bash cannot have a NUL", name);
        goto done;
    }

    if (!error)
        error = str_printf(&line, "builtin declare -g %s=", name);
    if (!error)
        error = shellword_append(&line, str_text(&value), value.len);
    if (!error)
        error = str_add(&line, "\n");

    if (error)
        error = error_no_memory();
    else
        error = settle_shell(session, str_text(&line));

done:
    str_free(&value);
    str_free(&line);
    return error;
}

static int refuse_checkpoint(snug_session *session, checkpoint_step step)
{
    (void)session, (void)step;
    return refuse_feature("checkpoints: run what might be undone in a subshell, ( ... )");
}

static int describe_all(snug_description **out, snug_session *session)
{
    const bash_session *b = session->shell;
    packer p = { 0 };
    char *text = names_describe(&b->names, &b->first, session->name, session->limits.list_bytes);
    if (!text)
        return error_no_memory();

    int error = SNUG_ENOMEM;
    pack_bytes(&p, text, strlen(text));
    unpacker u = { str_text(&p.text), p.text.len, 0 };
    if (!p.is_short)
        error = description_unpack(out, &u);

    free(text);
    str_free(&p.text);
    if (error)
        return error_no_memory();
    return SNUG_OK;
}

/* ---- prompts ---- */

static int has_words(const str *text, const char *words)
{
    return strstr(str_text(text), words) != NULL;
}

static int check_is_complete(snug_session *session, const char *source, size_t len)
{
    str said = { 0 };

    if (memchr(source, '\0', len))
        return 1;

    watch_enter(session);
    int error = shell_check(&said, source, len);
    watch_leave(session);
    int answer = !has_words(&said, "unexpected end of file") &&
                 !has_words(&said, "unexpected EOF") &&
                 !has_words(&said, "delimited by end-of-file") &&
                 !(len > 0 && source[len - 1] == '\\' && (len == 1 || source[len - 2] != '\\'));
    str_free(&said);
    if (error)
        return error;
    return answer;
}

/* None: a word's completions would need bash's readline. */
static int complete_nothing(snug_completion **out, snug_session *session, const char *source,
                            size_t len, size_t cursor)
{
    packer p = { 0 };

    (void)session, (void)source, (void)len;
    pack_number(&p, cursor);
    pack_number(&p, 0);
    int error = SNUG_ENOMEM;
    unpacker u = { str_text(&p.text), p.text.len, 0 };
    if (!p.is_short)
        error = completion_unpack(out, &u);

    str_free(&p.text);
    if (error)
        return error_no_memory();
    return SNUG_OK;
}

static int refuse_inspection(snug_description **out, snug_session *session, const char *source,
                             size_t len, size_t cursor)
{
    (void)out, (void)session, (void)source, (void)len, (void)cursor;
    return refuse_feature("inspection: run \"declare -p NAME\" or \"declare -f NAME\"");
}

/* ---- what it has not ---- */

static int refuse_saving(snug_saved **out, snug_session *session, const char *path)
{
    (void)out, (void)session, (void)path;
    return refuse_feature("saved state: keep what should last in files of the work directory");
}

static int refuse_restoring(snug_saved **out, snug_session **session, const char *path)
{
    return refuse_saving(out, *session, path);
}

static int refuse_tool(snug_session *session, const snug_tool *tool)
{
    (void)session, (void)tool;
    return refuse_feature("tools: its cells run programs, and call no functions of the host's");
}

static int refuse_scan(snug_scan **out, snug_host *host, const char *source, size_t len,
                       const snug_scan_options *options)
{
    (void)out, (void)host, (void)source, (void)len, (void)options;
    return refuse_feature("scan: its host has");
}

/* ---- the host ---- */

static int open_bash_host(snug_host *host, const snug_host_options *options)
{
    (void)options;
    host->report = strdup("form: bash\n");
    if (!host->report)
        return error_no_memory();
    return SNUG_OK;
}

static int close_bash_host(snug_host *host)
{
    (void)host;
    return 0;
}

/* What the host puts counts with what the session makes. */
static int put_counted_file(snug_session *session, const char *path, const void *data, size_t len)
{
    int error = local_put(session, path, data, len);
    grants_forget();
    return error;
}

static int has_shell(const snug_session *session)
{
    return session->shell != NULL;
}

/* In a worker a cell has a thread that waits for it anyway. */
static int run_at_once(snug_session *session, const char *source, size_t len,
                       const snug_limits *limits, int is_aside)
{
    return bash_run(&session->cell->result, session, source, len, limits, is_aside);
}

static int attend_none(snug_session *session, uint64_t until_ns)
{
    (void)session;
    (void)until_ns;
    return 1;
}

static int take_finished(snug_result **out, snug_session *session)
{
    *out = session->cell->result;
    session->cell->result = NULL;
    return SNUG_OK;
}

/* Only its host, which is in another process, has tasks. */
static int refuse_tasks(snug_session *session, int is_on)
{
    (void)session;
    return is_on ? error_set(SNUG_EINVAL, "a worker has no tasks") : SNUG_OK;
}

static const session_form sessions = {
    .open = open_bash_session,
    .end = end_bash_session,
    .is_alive = has_shell,
    .renew = restart_shell,
    .interrupt = interrupt_shell,
    .start = run_at_once,
    .attend = attend_none,
    .finish = take_finished,
    .listen = refuse_tasks,
    .set = declare_variable,
    .checkpoint = refuse_checkpoint,
    .is_complete = check_is_complete,
    .complete = complete_nothing,
    .variables = describe_all,
    .inspect = refuse_inspection,
    .save = refuse_saving,
    .restore = refuse_restoring,
    .put = put_counted_file,
    .get = local_get,
    .list = local_list,
    .remove = local_remove,
    .bind = refuse_tool,
};

static snug_health tell_no_health(const snug_host *host)
{
    (void)host;
    return (snug_health){ 0 };
}

/* A shell is started in a moment: there are no spares. */
static snug_pool tell_no_pool(const snug_host *host)
{
    (void)host;
    return (snug_pool){ 0 };
}

const host_form bash_form = {
    .name = SNUG_FORM_LOCAL,
    .sessions = &sessions,
    .open = open_bash_host,
    .close = close_bash_host,
    .open_session = session_open_new,
    .scan = refuse_scan,
    .health = tell_no_health,
    .pool = tell_no_pool,
};
