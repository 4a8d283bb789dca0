#include "agent/loop/review.h"

#include <string.h>

#include "agent/prompt/prompt.h"
#include "agent/prompt/request.h"
#include "agent/text/clip.h"
#include "agent/trace/step_events.h"
#include "base/error.h"

enum { MOST_REASON_BYTES = 600, MOST_REQUESTS = 2 };

int review_is_wanted(const run *r)
{
    return r->agent->options.reviews_programs != 0;
}

/* The last reply and the pictures are those of the program. */
static loop_outcome ask_reviewer(model_reply *said, run *r)
{
    const model_reply kept = r->said;
    const size_t images = r->image_count;
    model_message message = { .role = MODEL_USER };
    int error = prompt_make(&message.text, r, "review");

    r->said = (model_reply){ 0 };
    r->image_count = 0;
    loop_outcome outcome =
        error ? run_break(r, error) : request_ask(r, USE_EVALUATION, TIME_SCAN, &message, 1);
    model_message_free(&message);
    *said = r->said;
    r->said = kept;
    r->image_count = images;
    return outcome;
}

/* v is empty before. */
static loop_outcome ask_for_review(verdict *v, run *r)
{
    model_reply said;
    loop_outcome outcome = ask_reviewer(&said, r);

    if (outcome == WENT && verdict_read_reply(v, &said))
        outcome = run_break(r, error_no_memory());
    model_reply_free(&said);
    return outcome;
}

static loop_outcome fail_review(run *r, str *reason, const verdict *v)
{
    static const char none[] = "the review rejects it, and gives no reason";
    int error;

    if (v->reason.len > 0)
        error = clip_append(reason, v->reason.data, v->reason.len, MOST_REASON_BYTES, 0);
    else
        error = str_add(reason, none);
    if (error)
        return run_break(r, error_no_memory());

    reason->len = clip_line(reason->data, reason->len);
    reason->data[reason->len] = '\0';
    return FAILED;
}

/* A program runs though nobody is sure of it, and that is said. */
static void tell_doubt(const run *r, const verdict *v)
{
    str text = { 0 };

    if (!v->is_read)
        event_fault(r, "review", "what it said could not be read, twice");
    else if (!str_add(&text, "it is unsure") &&
             (v->reason.len == 0 || (!str_add(&text, ": ") && !str_add_str(&text, &v->reason)))) {
        text.len = clip_line(text.data, text.len);
        text.data[text.len] = '\0';
        event_fault(r, "review", text.data);
    }
    str_free(&text);
}

loop_outcome review_program(run *r, str *reason)
{
    verdict v = { 0 };
    loop_outcome outcome = WENT;

    for (int i = 0; outcome == WENT && !v.is_read && i < MOST_REQUESTS; i++) {
        verdict_free(&v);
        v = (verdict){ 0 };
        outcome = ask_for_review(&v, r);
    }

    if (outcome == WENT && v.value == SNUG_AGENT_VERDICT_FAIL)
        outcome = fail_review(r, reason, &v);
    else if (outcome == WENT && v.value == SNUG_AGENT_VERDICT_UNSURE)
        tell_doubt(r, &v);
    verdict_free(&v);
    return outcome;
}
