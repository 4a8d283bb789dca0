#include "agent/reply/facts.h"

#include <string.h>

#include "agent/text/line.h"
#include "base/jsontext.h"

/* ---- what the model said of it ---- */

/* The attempt that follows it in the same step of a plan; NULL: it was the last. */
static const attempt *next_attempt(const snug_reply *reply, size_t index)
{
    const attempt *next = &reply->attempts[index] + 1;
    if (index + 1 >= reply->attempt_count || next->step != next[-1].step)
        return NULL;
    return next;
}

static jsontext_span analysed(const snug_reply *reply, size_t index, const char *member)
{
    const attempt *next = next_attempt(reply, index);
    if (!next || next->analysis.len == 0)
        return (jsontext_span){ 0 };
    return jsontext_member((jsontext_span){ next->analysis.data, next->analysis.len }, member);
}

static int add_first_line(str *out, const str *text)
{
    return str_append(out, str_text(text), strcspn(str_text(text), "\n"));
}

/* *has: there is such a text. */
static int add_analysed(str *out, int *has, const snug_reply *reply, size_t index,
                        const char *member)
{
    const jsontext_span value = analysed(reply, index, member);
    str text = { 0 };
    int error = SNUG_OK;

    *has = 0;
    if (value.text && value.text[0] == '"')
        error = jsontext_string(&text, value) == SNUG_ENOMEM ? SNUG_ENOMEM : SNUG_OK;
    if (!error && text.len > 0) {
        *has = 1;
        error = add_first_line(out, &text);
    }

    str_free(&text);
    return error;
}

/* ---- severity ---- */

static int has_category(const attempt *a, const char *const *categories)
{
    for (; *categories; categories++)
        if (!strcmp(str_text(&a->category), *categories))
            return 1;
    return 0;
}

const char *facts_severity(const snug_reply *reply, size_t index)
{
    static const char *const grave[] = { "timeout", "memory", "internal", NULL };
    static const char *const words[] = { "low", "medium", "high" };
    static const char *const quoted[] = { "\"low\"", "\"medium\"", "\"high\"" };
    const attempt *a = &reply->attempts[index];
    const jsontext_span said = analysed(reply, index, "severity");

    for (size_t i = 0; said.text && i < sizeof words / sizeof *words; i++)
        if (jsontext_is(said, quoted[i]))
            return words[i];

    if (has_category(a, grave))
        return "high";
    return attempt_has_run(a) ? "medium" : "low";
}

/* ---- scope ---- */

/* Of the innermost frame of the program. */
static int add_place(str *out, const attempt *a)
{
    const char *json = a->result ? snug_result_json(a->result, NULL) : NULL;
    jsontext_span frame, number = { 0 };
    jsontext j;

    if (!json)
        return str_add(out, "the program");

    jsontext_span error = jsontext_member((jsontext_span){ json, strlen(json) }, "error");
    if (jsontext_enter(&j, jsontext_member(error, "frames")))
        while (jsontext_item(&j, NULL, &frame))
            number = jsontext_member(frame, "line");
    if (!number.text)
        return str_add(out, "the program");
    return str_printf(out, "line %.*s of the program and what comes after it", (int)number.len,
                      number.text);
}

static int add_reach(str *out, const attempt *a)
{
    if (!attempt_has_run(a))
        return str_add(out, "the whole program: nothing of it was run");
    if (a->is_restored)
        return str_add(out, "the session, which is again what it was before the program");
    if (a->class && !strcmp(a->class, "logical"))
        return str_add(out, "the answer: the program ran to its end");
    if (add_place(out, a))
        return SNUG_ENOMEM;
    if (a->changed.len > 0)
        return str_printf(out, "; what came before it stays: %s", a->changed.data);
    return SNUG_OK;
}

int facts_scope(str *out, const snug_reply *reply, size_t index)
{
    int has;
    int error = add_analysed(out, &has, reply, index, "scope");
    if (error || has)
        return error;
    return add_reach(out, &reply->attempts[index]);
}

/* ---- the fix ---- */

/* The lines that two programs begin and end with. */
static void compare_lines(size_t *same_before, size_t *same_after, const str *a, const str *b)
{
    size_t at = 0, before = 0, end_a = a->len, end_b = b->len;

    while (at < a->len && at < b->len && a->data[at] == b->data[at]) {
        if (a->data[at++] == '\n')
            before = at;
    }

    /* Ends count from the beginning of a line. */
    *same_before = before;
    *same_after = 0;
    while (end_a > before && end_b > before && a->data[end_a - 1] == b->data[end_b - 1]) {
        end_a--;
        end_b--;
        if (a->data[end_a] == '\n')
            *same_after = a->len - end_a - 1;
    }
}

static size_t lines_within(const str *text, size_t from, size_t to)
{
    size_t count = 0;
    for (size_t at = from; at < to; count++)
        at = line_at(text->data, to, at).next;
    return count;
}

static int add_lines(str *out, size_t first, size_t count)
{
    if (count == 1)
        return str_printf(out, "line %zu", first);
    return str_printf(out, "lines %zu to %zu", first, first + count - 1);
}

/* Each line of both has an end. */
static int describe_difference(str *out, const str *old, const str *new)
{
    size_t before, after;

    compare_lines(&before, &after, old, new);
    const size_t first = lines_within(old, 0, before) + 1;
    const size_t gone = lines_within(old, before, old->len - after);
    const size_t come = lines_within(new, before, new->len - after);

    if (before == 0 && after == 0)
        return str_add(out, "all of the program has changed");
    if (gone == 0)
        return str_printf(out, "%zu line%s added before line %zu", come, come == 1 ? "" : "s",
                          first);
    if (add_lines(out, first, gone))
        return SNUG_ENOMEM;
    return str_add(out, come == 0 ? " left out" : " changed");
}

/* Which lines of the program are others now. */
static int add_difference(str *out, const str *old, const str *new)
{
    str a = { 0 }, b = { 0 };
    int error;

    if (old->len == 0 || new->len == 0)
        return SNUG_OK;
    if (!strcmp(old->data, new->data))
        return str_add(out, "none: it is the same program");

    error = str_printf(&a, "%s\n", old->data) || str_printf(&b, "%s\n", new->data);
    if (!error)
        error = describe_difference(out, &a, &b);
    str_free(&a);
    str_free(&b);
    return error ? SNUG_ENOMEM : SNUG_OK;
}

/* How recommendations stand beside each other. */
typedef struct advice_form {
    const char *before, *after, *between;
} advice_form;

/* The first line of each. *count: how many there are. */
static int add_advice(str *out, size_t *count, const snug_reply *reply, size_t index,
                      const advice_form *form)
{
    const jsontext_span list = analysed(reply, index, "recommendations");
    jsontext_span item;
    jsontext j;
    int error = SNUG_OK;

    *count = 0;
    if (!list.text || list.text[0] != '[' || !jsontext_enter(&j, list))
        return SNUG_OK;

    while (!error && jsontext_item(&j, NULL, &item)) {
        str text = { 0 };
        if (item.text[0] == '"' && jsontext_string(&text, item) == SNUG_OK && text.len > 0) {
            error = (*count > 0 && str_add(out, form->between)) || str_add(out, form->before) ||
                    add_first_line(out, &text) || str_add(out, form->after);
            ++*count;
        }
        str_free(&text);
    }

    return error ? SNUG_ENOMEM : SNUG_OK;
}

int facts_fix(str *out, const snug_reply *reply, size_t index)
{
    static const advice_form one_line = { "", "", "; " };
    const attempt *next = next_attempt(reply, index);
    size_t count;

    if (!next)
        return SNUG_OK;
    if (next->improvement.len > 0)
        return add_first_line(out, &next->improvement);

    int error = add_advice(out, &count, reply, index, &one_line);
    if (error || count > 0)
        return error;
    return add_difference(out, &reply->attempts[index].code, &next->code);
}

int facts_advice(str *out, const snug_reply *reply, size_t index)
{
    static const advice_form list = { "- ", "\n", "" };
    size_t count;

    return add_advice(out, &count, reply, index, &list);
}

/* ---- the outcome ---- */

size_t facts_first_failure(const snug_reply *reply)
{
    size_t at = 0;
    while (at < reply->attempt_count && reply->attempts[at].failure.len == 0)
        at++;
    return at;
}

/* Of a plan all attempts count; else those up to the first that passed. */
static size_t count_until_success(const snug_reply *reply)
{
    size_t at = 0;

    if (reply->attempts[0].step > 0)
        return reply->attempt_count;
    while (at + 1 < reply->attempt_count && reply->attempts[at].failure.len > 0)
        at++;
    return at + 1;
}

int facts_outcome(str *out, const snug_reply *reply)
{
    const size_t count = reply->attempt_count;

    if (facts_first_failure(reply) == count)
        return SNUG_OK;
    if (reply->status == SNUG_AGENT_STATUS_ANSWERED)
        return str_printf(out, "Success after %zu attempts.", count_until_success(reply));
    if (reply->status == SNUG_AGENT_STATUS_MAX_ATTEMPTS)
        return str_printf(out, "No success after %zu attempt%s.", count, count == 1 ? "" : "s");
    return SNUG_OK;
}
