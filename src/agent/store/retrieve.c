#include "agent/store/retrieve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/store/library.h"
#include "agent/store/retrieve_command.h"
#include "agent/trace/step_events.h"
#include "base/ascii.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"

enum { MOST_SLUG_BYTES = 40, MOST_TITLE_BYTES = 200 };

int retrieve_open(snug_agent *agent, const snug_agent_options *o)
{
    if (o->retrieve_command && *o->retrieve_command) {
        agent->retrieve_command = strdup(o->retrieve_command);
        if (!agent->retrieve_command)
            return error_no_memory();
    }
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

/* What was found in the library and elsewhere, the best first. */
typedef struct material {
    snug_library_match *items; /* of texts that are elsewhere; with a score of their own */
    size_t count;
} material;

/* A title that is taken from the text is its first line, perhaps a heading of Markdown. */
static int begins_with_title(const snug_library_match *m)
{
    const char *text = m->text + strspn(m->text, "# \t\r\n");
    const size_t len = strlen(m->title);

    if (strncmp(text, m->title, len) != 0)
        return 0;
    text += len + strspn(text + len, " \t\r");
    return *text == '\n' || !*text;
}

/* For the prompts: [snippet "rates.py": Title], and the text. */
static int write_match(str *out, const snug_library_match *m)
{
    const size_t len = strlen(m->text);
    int error = str_printf(out, "[%s \"%s\"", m->kind, m->name);

    if (!error && *m->title && !begins_with_title(m))
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

static int take_matches(run *r, const material *found)
{
    const char *given = r->options->context;
    cJSON *list = cJSON_CreateArray();
    char *text = NULL;
    int error = SNUG_ENOMEM;

    if (!list)
        goto done;
    if (found->count > 0 && given && *given && str_printf(&r->context, "%s\n\n", given))
        goto done;

    for (size_t i = 0; i < found->count; i++)
        if (add_match_json(list, &found->items[i]) || write_match(&r->context, &found->items[i]))
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

/* *out is NULL where there is no library, or it fails. */
static int search_library(snug_library_result **out, run *r, size_t most)
{
    *out = NULL;
    if (!r->agent->library)
        return SNUG_OK;

    /* The answer needs its time too. */
    library_limit(r->agent->library, clock_middle_ns(clock_now_ns(), r->deadline_ns));
    int error = snug_library_search(out, r->agent->library, r->question, most);
    tell_fault(r);
    if (!error || error == SNUG_ENOMEM)
        return error;

    *out = NULL;
    event_fault(r, "library", error_message());
    return SNUG_OK;
}

static int search_elsewhere(found_texts *out, run *r, size_t most)
{
    str fault = { 0 };

    if (!r->agent->retrieve_command)
        return SNUG_OK;
    int error = retrieve_command_run(out, &fault, r, most);
    if (!error && fault.len > 0)
        event_fault(r, "retrieve command", fault.data);
    str_free(&fault);
    return error;
}

/* ---- both together ---- */

/* As the library does it with words and meaning. */
static double score_of_rank(size_t index)
{
    return 1.0 / (60.0 + 1.0 + (double)index);
}

/* Of two that are worth the same the first stays so: they are few. */
static void sort_by_score(material *m)
{
    for (size_t i = 1; i < m->count; i++) {
        const snug_library_match moved = m->items[i];
        size_t to = i;
        for (; to > 0 && m->items[to - 1].score < moved.score; to--)
            m->items[to] = m->items[to - 1];
        m->items[to] = moved;
    }
}

static snug_library_match *find_name(const material *m, const char *name)
{
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(m->items[i].name, name) == 0)
            return &m->items[i];
    return NULL;
}

/* One that both have is one. */
static void add_found(material *out, const found_texts *found, int is_fused)
{
    for (size_t i = 0; i < found->count; i++) {
        const found_text *f = &found->items[i];
        const double score = is_fused ? score_of_rank(i) : f->score;
        snug_library_match *known = is_fused ? find_name(out, str_text(&f->name)) : NULL;
        if (known)
            known->score += score;
        else
            out->items[out->count++] = (snug_library_match){ .name = str_text(&f->name),
                                                             .kind = "document",
                                                             .title = "",
                                                             .text = str_text(&f->text),
                                                             .bytes = f->text.len,
                                                             .score = score };
    }
}

/* By the sum of what the ranks of both are worth; where one has nothing, as the other has it. */
static int merge(material *out, const snug_library_result *matches, const found_texts *found,
                 size_t most)
{
    const size_t count = matches ? snug_library_result_match_count(matches) : 0;
    const int is_fused = count > 0 && found->count > 0;

    if (count + found->count == 0)
        return SNUG_OK;
    out->items = calloc(count + found->count, sizeof *out->items);
    if (!out->items)
        return error_no_memory();

    for (size_t i = 0; i < count; i++) {
        out->items[i] = *snug_library_result_match(matches, i);
        if (is_fused)
            out->items[i].score = score_of_rank(i);
    }
    out->count = count;
    add_found(out, found, is_fused);
    if (is_fused)
        sort_by_score(out);
    if (out->count > most)
        out->count = most;
    return SNUG_OK;
}

int retrieve_find(run *r)
{
    const size_t most = r->limits.retrieved < 1000 ? (size_t)r->limits.retrieved : 1000;
    snug_library_result *matches = NULL;
    found_texts found = { 0 };
    material all = { 0 };

    if (!r->agent->library && !r->agent->retrieve_command)
        return SNUG_OK;

    int error = search_library(&matches, r, most);
    if (!error)
        error = search_elsewhere(&found, r, most);
    const int has_looked = matches || r->agent->retrieve_command;
    if (!error && has_looked)
        error = merge(&all, matches, &found, most);
    if (!error && has_looked)
        error = take_matches(r, &all);
    if (!error && has_looked)
        tell_matches(r);

    free(all.items);
    found_texts_free(&found);
    snug_library_result_free(matches);
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
