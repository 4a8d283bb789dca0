#include "agent/prompt/history.h"

#include "agent/prompt/request.h"
#include "agent/prompt/turn.h"
#include "agent/text/clip.h"
#include "agent/trace/step_events.h"
#include "base/error.h"

enum {
    BYTES_PER_TOKEN = 4,
    MOST_HISTORY_BYTES = 16 << 20,
    MOST_SUMMARISED_BYTES = 64 << 10 /* of older turns in the request for a summary */
};

/* ---- what the model reads ---- */

size_t history_bytes(const run *r)
{
    if (r->limits.history_tokens >= MOST_HISTORY_BYTES / BYTES_PER_TOKEN)
        return MOST_HISTORY_BYTES;
    return (size_t)r->limits.history_tokens * BYTES_PER_TOKEN;
}

/* What the summary leaves of that for turns. */
static size_t turn_bytes(const run *r)
{
    const size_t most = history_bytes(r);
    const size_t taken = r->agent->conversation.summary.len;
    return most > taken ? most - taken : 0;
}

/* The turn from which on all fit into room; at least `first`. */
static int find_first(size_t *out, const snug_agent *agent, size_t first, size_t room)
{
    size_t at = agent->turn_count, used = 0;

    while (at > first) {
        str text = { 0 };
        int error = turn_tell(&text, &agent->turns[at - 1]);
        used += text.len;
        str_free(&text);
        if (error)
            return error_no_memory();
        if (used > room)
            break;
        at--;
    }

    *out = at;
    return SNUG_OK;
}

/* Turns that neither a summary nor the history has: the model shall not take it for whole. */
static int tell_cut(str *out, size_t count)
{
    if (count == 0)
        return SNUG_OK;
    if (count == 1)
        return str_add(out, "(An earlier question is left out here.)\n\n");
    return str_printf(out, "(%zu earlier questions are left out here.)\n\n", count);
}

int history_tell(str *out, const run *r)
{
    const snug_agent *agent = r->agent;
    const conversation *c = &agent->conversation;
    size_t first = c->told_from;
    int error = SNUG_OK;

    if (c->note.len > 0)
        error =
            str_printf(out, "(The conversation goes on in a new process:\n%s)\n\n", c->note.data);

    if (!error && c->summary.len > 0)
        error = str_printf(out, "Summary of what came before:\n%s\n\n", c->summary.data);
    if (!error)
        error = find_first(&first, agent, c->told_from, turn_bytes(r));
    if (!error)
        error = tell_cut(out, first - c->told_from);

    for (size_t i = first; !error && i < agent->turn_count; i++)
        error = turn_tell(out, &agent->turns[i]);
    if (error)
        return error_no_memory();
    return SNUG_OK;
}

/* ---- the summary ---- */

/* What the summary is made from: the one before, and the turns up to `end`. */
static int write_older(str *out, const snug_agent *agent, size_t end)
{
    str turns = { 0 };
    int error = SNUG_OK;

    if (agent->conversation.summary.len > 0)
        error = str_printf(out, "Summary of what came before:\n%s\n\n",
                           agent->conversation.summary.data);

    for (size_t i = agent->conversation.told_from; !error && i < end; i++)
        error = turn_tell(&turns, &agent->turns[i]);
    if (!error)
        error = clip_append(out, str_text(&turns), turns.len, MOST_SUMMARISED_BYTES, 0);
    str_free(&turns);
    return error;
}

static int write_summary_request(str *out, const snug_agent *agent, size_t end)
{
    str older = { 0 };
    int error = write_older(&older, agent, end);
    const template_values values = { .history = str_text(&older) };

    if (!error)
        error = template_render(out, agent->templates, "summarise", &values);
    str_free(&older);
    if (error)
        return error_no_memory();
    return SNUG_OK;
}

static int take_summary(run *r, size_t end, size_t most)
{
    extracted said;
    conversation *c = &r->agent->conversation;
    str summary = { 0 };

    if (extract_code(&said, str_text(&r->said.text), r->said.text.len) != SNUG_OK)
        return error_no_memory();
    const str *text = said.prose.len > 0 ? &said.prose : &r->said.text;
    int error = clip_append(&summary, str_text(text), text->len, most, 0);
    extracted_free(&said);
    if (error || summary.len == 0) {
        str_free(&summary);
        if (error)
            return error_no_memory();
        return SNUG_OK;
    }

    str_free(&c->summary);
    c->summary = summary;
    c->told_from = end;
    return SNUG_OK;
}

/* A summary that fails ends nothing: whether there is still time and money for the
 * question is asked again with its first request. */
static loop_outcome summarise(run *r, size_t end, size_t most)
{
    model_message message = { .role = MODEL_USER };
    cJSON *event = event_begin(r, "summarise");

    if (event)
        json_add_number(event, "turns", (double)(end - r->agent->conversation.told_from));
    event_send(r, event);
    int error = write_summary_request(&message.text, r->agent, end);
    loop_outcome outcome;
    if (error)
        outcome = run_break(r, error);
    else
        outcome = request_ask(r, USE_EVALUATION, TIME_GENERATE, &message, 1);

    str_free(&message.text);

    if (outcome == WENT) {
        error = take_summary(r, end, most);
        if (error)
            return run_break(r, error);
        return WENT;
    }

    if (outcome != STOPPED)
        return outcome;

    event_fault(r, "summary", str_text(&r->reply->error));
    str_clear(&r->reply->error);
    r->reply->status = SNUG_AGENT_STATUS_TERMINAL_ERROR;
    return WENT;
}

loop_outcome history_fit(run *r)
{
    const snug_agent *agent = r->agent;
    const conversation *c = &agent->conversation;
    const size_t most = history_bytes(r);
    size_t fits, keeps;
    int error = find_first(&fits, agent, c->told_from, turn_bytes(r));

    /* Half of the room stays free, so that not each question needs a summary. */
    if (!error)
        error = find_first(&keeps, agent, c->told_from, most / 2);
    if (error)
        return run_break(r, error);
    if (fits == c->told_from)
        return WENT;
    return summarise(r, keeps, most / 4);
}
