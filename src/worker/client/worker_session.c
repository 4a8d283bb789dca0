/*
 * worker_session.c - the functions of snug.h for a session in a worker, as requests.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/u64.h"
#include "base/unmark.h"
#include "session/cells/inquiries.h"
#include "session/cells/run_cell.h"
#include "session/cells/save_session.h"
#include "session/core/claim.h"
#include "session/files/workdir.h"
#include "session/result/result.h"
#include "worker/client/client.h"

/* A file of 1 GiB takes its time. */
enum { FILES_MS = 60000 };

/* A list of the files, and the report of a restored session. */
#define MOST_REPORT_BYTES (UINT64_C(64) << 20)

static remote_question make_question(const snug_session *session, frame_kind kind)
{
    uint64_t deadline_ns = remote_deadline_ns(session->host, session->limits.wall_ms);
    return (remote_question){ .kind = kind, .deadline_ns = deadline_ns };
}

/* wall_ms and time for files. */
static uint64_t long_deadline_ns(const snug_session *session)
{
    uint64_t wall_ms = session->limits.wall_ms;

    if (wall_ms >= SNUG_UNLIMITED - FILES_MS)
        return UINT64_MAX;
    return remote_deadline_ns(session->host, wall_ms + FILES_MS);
}

/* For questions whose reply is empty. */
static int ask_plainly(snug_session *session, remote_question *q)
{
    int error = remote_ask(session, q);
    if (error)
        return error;
    return remote_checked(session, q, SNUG_OK);
}

/* ---- close and reset ---- */

void remote_unmark_files(const snug_session *session)
{
    const time_t since = session->remote->opened;

    if (session->kind == SNUG_KIND_RESTRICTED || session->host->remote->command ||
        !session->files.workdir)
        return;

    unmark(session->files.workdir, since);
    for (size_t i = 0; i < session->files.mount_count; i++)
        if (session->files.mounts[i].access == PATH_WRITE)
            unmark(session->files.mounts[i].path, since);
}

/* A request that ends the session's interpreter: the reply tells how many threads the worker has
 * given up. */
static int ask_and_judge(snug_session *session, remote_question *q)
{
    int error = remote_ask(session, q);
    if (error)
        return error;

    uint64_t hung = unpack_number(&q->answer);
    error = remote_checked(session, q, SNUG_OK);
    if (!error && hung > 0 && remote_ends_with(session))
        link_spoil(session->remote->link);
    return error;
}

/* An error on the way is not reported: the message stays the one that the caller has now. */
static void say_goodbye(snug_session *session)
{
    char message[ERROR_MESSAGE_BYTES];
    uint64_t closing_ms = session->closing_ms ? session->closing_ms : (uint64_t)SESSION_CLOSING_MS;
    remote_question q = { .kind = FRAME_CLOSE,
                          .deadline_ns = remote_deadline_ns(session->host, 2 * closing_ms) };

    strcpy(message, error_message());
    pack_number(&q.body, closing_ms);
    ask_and_judge(session, &q);
    error_set(SNUG_OK, "%s", message);
}

static int end_remote_session(snug_session *session)
{
    remote *r = session->remote;
    if (!r)
        return 0;

    if (remote_is_connected(r))
        say_goodbye(session);
    remote_disconnect(session);
    remote_disk_end(session);
    remote_unmark_files(session);
    pthread_mutex_destroy(&r->lock);
    str_free(&r->open);
    remote_free_need(&r->need);
    remote_drop_profile(session->host, r->profile);
    free(r->workdir);
    free(r);
    session->remote = NULL;
    return 0;
}

static int send_tool(snug_session *session, const desk_tool *tool);

static int bind_again(snug_session *session)
{
    desk_tool *tool;
    int error = SNUG_OK;
    for (size_t i = 0; !error && (tool = desk_tool_at(session->desk, i)); i++)
        error = send_tool(session, tool);
    return error;
}

static int reopen_session(snug_session *session)
{
    remote_disconnect(session);
    int error = remote_open_in_worker(session);
    if (!error)
        error = bind_again(session);
    if (error)
        session->is_lost = 1; /* what there is of it is not what was asked for */
    return error;
}

/* In the worker that it has. */
static int reset_in_worker(snug_session *session)
{
    remote *r = session->remote;
    if (session->is_lost && link_regain(r->link, &r->line) == SNUG_OK)
        remote_allow(session);
    session->is_lost = 0;
    remote_question q = make_question(session, FRAME_RESET);
    q.deadline_ns = long_deadline_ns(session);
    return ask_and_judge(session, &q);
}

/* One that is lost in its reset was there to be given up. */
static int renew_in_worker(snug_session **at)
{
    snug_session *session = *at;
    int error = SNUG_EDEAD;

    if (remote_is_connected(session->remote))
        error = reset_in_worker(session);
    if (error == SNUG_EDEAD && !remote_is_connected(session->remote))
        error = reopen_session(session);
    if (!error)
        session->cells = 0;
    return error;
}

static void interrupt_remote(snug_session *session, remote_interrupt how)
{
    remote *r = session->remote;

    pthread_mutex_lock(&r->lock);
    uint32_t number = atomic_load(&r->running);
    if (number > 0 && r->link) {
        atomic_store(&r->interrupted, how);
        remote_send_interrupt(r, number, how, remote_deadline_ns(session->host, 0));
        desk_interrupt(session->desk);
        link_nudge(r->link, &r->line);
    }
    pthread_mutex_unlock(&r->lock);
}

static void send_interrupt(snug_session *session)
{
    interrupt_remote(session, INTERRUPTED);
}

static void send_gentle_interrupt(snug_session *session)
{
    interrupt_remote(session, INTERRUPTED_GENTLY);
}

/* ---- cells ---- */

int remote_has_lost_worker(const snug_session *session)
{
    link_end how = link_state(session->remote->link);
    return how != LINK_LIVES && how != LINK_FORSAKEN;
}

int remote_tell_given_up(snug_session *session, snug_result *result)
{
    remote_gave_up(session);
    if (link_state(session->remote->link) != LINK_FORSAKEN || !remote_ends_with(session))
        return SNUG_OK;

    if (str_add(&result->outcome.hint, " What it was doing was ended."))
        return error_no_memory();
    return SNUG_OK;
}

/* A cell, from its request to its result. */
typedef struct remote_cell {
    remote_question q;
    snug_limits all;
    uint64_t started_ns;
    int is_aside;
} remote_cell;

static int start_cell(snug_session *session, const char *source, size_t len,
                      const snug_limits *limits, int is_aside)
{
    static const snug_limits own = SNUG_LIMITS_INIT;
    remote_cell *cell = calloc(1, sizeof *cell);
    if (!cell)
        return error_no_memory();

    cell->all = session_cell_limits(session, limits);
    cell->started_ns = clock_now_ns();
    cell->is_aside = is_aside;
    cell->q =
        (remote_question){ .kind = FRAME_RUN,
                           .deadline_ns = remote_deadline_ns(session->host, cell->all.wall_ms),
                           .is_cell = 1,
                           .most_calls = cell->all.tool_calls,
                           .input_ms = cell->all.input_ms,
                           .most_bytes = result_most_bytes(&cell->all),
                           .display_bytes = cell->all.display_bytes };
    pack_number(&cell->q.body, (uint64_t)is_aside);
    limits_pack(&cell->q.body, limits ? limits : &own);
    pack_bytes(&cell->q.body, len > 0 ? source : "", len);

    desk_number_cell(session->desk, is_aside == CELL_RECORDED ? session->cells + 1 : 0);
    if (session->remote->group)
        remote_group_begin(session);
    int error = remote_disk_begin(session, &cell->all);
    if (!error)
        error = remote_begin(session, &cell->q);
    else
        str_free(&cell->q.body.text);
    if (error) {
        free(cell);
        return error;
    }

    session->remote->cell = cell;
    return SNUG_OK;
}

static int attend_remote_cell(snug_session *session, uint64_t until_ns)
{
    remote_question *q = &session->remote->cell->q;
    int is_over = remote_attend(session, q, until_ns);
    uint64_t due_ns = u64_least(remote_look_ns(session, q), desk_deadline_ns(session->desk));

    if (!is_over)
        atomic_store(&session->remote->due_ns, due_ns);
    return is_over;
}

static int take_cell(snug_result **out, snug_session *session, remote_cell *cell)
{
    int error = remote_end(session, &cell->q);
    if (!error)
        error = remote_checked(session, &cell->q,
                               result_unpack(out, &cell->q.answer, session->name, &cell->all));
    if (error == SNUG_EDEAD && remote_has_lost_worker(session))
        return remote_lost_result(out, session, cell->all.wall_ms, cell->started_ns,
                                  cell->is_aside);
    if (error)
        return error;

    if (!cell->is_aside)
        session->cells = snug_result_execution_count(*out);
    if (snug_result_state(*out) == SNUG_STATE_LOST)
        return remote_tell_given_up(session, *out);
    return SNUG_OK;
}

static int finish_cell(snug_result **out, snug_session *session)
{
    remote_cell *cell = session->remote->cell;
    snug_result *result = NULL;
    int error = take_cell(&result, session, cell);

    session->remote->cell = NULL;
    free(cell);
    remote_unmark_files(session);
    if (!error && session->remote->group)
        error = remote_group_judge(result, session);
    if (!error)
        error = remote_disk_judge(result, session);
    if (error) {
        snug_result_free(result);
        return error;
    }

    *out = result;
    return SNUG_OK;
}

static int send_variable(snug_session *session, const char *name, const char *json, size_t len)
{
    /* As in remote_compute: it would be the worker's memory. */
    if (len > session->limits.memory_bytes)
        return error_set(SNUG_ENOMEM,
                         "what %s is set to has %zu bytes, and session %s may have %llu", name, len,
                         session->name, (unsigned long long)session->limits.memory_bytes);

    remote_question q = make_question(session, FRAME_SET);
    pack_text(&q.body, name);
    pack_bytes(&q.body, json, len);
    return ask_plainly(session, &q);
}

static int send_checkpoint(snug_session *session, checkpoint_step step)
{
    static const frame_kind kinds[] = {
        [CHECKPOINT_MAKE] = FRAME_CHECKPOINT,
        [CHECKPOINT_ROLL_BACK] = FRAME_ROLLBACK,
        [CHECKPOINT_FORGET] = FRAME_FORGET,
    };
    remote_question q = make_question(session, kinds[step]);
    return ask_plainly(session, &q);
}

/* ---- prompts ---- */

static int ask_is_complete(snug_session *session, const char *source, size_t len)
{
    remote_question q = make_question(session, FRAME_IS_COMPLETE);

    pack_bytes(&q.body, len > 0 ? source : "", len);
    int error = remote_ask(session, &q);
    if (error)
        return error;

    int answer = (int)unpack_small(&q.answer, SNUG_COMPLETENESS_INVALID);
    error = remote_checked(session, &q, SNUG_OK);
    if (error)
        return error;
    return answer;
}

static remote_question question_at(const snug_session *session, frame_kind kind, const char *source,
                                   size_t len, size_t cursor)
{
    remote_question q = make_question(session, kind);
    pack_number(&q.body, cursor);
    pack_bytes(&q.body, len > 0 ? source : "", len);
    return q;
}

static int complete_source(snug_completion **out, snug_session *session, const char *source,
                           size_t len, size_t cursor)
{
    remote_question q = question_at(session, FRAME_COMPLETE, source, len, cursor);
    q.most_bytes = session->limits.list_bytes;
    int error = remote_ask(session, &q);
    if (error)
        return error;
    return remote_checked(session, &q, completion_unpack(out, &q.answer));
}

static int ask_for_description(snug_description **out, snug_session *session, remote_question *q)
{
    int error = remote_ask(session, q);
    if (error)
        return error;
    return remote_checked(session, q, description_unpack(out, &q->answer));
}

static int list_variables(snug_description **out, snug_session *session)
{
    remote_question q = make_question(session, FRAME_VARIABLES);
    q.most_bytes = session->limits.list_bytes;
    return ask_for_description(out, session, &q);
}

static int inspect_source(snug_description **out, snug_session *session, const char *source,
                          size_t len, size_t cursor)
{
    remote_question q = question_at(session, FRAME_INSPECT, source, len, cursor);
    return ask_for_description(out, session, &q);
}

/* ---- saved sessions ---- */

/* To path, or where kept is not NULL there. */
static int save_to(snug_saved **out, snug_session *session, const char *path, str *kept)
{
    snug_saved *saved = NULL;
    remote_question q = make_question(session, FRAME_SAVE);

    q.deadline_ns = long_deadline_ns(session);
    q.most_bytes = FRAME_MOST_BYTES;
    bounds_share copies;
    const worker_link *link = remote_allow_copies(session, &copies, 0);
    atomic_store(&session->is_stopped, 0);
    int error = remote_ask(session, &q);
    remote_disallow_copies(session, link, &copies);
    if (error)
        return error;

    size_t len;
    const char *file = unpack_bytes(&q.answer, &len);
    const struct iovec piece = { (void *)(uintptr_t)file, len };
    int written = SNUG_OK;
    error = saved_unpack(&saved, &q.answer, session, path);
    if (!error && unpack_ended(&q.answer) && kept)
        written = str_append(kept, file, len) ? error_no_memory() : SNUG_OK;
    else if (!error && unpack_ended(&q.answer))
        written = file_replace_unless(path, &piece, 1, &session->is_stopped);

    error = remote_checked(session, &q, error);
    if (!error)
        error = written;
    if (error) {
        snug_saved_free(saved);
        return error;
    }

    *out = saved;
    return SNUG_OK;
}

static int save_from_worker(snug_saved **out, snug_session *session, const char *path)
{
    return save_to(out, session, path, NULL);
}

static int save_text_from_worker(snug_saved **out, snug_session *session, str *file)
{
    return save_to(out, session, SAVE_TEMPLATE, file);
}

/* is_fresh: nothing has run in the session yet. */
static int send_saved(snug_saved **out, snug_session *session, const char *path, const str *file,
                      int is_fresh)
{
    remote_question q = make_question(session, FRAME_RESTORE);
    q.most_bytes = MOST_REPORT_BYTES;
    q.deadline_ns = long_deadline_ns(session);
    pack_text(&q.body, path);
    pack_str(&q.body, file);
    pack_number(&q.body, (uint64_t)is_fresh);
    bounds_share copies;
    const worker_link *link = remote_allow_copies(session, &copies, file->len);
    int error = remote_ask(session, &q);
    remote_disallow_copies(session, link, &copies);
    if (error)
        return error;

    uint64_t cells = unpack_number(&q.answer);
    error = remote_checked(session, &q, saved_unpack(out, &q.answer, session, path));
    if (!error) {
        session->cells = cells;
        session->is_lost = 0;
    }

    return error;
}

static int restore_in_worker(snug_saved **out, snug_session **at, const char *path)
{
    snug_session *session = *at;
    str file = { 0 };
    int error = session_read_saved(&file, path);

    if (!error && !remote_is_connected(session->remote))
        error = renew_in_worker(at);
    if (!error)
        error = remote_disk_begin(session, &session->limits);
    if (!error)
        error = send_saved(out, session, path, &file, 0);
    str_free(&file);
    return error;
}

static int restore_text_in_worker(snug_saved **out, snug_session *session, const str *file)
{
    int error = remote_disk_begin(session, &session->limits);
    if (error)
        return error;
    return send_saved(out, session, SAVE_TEMPLATE, file, 1);
}

/* ---- files ---- */

/* Otherwise the worker is asked for them. */
static int has_files_here(const snug_session *session)
{
    return remote_is_here(session) &&
           (!session->remote->need.has_memory || session->files.folder > 0 ||
            access(session->files.workdir, F_OK) == 0);
}

static int send_file(snug_session *session, const char *path, const void *data, size_t len)
{
    remote_question q = { .kind = FRAME_PUT, .deadline_ns = long_deadline_ns(session) };
    pack_text(&q.body, path);
    pack_bytes(&q.body, len > 0 ? data : "", len);
    return ask_plainly(session, &q);
}

static int ask_for_file(snug_file **out, snug_session *session, const char *path, size_t most)
{
    if (has_files_here(session))
        return local_get(out, session, path, most);
    int error = session_check_alive(session);
    if (error)
        return error;

    remote_question q = { .kind = FRAME_GET,
                          .deadline_ns = long_deadline_ns(session),
                          .most_bytes = most };
    pack_text(&q.body, path);
    pack_number(&q.body, most);
    error = remote_ask(session, &q);
    if (error)
        return error;
    return remote_checked(session, &q, file_unpack(out, &q.answer, path));
}

static int ask_for_files(snug_listing **out, snug_session *session)
{
    if (has_files_here(session))
        return local_list(out, session);
    int error = session_check_alive(session);
    if (error)
        return error;

    remote_question q = { .kind = FRAME_LIST,
                          .deadline_ns = long_deadline_ns(session),
                          .most_bytes = MOST_REPORT_BYTES };
    error = remote_ask(session, &q);
    if (error)
        return error;
    return remote_checked(session, &q, listing_unpack(out, &q.answer));
}

static int remove_session_file(snug_session *session, const char *path)
{
    if (has_files_here(session))
        return local_remove(session, path);
    int error = session_check_alive(session);
    if (error)
        return error;

    remote_question q = { .kind = FRAME_REMOVE, .deadline_ns = long_deadline_ns(session) };
    pack_text(&q.body, path);
    return ask_plainly(session, &q);
}

/* ---- tools ---- */

static int send_tool(snug_session *session, const desk_tool *tool)
{
    remote_question q = make_question(session, FRAME_BIND);

    pack_text(&q.body, tool->name);
    pack_text(&q.body, tool->signature);
    pack_text(&q.body, tool->doc);
    pack_number(&q.body, (uint64_t)tool->is_async);
    pack_number(&q.body, tool->takes_any != 0);
    pack_number(&q.body, tool->is_untimed != 0);
    pack_number(&q.body, tool->timeout_ms);
    return ask_plainly(session, &q);
}

static int send_new_tool(snug_session *session, const snug_tool *tool)
{
    desk_tool *copy = desk_tool_copy(tool);
    if (!copy)
        return error_no_memory();

    int error = send_tool(session, copy);
    if (!error && desk_put_tool(session->desk, copy) != SNUG_OK)
        error = error_no_memory();
    if (error)
        desk_tool_free(copy);
    return error;
}

static int64_t find_process(const snug_session *session)
{
    if (!session->remote->link)
        return 0;
    return link_process(session->remote->link);
}

static int has_remote(const snug_session *session)
{
    return session->remote != NULL;
}

const session_form remote_sessions = {
    .open = remote_open_session,
    .end = end_remote_session,
    .is_alive = has_remote,
    .renew = renew_in_worker,
    .interrupt = send_interrupt,
    .interrupt_gently = send_gentle_interrupt,
    .start = start_cell,
    .attend = attend_remote_cell,
    .finish = finish_cell,
    .listen = post_listen,
    .compute = remote_compute,
    .set = send_variable,
    .checkpoint = send_checkpoint,
    .is_complete = ask_is_complete,
    .complete = complete_source,
    .variables = list_variables,
    .inspect = inspect_source,
    .save = save_from_worker,
    .restore = restore_in_worker,
    .save_text = save_text_from_worker,
    .restore_text = restore_text_in_worker,
    .put = send_file,
    .get = ask_for_file,
    .list = ask_for_files,
    .remove = remove_session_file,
    .bind = send_new_tool,
    .process = find_process,
};
