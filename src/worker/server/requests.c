/*
 * requests.c - each request of the protocol as the call of snug.h that it is.
 */
#include <snug/snug.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "calls/desk.h"
#include "session/cells/inquiries.h"
#include "session/cells/save_session.h"
#include "session/core/claim.h"
#include "session/core/host.h"
#include "session/core/session.h"
#include "session/files/workdir.h"
#include "session/life/make.h"
#include "session/result/result.h"
#include "worker/server/serve.h"

/* ---- callbacks ---- */

/* The callbacks that a worker's sessions have: each is a frame to the host. payload
 * is the session's channel. */

/* What a session tells and asks its host while a cell runs, and the host's answers.
 */

static void serve_on_output(void *payload, snug_stream which, const char *text, size_t len)
{
    channel *c = payload;
    packer body = { 0 };
    pack_number(&body, which == SNUG_STREAM_STDERR);
    pack_bytes(&body, text, len);
    serve_output(c, FRAME_OUTPUT, &body);
}

static void serve_on_display(void *payload, snug_display_event event, const snug_display *d)
{
    channel *c = payload;
    packer body = { 0 };
    pack_number(&body, (uint64_t)event);
    if (event != SNUG_DISPLAY_EVENT_CLEAR)
        display_pack(&body, d);
    serve_output(c, FRAME_DISPLAY, &body);
}

/* name NULL: a line, and "": one that is not to be seen. */
static void send_call(channel *c, snug_call *call, int is_input, const char *name, const char *text)
{
    packer body = { 0 };
    serve_call *made = calloc(1, sizeof *made);
    if (!made) {
        snug_call_fail(call, "the worker has no memory for this call");
        return;
    }

    pthread_mutex_lock(&c->server->lock);
    *made = (serve_call){ call, ++c->calls_made, is_input, 0, c->calls };
    pack_number(&body, made->id);
    c->calls = made;
    pthread_mutex_unlock(&c->server->lock);

    pack_text(&body, name);
    pack_bytes(&body, text, strlen(text));
    if (body.is_short || serve_send(c->server, FRAME_CALL, c, &body) != 0)
        _exit(1);
    str_free(&body.text);
}

/* The call is answered by serve_answer, or given up. */
static void serve_on_call(void *payload, snug_call *call, const char *arguments)
{
    send_call(payload, call, 0, snug_call_name(call), arguments);
}

/* Calls that the cell gave up; of others the host knows that they are over. */
static serve_call *next_given_up(const channel *c)
{
    serve_call *made = c->calls;
    while (made && (made->is_told || snug_call_is_wanted(made->call)))
        made = made->next;
    return made;
}

/* Tells the host of calls that the cell has given up. */
static void serve_on_call_over(void *payload, const snug_tool_call *over)
{
    channel *c = payload;
    const int is_late = !strcmp(over->status, "timeout");
    serve_call *made;

    if (!is_late && strcmp(over->status, "cancelled") != 0)
        return;
    pthread_mutex_lock(&c->server->lock);
    while ((made = next_given_up(c))) {
        packer body = { 0 };
        made->is_told = 1;
        pack_number(&body, made->id);
        pack_number(&body, (uint64_t)is_late);
        pthread_mutex_unlock(&c->server->lock);
        if (body.is_short || serve_send(c->server, FRAME_GAVE_UP, c, &body) != 0)
            _exit(1);
        str_free(&body.text);
        pthread_mutex_lock(&c->server->lock);
    }
    pthread_mutex_unlock(&c->server->lock);
}

static void serve_on_input(void *payload, snug_call *call, const char *prompt)
{
    send_call(payload, call, 1, strcmp(snug_call_name(call), "getpass") ? NULL : "", prompt);
}

static void return_call(serve_call *made, frame_answer how, const char *text, size_t len)
{
    if (how == FRAME_ANSWER_NONE)
        snug_call_return_line(made->call, NULL, 0);
    else if (how == FRAME_ANSWER_REFUSED)
        snug_call_approve(made->call, SNUG_APPROVAL_REFUSE, text);
    else if (how == FRAME_ANSWER_TIMEOUT)
        call_answer(made->call, CALL_TIMEOUT, text, len);
    else if (how == FRAME_ANSWER_ERROR)
        snug_call_fail(made->call, text);
    else if (made->is_input)
        snug_call_return_line(made->call, text, len);
    else
        snug_call_return(made->call, text, len);
    free(made);
}

/* Out of the channel's list; NULL: it is not there. */
static serve_call *take_made_call(channel *c, uint64_t id)
{
    serve_call **at = &c->calls;
    while (*at && (*at)->id != id)
        at = &(*at)->next;

    serve_call *made = *at;
    if (made)
        *at = made->next;
    return made;
}

/* Its clock here stands as the host's does. */
static void hold_call(const channel *c, uint64_t id, int is_held)
{
    for (const serve_call *made = c->calls; made; made = made->next) {
        if (made->id != id)
            continue;
        if (is_held)
            call_hold(made->call);
        else
            call_go_on(made->call);
    }
}

void serve_answer(channel *c, unpacker *u)
{
    size_t len;
    uint64_t id = unpack_number(u);
    frame_answer how = (frame_answer)unpack_small(u, FRAME_ANSWER_GOES_ON);
    const char *text = unpack_bytes(u, &len);

    if (u->is_bad)
        how = FRAME_ANSWER_ERROR;

    if (how == FRAME_ANSWER_HELD || how == FRAME_ANSWER_GOES_ON) {
        hold_call(c, id, how == FRAME_ANSWER_HELD);
        return;
    }

    serve_call *made = take_made_call(c, id);
    if (made)
        return_call(made, how, text, len);
}

void serve_forget_calls(channel *c)
{
    while (c->calls) {
        serve_call *made = c->calls;
        c->calls = made->next;
        snug_call_fail(made->call, NULL);
        free(made);
    }
}

/* A field of a request: a number, a text, or bytes of that length. */
typedef struct request_field {
    uint64_t number;
    const char *text;
    size_t len;
} request_field;

enum { MOST_FIELDS = 3 };

typedef struct request {
    channel *channel;
    snug_session *session; /* NULL with hello, open and scan */
    unpacker *in;
    packer *out;
    request_field fields[MOST_FIELDS]; /* as its row says */
    snug_limits limits;
} request;

int serve_refuse(void)
{
    return error_set(SNUG_EINVAL, "the request is not one of %s", FRAME_PROTOCOL);
}

/* ---- host and session ---- */

static int handle_hello(request *r)
{
    return serve_hello(r->channel, r->in, r->out);
}

static void unpack_mounts(unpacker *u, snug_mount *mounts, size_t *count)
{
    *count = (size_t)unpack_small(u, SESSION_MOUNTS);
    for (size_t i = 0; i < *count; i++) {
        mounts[i].path = unpack_name(u);
        mounts[i].name = unpack_name(u);
        mounts[i].is_writable = (int)unpack_small(u, 1);
    }
}

static int handle_open(request *r)
{
    snug_mount mounts[SESSION_MOUNTS];
    snug_limits limits;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    channel *c = r->channel;
    unpacker *u = r->in;

    options.name = unpack_name(u);
    options.kind = (snug_kind)unpack_small(u, SNUG_KIND_BASH);
    options.profile = unpack_text(u);
    const char **allow = unpack_list(u);
    options.allow = allow;
    limits_unpack(u, &limits);
    options.limits = &limits;
    unpack_mounts(u, mounts, &options.mount_count);
    options.mounts = mounts;
    options.payload = c;
    options.on_output = unpack_small(u, 1) ? serve_on_output : NULL;
    options.on_display = unpack_small(u, 1) ? serve_on_display : NULL;
    options.on_input = unpack_small(u, 1) ? serve_on_input : NULL;
    options.on_tool_call = serve_on_call_over;
    options.clock_ms = unpack_number(u);
    options.has_seed = (int)unpack_small(u, 1);
    options.seed = unpack_number(u);
    options.packages = unpack_text(u);
    options.workdir = unpack_text(u);
    options.approval_ms = SNUG_UNLIMITED; /* the host counts it */
    int is_placed = (int)unpack_small(u, 1);
    const session_place place = { options.workdir, (int)unpack_small(u, 1) };

    snug_session *session;
    int error;
    if (!unpack_ended(u) || (is_placed && !options.workdir))
        error = serve_refuse();
    else
        error = session_open_in(&session, c->server->host, &options, is_placed ? &place : NULL);

    free(allow);
    if (error)
        return error;

    pthread_mutex_lock(&c->server->lock);
    c->session = session;
    pthread_mutex_unlock(&c->server->lock);
    pack_text(r->out, snug_session_workdir(session));
    return SNUG_OK;
}

/* With this the host can end the process once it has no other session. */
static void tell_hung(request *r)
{
    snug_health facts = SNUG_HEALTH_INIT;
    snug_host_health(&facts, r->channel->server->host);
    pack_number(r->out, facts.hung_threads);
}

static int handle_close(request *r)
{
    server *s = r->channel->server;

    /* From here on nobody interrupts it. */
    pthread_mutex_lock(&s->lock);
    r->channel->session = NULL;
    pthread_mutex_unlock(&s->lock);
    snug_session_close_within(r->session, r->fields[0].number);
    tell_hung(r);
    return SNUG_OK;
}

static int handle_reset(request *r)
{
    int error = snug_session_reset(r->session);

    tell_hung(r);
    return error;
}

/* ---- cells ---- */

static int handle_run(request *r)
{
    static int (*const runs[])(snug_result **, snug_session *, const char *, size_t,
                               const snug_limits *) = {
        [CELL_RECORDED] = snug_session_run,
        [CELL_ASIDE] = snug_session_run_aside,
        [CELL_UNRECORDED] = snug_session_run_unrecorded,
    };
    const request_field *source = &r->fields[1];
    snug_result *result;

    if (r->fields[0].number > CELL_UNRECORDED)
        return serve_refuse();
    int error =
        runs[r->fields[0].number](&result, r->session, source->text, source->len, &r->limits);
    if (error)
        return error;

    result_pack(r->out, result);
    snug_result_free(result);
    return SNUG_OK;
}

static int handle_set(request *r)
{
    return snug_session_set_variable(r->session, r->fields[0].text, r->fields[1].text,
                                     r->fields[1].len);
}

static int handle_checkpoint(request *r)
{
    return snug_session_checkpoint(r->session);
}

static int handle_rollback(request *r)
{
    return snug_session_rollback(r->session);
}

static int handle_forget(request *r)
{
    return snug_session_forget_checkpoint(r->session);
}

/* ---- prompts ---- */

static int handle_is_complete(request *r)
{
    int answered = snug_session_completeness(r->session, r->fields[0].text, r->fields[0].len);
    if (answered < 0)
        return answered;

    pack_number(r->out, (uint64_t)answered);
    return SNUG_OK;
}

static int handle_complete(request *r)
{
    snug_completion *completion;
    int error = snug_session_complete(&completion, r->session, r->fields[1].text, r->fields[1].len,
                                      (size_t)r->fields[0].number);
    if (error)
        return error;

    completion_pack(r->out, completion);
    snug_completion_free(completion);
    return SNUG_OK;
}

static int pack_description(request *r, int error, snug_description *d)
{
    if (error)
        return error;

    description_pack(r->out, d);
    snug_description_free(d);
    return SNUG_OK;
}

static int handle_variables(request *r)
{
    snug_description *d = NULL;
    int error = snug_session_list_variables(&d, r->session);
    return pack_description(r, error, d);
}

static int handle_inspect(request *r)
{
    snug_description *d = NULL;
    int error = snug_session_inspect(&d, r->session, r->fields[1].text, r->fields[1].len,
                                     (size_t)r->fields[0].number);
    return pack_description(r, error, d);
}

/* ---- saved sessions ---- */

/* A session that cannot be saved is refused by its own form. */
static int is_savable(const request *r)
{
    return r->session->form->save == local_save;
}

static int handle_save(request *r)
{
    str file = { 0 };
    snug_saved *saved = NULL;

    if (!is_savable(r))
        return r->session->form->save(&saved, r->session, "");

    int error = session_claim_alive(&r->session, "snug_session_save");
    if (error)
        return error;

    error = session_save(&saved, r->session, "the file", &file);
    session_release(r->session);
    if (!error) {
        pack_str(r->out, &file);
        saved_pack(r->out, saved);
        snug_saved_free(saved);
    }

    str_free(&file);
    return error;
}

static int handle_restore(request *r)
{
    str text = { 0 };
    snug_saved *saved = NULL;
    const char *path = r->fields[0].text;

    if (!is_savable(r))
        return r->session->form->restore(&saved, &r->session, path);
    if (str_append(&text, r->fields[1].text, r->fields[1].len) != 0)
        return error_no_memory();

    int error = session_claim(&r->session, "snug_session_restore");
    if (!error) {
        error = session_restore(&saved, &r->session, path, &text, r->fields[2].number != 0);
        session_release(r->session);
    }

    str_free(&text);
    if (error)
        return error;

    pack_number(r->out, snug_session_execution_count(r->session));
    saved_pack(r->out, saved);
    snug_saved_free(saved);
    return SNUG_OK;
}

/* ---- files ---- */

static int handle_put(request *r)
{
    return snug_session_put_file(r->session, r->fields[0].text, r->fields[1].text,
                                 r->fields[1].len);
}

static int handle_get(request *r)
{
    snug_file *file;
    int error =
        snug_session_get_file(&file, r->session, r->fields[0].text, (size_t)r->fields[1].number);
    if (error)
        return error;

    file_pack(r->out, file);
    snug_file_free(file);
    return SNUG_OK;
}

static int handle_list(request *r)
{
    snug_listing *listing;
    int error = snug_session_list_files(&listing, r->session);
    if (error)
        return error;

    listing_pack(r->out, listing);
    snug_listing_free(listing);
    return SNUG_OK;
}

static int handle_remove(request *r)
{
    return snug_session_remove_file(r->session, r->fields[0].text);
}

/* ---- tools and scans ---- */

static int handle_bind(request *r)
{
    snug_tool tool = SNUG_TOOL_INIT;

    tool.name = unpack_name(r->in);
    tool.signature = unpack_text(r->in);
    tool.doc = unpack_text(r->in);
    tool.is_async = (int)unpack_small(r->in, SNUG_TOOL_EITHER);
    tool.takes_any = (int)unpack_small(r->in, 1);
    tool.is_untimed = unpack_small(r->in, 1);
    tool.timeout_ms = unpack_number(r->in);
    tool.fn = serve_on_call;
    tool.payload = r->channel;
    if (!unpack_ended(r->in))
        return serve_refuse();
    return snug_session_bind_tool(r->session, &tool);
}

static int handle_compute(request *r)
{
    return serve_compute(r->channel, r->in, r->out);
}

static int handle_scan(request *r)
{
    size_t len;
    snug_scan *report;
    snug_scan_options options = SNUG_SCAN_OPTIONS_INIT;

    options.profile = unpack_text(r->in);
    const char **allow = unpack_list(r->in);
    options.allow = allow;
    options.max_source_bytes = unpack_number(r->in);
    options.wall_ms = unpack_number(r->in);
    const char **forbid = unpack_list(r->in);
    options.forbid = forbid;
    const char **tools = unpack_list(r->in);
    options.tools = tools;
    if (unpack_small(r->in, 1))
        options.kind = SNUG_KIND_BASH;
    const char *source = unpack_bytes(r->in, &len);
    int error;

    if (!unpack_ended(r->in))
        error = serve_refuse();
    else
        error = snug_host_scan(&report, r->channel->server->host, source, len, &options);

    free(allow);
    free(forbid);
    free(tools);
    if (error)
        return error;

    scan_pack(r->out, report);
    snug_scan_free(report);
    return SNUG_OK;
}

static int handle_health(request *r)
{
    const snug_host *host = r->channel->server->host;
    snug_health facts = SNUG_HEALTH_INIT;
    snug_pool spares = SNUG_POOL_INIT;
    int error = snug_host_health(&facts, host);
    if (!error)
        error = snug_host_pool(&spares, host);
    if (error)
        return error;

    pack_number(r->out, facts.hung_threads);
    pack_number(r->out, facts.torn_locks);
    pool_pack(r->out, &spares);
    return SNUG_OK;
}

/* Each request with its fields: n is a number, t a text, b bytes, and l limits. NULL: it reads them
 * itself. */
static const struct {
    int (*handle)(request *r);
    const char *fields;
} rows[FRAME_REQUESTS] = {
    [FRAME_HELLO] = { handle_hello, NULL },
    [FRAME_OPEN] = { handle_open, NULL },
    [FRAME_CLOSE] = { handle_close, "n" },
    [FRAME_RESET] = { handle_reset, "" },
    [FRAME_RUN] = { handle_run, "nlb" },
    [FRAME_SET] = { handle_set, "tb" },
    [FRAME_CHECKPOINT] = { handle_checkpoint, "" },
    [FRAME_ROLLBACK] = { handle_rollback, "" },
    [FRAME_FORGET] = { handle_forget, "" },
    [FRAME_IS_COMPLETE] = { handle_is_complete, "b" },
    [FRAME_COMPLETE] = { handle_complete, "nb" },
    [FRAME_VARIABLES] = { handle_variables, "" },
    [FRAME_INSPECT] = { handle_inspect, "nb" },
    [FRAME_SAVE] = { handle_save, "" },
    [FRAME_RESTORE] = { handle_restore, "tbn" },
    [FRAME_PUT] = { handle_put, "tb" },
    [FRAME_GET] = { handle_get, "tn" },
    [FRAME_LIST] = { handle_list, "" },
    [FRAME_REMOVE] = { handle_remove, "t" },
    [FRAME_BIND] = { handle_bind, NULL },
    [FRAME_COMPUTE] = { handle_compute, NULL },
    [FRAME_SCAN] = { handle_scan, NULL },
    [FRAME_HEALTH] = { handle_health, "" },
};

int serve_request(channel *c, frame_kind kind, unpacker *u, packer *out)
{
    request r = { .channel = c, .session = c->session, .in = u, .out = out };
    request_field *field = r.fields;
    const char *letter = rows[kind].fields;

    for (; letter && *letter; letter++)
        if (*letter == 'n')
            field++->number = unpack_number(u);
        else if (*letter == 't')
            field++->text = unpack_name(u);
        else if (*letter == 'l')
            limits_unpack(u, &r.limits);
        else {
            field->text = unpack_bytes(u, &field->len);
            field++;
        }

    if (letter && !unpack_ended(u))
        return serve_refuse();
    return rows[kind].handle(&r);
}
