#include "agent/prompt/turn.h"

#include <string.h>

#include "agent/text/clip.h"

enum { MOST_TURN_BYTES = 3000 };

/* Before the failure of a question without an answer, which stands in the answer's place. */
static const char no_answer[] = "No answer: ";

/* ---- what is kept ---- */

/* Pictures are sent with their question only. */
static int take_question(str *out, const run *r)
{
    if (str_add_str(out, &r->reply->question))
        return SNUG_ENOMEM;
    if (r->image_count == 0)
        return SNUG_OK;
    return str_add(out, r->image_count == 1
                            ? "\n(A picture came with this question, and is not shown again.)"
                            : "\n(Pictures came with this question, and are not shown again.)");
}

/* What a cell gave to final_answer is what the program gave, like what it printed. */
static int take_output(str *out, const run *r, const attempt *last)
{
    const str *final = &r->final_answer;
    const int is_of_cell = r->has_final && !r->is_in_words;

    if (!is_of_cell)
        return str_add_str(out, &last->output);
    if (!last->has_no_output &&
        (str_add_str(out, &last->output) || (out->len > 0 && str_add(out, "\n"))))
        return SNUG_ENOMEM;
    return str_add_str(out, final);
}

static const char *find_last(const char *text, const char *what)
{
    const char *found = NULL;
    for (const char *at = text; (at = strstr(at, what)); at++)
        found = at;
    return found;
}

/* The options that a sentence of ours names are advice for the user, as is the count of attempts
 * that it begins with. What it quotes stands before the options. */
static int add_without_options(str *out, const char *sentence)
{
    static const char *const counts[] = { " failed too: ", "the only attempt failed: " };
    const char *open = find_last(sentence, " (--"), *advice = find_last(sentence, "; --");
    const char *close = open ? strchr(open, ')') : NULL;
    const char *begin = sentence, *end = sentence + strlen(sentence);

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const char *found = strstr(sentence, counts[i]);
        if (begin == sentence && found && (found == sentence || !strncmp(sentence, "attempt ", 8)))
            begin = found + strlen(counts[i]);
    }

    if (advice)
        end = advice;
    if (!close || close > end)
        return str_append(out, begin, (size_t)(end - begin));
    return str_append(out, begin, (size_t)(open - begin)) ||
           str_append(out, close + 1, (size_t)(end - close - 1));
}

static int take_failure(str *out, const run *r)
{
    if (str_add(out, no_answer))
        return SNUG_ENOMEM;
    return add_without_options(out, str_text(&r->reply->error));
}

/* The answer to a program that was given ends with that, which the turn has already. */
static int take_answer(str *out, const run *r)
{
    const str *answer = &r->reply->answer;
    const char *program = r->reply->is_given ? strstr(str_text(answer), "\n\n```") : NULL;

    if (answer->len == 0)
        return take_failure(out, r);
    return str_append(out, answer->data, program ? (size_t)(program - answer->data) : answer->len);
}

int turn_take(turn *t, const run *r)
{
    const attempt *last = reply_best(r->reply);

    if (take_question(&t->question, r) || take_answer(&t->answer, r))
        return SNUG_ENOMEM;
    if (last && (str_add_str(&t->code, &last->code) || take_output(&t->output, r, last)))
        return SNUG_ENOMEM;
    return SNUG_OK;
}

/* ---- what prompts have ---- */

static int add_part(str *out, const char *title, const char *text, size_t len)
{
    if (len == 0)
        return SNUG_OK;

    int error = str_add(out, title);
    if (!error)
        error = clip_append(out, text, len, MOST_TURN_BYTES, 0);
    if (error)
        return error;
    return str_add(out, "\n");
}

static size_t trimmed(const char *text, size_t len)
{
    while (len > 0 && strchr(" \t\r\n", text[len - 1]))
        len--;
    return len;
}

/* Of what the program gave: the end of it that is the answer stands there. */
static size_t find_answer(const turn *t)
{
    const char *output = str_text(&t->output);
    const size_t len = trimmed(output, t->output.len);
    const size_t answer_len = trimmed(str_text(&t->answer), t->answer.len);

    if (answer_len == 0 || len < answer_len)
        return t->output.len;
    const size_t begin = len - answer_len;
    if (memcmp(output + begin, t->answer.data, answer_len) != 0)
        return t->output.len;
    return begin == 0 || output[begin - 1] == '\n' ? begin : t->output.len;
}

int turn_tell(str *out, const turn *t)
{
    const char *answer = str_text(&t->answer);
    const int has_answer = strncmp(answer, no_answer, sizeof no_answer - 1) != 0;
    int error = add_part(out, "Question:\n", str_text(&t->question), t->question.len);

    if (!error)
        error = add_part(out, "Program:\n", str_text(&t->code), t->code.len);
    if (!error)
        error = add_part(out, "It gave:\n", str_text(&t->output), find_answer(t));
    if (!error)
        error = add_part(out, has_answer ? "Answer:\n" : "", answer, t->answer.len);
    if (error)
        return error;
    return str_add(out, "\n");
}
