/*
 * run.c - what the steps of a question share: how a run stops or fails, its attempts, its cells.
 */
#include "agent/run/run.h"

#include <snug/snug.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/text/clip.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"

const char *run_step_name(snug_agent_step step)
{
    static const char *const names[] = {
        [SNUG_AGENT_STEP_PLAN] = "plan",       [SNUG_AGENT_STEP_GENERATE] = "generate",
        [SNUG_AGENT_STEP_EXTRACT] = "extract", [SNUG_AGENT_STEP_SCAN] = "scan",
        [SNUG_AGENT_STEP_EXECUTE] = "execute", [SNUG_AGENT_STEP_EVALUATE] = "evaluate",
        [SNUG_AGENT_STEP_REPAIR] = "repair",   [SNUG_AGENT_STEP_IMPROVE] = "improve",
        [SNUG_AGENT_STEP_REPLY] = "reply",     [SNUG_AGENT_STEP_END] = "end",
    };
    return names[step];
}

/* ---- how a run ends ---- */

loop_outcome run_stop(run *r, snug_agent_status status, const char *format, ...)
{
    char sentence[ERROR_MESSAGE_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    r->reply->status = status;
    str_clear(&r->reply->error);

    /* It quotes models and programs, which write lines and may be cut within a character. */
    str_append(&r->reply->error, sentence, clip_line(sentence, strlen(sentence)));
    return STOPPED;
}

loop_outcome run_break(run *r, int error)
{
    if (error == SNUG_EDEAD)
        return run_stop(r, SNUG_AGENT_STATUS_TERMINAL_ERROR, "%s", error_message());
    r->error = error;
    return BROKEN;
}

void run_forget_failure(run *r)
{
    failure *f = &r->failure;
    str *texts[] = { &f->category, &f->sentence, &f->traceback, &f->hint, &f->findings };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        str_clear(texts[i]);
    f->template = f->class = NULL;
}

loop_outcome run_fail(run *r, const char *template, const char *class, const char *category)
{
    failure *f = &r->failure;
    run_forget_failure(r);
    f->template = template;
    f->class = class;
    if (str_add(&f->category, category))
        return run_break(r, error_no_memory());
    return FAILED;
}

loop_outcome run_look(run *r)
{
    if (atomic_load(&r->agent->is_cancelled))
        return run_stop(r, SNUG_AGENT_STATUS_TERMINAL_ERROR, "the question was cancelled");
    if (clock_now_ns() >= r->deadline_ns)
        return run_stop(r, SNUG_AGENT_STATUS_BUDGET,
                        "the question has taken all of its %g s; --max-seconds allows more",
                        (double)r->limits.wall_ms / 1000);
    return WENT;
}

/* ---- the conversation ---- */

turn *agent_add_turn(snug_agent *agent)
{
    if (array_reserve(&agent->turns, &agent->turn_cap, agent->turn_count + 1, sizeof *agent->turns))
        return NULL;

    turn *t = &agent->turns[agent->turn_count++];
    *t = (turn){ 0 };
    return t;
}

void turn_free(turn *t)
{
    str *texts[] = { &t->question, &t->code, &t->output, &t->answer };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        str_free(texts[i]);
}

/* ---- attempts ---- */

/* How often this failure has come in a row; the attempts of this step only. */
static uint64_t count_repeats(const run *r, const attempt *last)
{
    uint64_t repeats = 1;

    for (size_t i = r->reply->attempt_count - 1; i > r->step_attempt; i--) {
        const attempt *before = &r->reply->attempts[i - 1];
        if (strcmp(str_text(&before->failure), str_text(&last->failure)) != 0)
            break;
        repeats++;
    }

    return repeats;
}

loop_outcome attempt_fail(run *r)
{
    attempt *a = run_attempt(r);
    const failure *f = &r->failure;

    str_clear(&a->failure);
    str_clear(&a->category);
    if (str_add_str(&a->failure, &f->sentence) || str_add_str(&a->category, &f->category))
        return run_break(r, error_no_memory());

    a->class = f->class;
    a->repeats = count_repeats(r, a);
    return FAILED;
}

attempt *attempt_begin(run *r, const char *code, size_t len)
{
    attempt *a = reply_add(r->reply);
    if (!a || str_append(&a->code, code, len))
        return NULL;
    a->step = r->mode == SNUG_AGENT_MODE_PLAN ? r->step + 1 : 0;
    str_clear(&r->changed);
    run_forget_failure(r);
    return a;
}

/* ---- cells ---- */

/* What is left of the question's time, where that is less than a cell has. */
static snug_limits limits_left(const run *r)
{
    snug_limits limits = SNUG_LIMITS_INIT;
    const uint64_t now_ns = clock_now_ns();
    uint64_t left_ms = 1;

    if (r->deadline_ns > now_ns)
        left_ms += (r->deadline_ns - now_ns) / NS_PER_MS;
    if (left_ms < r->agent->cell_limits.wall_ms)
        limits.wall_ms = left_ms;
    return limits;
}

int run_cell(snug_result **out, run *r, const char *source, size_t len, int is_aside)
{
    snug_agent *agent = r->agent;
    const snug_limits limits = limits_left(r);
    int error = SNUG_OK;

    *out = NULL;
    atomic_store(&agent->is_executing, 1);
    if (atomic_load(&agent->is_cancelled))
        error = SNUG_OK; /* *out stays NULL */
    else if (is_aside)
        error = snug_session_run_aside(out, agent->session, source, len, &limits);
    else
        error = snug_session_run(out, agent->session, source, len, &limits);

    cell_clock_end(&agent->cell_clock);
    atomic_store(&agent->is_executing, 0);

    return error;
}

/* ---- what a run holds ---- */

void run_forget_calls(run *r)
{
    for (size_t i = 0; i < r->call_count; i++) {
        str_free(&r->calls[i].id);
        str_free(&r->calls[i].code);
    }
    free(r->calls);
    r->calls = NULL;
    r->call_count = r->call_cap = r->call_at = 0;
}

void run_free(run *r)
{
    if (r->has_code)
        extracted_free(&r->code);
    if (r->has_verdict)
        verdict_free(&r->verdict);
    model_reply_free(&r->said);
    plan_free(&r->plan);
    private_file_close(&r->saved);
    str_free(&r->saved_bash);
    for (size_t i = 0; i < r->message_count; i++)
        model_message_free(&r->messages[i]);
    free(r->messages);
    for (size_t i = 0; i < r->image_count; i++)
        str_free(&r->images[i].base64);
    free(r->images);
    run_forget_calls(r);
    str *texts[] = { &r->failure.category,
                     &r->failure.sentence,
                     &r->failure.traceback,
                     &r->failure.hint,
                     &r->failure.findings,
                     &r->changed,
                     &r->left_out,
                     &r->inputs,
                     &r->context,
                     &r->data,
                     &r->reuse_key,
                     &r->done,
                     &r->final_answer,
                     &r->final_call,
                     &r->wanted };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        str_free(texts[i]);
}

int run_hide_keys(const run *r, str *text)
{
    int error = SNUG_OK;
    for (int use = 0; use < USES && !error; use++)
        error = model_hide_key(r->agent->models[use], text);
    return error;
}

/* ---- a file of one's own ---- */

int private_file_open(private_file *out, const char *name)
{
    const char *tmp = getenv("TMPDIR");
    int len = snprintf(out->folder, sizeof out->folder, "%s/snug-agent-XXXXXX",
                       tmp && *tmp ? tmp : "/tmp");
    if (len < 0 || (size_t)len >= sizeof out->folder) {
        out->folder[0] = '\0';
        return error_set(SNUG_EINVAL, "TMPDIR is too long: %.200s", tmp);
    }

    if (!mkdtemp(out->folder)) {
        int error = error_system("%s", out->folder);
        out->folder[0] = '\0';
        return error;
    }

    snprintf(out->path, sizeof out->path, "%s/%s", out->folder, name);
    return SNUG_OK;
}

void private_file_close(private_file *file)
{
    if (!file->folder[0])
        return;
    unlink(file->path);
    rmdir(file->folder);
    file->folder[0] = '\0';
}

/* ---- the clock of a cell ---- */

/* Reserved, hardly touched. */
enum { STACK_BYTES = 1024 * 1024 };

static void *watch_cell(void *arg)
{
    cell_clock *clock = arg;

    pthread_mutex_lock(&clock->lock);
    while (!clock->is_over && clock_now_ns() < clock->deadline_ns)
        cond_wait_until(&clock->change, &clock->lock, clock->deadline_ns);
    if (!clock->is_over)
        snug_session_interrupt(clock->session);
    pthread_mutex_unlock(&clock->lock);
    return NULL;
}

static void init_clock(cell_clock *clock, snug_session *session, uint64_t deadline_ns)
{
    pthread_condattr_t attributes;

    *clock = (cell_clock){ .session = session, .deadline_ns = deadline_ns };
    pthread_mutex_init(&clock->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&clock->change, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void free_clock(cell_clock *clock)
{
    pthread_cond_destroy(&clock->change);
    pthread_mutex_destroy(&clock->lock);
    *clock = (cell_clock){ 0 };
}

int cell_clock_begin(cell_clock *clock, snug_session *session, uint64_t deadline_ns)
{
    if (clock->has_thread || deadline_ns == UINT64_MAX)
        return SNUG_OK;

    init_clock(clock, session, deadline_ns);
    int error = thread_start(&clock->thread, "snug-cell-clock", STACK_BYTES, watch_cell, clock);
    if (error)
        free_clock(clock);
    else
        clock->has_thread = 1;
    return error;
}

void cell_clock_end(cell_clock *clock)
{
    if (!clock->has_thread)
        return;

    pthread_mutex_lock(&clock->lock);
    clock->is_over = 1;
    pthread_cond_signal(&clock->change);
    pthread_mutex_unlock(&clock->lock);
    thread_join(&clock->thread);
    free_clock(clock);
}
