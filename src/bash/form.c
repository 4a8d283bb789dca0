/*
 * form.c - the functions of snug.h for sessions of bash.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/shellword.h"
#include "bash/bash.h"
#include "bash/grants.h"
#include "bash/names.h"
#include "bash/shell_bounds.h"
#include "bash/usage.h"
#include "session/cells/cell_job.h"
#include "session/cells/inquiries.h"
#include "session/files/list_files.h"
#include "session/files/workdir_files.h"
#include "session/life/make.h"
#include "wire/json.h"

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

    (void)session;
    if (memchr(source, '\0', len))
        return 1;

    int error = shell_check(&said, source, len);
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
