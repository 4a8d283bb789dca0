/*
 * snug batch: many questions, each to an agent and a session of its own, several at a time.
 *
 * What a task gave is on the disk before the next one of its worker begins; of a task that was
 * under way when the program ended there is nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include <snug/agent.h>
#include <snug/snug.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsontext.h"
#include "base/str.h"
#include "base/thread.h"
#include "cli/ask/model_choice.h"
#include "cli/ask/question_files.h"
#include "cli/batch/progress.h"
#include "cli/batch/summary.h"
#include "cli/batch/tasks.h"
#include "cli/program/command.h"
#include "cli/program/secrets.h"
#include "cli/program/signals.h"
#include "cli/program/state_folder.h"
#include "cli/terminal/term.h"
#include "cli/tools/user_tools.h"
#include "wire/splice.h"

/* ---- results ---- */

/* The file that a batch writes: a line for each task that has ended.
 *
 * A line is there whole or not at all: what a killed program left of one is cut off when the
 * file is opened again. A file that is not of this kind is left as it is. */

typedef struct results {
    int fd; /* -1: not open */
    const char *path;
    off_t bytes; /* of whole lines */
} results;

/* Every line begins so. */
#define RESULTS_BEGIN "{\"id\":"

static int fail_line(const results *r, size_t number)
{
    return command_fail(EXIT_USAGE,
                        "%s, line %zu is not a result of a task; name another file with "
                        "--out",
                        r->path, number);
}

typedef void take_line(void *payload, const char *id, const char *line, size_t len);

static int hand_line(const results *r, size_t number, const char *line, size_t len, take_line *take,
                     void *payload)
{
    const jsontext_span object = { line, len };
    size_t fault;

    if (len == 0 || line[0] != '{' || jsontext_check(line, len, &fault))
        return fail_line(r, number);

    str id = { 0 };
    int status = EXIT_FINE;
    if (!jsontext_member(object, "schema").text ||
        jsontext_string(&id, jsontext_member(object, "id")))
        status = fail_line(r, number);
    else
        take(payload, str_text(&id), line, len);

    str_free(&id);
    return status;
}

/* The beginning of a line of ours, or the zeros that a machine without power leaves. */
static int is_torn(const char *line, size_t len)
{
    static const char begin[] = RESULTS_BEGIN;
    size_t most = len < sizeof begin - 1 ? len : sizeof begin - 1;
    return line[0] == '\0' || memcmp(line, begin, most) == 0;
}

static int hand_lines(results *r, const str *text, take_line *take, void *payload)
{
    size_t at = 0, number = 0;
    int status = EXIT_FINE;

    while (at < text->len && !status) {
        const char *line = text->data + at, *end = memchr(line, '\n', text->len - at);
        number++;
        if (!end)
            break;
        status = hand_line(r, number, line, (size_t)(end - line), take, payload);
        at += (size_t)(end - line) + 1;
    }

    if (status || at == text->len) {
        r->bytes = (off_t)at;
        return status;
    }

    if (!is_torn(text->data + at, text->len - at))
        return fail_line(r, number);
    r->bytes = (off_t)at;
    if (ftruncate(r->fd, r->bytes) != 0)
        return command_fail(EXIT_USAGE, "%s: %s", r->path, strerror(errno));
    return EXIT_FINE;
}

static int read_results(str *out, const results *r)
{
    struct stat facts;

    if (fstat(r->fd, &facts) != 0)
        return error_system("%s", r->path);
    if (!S_ISREG(facts.st_mode))
        return error_set(SNUG_EINVAL, "%s exists and is not a file", r->path);

    size_t size = (size_t)facts.st_size;
    if (str_reserve(out, size))
        return error_no_memory();

    while (out->len < size) {
        ssize_t got = pread(r->fd, out->data + out->len, size - out->len, (off_t)out->len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_system("%s", r->path);
        if (got == 0)
            break;
        out->len += (size_t)got;
    }

    out->data[out->len] = '\0';
    return SNUG_OK;
}

/* Makes the file, or hands each of its lines, with its id, to take. EXIT_FINE, or EXIT_USAGE
 * after one sentence: another program has it open, a line is not a result. Close in both cases. */
static int results_open(results *out, const char *path, take_line *take, void *payload)
{
    *out = (results){ .path = path };
    out->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
    if (out->fd < 0)
        return command_fail(EXIT_USAGE, "%s: %s", path, strerror(errno));

    if (flock(out->fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            return command_fail(EXIT_USAGE, "%s: another snug batch is writing it", path);
        return command_fail(EXIT_USAGE, "%s: %s", path, strerror(errno));
    }

    /* What is written into it later is there after a power cut, and so is the file. */
    file_sync_folder(path);

    str text = { 0 };
    int status;
    if (read_results(&text, out))
        status = command_fail(EXIT_USAGE, "%s", error_message());
    else
        status = hand_lines(out, &text, take, payload);

    str_free(&text);
    return status;
}

/* Appends a line, given without its end, and waits until it is on the disk. SNUG_OK, or
 * SNUG_ESYSTEM with a message; the file has its former lines then. */
static int results_add(results *r, const char *line, size_t len)
{
    str whole = { 0 };
    if (str_append(&whole, line, len) || str_add(&whole, "\n")) {
        str_free(&whole);
        return error_no_memory();
    }

    int error = SNUG_OK;
    if (file_write_all(r->fd, whole.data, whole.len) != 0 || fdatasync(r->fd) != 0) {
        error = error_system("%s", r->path);
        if (ftruncate(r->fd, r->bytes) != 0)
            error = error_system("%s", r->path);
    } else
        r->bytes += (off_t)whole.len;

    str_free(&whole);
    return error;
}

static void results_close(results *r)
{
    if (r->path && r->fd >= 0)
        close(r->fd);
    *r = (results){ .fd = -1 };
}

enum { MOST_WORKERS = 64, MOST_CONTEXT_BYTES = 4 << 20, REDRAW_MS = 500 };

typedef struct worker {
    struct batch *batch;
    pthread_t thread;
    snug_agent *agent; /* while it is asked */
} worker;

/* Where tasks are done whose programs are in one language. */
typedef struct place {
    options options; /* what they point to is the command's */
    snug_agent_options wanted;
    snug_host *host; /* NULL: not opened yet */
} place;

typedef struct batch {
    const options *options;
    snug_agent_options wanted;
    place given, bash;       /* as the options have it; for what asks for bash */
    pthread_mutex_t opening; /* of bash's host */
    signals signals;
    tools tools;
    str context;
    str library, cache; /* paths */
    str model;          /* where nobody has named one */
    tasks tasks;
    worker workers[MOST_WORKERS];
    size_t worker_count;

    pthread_mutex_t lock; /* of what is below */
    pthread_cond_t change;
    results results;
    summary summary;
    progress progress;
    size_t next;    /* task */
    size_t running; /* workers */
    int status;     /* not EXIT_FINE: the results cannot be written */

    /* Of the workers' agents. Apart from the other lock, because to cancel an agent waits for the
     * end of its cell. */
    pthread_mutex_t agents_lock;
} batch;

/* ---- a task ---- */

/* name: of its session; NULL: any. */
static int open_agent(snug_agent **out, batch *b, const place *at, const char *name)
{
    *out = NULL;
    snug_session_options session = at->options.session;
    snug_agent_options wanted = at->wanted;

    session.name = name;
    session.journal = b->tools.journal;
    wanted.session = &session;
    int error = snug_agent_open(out, at->host, &wanted);
    if (error)
        return error;
    return tools_bind_agent(&b->tools, *out);
}

/* Of the first task that asks for it; where that is in vain, the next one tries again. */
static int open_bash_host(batch *b)
{
    snug_host *host = NULL;
    int error = SNUG_OK;

    pthread_mutex_lock(&b->opening);
    if (!b->bash.host)
        error = command_make_host(&host, &b->bash.options, &b->signals);
    if (host && !error)
        b->bash.host = host;
    pthread_mutex_unlock(&b->opening);
    return error;
}

/* Where nobody has asked for bash but the model, it is said how to do without. */
static int fail_bash(int error)
{
    char *why = strdup(snug_error_message());

    if (!why)
        return error_no_memory();
    error_set(error, "the program is in bash: %s (--language python asks for Python)", why);
    free(why);
    return error;
}

/* Its session is called as the task is, whichever of them comes first: a journal knows it by that.
 */
static int open_task_agent(snug_agent **out, batch *b, const task *t, int is_in_bash)
{
    *out = NULL;
    if (!is_in_bash)
        return open_agent(out, b, &b->given, t->id);

    int error = open_bash_host(b);
    if (!error)
        error = open_agent(out, b, &b->bash, t->id);
    return error ? fail_bash(error) : SNUG_OK;
}

static void set_agent(worker *w, snug_agent *agent)
{
    pthread_mutex_lock(&w->batch->agents_lock);
    w->agent = agent;
    pthread_mutex_unlock(&w->batch->agents_lock);
}

/* The checks of the options, then the task's. NULL if memory ran out. */
static const char **join_checks(const batch *b, const task *t)
{
    size_t count = b->options->checks.count, more = 0;
    while (t->checks && t->checks[more])
        more++;
    const char **all = calloc(count + more + 1, sizeof *all);
    for (size_t i = 0; all && i < count + more; i++)
        all[i] = i < count ? b->options->checks.items[i] : t->checks[i - count];
    return all;
}

static int ask_task(snug_reply **out, worker *w, snug_agent *agent, const task *t)
{
    const batch *b = w->batch;
    snug_agent_limits limits = SNUG_AGENT_LIMITS_INIT;

    limits.attempts = t->max_attempts;
    const char **checks = join_checks(b, t);
    if (!checks)
        return error_no_memory();

    snug_agent_ask_options how = SNUG_AGENT_ASK_OPTIONS_INIT;
    how.inputs = t->inputs;
    how.input_count = t->input_count;
    how.checks = checks[0] ? checks : NULL;
    how.expect = b->options->expect;
    how.context = b->context.len > 0 ? b->context.data : NULL;
    how.language = b->options->language;
    how.limits = &limits;
    how.program_language = question_program_language(b->options);
    set_agent(w, agent);
    int error = snug_agent_ask(out, agent, t->question, &how);
    set_agent(w, NULL);
    free(checks);
    return error;
}

/* The line of a task that the host could not do. */
static int write_failure(str *out, const task *t, int error)
{
    str object = { 0 };
    const splice_member id = { "id", NULL, t->id };
    const splice_member schema = { "schema", NULL, "snug.error/1" };
    const splice_member members[] = { { "name", NULL, snug_error_name(error) },
                                      { "value", NULL, secrets_error_message() } };
    int failed = splice_members(&object, "{}", 2, members, 2);
    const splice_member all[] = { id, schema, { "error", str_text(&object), NULL } };

    failed = failed || splice_members(out, "{}", 2, all, 3);
    str_free(&object);
    return failed;
}

/* One line. Left empty where the task was given up. */
static int write_reply_line(str *out, batch *b, const task *t, int error, snug_reply *reply)
{
    const splice_member id = { "id", NULL, t->id };
    int is_ending = signals_taken(&b->signals) != 0;

    if (error) {
        if (is_ending)
            return SNUG_OK;
        return write_failure(out, t, error);
    }

    if (is_ending && snug_reply_status(reply) == SNUG_AGENT_STATUS_TERMINAL_ERROR)
        return SNUG_OK;

    size_t len;
    const char *json = snug_reply_text(reply, SNUG_REPLY_JSON, &len);
    if (!json)
        return SNUG_ENOMEM;
    return splice_members(out, json, len, &id, 1);
}

/* The lock is held. */
static void tell_task(batch *b, const task *t, const str *line, int error, const snug_reply *reply)
{
    const char *status = "failed", *why = secrets_error_message();

    if (!error) {
        status = snug_agent_status_name(snug_reply_status(reply));
        why = snug_reply_error(reply);
    }

    summary_add(&b->summary, line->data, line->len);
    progress_tell(&b->progress, "%s: %s%s%s", t->id, status, *why ? ": " : "", why);
}

/* Puts the line where it stays. */
static void record_line(batch *b, const task *t, const str *line, int error,
                        const snug_reply *reply)
{
    pthread_mutex_lock(&b->lock);
    if (b->status == EXIT_FINE) {
        if (results_add(&b->results, line->data, line->len)) {
            progress_end(&b->progress);
            b->status = command_fail(EXIT_USAGE, "%s; the batch ends here", error_message());
        } else
            tell_task(b, t, line, error, reply);
    }

    pthread_cond_signal(&b->change);
    pthread_mutex_unlock(&b->lock);
}

static int ask_apart(snug_reply **out, worker *w, const task *t, int is_in_bash)
{
    snug_agent *agent;
    int error = open_task_agent(&agent, w->batch, t, is_in_bash);

    if (!error)
        error = ask_task(out, w, agent, t);
    snug_agent_close(agent);
    return error;
}

static void do_task(worker *w, const task *t)
{
    batch *b = w->batch;
    snug_reply *reply = NULL;
    str line = { 0 };
    int error = ask_apart(&reply, w, t, 0);

    if (!error && snug_reply_wants_bash(reply) && options_may_be_bash(b->options)) {
        snug_reply_free(reply);
        reply = NULL;
        error = ask_apart(&reply, w, t, 1);
    }
    if (write_reply_line(&line, b, t, error, reply)) {
        str_clear(&line);
        error = error_no_memory();
        write_failure(&line, t, error);
    }

    if (line.len > 0)
        record_line(b, t, &line, error, reply);
    str_free(&line);
    snug_reply_free(reply);
}

/* ---- workers ---- */

/* NULL: there is no more to do. */
static const task *next_task(batch *b)
{
    const task *t = NULL;
    int is_ending = signals_taken(&b->signals) != 0;

    pthread_mutex_lock(&b->lock);
    while (b->next < b->tasks.count && b->tasks.items[b->next].is_done)
        b->next++;
    if (!is_ending && b->status == EXIT_FINE && b->next < b->tasks.count)
        t = &b->tasks.items[b->next++];
    pthread_mutex_unlock(&b->lock);
    return t;
}

static void *work_on_tasks(void *arg)
{
    worker *w = arg;
    batch *b = w->batch;

    for (const task *t; (t = next_task(b));)
        do_task(w, t);
    pthread_mutex_lock(&b->lock);
    b->running--;
    pthread_cond_signal(&b->change);
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

/* Again and again until all have ended, so that none is missed that had not begun to ask. */
static void cancel_all(void *target)
{
    batch *b = target;
    pthread_mutex_lock(&b->agents_lock);
    for (size_t i = 0; i < b->worker_count; i++)
        if (b->workers[i].agent)
            snug_agent_cancel(b->workers[i].agent);
    pthread_mutex_unlock(&b->agents_lock);
}

static int start_workers(batch *b)
{
    size_t wanted = b->options->jobs ? (size_t)b->options->jobs : 1;
    size_t left = b->summary.tasks - b->summary.finished;

    for (size_t i = 0; i < wanted && i < left; i++) {
        worker *w = &b->workers[i];
        w->batch = b;
        pthread_mutex_lock(&b->lock);
        b->running++;
        pthread_mutex_unlock(&b->lock);
        if ((errno = pthread_create(&w->thread, NULL, work_on_tasks, w))) {
            pthread_mutex_lock(&b->lock);
            b->running--;
            b->status = command_fail(EXIT_USAGE, "thread for a task: %s", strerror(errno));
            pthread_mutex_unlock(&b->lock);
            return b->status;
        }
        pthread_mutex_lock(&b->agents_lock);
        b->worker_count++;
        pthread_mutex_unlock(&b->agents_lock);
    }

    return EXIT_FINE;
}

static void watch_workers(batch *b)
{
    pthread_mutex_lock(&b->lock);
    while (b->running > 0) {
        progress_show(&b->progress, &b->summary);
        cond_wait_until(&b->change, &b->lock, clock_deadline_ns(clock_now_ns(), REDRAW_MS));
    }

    progress_show(&b->progress, &b->summary);
    pthread_mutex_unlock(&b->lock);
    if (b->progress.has_bar)
        fputc('\n', stderr);
}

static void run_workers(batch *b)
{
    signals_watch_call(&b->signals, cancel_all, b);
    start_workers(b);
    watch_workers(b);
    for (size_t i = 0; i < b->worker_count; i++)
        pthread_join(b->workers[i].thread, NULL);
    signals_watch(&b->signals, NULL);
}

/* ---- before and after ---- */

static void skip_ended_task(void *payload, const char *id, const char *line, size_t len)
{
    batch *b = payload;
    task *t = tasks_find(&b->tasks, id);
    if (!t || t->is_done)
        return;
    t->is_done = 1;
    b->summary.resumed++;
    summary_add(&b->summary, line, len);
}

/* What is wrong for all tasks is said before the first one. */
static int try_agent(batch *b)
{
    snug_agent *agent;
    int status = EXIT_FINE;
    if (open_agent(&agent, b, &b->given, NULL))
        status = command_fail_open(&b->signals);
    snug_agent_close(agent);
    return status;
}

static void init_place(place *out, const batch *b, options how)
{
    *out = (place){ .options = how, .wanted = b->wanted };
    out->wanted.session = &out->options.session;
}

static int open_all(batch *b)
{
    const options *o = b->options;
    int status;

    if (o->context_path && file_read(&b->context, o->context_path, MOST_CONTEXT_BYTES))
        return command_fail(EXIT_USAGE, "%s", error_message());
    if (memchr(str_text(&b->context), '\0', b->context.len))
        return command_fail(EXIT_USAGE, "%s has a NUL byte, and is not text", o->context_path);

    b->wanted = o->agent;
    b->wanted.conversation_file = NULL; /* none: each task begins afresh */
    if ((status = model_choice_make(&b->model, &b->wanted, o)))
        return status;
    if ((status = state_set_material(&b->library, &b->cache, &b->wanted, o)))
        return status;
    init_place(&b->given, b, *o);
    init_place(&b->bash, b, options_in_bash(o));
    if (signals_start(&b->signals))
        return command_fail(EXIT_USAGE, "%s", error_message());
    if ((status = tools_open(&b->tools, o, &b->signals)) ||
        (status = command_open_host(&b->given.host, o, &b->signals)))
        return status;
    return try_agent(b);
}

static int print_summary(const batch *b)
{
    str text = { 0 };

    if (!b->options->is_json) {
        summary_print(&b->summary, stdout);
        return EXIT_FINE;
    }

    int failed = summary_write_json(&text, &b->summary, b->results.path);
    if (!failed)
        term_printf(stdout, "%s\n", str_text(&text));
    str_free(&text);
    if (failed)
        return command_fail_memory();
    return EXIT_FINE;
}

/* "tasks.jsonl" has its results in "tasks.results.jsonl". NULL if memory ran out. */
static char *default_out(const char *path)
{
    static const char end[] = ".jsonl";
    const size_t end_len = sizeof end - 1;
    size_t len = strlen(path);
    str out = { 0 };

    if (len > end_len && !strcmp(path + len - end_len, end))
        len -= end_len;
    if (str_append(&out, path, len) || str_printf(&out, ".results%s", end)) {
        str_free(&out);
        return NULL;
    }

    return out.data;
}

static int do_all(batch *b, const char *out_path)
{
    int status = results_open(&b->results, out_path, skip_ended_task, b);
    if (status)
        return status;

    b->progress = progress_open(b->options->is_quiet, b->options->is_verbose);
    run_workers(b);
    status = print_summary(b);
    if (b->status)
        return b->status;
    if (status)
        return status;

    int taken = signals_taken(&b->signals);
    if (taken)
        return 128 + taken;
    return summary_answered(&b->summary) == b->summary.tasks ? EXIT_FINE : EXIT_FAILED;
}

static int check_batch(const options *o)
{
    if (o->input_count != 1 || o->inputs[0].is_code)
        return command_fail(EXIT_USAGE, "batch takes one file of tasks, but %zu were given",
                            o->input_count);
    if (o->jobs > MOST_WORKERS)
        return command_fail(EXIT_USAGE, "-j \"%llu\": expected %d at most",
                            (unsigned long long)o->jobs, MOST_WORKERS);
    return EXIT_FINE;
}

static void init_batch_locks(batch *b)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&b->lock, NULL);
    pthread_mutex_init(&b->agents_lock, NULL);
    pthread_mutex_init(&b->opening, NULL);
    pthread_cond_init(&b->change, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* As tools_close. */
static int free_batch(batch *b)
{
    results_close(&b->results);
    const int replayed = tools_close(&b->tools);
    snug_host_close(b->bash.host);
    snug_host_close(b->given.host);
    signals_stop(&b->signals);
    tasks_free(&b->tasks);
    str_free(&b->context);
    str_free(&b->model);
    str_free(&b->library);
    str_free(&b->cache);
    pthread_cond_destroy(&b->change);
    pthread_mutex_destroy(&b->agents_lock);
    pthread_mutex_destroy(&b->opening);
    pthread_mutex_destroy(&b->lock);
    free(b);
    return replayed;
}

int command_batch(const options *o)
{
    int status = check_batch(o);
    if (status)
        return status;

    const char *path = o->inputs[0].text;
    char *out_path = o->out_path ? strdup(o->out_path) : default_out(path);
    batch *b = calloc(1, sizeof *b);
    if (!b || !out_path) {
        free(b);
        free(out_path);
        return command_fail_memory();
    }

    init_batch_locks(b);
    b->options = o;
    b->signals.pipe[0] = b->signals.pipe[1] = -1;
    status = tasks_read(&b->tasks, path);
    b->summary.tasks = b->tasks.count;
    if (!status)
        status = open_all(b);
    if (!status)
        status = do_all(b, out_path);

    const int replayed = free_batch(b);
    free(out_path);
    return status ? status : replayed;
}
