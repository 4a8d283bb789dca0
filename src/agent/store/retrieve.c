#include "agent/store/retrieve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/store/library.h"
#include "agent/trace/step_events.h"
#include "base/ascii.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"

enum { MOST_SLUG_BYTES = 40, MOST_TITLE_BYTES = 200 };

int retrieve_open(snug_agent *agent, const snug_agent_options *o)
{
    if (o->library_file)
        return snug_library_open(&agent->library, o->library_file, 1, o->embedding_model);
    if (o->keeps_snippets || o->embedding_model)
        return error_set(SNUG_EINVAL, "%s needs a library_file",
                         o->keeps_snippets ? "keeps_snippets" : "an embedding_model");
    return SNUG_OK;
}

const char *retrieve_context(const run *r)
{
    return r->context.len > 0 ? r->context.data : r->options->context;
}

/* ---- before a question ---- */

static void tell_matches(const run *r)
{
    cJSON *event = event_begin(r, "retrieve");
    if (event)
        json_add_raw(event, "matches", r->reply->retrieved.data);
    event_send(r, event);
}

/* For the prompts: [snippet "rates.py": Title], and the text. */
static int write_match(str *out, const snug_library_match *m)
{
    const size_t len = strlen(m->text);
    int error = str_printf(out, "[%s \"%s\"", m->kind, m->name);

    if (!error && *m->title)
        error = str_printf(out, ": %s", m->title);
    if (!error)
        error = str_printf(out, "]\n%s", m->text);
    if (!error && (len == 0 || m->text[len - 1] != '\n'))
        error = str_add(out, "\n");
    if (!error)
        error = str_add(out, "\n");
    return error;
}

/* For the reply. */
static int add_match_json(cJSON *list, const snug_library_match *m)
{
    cJSON *item = json_add_object(list, NULL);
    return !item || json_add_text(item, "name", m->name) || json_add_text(item, "kind", m->kind) ||
           json_add_number(item, "score", m->score);
}

static int take_matches(run *r, const snug_library_result *matches)
{
    const snug_library_match *m;
    const char *given = r->options->context;
    cJSON *list = cJSON_CreateArray();
    char *text = NULL;
    int error = SNUG_ENOMEM;

    if (!list)
        goto done;
    if (snug_library_result_match_count(matches) > 0 && given && *given &&
        str_printf(&r->context, "%s\n\n", given))
        goto done;

    for (size_t i = 0; (m = snug_library_result_match(matches, i)); i++)
        if (add_match_json(list, m) || write_match(&r->context, m))
            goto done;

    text = json_text(list);
    if (text)
        error = str_add(&r->reply->retrieved, text);

done:
    free(text);
    cJSON_Delete(list);
    if (error)
        return error_no_memory();
    return SNUG_OK;
}

/* A fault of the embeddings is reported once. */
static void tell_fault(run *r)
{
    const char *fault = snug_library_fault(r->agent->library);
    if (*fault && !r->agent->is_fault_told)
        event_fault(r, "embeddings", fault);
    r->agent->is_fault_told |= *fault != '\0';
}

int retrieve_find(run *r)
{
    snug_library_result *matches;

    if (!r->agent->library)
        return SNUG_OK;
    const size_t most = r->limits.retrieved < 1000 ? (size_t)r->limits.retrieved : 1000;

    /* The answer needs its time too. */
    library_limit(r->agent->library, clock_middle_ns(clock_now_ns(), r->deadline_ns));
    int error = snug_library_search(&matches, r->agent->library, r->question, most);
    tell_fault(r);
    if (error == SNUG_ENOMEM)
        return error;
    if (error) {
        event_fault(r, "library", error_message());
        return SNUG_OK;
    }

    error = take_matches(r, matches);
    snug_library_result_free(matches);
    if (!error)
        tell_matches(r);
    return error;
}

/* ---- after a question ---- */

/* The question's first words, and a number by which questions that begin alike differ. */
static int write_name(str *out, const char *question)
{
    const uint32_t number = (uint32_t)hash_bytes(question, strlen(question));
    int error = SNUG_OK;

    for (const char *c = question; !error && *c && out->len < MOST_SLUG_BYTES; c++) {
        const char low = to_lower(*c);
        if (is_alnum(low))
            error = str_append(out, &low, 1);
        else if (out->len > 0 && out->data[out->len - 1] != '-')
            error = str_add(out, "-");
    }

    while (!error && out->len > 0 && out->data[out->len - 1] == '-')
        out->data[--out->len] = '\0';
    if (!error && out->len > 0)
        error = str_add(out, "-");
    if (!error)
        error = str_printf(out, "%08" PRIx32, number);
    return error;
}

static int write_title(str *out, const char *question)
{
    size_t len = strlen(question);

    if (len > MOST_TITLE_BYTES)
        len = utf8_floor(question, len, MOST_TITLE_BYTES);
    if (str_append(out, question, len))
        return SNUG_ENOMEM;

    for (size_t i = 0; i < out->len; i++)
        if ((unsigned char)out->data[i] < ' ' || out->data[i] == 0x7f)
            out->data[i] = ' ';
    return SNUG_OK;
}

/* A program that answered the question, and on its own. */
static int is_worth_keeping(const run *r)
{
    const snug_reply *reply = r->reply;
    const attempt *last = run_attempt(r);

    if (reply->status != SNUG_AGENT_STATUS_ANSWERED || !last || last->code.len == 0)
        return 0;

    if (reply->has_verdict && reply->verdict != SNUG_AGENT_VERDICT_PASS)
        return 0;
    return r->mode == SNUG_AGENT_MODE_SOLVE || r->mode == SNUG_AGENT_MODE_CHAIN;
}

static int add_snippet(const run *r, const char *name, const char *title)
{
    const str *code = &run_attempt(r)->code;
    const snug_library_document document = { .size = sizeof document,
                                             .name = name,
                                             .kind = "snippet",
                                             .title = title,
                                             .text = str_text(code),
                                             .len = code->len };

    return snug_library_add(r->agent->library, &document);
}

void retrieve_keep(run *r)
{
    str name = { 0 }, title = { 0 };

    if (!r->agent->options.keeps_snippets || !is_worth_keeping(r))
        return;

    library_limit(r->agent->library, r->deadline_ns);
    int error = write_name(&name, r->question);
    if (!error)
        error = write_title(&title, r->question);
    if (error)
        error_no_memory();
    else
        error = add_snippet(r, str_text(&name), str_text(&title));

    if (error)
        event_fault(r, "library", error_message());
    else
        str_add_str(&r->reply->snippet, &name);

    str_free(&name);
    str_free(&title);
}
