#include "agent/store/retrieve.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "agent/store/library.h"
#include "agent/text/clip.h"
#include "agent/trace/trace.h"
#include "base/array.h"
#include "base/ascii.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/process/child.h"
#include "base/process/sigpipe.h"
#include "base/utf8.h"
#include "wire/json.h"

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

/* ---- the user's command ---- */

/* What it has found; zeroed is empty. */
typedef struct found_text {
    str name, text; /* valid UTF-8; neither is empty */
    double score;   /* as the command has it; 0: it has none */
} found_text;

typedef struct found_texts {
    found_text *items;
    size_t count, cap;
} found_texts;

enum {
    MOST_OUTPUT_BYTES = 1 << 20,
    MOST_TEXT_BYTES = 16 << 10, /* of a match: as much as a passage of the library's */
    MOST_NAME_BYTES = 200,
    STDERR_BYTES = 64 << 10,
    LOOK_MS = 20 /* after so long a cancel is noticed */
};

typedef enum command_end {
    COMMAND_ENDED,
    COMMAND_LATE,
    COMMAND_LONG,
    COMMAND_CANCELLED
} command_end;

static command_end talk_to_command(child *c, const run *r, str *out, str *err, uint64_t deadline_ns)
{
    const size_t len = strlen(r->question);
    size_t written = 0;

    for (int has_ended = 0;;) {
        child_write(c, r->question, len, &written, 1);
        child_read(&c->out, out, MOST_OUTPUT_BYTES + 1);
        child_read(&c->err, err, STDERR_BYTES);
        if (out->len > MOST_OUTPUT_BYTES)
            return COMMAND_LONG;
        /* What it had written when it ended was read after that. */
        if (has_ended)
            return COMMAND_ENDED;
        if (atomic_load(&r->agent->is_cancelled))
            return COMMAND_CANCELLED;
        if (clock_now_ns() >= deadline_ns)
            return COMMAND_LATE;

        has_ended = child_has_ended(c);
        struct pollfd fds[] = { { c->in, POLLOUT, 0 },
                                { c->out, POLLIN, 0 },
                                { c->err, POLLIN, 0 } };
        if (!has_ended)
            poll(fds, 3, c->out < 0 && c->err < 0 ? 1 : LOOK_MS);
    }
}

/* Why a command that has ended gives nothing: the last line that it wrote to stderr, or how it
 * ended. SNUG_OK or SNUG_ENOMEM. */
static int explain_status(str *fault, const child *c, const str *err)
{
    const char *line;
    const size_t len = child_last_line(&line, str_text(err), err->len);
    const size_t begin = fault->len;

    if (len == 0 && WIFSIGNALED(c->status))
        return str_printf(fault, "signal %d", WTERMSIG(c->status));
    if (len == 0)
        return str_printf(fault, "exit status %d", WEXITSTATUS(c->status));
    if (str_append(fault, line, len < 300 ? len : 300))
        return SNUG_ENOMEM;
    fault->len = begin + clip_line(fault->data + begin, fault->len - begin);
    fault->data[fault->len] = '\0';
    return SNUG_OK;
}

static int explain_end(str *fault, child *c, command_end end, const run *r, const str *err)
{
    switch (end) {
    case COMMAND_LATE:
        child_kill(c);
        return str_printf(fault, "it took longer than %g s; --retrieve-timeout allows more",
                          (double)r->limits.retrieve_ms / 1000);
    case COMMAND_LONG:
        child_kill(c);
        return str_add(fault, "it wrote more than 1 MiB");
    case COMMAND_CANCELLED:
        child_kill(c);
        return SNUG_OK; /* the question says so */
    case COMMAND_ENDED:
        child_wait(c);
        return c->status ? explain_status(fault, c, err) : SNUG_OK;
    }
    return SNUG_OK;
}

/* Of the question's time it has half at most: the answer needs its time too. */
static uint64_t command_deadline_ns(const run *r)
{
    const uint64_t now_ns = clock_now_ns();
    const uint64_t own_ns = clock_deadline_ns(now_ns, r->limits.retrieve_ms);
    const uint64_t middle_ns = clock_middle_ns(now_ns, r->deadline_ns);

    return own_ns < middle_ns ? own_ns : middle_ns;
}

/* What it wrote. SNUG_OK, also with a fault, or SNUG_ENOMEM. */
static int run_command(str *out, str *fault, const run *r, size_t most)
{
    str command = { 0 }, err = { 0 };
    sigpipe_hold hold;
    child c;
    int error = str_printf(&command, "SNUG_RETRIEVED=%zu; export SNUG_RETRIEVED\n%s", most,
                           r->agent->retrieve_command);

    if (!error) {
        sigpipe_block(&hold);
        if (child_start(&c, command.data)) {
            error = str_add(fault, "it could not be started");
        } else {
            const command_end end = talk_to_command(&c, r, out, &err, command_deadline_ns(r));
            error = explain_end(fault, &c, end, r, &err);
            if (end != COMMAND_ENDED)
                str_clear(out);
            child_free(&c);
        }
        sigpipe_release(&hold);
    }

    str_free(&command);
    str_free(&err);
    return error;
}

/* ---- what it wrote ---- */

static const char *member_text(const cJSON *object, const char *name)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(member) && *member->valuestring ? member->valuestring : NULL;
}

/* The names of files have anything in them, and the prompts have this one in a line. */
static int copy_match(found_text *out, const char *name, const char *text, const cJSON *score)
{
    size_t len = strlen(name);

    if (len > MOST_NAME_BYTES)
        len = utf8_floor(name, len, MOST_NAME_BYTES);
    *out = (found_text){ .score = cJSON_IsNumber(score) ? score->valuedouble : 0 };
    if (str_append(&out->name, name, len) ||
        clip_append(&out->text, text, strlen(text), MOST_TEXT_BYTES, 0))
        return SNUG_ENOMEM;

    out->name.len = clip_line(out->name.data, out->name.len);
    out->name.data[out->name.len] = '\0';
    return SNUG_OK;
}

/* SNUG_OK, SNUG_ENOMEM, or SNUG_EINVAL for a line that is none. */
static int add_line(found_texts *out, const char *line, size_t len)
{
    cJSON *object;
    int error = SNUG_EINVAL;

    if (json_parse(&object, line, len))
        return SNUG_EINVAL;

    const char *name = member_text(object, "name"), *text = member_text(object, "text");
    const cJSON *score = cJSON_GetObjectItemCaseSensitive(object, "score");
    if (name && text)
        error = array_reserve(&out->items, &out->cap, out->count + 1, sizeof *out->items);
    if (!error)
        error = copy_match(&out->items[out->count++], name, text, score);
    cJSON_Delete(object);
    return error;
}

/* Lines that are none are left out, and the fault names the first of them. */
static int read_lines(found_texts *out, str *fault, const str *text, size_t most)
{
    size_t number = 0, bad = 0, first_bad = 0;
    int error = SNUG_OK;

    for (const char *at = str_text(text); !error && *at && out->count < most;) {
        const size_t len = strcspn(at, "\n");
        number++;
        if (strspn(at, " \t\r") < len)
            error = add_line(out, at, len);
        if (error == SNUG_EINVAL) {
            error = SNUG_OK;
            if (bad++ == 0)
                first_bad = number;
        }
        at += len + (at[len] == '\n');
    }

    if (!error && bad > 0)
        error = str_printf(fault,
                           "line %zu of what it wrote has no JSON object with a name and a text%s",
                           first_bad, bad > 1 ? " (and more)" : "");
    return error;
}

/* Within limits.retrieve_ms and until it is cancelled. What is wrong with it, or with a line, is
 * one sentence in fault, and then there may be no matches. SNUG_OK or SNUG_ENOMEM, with a message.
 */
static int retrieve_command_run(found_texts *out, str *fault, const run *r, size_t most)
{
    str text = { 0 };
    int error = run_command(&text, fault, r, most);

    if (!error && fault->len == 0)
        error = read_lines(out, fault, &text, most);
    str_free(&text);
    return error ? error_no_memory() : SNUG_OK;
}

static void found_texts_free(found_texts *found)
{
    for (size_t i = 0; i < found->count; i++) {
        str_free(&found->items[i].name);
        str_free(&found->items[i].text);
    }
    free(found->items);
    *found = (found_texts){ 0 };
}

/* ---- before a question ---- */

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
static void write_match(str *out, const snug_library_match *m)
{
    const size_t len = strlen(m->text);

    str_printf(out, "[%s \"%s\"", m->kind, m->name);
    if (*m->title && !begins_with_title(m))
        str_printf(out, ": %s", m->title);
    str_printf(out, "]\n%s%s\n", m->text, len == 0 || m->text[len - 1] != '\n' ? "\n" : "");
}

static int take_matches(run *r, const material *found)
{
    const char *given = r->options->context;
    str *list = &r->reply->retrieved;

    json_open(list, NULL, '[');
    if (found->count > 0 && given && *given)
        str_printf(&r->context, "%s\n\n", given);

    for (size_t i = 0; i < found->count; i++) {
        const snug_library_match *m = &found->items[i];
        json_open(list, NULL, '{');
        json_put_word(list, "name", m->name);
        json_put_word(list, "kind", m->kind);
        json_put_number(list, "score", m->score);
        json_close(list, '}');
        write_match(&r->context, m);
    }

    json_close(list, ']');
    return str_error(list) || str_error(&r->context) ? error_no_memory() : SNUG_OK;
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
    if (!error && has_looked) {
        str event = event_begin(r, "retrieve");
        json_put_raw(&event, "matches", r->reply->retrieved.data);
        event_send(r, "retrieve", &event);
    }

    free(all.items);
    found_texts_free(&found);
    snug_library_result_free(matches);
    return error;
}

/* ---- after a question ---- */

/* The question's first words, and a number by which questions that begin alike differ. */
static void write_name(str *out, const char *question)
{
    const uint32_t number = (uint32_t)hash_bytes(question, strlen(question));

    for (const char *c = question; *c && out->len < MOST_SLUG_BYTES; c++) {
        const char low = to_lower(*c);
        if (is_alnum(low))
            str_append(out, &low, 1);
        else if (out->len > 0 && out->data[out->len - 1] != '-')
            str_add(out, "-");
    }

    while (out->len > 0 && out->data[out->len - 1] == '-')
        out->len--;
    str_printf(out, "%s%08" PRIx32, out->len > 0 ? "-" : "", number);
}

static void write_title(str *out, const char *question)
{
    size_t len = strlen(question);

    if (len > MOST_TITLE_BYTES)
        len = utf8_floor(question, len, MOST_TITLE_BYTES);
    str_append(out, question, len);
    for (size_t i = 0; i < out->len; i++)
        if ((unsigned char)out->data[i] < ' ' || out->data[i] == 0x7f)
            out->data[i] = ' ';
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

void retrieve_keep(run *r)
{
    str name = { 0 }, title = { 0 };
    int error;

    if (!r->agent->options.keeps_snippets || !is_worth_keeping(r))
        return;

    library_limit(r->agent->library, r->deadline_ns);
    write_name(&name, r->question);
    write_title(&title, r->question);
    const str *code = &run_attempt(r)->code;
    const snug_library_document document = { .size = sizeof document,
                                             .name = str_text(&name),
                                             .kind = "snippet",
                                             .title = str_text(&title),
                                             .text = str_text(code),
                                             .len = code->len };
    if (str_error(&name) || str_error(&title))
        error = error_no_memory();
    else
        error = snug_library_add(r->agent->library, &document);

    if (error)
        event_fault(r, "library", error_message());
    else
        str_add_str(&r->reply->snippet, &name);
    str_free(&name);
    str_free(&title);
}
