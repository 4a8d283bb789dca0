#include "agent/text/verdict.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/text/blocks.h"
#include "agent/text/laxjson.h"
#include "base/ascii.h"
#include "base/jsontext.h"

const char *const verdict_mark_names[VERDICT_MARKS] = { "quality", "robustness", "performance" };

void verdict_free(verdict *v)
{
    str_free(&v->reason);
    str_free(&v->answer);
    str_free(&v->language);
    *v = (verdict){ 0 };
}

void plan_free(plan *p)
{
    for (size_t i = 0; i < p->count; i++)
        str_free(&p->steps[i]);
    free(p->steps);
    *p = (plan){ 0 };
}

/* The reply as it is read: without thinking. */
static int read_without_thinking(str *out, const char *text, size_t len)
{
    str plain = { 0 };
    int is_whole, error = blocks_normalize(&plain, text, len);
    if (!error)
        error = blocks_without_thinking(out, &is_whole, str_text(&plain), plain.len);
    str_free(&plain);
    return error;
}

/* ---- verdicts ---- */

/* Appends the text of a member; another value as its JSON. null and what is missing are "". */
static int read_text_member(str *out, jsontext_span object, const char *name)
{
    jsontext_span value = jsontext_member(object, name);
    if (!value.text || jsontext_is(value, "null"))
        return SNUG_OK;
    int error = jsontext_string(out, value);
    if (error == SNUG_EINVAL)
        return str_append(out, value.text, value.len);
    return error;
}

/* A word, alone or before a colon and its reason, which goes to the end of the text. What is said
 * in other ways is asked for once more. */
static int read_words(verdict *out, const str *said, int *is_read)
{
    static const struct {
        const char *word;
        snug_agent_verdict value;
    } words[] = {
        { "pass", SNUG_AGENT_VERDICT_PASS },     { "yes", SNUG_AGENT_VERDICT_PASS },
        { "fail", SNUG_AGENT_VERDICT_FAIL },     { "no", SNUG_AGENT_VERDICT_FAIL },
        { "unsure", SNUG_AGENT_VERDICT_UNSURE },
    };
    static const char marks[] = " \t\r\n*_`\"";
    const char *text = str_text(said) + strspn(str_text(said), marks);

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t len = strlen(words[i].word);
        if (strncasecmp(text, words[i].word, len) != 0)
            continue;
        const char *behind = text + len + strspn(text + len, "*_`\"");
        const char *reason = behind + 1 + strspn(*behind ? behind + 1 : "", marks);
        if (*behind != ':' && behind[strspn(behind, "*_`\". \t\r\n")])
            continue;
        *is_read = 1;
        out->value = words[i].value;
        str_clear(&out->reason);
        return *behind == ':' ? str_add(&out->reason, reason) : SNUG_OK;
    }
    return SNUG_OK;
}

static int read_verdict_member(verdict *out, jsontext_span object, int *is_read)
{
    str said = { 0 };
    int error = read_text_member(&said, object, "verdict");

    if (!error)
        error = read_words(out, &said, is_read);
    str_free(&said);
    return error;
}

static void read_marks(verdict *out, jsontext_span object)
{
    for (int i = 0; i < VERDICT_MARKS; i++) {
        const jsontext_span value = jsontext_member(object, verdict_mark_names[i]);
        const double mark = value.text && is_digit(*value.text) ? strtod(value.text, NULL) : -1;
        out->marks[i] = mark <= 100 ? mark : -1;
    }
}

/* What stood in out is replaced where the object has a verdict. */
static int read_object(verdict *out, jsontext_span object, int *is_read)
{
    verdict found = { 0 };
    int error = read_verdict_member(&found, object, is_read);

    if (error || !*is_read) {
        verdict_free(&found);
        return error;
    }

    error = read_text_member(&found.reason, object, "reason") ||
            read_text_member(&found.answer, object, "answer") ||
            read_text_member(&found.language, object, "language");
    read_marks(&found, object);
    verdict_free(out);
    *out = found;
    return error ? SNUG_ENOMEM : SNUG_OK;
}

/* The last object that has a verdict counts: models repeat the form that they were asked for, and
 * change their minds. */
static int read_objects(verdict *out, const str *said)
{
    str strict = { 0 };
    laxjson_search search = { .text = str_text(said), .len = said->len };
    int error = SNUG_OK, has_read = 0;

    while (!error && !(error = laxjson_next(&strict, &search, "{"))) {
        int is_read = 0;
        error = read_object(out, (jsontext_span){ strict.data, strict.len }, &is_read);
        has_read |= is_read;
    }

    out->is_read = has_read;
    str_free(&strict);
    return error == SNUG_ENOTFOUND ? SNUG_OK : error;
}

int verdict_read(verdict *out, const char *text, size_t len)
{
    str said = { 0 };

    *out = (verdict){ .value = SNUG_AGENT_VERDICT_UNSURE, .marks = { -1, -1, -1 } };
    int error = read_without_thinking(&said, text, len);
    if (!error)
        error = read_objects(out, &said);
    if (!error && !out->is_read) {
        error = read_words(out, &said, &out->is_read);
        if (!error && !out->is_read)
            error = str_add_str(&out->reason, &said);
        blocks_trim(&out->reason);
    }

    str_free(&said);
    if (error)
        verdict_free(out);
    return error;
}

/* ---- plans ---- */

/* Steps past the most are not kept. */
static int add_step(plan *p, size_t most, jsontext_span item)
{
    str step = { 0 };
    int error = jsontext_string(&step, item);

    blocks_trim(&step);
    if (step.len == 0 || p->count == most) {
        p->is_cut |= step.len > 0;
        str_free(&step);
        return error == SNUG_ENOMEM ? error : SNUG_OK;
    }

    str *steps = realloc(p->steps, (p->count + 1) * sizeof *steps);
    if (!steps) {
        str_free(&step);
        return SNUG_ENOMEM;
    }

    p->steps = steps;
    p->steps[p->count++] = step;
    return SNUG_OK;
}

/* The first list, or object with the list "steps", that has a step. */
static int read_steps(plan *p, size_t most, const str *said)
{
    str strict = { 0 };
    laxjson_search search = { .text = str_text(said), .len = said->len };
    int error = SNUG_OK;

    while (!error && p->count == 0 && !(error = laxjson_next(&strict, &search, "{["))) {
        jsontext_span list = { strict.data, strict.len }, item;
        jsontext j;

        if (list.text[0] == '{')
            list = jsontext_member(list, "steps");
        if (!list.text || list.text[0] != '[' || !jsontext_enter(&j, list))
            continue;
        while (!error && jsontext_item(&j, NULL, &item))
            error = add_step(p, most, item);
    }

    str_free(&strict);
    return error == SNUG_ENOTFOUND ? SNUG_OK : error;
}

int plan_read(plan *out, const char *text, size_t len, size_t most)
{
    str said = { 0 };

    *out = (plan){ 0 };
    int error = read_without_thinking(&said, text, len);
    if (!error)
        error = read_steps(out, most, &said);
    str_free(&said);
    if (error)
        plan_free(out);
    return error;
}
