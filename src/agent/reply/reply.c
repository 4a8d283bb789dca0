#include "agent/reply/reply.h"

#include <snug/agent.h>

#include <stdlib.h>

#include "base/error.h"

attempt *reply_add(snug_reply *reply)
{
    attempt *grown = realloc(reply->attempts, (reply->attempt_count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    reply->attempts = grown;
    grown[reply->attempt_count] = (attempt){ .n = reply->attempt_count + 1 };
    return &grown[reply->attempt_count++];
}

made_file *reply_add_made(snug_reply *reply)
{
    made_file *grown = realloc(reply->made, (reply->made_count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    reply->made = grown;
    grown[reply->made_count] = (made_file){ 0 };
    return &grown[reply->made_count++];
}

static const char *text_or_null(const str *text)
{
    return text->len > 0 ? text->data : NULL;
}

static void tell_made(made_file *file)
{
    file->told = (snug_agent_output){ .size = sizeof file->told,
                                      .path = text_or_null(&file->path),
                                      .at = text_or_null(&file->at),
                                      .mime = str_text(&file->mime),
                                      .bytes = file->bytes,
                                      .display = file->display };
}

void reply_tell_made(snug_reply *reply)
{
    for (size_t i = 0; i < reply->made_count; i++)
        tell_made(&reply->made[i]);
}

size_t snug_reply_output_count(const snug_reply *reply)
{
    return reply->made_count;
}

uint64_t snug_reply_outputs_left_out(const snug_reply *reply)
{
    return reply->made_left_out;
}

const snug_agent_output *snug_reply_output(const snug_reply *reply, size_t index)
{
    return index < reply->made_count ? &reply->made[index].told : NULL;
}

int snug_reply_place(snug_reply *reply, size_t index, const char *at)
{
    str place = { 0 };

    if (index >= reply->made_count)
        return error_set(SNUG_EINVAL, "snug_reply_place: there is no output %zu, of %zu", index,
                         reply->made_count);
    if (!at || !*at)
        return error_set(SNUG_EINVAL, "snug_reply_place: the place is %s", at ? "empty" : "NULL");
    if (str_add(&place, at))
        return error_no_memory();

    str_free(&reply->made[index].at);
    reply->made[index].at = place;
    tell_made(&reply->made[index]);
    str_clear(&reply->json);
    str_clear(&reply->markdown);
    return SNUG_OK;
}

const attempt *reply_best(const snug_reply *reply)
{
    size_t n = reply->best ? reply->best : reply->attempt_count;
    return n ? &reply->attempts[n - 1] : NULL;
}

const attempt *reply_next_attempt(const snug_reply *reply, size_t index)
{
    const attempt *next = &reply->attempts[index] + 1;
    if (index + 1 >= reply->attempt_count || next->step != next[-1].step)
        return NULL;
    return next;
}

void reply_add_outcome(str *out, const char *before, const snug_reply *reply)
{
    size_t first = 0, count = reply->attempt_count;

    while (first < count && reply->attempts[first].failure.len == 0)
        first++;
    if (first == count)
        return;

    if (reply->status == SNUG_AGENT_STATUS_MAX_ATTEMPTS)
        str_printf(out, "%sNo success after %zu attempt%s.\n", before, count,
                   count == 1 ? "" : "s");
    if (reply->status != SNUG_AGENT_STATUS_ANSWERED)
        return;

    /* Of a plan all attempts count; else those up to the first that passed. */
    size_t passed = reply->attempts[0].step > 0 ? count - 1 : 0;
    while (passed + 1 < count && reply->attempts[passed].failure.len > 0)
        passed++;
    str_printf(out, "%sSuccess after %zu attempts.\n", before, passed + 1);
}

const char *reply_verdict_name(snug_agent_verdict value)
{
    switch (value) {
    case SNUG_AGENT_VERDICT_PASS:
        return "pass";
    case SNUG_AGENT_VERDICT_FAIL:
        return "fail";
    case SNUG_AGENT_VERDICT_UNSURE:
        return "unsure";
    }
    return "unsure";
}

const char *snug_agent_status_name(snug_agent_status status)
{
    static const char *const names[] = {
        [SNUG_AGENT_STATUS_ANSWERED] = "answered",
        [SNUG_AGENT_STATUS_MAX_ATTEMPTS] = "max_attempts",
        [SNUG_AGENT_STATUS_BUDGET] = "budget",
        [SNUG_AGENT_STATUS_TERMINAL_ERROR] = "terminal_error",
        [SNUG_AGENT_STATUS_REFUSED] = "refused",
    };
    return (size_t)status < sizeof names / sizeof *names ? names[status] : "?";
}

snug_agent_status snug_reply_status(const snug_reply *reply)
{
    return reply->status;
}

const char *snug_reply_answer(const snug_reply *reply)
{
    return str_text(&reply->answer);
}

const char *snug_reply_error(const snug_reply *reply)
{
    return str_text(&reply->error);
}

int snug_reply_is_supported(const snug_reply *reply)
{
    return reply->unsupported.len == 0;
}

int snug_reply_has_program(const snug_reply *reply)
{
    return !reply->is_without_program;
}

int snug_reply_wants_bash(const snug_reply *reply)
{
    return reply->wants_bash;
}

const char *snug_reply_doubt(const snug_reply *reply)
{
    return str_text(&reply->doubt);
}

const char *snug_reply_code(const snug_reply *reply)
{
    const attempt *best = reply_best(reply);
    return best ? str_text(&best->code) : "";
}

const snug_result *snug_reply_result(const snug_reply *reply)
{
    const attempt *best = reply_best(reply);
    return best ? best->result : NULL;
}

size_t snug_reply_attempt_count(const snug_reply *reply)
{
    return reply->attempt_count;
}

static void attempt_free(attempt *a)
{
    str *texts[] = { &a->code,     &a->findings,    &a->output,   &a->failure, &a->changed,
                     &a->analysis, &a->improvement, &a->category, &a->cached,  &a->printed,
                     &a->faults,   &a->fault,       &a->left_out };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        str_free(texts[i]);
    snug_result_free(a->result);
}

void snug_reply_free(snug_reply *reply)
{
    if (!reply)
        return;
    str *texts[] = { &reply->question,    &reply->session,        &reply->fallback,
                     &reply->language,    &reply->fallback_model, &reply->fallback_reason,
                     &reply->answer,      &reply->error,          &reply->unsupported,
                     &reply->reason,      &reply->json,           &reply->markdown,
                     &reply->stored,      &reply->retrieved,      &reply->snippet,
                     &reply->models,      &reply->messages,       &reply->plain,
                     &reply->explanation, &reply->doubt };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        str_free(texts[i]);
    for (size_t i = 0; i < reply->attempt_count; i++)
        attempt_free(&reply->attempts[i]);
    free(reply->attempts);
    for (size_t i = 0; i < reply->made_count; i++) {
        str_free(&reply->made[i].path);
        str_free(&reply->made[i].at);
        str_free(&reply->made[i].mime);
    }
    free(reply->made);
    pthread_mutex_destroy(&reply->lock);
    free(reply);
}

/* ---- a reply as text ---- */

/* The answer, and the explanation below it. */
static void write_plain(str *out, const snug_reply *reply)
{
    str_add_str(out, &reply->answer);
    str_add(out, out->len > 0 ? "\n\n" : "");
    str_add_str(out, &reply->explanation);
}

/* The text of that format, which is written if it was not asked for before. */
static const str *written(snug_reply *reply, snug_reply_format format)
{
    str *text = reply->answer.len > 0 ? &reply->answer : &reply->error;
    void (*write)(str *, const snug_reply *) = NULL;

    if (format == SNUG_REPLY_PLAIN && reply->explanation.len > 0) {
        text = &reply->plain;
        write = write_plain;
    } else if (format == SNUG_REPLY_JSON) {
        text = &reply->json;
        write = reply_write_json;
    } else if (format == SNUG_REPLY_MARKDOWN) {
        text = &reply->markdown;
        write = reply_write_markdown;
    }

    if (write && text->len == 0)
        write(text, reply);
    if (!str_error(text))
        return text;
    str_free(text);
    return NULL;
}

const char *snug_reply_text(const snug_reply *given, snug_reply_format format, size_t *len)
{
    snug_reply *reply = (snug_reply *)(uintptr_t)given;

    pthread_mutex_lock(&reply->lock);
    const str *text = written(reply, format);
    pthread_mutex_unlock(&reply->lock);
    if (!text) {
        error_no_memory();
        return NULL;
    }

    if (len)
        *len = text->len;
    return str_text(text);
}
