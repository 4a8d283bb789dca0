#include "agent/store/retrieve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/store/library.h"
#include "agent/trace/step_events.h"
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

static void tell(const run *r)
{
    cJSON *event = event_begin(r, "retrieve");
    if (event)
        json_add_raw(event, "matches", r->reply->retrieved.data);
    event_send(r, event);
}

static int take_matches(run *r, const snug_library_result *matches)
{
    const snug_library_match *m;
    const char *given = r->options->context;
    cJSON *list = cJSON_CreateArray();
    int failed = !list;

    if (snug_library_result_match_count(matches) > 0 && given && *given)
        failed = failed || str_printf(&r->context, "%s\n\n", given);
    for (size_t i = 0; !failed && (m = snug_library_result_match(matches, i)); i++) {
        cJSON *item = json_add_object(list, NULL);
        failed = !item || json_add_text(item, "name", m->name) ||
                 json_add_text(item, "kind", m->kind) || json_add_number(item, "score", m->score) ||
                 str_printf(&r->context, "[%s \"%s\"%s%s]\n%s%s", m->kind, m->name,
                            *m->title ? ": " : "", m->title, m->text,
                            m->text[0] && m->text[strlen(m->text) - 1] == '\n' ? "\n" : "\n\n");
    }

    char *text = failed ? NULL : json_text(list);
    failed = !text || str_add(&r->reply->retrieved, text);
    free(text);
    cJSON_Delete(list);
    if (failed)
        return error_no_memory();
    return SNUG_OK;
}

/* What embeddings cost is said once. */
static void tell_fault(run *r)
{
    const char *fault = snug_library_fault(r->agent->library);
    if (*fault && !r->agent->is_fault_told)
        event_fault(r, "embeddings", fault);
    r->agent->is_fault_told |= *fault != '\0';
}

int retrieve(run *r)
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
        tell(r);
    return error;
}

/* ---- after it ---- */

static int is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* Its first words, and a number by which questions that begin alike differ. */
static int write_name(str *out, const char *question)
{
    int error = SNUG_OK;

    for (const char *c = question; !error && *c && out->len < MOST_SLUG_BYTES; c++) {
        const char low = *c >= 'A' && *c <= 'Z' ? (char)(*c + 32) : *c;
        if (is_plain(low))
            error = str_append(out, &low, 1);
        else if (out->len > 0 && out->data[out->len - 1] != '-')
            error = str_add(out, "-");
    }

    while (!error && out->len > 0 && out->data[out->len - 1] == '-')
        out->data[--out->len] = '\0';
    return error ? error
                 : str_printf(out, "%s%08" PRIx32, out->len ? "-" : "",
                              (uint32_t)hash_bytes(question, strlen(question)));
}

static int write_title(str *out, const char *question)
{
    size_t len = strlen(question);
    int error = str_append(
        out, question, len <= MOST_TITLE_BYTES ? len : utf8_floor(question, len, MOST_TITLE_BYTES));
    for (size_t i = 0; !error && i < out->len; i++)
        if ((unsigned char)out->data[i] < ' ' || out->data[i] == 0x7f)
            out->data[i] = ' ';
    return error;
}

void retrieve_keep(run *r)
{
    const snug_reply *reply = r->reply;
    const attempt *last = run_attempt(r);
    str name = { 0 }, title = { 0 };
    const int has_passed = reply->status == SNUG_AGENT_STATUS_ANSWERED && last &&
                           last->code.len > 0 &&
                           (!reply->has_verdict || reply->verdict == SNUG_AGENT_VERDICT_PASS) &&
                           (r->mode == SNUG_AGENT_MODE_SOLVE || r->mode == SNUG_AGENT_MODE_CHAIN);
    if (!r->agent->options.keeps_snippets || !has_passed)
        return;

    int error = write_name(&name, r->question) || write_title(&title, r->question)
                    ? error_no_memory()
                    : SNUG_OK;
    const snug_library_document document = { .size = sizeof document,
                                             .name = str_text(&name),
                                             .kind = "snippet",
                                             .title = str_text(&title),
                                             .text = str_text(&last->code),
                                             .len = last->code.len };
    library_limit(r->agent->library, r->deadline_ns);
    if (!error)
        error = snug_library_add(r->agent->library, &document);
    if (error)
        event_fault(r, "library", error_message());
    else
        str_add(&r->reply->snippet, str_text(&name));

    str_free(&name);
    str_free(&title);
}
