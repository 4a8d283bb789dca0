#include "session/cells/inquiries.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/jsontext.h"
#include "base/str.h"
#include "base/utf8.h"
#include "py/core/names.h"
#include "session/core/claim.h"
#include "session/core/job.h"
#include "session/core/session.h"
#include "wire/json.h"

struct snug_completion {
    name_list names;
};

struct snug_description {
    str json;
};

/* ---- questions ---- */

/* What the session's thread is asked, and what it answers. */
typedef struct question {
    str source; /* or the name that is asked for */
    size_t cursor;
    int answer;
    name_list names;
    str json;
} question;

static void free_question(void *arg)
{
    question *q = arg;
    if (!q)
        return;
    str_free(&q->source);
    str_free(&q->json);
    name_list_free(&q->names);
    free(q);
}

/* SNUG_OK, and what was answered; the caller frees it. After SNUG_EDEAD the question may not be
 * freed: the thread may have been torn out while it wrote to it. */
static int ask_session(question **answered, snug_session *session, job_fn fn, const char *source,
                       size_t len, size_t cursor)
{
    const job_limits limits = session_step_limits(session);
    question *q = calloc(1, sizeof *q);
    if (!q || str_append(&q->source, source ? source : "", len) != SNUG_OK) {
        free_question(q);
        return error_no_memory();
    }

    q->cursor = cursor;
    int error = session_run_job(session, fn, q, &limits);
    if (!error)
        *answered = q;
    else if (!session_keeps_arg(session, q, free_question) && error != SNUG_EDEAD)
        free_question(q);

    return error;
}

/* ---- prompts ---- */

/* On the session's thread, as the other functions that are asked of it. */
static int check_completeness(snug_session *session, void *arg)
{
    question *q = arg;
    q->answer = interp_is_complete(session->interp, str_text(&q->source), q->source.len);
    if (q->answer < 0)
        return q->answer;
    return SNUG_OK;
}

int local_is_complete(snug_session *session, const char *source, size_t len)
{
    question *q;
    int error = ask_session(&q, session, check_completeness, source, len, 0);
    if (error)
        return error;

    int answer = q->answer;
    free_question(q);
    return answer;
}

static int judge_source(snug_session *session, const char *source, size_t len, const char *what)
{
    if (!source && len > 0)
        return session_fail(session, error_set(SNUG_EINVAL, "%s: source is NULL", what));
    int error = session_claim_alive(&session, what);
    if (error)
        return session_fail(session, error);

    return session_return(session, session->form->is_complete(session, source, len));
}

int snug_session_completeness(snug_session *session, const char *source, size_t len)
{
    return judge_source(session, source, len, "snug_session_completeness");
}

int snug_session_is_complete(snug_session *session, const char *source, size_t len)
{
    int answer = judge_source(session, source, len, "snug_session_is_complete");
    return answer > 0 ? 1 : answer;
}

static int find_completions(snug_session *session, void *arg)
{
    question *q = arg;
    return interp_complete(&q->names, session->interp, str_text(&q->source), q->source.len,
                           q->cursor, session->limits.list_bytes);
}

int local_complete(snug_completion **out, snug_session *session, const char *source, size_t len,
                   size_t cursor)
{
    question *q;
    snug_completion *completion = calloc(1, sizeof *completion);
    if (!completion)
        return error_no_memory();

    int error = ask_session(&q, session, find_completions, source, len, cursor);
    if (error) {
        free(completion);
        return error;
    }

    completion->names = q->names;
    q->names = (name_list){ 0 };
    free_question(q);
    *out = completion;
    return SNUG_OK;
}

/* What a function that asks about a place in the source is given: what is its name. */
static int check_place(const void *out, const char *source, size_t len, size_t cursor,
                       const char *what)
{
    if (!out || (!source && len > 0))
        return error_set(SNUG_EINVAL, "%s: %s is NULL", what, out ? "source" : "out");
    if (cursor > len)
        return error_set(SNUG_EINVAL, "%s: cursor %zu is past the source's %zu bytes", what, cursor,
                         len);
    return SNUG_OK;
}

int snug_session_complete(snug_completion **out, snug_session *session, const char *source,
                          size_t len, size_t cursor)
{
    int error = check_place(out, source, len, cursor, "snug_session_complete");

    if (!error)
        error = session_claim_alive(&session, "snug_session_complete");
    if (error)
        return session_fail(session, error);

    return session_return(session, session->form->complete(out, session, source, len, cursor));
}

size_t snug_completion_match_count(const snug_completion *completion)
{
    return completion->names.count;
}

const char *snug_completion_match(const snug_completion *completion, size_t index)
{
    return index < completion->names.count ? str_text(&completion->names.items[index].text) : NULL;
}

const char *snug_completion_type(const snug_completion *completion, size_t index)
{
    static const char *const types[NAME_KINDS] = {
        [NAME_OF_SOMETHING] = "",        [NAME_OF_FUNCTION] = "function",
        [NAME_OF_CLASS] = "class",       [NAME_OF_MODULE] = "module",
        [NAME_OF_INSTANCE] = "instance", [NAME_IS_KEYWORD] = "keyword",
        [NAME_OF_PARAMETER] = "param",   [NAME_OF_MAGIC] = "magic",
        [NAME_IS_KEY] = "dict key",      [NAME_OF_FILE] = "path",
    };
    return index < completion->names.count ? types[completion->names.items[index].kind] : NULL;
}

size_t snug_completion_start(const snug_completion *completion)
{
    return completion->names.start;
}

void snug_completion_free(snug_completion *completion)
{
    if (!completion)
        return;
    name_list_free(&completion->names);
    free(completion);
}

void completion_pack(packer *p, const snug_completion *completion)
{
    pack_number(p, completion->names.start);
    pack_number(p, completion->names.count);
    for (size_t i = 0; i < completion->names.count; i++) {
        pack_number(p, completion->names.items[i].kind);
        pack_str(p, &completion->names.items[i].text);
    }
}

int completion_unpack(snug_completion **out, unpacker *u)
{
    snug_completion *completion = calloc(1, sizeof *completion);
    if (!completion)
        return SNUG_ENOMEM;

    name_list *names = &completion->names;
    names->start = (size_t)unpack_number(u);
    size_t count = unpack_count(u, 3);
    if (count > 0 && !(names->items = calloc(count, sizeof *names->items)))
        u->is_bad = 1;
    for (size_t i = 0; i < count && !u->is_bad; i++) {
        names->items[i].kind = (name_kind)unpack_small(u, NAME_KINDS - 1);
        unpack_str(u, &names->items[names->count++].text);
    }
    if (!unpack_ended(u)) {
        snug_completion_free(completion);
        return SNUG_EINVAL;
    }

    *out = completion;
    return SNUG_OK;
}

/* ---- names in detail ---- */

/* The object's first members, without the closing brace. */
static int begin_description(str *json, const snug_session *session, const char *schema)
{
    json_open(json, NULL, '{');
    json_put_word(json, "schema", schema);
    json_put_word(json, "session", session->name);
    return str_error(json);
}

static int describe_variables(snug_session *session, void *arg)
{
    question *q = arg;
    size_t left_out = 0;

    if (begin_description(&q->json, session, "snug.variables/1") ||
        str_add(&q->json, ",\"variables\":"))
        return error_no_memory();

    int error = interp_variables(&q->json, &left_out, session->interp, session->limits.list_bytes);
    if (error)
        return error;

    if (left_out > 0 && str_printf(&q->json, ",\"left_out\":%zu", left_out))
        return error_no_memory();
    if (str_add(&q->json, "}"))
        return error_no_memory();
    return SNUG_OK;
}

/* What frozen/describe.py answers is an object too: its members become ours. */
static int add_members(str *json, const str *members)
{
    if (members->len < 2 || members->data[0] != '{')
        return error_set(SNUG_EPYTHON, "the session could not answer");
    if (str_add(json, ",") || str_append(json, members->data + 1, members->len - 1))
        return error_no_memory();
    return SNUG_OK;
}

static int describe_name(snug_session *session, void *arg)
{
    question *q = arg;
    str members = { 0 };
    int error = interp_inspect(&members, session->interp, str_text(&q->source));

    if (!error && begin_description(&q->json, session, "snug.inspection/1"))
        error = error_no_memory();
    if (!error)
        error = add_members(&q->json, &members);
    str_free(&members);
    return error;
}

static int describe_names(snug_description **out, snug_session *session, job_fn fn,
                          const char *name, size_t len)
{
    question *q;
    snug_description *d = calloc(1, sizeof *d);
    if (!d)
        return error_no_memory();

    int error = ask_session(&q, session, fn, name, len, 0);
    if (error) {
        free(d);
        return error;
    }

    d->json = q->json;
    q->json = (str){ 0 };
    free_question(q);
    *out = d;
    return SNUG_OK;
}

int local_variables(snug_description **out, snug_session *session)
{
    return describe_names(out, session, describe_variables, "", 0);
}

int local_inspect(snug_description **out, snug_session *session, const char *source, size_t len,
                  size_t cursor)
{
    size_t at, name_len;
    interp_name_at(&at, &name_len, source, len, cursor);
    return describe_names(out, session, describe_name, source ? source + at : "", name_len);
}

int snug_session_list_variables(snug_description **out, snug_session *session)
{
    if (!out)
        return session_fail(session,
                            error_set(SNUG_EINVAL, "snug_session_list_variables: out is NULL"));
    int error = session_claim_alive(&session, "snug_session_list_variables");
    if (error)
        return session_fail(session, error);

    return session_return(session, session->form->variables(out, session));
}

int snug_session_inspect(snug_description **out, snug_session *session, const char *source,
                         size_t len, size_t cursor)
{
    int error = check_place(out, source, len, cursor, "snug_session_inspect");

    if (!error)
        error = session_claim_alive(&session, "snug_session_inspect");
    if (error)
        return session_fail(session, error);

    return session_return(session, session->form->inspect(out, session, source, len, cursor));
}

const char *snug_description_json(const snug_description *description, size_t *len)
{
    if (len)
        *len = description->json.len;
    return str_text(&description->json);
}

void snug_description_free(snug_description *description)
{
    if (!description)
        return;
    str_free(&description->json);
    free(description);
}

void description_pack(packer *p, const snug_description *description)
{
    pack_str(p, &description->json);
}

int description_unpack(snug_description **out, unpacker *u)
{
    snug_description *d = calloc(1, sizeof *d);
    if (!d)
        return SNUG_ENOMEM;

    unpack_json(u, &d->json);
    if (!unpack_ended(u) || d->json.len == 0) {
        snug_description_free(d);
        return SNUG_EINVAL;
    }

    *out = d;
    return SNUG_OK;
}

/* ---- a variable ---- */

typedef struct binding {
    str name, json;
} binding;

static void free_binding(void *arg)
{
    binding *b = arg;
    str_free(&b->name);
    str_free(&b->json);
    free(b);
}

/* On the session's thread. */
static int set_in_interp(snug_session *session, void *arg)
{
    const binding *b = arg;
    return interp_set(session->interp, str_text(&b->name), str_text(&b->json), b->json.len);
}

int local_set(snug_session *session, const char *name, const char *json, size_t len)
{
    const job_limits limits = session_step_limits(session);
    binding *b = calloc(1, sizeof *b);
    if (!b)
        return error_no_memory();

    int error;
    if (str_add(&b->name, name) != SNUG_OK || str_append(&b->json, json, len) != SNUG_OK) {
        error = error_no_memory();
        free_binding(b);
        return error;
    }

    error = session_run_job(session, set_in_interp, b, &limits);
    if (!session_keeps_arg(session, b, free_binding))
        free_binding(b);
    return error;
}

static int check_binding(const char *name, const char *json, size_t len)
{
    enum { MOST_NAME_BYTES = 256 };
    size_t at;
    if (!name || !json)
        return error_set(SNUG_EINVAL, "snug_session_set_variable: %s is NULL",
                         name ? "json" : "name");

    if (strlen(name) > MOST_NAME_BYTES || utf8_check(name, strlen(name), &at) != UTF8_FINE)
        return error_set(SNUG_EINVAL,
                         "snug_session_set_variable: a name is UTF-8 of at most %d bytes",
                         MOST_NAME_BYTES);

    const char *fault = jsontext_check(json, len, &at);
    if (fault)
        return error_set(SNUG_EINVAL, "snug_session_set_variable: %s is not JSON: %s at byte %zu",
                         name, fault, at + 1);
    return SNUG_OK;
}

int snug_session_set_variable(snug_session *session, const char *name, const char *json, size_t len)
{
    int error = check_binding(name, json, len);

    if (!error)
        error = session_claim_alive(&session, "snug_session_set_variable");
    if (error)
        return session_fail(session, error);
    return session_return(session, session->form->set(session, name, json, len));
}

/* ---- checkpoints ---- */

static int make_checkpoint(snug_session *session, void *unused)
{
    (void)unused;
    return interp_checkpoint(session->interp);
}

static int roll_back(snug_session *session, void *unused)
{
    (void)unused;
    return interp_rollback(session->interp);
}

static int forget_checkpoint(snug_session *session, void *unused)
{
    (void)unused;
    return interp_forget_checkpoint(session->interp);
}

/* Not a table: AddressSanitizer keeps those, and with them functions that libsnug is to be without.
 */
static job_fn job_of(checkpoint_step step)
{
    switch (step) {
    case CHECKPOINT_MAKE:
        return make_checkpoint;
    case CHECKPOINT_ROLL_BACK:
        return roll_back;
    case CHECKPOINT_FORGET:
        return forget_checkpoint;
    }
    return NULL;
}

int local_checkpoint(snug_session *session, checkpoint_step step)
{
    const job_limits limits = session_step_limits(session);
    return session_run_job(session, job_of(step), NULL, &limits);
}

static int claim_and_step(snug_session *session, checkpoint_step step, const char *what)
{
    int error = session_claim_alive(&session, what);
    if (error)
        return session_fail(session, error);
    return session_return(session, session->form->checkpoint(session, step));
}

int snug_session_checkpoint(snug_session *session)
{
    return claim_and_step(session, CHECKPOINT_MAKE, "snug_session_checkpoint");
}

int snug_session_rollback(snug_session *session)
{
    return claim_and_step(session, CHECKPOINT_ROLL_BACK, "snug_session_rollback");
}

int snug_session_forget_checkpoint(snug_session *session)
{
    return claim_and_step(session, CHECKPOINT_FORGET, "snug_session_forget_checkpoint");
}
