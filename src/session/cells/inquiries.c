#include "session/cells/inquiries.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
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
    str name; /* that was asked for */
};

static void is_complete(snug_session *session)
{
    session_job *job = &session->job;
    job->answer = interp_is_complete(session->interp, job->source.data, job->source.len);
    job->error = job->answer < 0 ? job->answer : SNUG_OK;
}

static void complete(snug_session *session)
{
    session_job *job = &session->job;
    job->error = interp_complete(job->names, session->interp, job->source.data, job->source.len,
                                 job->cursor, session->limits.list_bytes);
}

typedef struct question {
    void (*fn)(snug_session *session);
    const char *source;
    size_t len, cursor;
    name_list *names; /* where the answer goes; NULL: elsewhere */
    snug_description *description;
} question;

/* On the session's thread, under the session's limits. */
static int ask(snug_session *session, const question *q)
{
    session_job *job = &session->job;

    str_clear(&job->source);
    if (str_append(&job->source, q->source ? q->source : "", q->len) != SNUG_OK)
        return error_no_memory();

    job->fn = q->fn;
    job->cursor = q->cursor;
    job->names = q->names;
    job->description = q->description;
    job->wall_ms = session->limits.wall_ms;
    job->cpu_ms = session->limits.cpu_ms;
    job->session_cpu_ms = SNUG_UNLIMITED;
    return session_run_job(session);
}

int local_is_complete(snug_session *session, const char *source, size_t len)
{
    const question q = { is_complete, .source = source, .len = len };
    int error = ask(session, &q);
    return error ? error : session->job.answer;
}

int snug_session_is_complete(snug_session *session, const char *source, size_t len)
{
    if (!source && len > 0)
        return error_set(SNUG_EINVAL, "snug_session_is_complete: source is NULL");
    int answer = session_claim_alive(session, "snug_session_is_complete");
    if (answer)
        return answer;

    answer = session->form->is_complete(session, source, len);
    session_release(session);
    return answer;
}

int local_complete(snug_completion **out, snug_session *session, const char *source, size_t len,
                   size_t cursor)
{
    snug_completion *completion = calloc(1, sizeof *completion);
    if (!completion)
        return error_no_memory();

    const question q = { complete, source, len, cursor, &completion->names, NULL };
    int error = ask(session, &q);
    if (!error)
        *out = completion;
    else if (error != SNUG_EDEAD) /* a thread that is still at it may write to it */
        snug_completion_free(completion);

    return error;
}

int snug_session_complete(snug_completion **out, snug_session *session, const char *source,
                          size_t len, size_t cursor)
{
    if (!out || (!source && len > 0))
        return error_set(SNUG_EINVAL, "snug_session_complete: %s is NULL", out ? "source" : "out");
    if (cursor > len)
        return error_set(SNUG_EINVAL,
                         "snug_session_complete: cursor %zu is past the source's %zu "
                         "bytes",
                         cursor, len);

    int error = session_claim_alive(session, "snug_session_complete");
    if (error)
        return error;

    error = session->form->complete(out, session, source, len, cursor);
    session_release(session);
    return error;
}

size_t snug_completion_match_count(const snug_completion *completion)
{
    return completion->names.count;
}

const char *snug_completion_match(const snug_completion *completion, size_t index)
{
    return index < completion->names.count ? str_text(&completion->names.items[index]) : NULL;
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
    for (size_t i = 0; i < completion->names.count; i++)
        pack_str(p, &completion->names.items[i]);
}

int completion_unpack(snug_completion **out, unpacker *u)
{
    snug_completion *completion = calloc(1, sizeof *completion);
    if (!completion)
        return SNUG_ENOMEM;

    name_list *names = &completion->names;
    names->start = (size_t)unpack_number(u);
    size_t count = unpack_count(u, 2);
    if (count > 0 && !(names->items = calloc(count, sizeof *names->items)))
        u->is_bad = 1;
    for (size_t i = 0; i < count && !u->is_bad; i++)
        unpack_str(u, &names->items[names->count++]);
    if (!unpack_ended(u)) {
        snug_completion_free(completion);
        return SNUG_EINVAL;
    }

    *out = completion;
    return SNUG_OK;
}

/* ---- names in detail ---- */

static int begin_description(snug_description *d, const snug_session *session, const char *schema)
{
    cJSON *root = cJSON_CreateObject();
    char *text = root && !json_add_text(root, "schema", schema) &&
                         !json_add_text(root, "session", session->name)
                     ? json_text(root)
                     : NULL;

    /* Without the closing brace. */
    int error = text ? str_append(&d->json, text, strlen(text) - 1) : SNUG_ENOMEM;

    free(text);
    cJSON_Delete(root);
    return error;
}

static void list_variables(snug_session *session)
{
    session_job *job = &session->job;
    snug_description *d = job->description;
    size_t left_out = 0;

    if (begin_description(d, session, "snug.variables/1") || str_add(&d->json, ",\"variables\":"))
        job->error = error_no_memory();
    else
        job->error =
            interp_variables(&d->json, &left_out, session->interp, session->limits.list_bytes);

    if (!job->error && left_out > 0 && str_printf(&d->json, ",\"left_out\":%zu", left_out))
        job->error = error_no_memory();
    if (!job->error && str_add(&d->json, "}"))
        job->error = error_no_memory();
}

/* What frozen/describe.py answers is an object too: its members become ours. */
static void inspect(snug_session *session)
{
    session_job *job = &session->job;
    snug_description *d = job->description;
    str members = { 0 };

    job->error = interp_inspect(&members, session->interp, str_text(&d->name));
    if (!job->error && (members.len < 2 || members.data[0] != '{'))
        job->error = error_set(SNUG_EPYTHON, "the session could not answer");
    if (!job->error &&
        (begin_description(d, session, "snug.inspection/1") || str_add(&d->json, ",") ||
         str_append(&d->json, members.data + 1, members.len - 1)))
        job->error = error_no_memory();
    str_free(&members);
}

static int describe(snug_description **out, snug_session *session,
                    void (*fn)(snug_session *session), const char *name, size_t len)
{
    snug_description *d = calloc(1, sizeof *d);
    if (!d || str_append(&d->name, name, len) != SNUG_OK) {
        free(d);
        return error_no_memory();
    }

    const question q = { fn, .description = d };
    int error = ask(session, &q);
    if (!error)
        *out = d;
    else if (error != SNUG_EDEAD) /* a thread that is still at it may write to it */
        snug_description_free(d);

    return error;
}

int local_variables(snug_description **out, snug_session *session)
{
    return describe(out, session, list_variables, "", 0);
}

int local_inspect(snug_description **out, snug_session *session, const char *source, size_t len,
                  size_t cursor)
{
    size_t at, name_len;
    interp_name_at(&at, &name_len, source, len, cursor);
    return describe(out, session, inspect, source ? source + at : "", name_len);
}

int snug_session_list_variables(snug_description **out, snug_session *session)
{
    if (!out)
        return error_set(SNUG_EINVAL, "snug_session_list_variables: out is NULL");
    int error = session_claim_alive(session, "snug_session_list_variables");
    if (error)
        return error;

    error = session->form->variables(out, session);
    session_release(session);
    return error;
}

int snug_session_inspect(snug_description **out, snug_session *session, const char *source,
                         size_t len, size_t cursor)
{
    if (!out || (!source && len > 0))
        return error_set(SNUG_EINVAL, "snug_session_inspect: %s is NULL", out ? "source" : "out");
    if (cursor > len)
        return error_set(SNUG_EINVAL,
                         "snug_session_inspect: cursor %zu is past the source's %zu bytes", cursor,
                         len);

    int error = session_claim_alive(session, "snug_session_inspect");
    if (error)
        return error;

    error = session->form->inspect(out, session, source, len, cursor);
    session_release(session);
    return error;
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
    str_free(&description->name);
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
