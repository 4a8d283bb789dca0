/*
 * words.c - answers in words: a reply without a program that is the answer, or the words that act
 * mode ends with.
 *
 * What is taken becomes r->final_answer. Without a cell that ran before, only a reply behind
 * "ANSWER:" is taken at once, and only if it has no number that somebody would have to compute. Any
 * other is asked for again, because most of what models say in the place of a program is a plan, or
 * a result that they have made up; a model that stays with its words has its way, and the
 * evaluation judges them; but numbers are taken behind the mark only. A refusal, an announcement
 * and half a reply (prose.h) are never taken.
 */
#include "agent/loop/loop.h"

#include "agent/prompt/prompt.h"
#include "agent/text/prose.h"
#include "base/error.h"

void words_forget(run *r)
{
    r->has_final = 0;
    r->is_in_words = 0;
}

/* Whether the last cell of act mode ran as it should: then words are made from what it gave. */
static int has_cell_to_tell_of(const run *r)
{
    const attempt *last = run_attempt(r);
    return r->mode == SNUG_AGENT_MODE_ACT && last && attempt_has_run(last) &&
           last->failure.len == 0;
}

/* A program that was given shall be mended, and a step of a plan is a program. */
static int may_be_in_words(const run *r)
{
    return r->mode != SNUG_AGENT_MODE_PLAN && !given_is_there(r) && r->said.call_count == 0 &&
           r->said.stop == MODEL_STOP_END;
}

static int is_taken(run *r, const prose *said)
{
    const int is_insisted = r->words_asked_again > 0;
    const int has_numbers = r->reply->unsupported.len > 0;

    if (said->kind == PROSE_NONE)
        return 0;
    if (has_cell_to_tell_of(r))
        return 1;
    if (said->kind == PROSE_PLAIN)
        return is_insisted && !has_numbers;
    return is_insisted || !has_numbers || r->mode == SNUG_AGENT_MODE_CHAIN; /* asks once only */
}

static int keep_words(run *r, const prose *said)
{
    str_clear(&r->final_answer);
    r->has_final = r->is_in_words = 1;

    /* An answer is that of an attempt. */
    if (r->reply->attempt_count == 0 && !attempt_begin(r, "", 0))
        return SNUG_ENOMEM;
    return str_add_str(&r->final_answer, &said->text);
}

static loop_outcome judge_words(run *r, const prose *said)
{
    if (is_taken(r, said)) {
        if (keep_words(r, said))
            return run_break(r, error_no_memory());
        return MORE;
    }

    if (said->kind != PROSE_NONE)
        r->words_asked_again++;
    return FAILED;
}

loop_outcome words_take(run *r)
{
    str *unsupported = &r->reply->unsupported;
    prose said;

    str_clear(unsupported);
    if (!may_be_in_words(r))
        return FAILED;

    int error = prose_read(&said, str_text(&r->said.text), r->said.text.len);
    if (error)
        return run_break(r, error_no_memory());

    error = answer_find_unsupported(unsupported, r, str_text(&said.text));
    loop_outcome outcome = error ? run_break(r, error) : judge_words(r, &said);
    prose_free(&said);
    return outcome;
}

/* ---- the last request of act mode ---- */

static int has_run_any(const run *r)
{
    for (size_t i = 0; i < r->reply->attempt_count; i++)
        if (attempt_has_run(&r->reply->attempts[i]))
            return 1;
    return 0;
}

/* The words of the reply, without code that can run no more. */
static int read_last_words(prose *out, const run *r)
{
    const str *text = &r->said.text;
    extracted code;

    if (extract_code(&code, str_text(text), text->len) != SNUG_OK)
        return SNUG_ENOMEM;

    const str *words = code.code.len > 0 ? &code.prose : text;
    int error = prose_read(out, str_text(words), words->len);
    extracted_free(&code);
    return error;
}

static loop_outcome stop_at_steps(run *r)
{
    const unsigned long long steps = r->limits.steps;

    if (!r->is_last_asked || r->failure.sentence.len == 0)
        return run_stop(r, SNUG_AGENT_STATUS_BUDGET,
                        "all %llu steps were taken without a final answer (--max-steps)", steps);
    return run_stop(r, SNUG_AGENT_STATUS_BUDGET,
                    "all %llu steps were taken (--max-steps), and the answer that was asked for "
                    "then was not accepted: %.500s",
                    steps, str_text(&r->failure.sentence));
}

loop_outcome words_ask_last(run *r)
{
    prose said;

    if (r->is_last_asked || !has_run_any(r))
        return stop_at_steps(r);

    int error = talk_say_prompt(r, MODEL_USER, "answer_now", NULL, 0);
    if (error)
        return run_break(r, error);

    loop_outcome outcome = talk_ask_aside(r, USE_CODE, TIME_GENERATE);
    if (outcome != WENT)
        return outcome;

    r->is_last_asked = 1;
    run_forget_failure(r);
    if (read_last_words(&said, r) != SNUG_OK)
        return run_break(r, error_no_memory());

    error = said.kind == PROSE_NONE ? SNUG_OK : keep_words(r, &said);
    prose_free(&said);
    if (error)
        return run_break(r, error_no_memory());
    return r->has_final ? MORE : stop_at_steps(r);
}
