/*
 * worker_session.c - the functions of snug.h for a session in a worker, as requests.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/unmark.h"
#include "session/cells/inquiries.h"
#include "session/cells/run_cell.h"
#include "session/cells/save_session.h"
#include "session/core/claim.h"
#include "session/core/full.h"
#include "session/files/list_files.h"
#include "session/files/workdir.h"
#include "session/files/workdir_files.h"
#include "session/result/packed.h"
#include "session/result/result.h"
#include "worker/client/client.h"
#include "worker/client/memory_folder.h"

/* For what runs no code of the session's; and a file of 1 GiB takes its time. */
enum { STEP_MS = 60000 };

/* A list of the files, and the report of a restored session. */
#define MOST_REPORT_BYTES (UINT64_C(64) << 20)

enum { HELPERS = 8, MOST_STACK_BYTES = 1 << 30 };

static remote_question question(const snug_session *session, frame_kind kind)
{
    return (remote_question){ .kind = kind,
                              .deadline_ns =
                                  remote_deadline_ns(session->host, session->limits.wall_ms) };
}

/* wall_ms and time for files. */
static uint64_t long_deadline_ns(const snug_session *session)
{
    uint64_t wall_ms = session->limits.wall_ms;
    return wall_ms < SNUG_UNLIMITED - STEP_MS ? remote_deadline_ns(session->host, wall_ms + STEP_MS)
                                              : UINT64_MAX;
}

/* One whose reply has nothing to say. */
static int ask(snug_session *session, remote_question *q)
{
    int error = remote_ask(session, q);
    return error ? error : remote_checked(session, q, SNUG_OK);
}

/* ---- open and close ---- */

static int is_here(const snug_session *session)
{
    return !session->host->remote->command;
}

static void pack_options(packer *p, const snug_session *session,
                         const snug_session_options *options)
{
    pack_text(p, session->name);
    pack_number(p, (uint64_t)options->kind);
    pack_text(p, session->remote->profile);
    pack_list(p, options->allow);
    limits_pack(p, options->limits);
    pack_number(p, options->mount_count);
    for (size_t i = 0; i < options->mount_count; i++) {
        /* A worker here stands elsewhere. */
        pack_text(p, session->files.mount_count > 0 ? session->files.mounts[i].path
                                                    : options->mounts[i].path);
        pack_text(p, options->mounts[i].name);
        pack_number(p, options->mounts[i].is_writable != 0);
    }

    pack_number(p, options->on_output != NULL);
    pack_number(p, options->on_display != NULL);
    pack_number(p, options->on_input != NULL);
    pack_text(p, session->files.own_packages);
}

/* The last of the request, because a worker's private work directory is known when it has opened
 * the session, and is the next worker's too. Elsewhere it is what the options say. */
static void pack_place(packer *p, const snug_session *session)
{
    const remote *r = session->remote;
    int is_here = !session->host->remote->command;
    pack_text(p, is_here ? session->files.workdir : r->workdir);
    pack_number(p, is_here && session->files.workdir);
    pack_number(p, (uint64_t)session->files.is_private);
}

/* The threads of a full session are what packages start; a few more are the session's helpers. */
static uint64_t threads_of(const snug_session *session)
{
    uint64_t threads = session->limits.threads;
    if (session->kind == SNUG_KIND_FULL && threads == 0)
        threads = FULL_THREADS;
    return threads < SNUG_UNLIMITED - HELPERS ? threads + HELPERS : threads;
}

/* With what its limit grants before it refuses. Where a session shares its worker, a deep recursion
 * of its own shall not end the others: its stack, twice its memory, counts too. */
static uint64_t memory_of(const snug_session *session)
{
    uint64_t bytes = session->limits.memory_bytes;
    if (bytes > SNUG_UNLIMITED / 8)
        return SNUG_UNLIMITED;
    uint64_t stack = bytes < MOST_STACK_BYTES / 2 ? 2 * bytes : MOST_STACK_BYTES;
    return bytes + bytes / 4 + (session->kind == SNUG_KIND_FULL ? 0 : stack);
}

static bounds_share share_of(const snug_session *session)
{
    return (bounds_share){ .memory_bytes = memory_of(session),
                           .threads = threads_of(session),
                           .file_bytes =
                               session->remote->need.has_memory ? session->limits.disk_bytes : 0 };
}

static void allow(const snug_session *session)
{
    const bounds_share share = share_of(session);
    link_allow(session->remote->link, &share);
}

/* A new channel of a worker that lives. */
static int connect_line(snug_session *session)
{
    remote *r = session->remote;
    worker_link *l = NULL;
    int error;

    r->line = (link_line){ .channel = atomic_fetch_add(&session->host->remote->channels, 1) + 1 };
    do { /* again where the last session of that worker was lost meanwhile */
        link_drop(l);
        error = session->kind == SNUG_KIND_BASH ? remote_bash_link(&l, session)
                                                : remote_link(&l, session->host, &r->need);
    } while (!error && link_add(l, &r->line) != SNUG_OK);

    if (error)
        return error;
    pthread_mutex_lock(&r->lock);
    r->link = l;
    pthread_mutex_unlock(&r->lock);
    allow(session);
    r->taken = 0;
    return SNUG_OK;
}

/* It has a worker, and that has it. */
static int is_there(const remote *r)
{
    return r->link && r->is_open && link_state(r->link) == LINK_LIVES;
}

static void disconnect(snug_session *session)
{
    remote *r = session->remote;
    if (!r->link)
        return;

    remote_disk_leave(session);
    link_remove(r->link, &r->line);
    r->is_open = 0;

    /* What was lost in it, it keeps. */
    const bounds_share share = share_of(session);
    if (!session->is_lost)
        link_disallow(r->link, &share);
    pthread_mutex_lock(&r->lock);
    link_drop(r->link);
    r->link = NULL;
    pthread_mutex_unlock(&r->lock);
    cgroup_close(r->group);
    r->group = NULL;
}

/* In the folder of our own, which is where it may be: it is ours to remove. */
static int is_ours(const snug_session *session, const char *path)
{
    const char *top = session->host->workdirs;
    size_t len = strlen(top);
    return strncmp(path, top, len) == 0 && strncmp(path + len, "/session-", 9) == 0 &&
           !strchr(path + len + 1, '/');
}

static int take_workdir(snug_session *session, const char *path)
{
    int is_here = !session->host->remote->command;
    if (is_here && !is_ours(session, path))
        return SNUG_EINVAL;

    if (!(session->files.workdir = strdup(path)))
        return SNUG_ENOMEM;
    session->files.owns_workdir = session->files.is_private = is_here;
    if (is_here)
        capture_spill_to(&session->output, session->files.workdir, NULL);
    return SNUG_OK;
}

/* Files of a worker that has died come along. Where the folder is not in memory after all, or
 * cannot be reached, it is as it would be without. */
static void hold_folder(snug_session *session)
{
    int before = session->files.folder;
    pid_t process = link_process(session->remote->link);

    if (!session->remote->need.has_memory)
        return;

    /* Of a bash session this process has made one for its name; and bubblewrap stays outside. */
    if (session->kind == SNUG_KIND_BASH) {
        rmdir(session->files.workdir);
        process = folder_child(process);
    }

    if (access(session->files.workdir, F_OK) == 0)
        return;
    int fd = folder_open(process, session->files.workdir);
    if (fd >= 0 && before > 0)
        folder_copy(fd, before);
    session->files.folder = fd > 0 ? fd : 0;
    if (before > 0)
        close(before);
}

static int send_open(snug_session *session)
{
    remote *r = session->remote;
    remote_question q = { .kind = FRAME_OPEN,
                          .deadline_ns = remote_deadline_ns(session->host, STEP_MS) };

    q.body.is_short = str_append(&q.body.text, r->open.data, r->open.len) != 0;
    pack_place(&q.body, session);
    session->is_lost = 0;
    int error = remote_ask(session, &q);
    if (error)
        return error;

    r->is_open = 1;
    const char *workdir = unpack_name(&q.answer);
    if (!q.answer.is_bad && !session->files.workdir)
        error = take_workdir(session, workdir);
    if (!error && session->files.workdir)
        hold_folder(session);
    return remote_checked(session, &q, error);
}

/* Again where the worker has ended meanwhile: one that sessions share is ended for what those
 * before this one left in it, just when it is opened. Nothing of this one has run there yet. */
static int open_line(snug_session *session)
{
    int error = connect_line(session);

    if (!error)
        error = send_open(session);
    if (error != SNUG_EDEAD || session->kind == SNUG_KIND_BASH ||
        link_state(session->remote->link) != LINK_ENDED)
        return error;

    disconnect(session);
    if ((error = connect_line(session)))
        return error;
    return send_open(session);
}

/* A worker on this machine has its work directories in a folder of ours, so that files outlive it:
 * a private one it makes itself, unless mounts shall be in it. */
static int make_workdir(snug_session *session, const snug_session_options *options)
{
    int error;

    if (session->host->remote->command && session->kind == SNUG_KIND_BASH)
        return remote_bash_link(NULL, session);
    if (session->host->remote->command) {
        session->remote->workdir = options->workdir ? strdup(options->workdir) : NULL;
        return options->workdir && !session->remote->workdir ? error_no_memory() : SNUG_OK;
    }

    if (!options->workdir && options->mount_count == 0 && session->kind != SNUG_KIND_BASH)
        return SNUG_OK;
    if ((error = workdir_open(session, options->workdir)) ||
        (error = workdir_mount(session, options->mounts, options->mount_count)))
        return error;

    capture_spill_to(&session->output, session->files.workdir, NULL);
    return SNUG_OK;
}

/* A worker is sealed to its folders when it starts: who wants others has one for itself. */
static int set_need(snug_session *session, const snug_session_options *options)
{
    session_mount folders[SESSION_MOUNTS + 1];
    size_t count = 0;

    if (options->mount_count > SESSION_MOUNTS || (options->mount_count > 0 && !options->mounts))
        return error_set(SNUG_EINVAL, "%zu mounts%s: a session has %d at most",
                         options->mount_count, options->mounts ? "" : ", and mounts is NULL",
                         SESSION_MOUNTS);

    const char *named = session->files.is_private ? NULL
                        : session->files.workdir  ? session->files.workdir
                                                  : options->workdir;
    if (named)
        folders[count++] =
            (session_mount){ .path = (char *)(uintptr_t)named, .access = PATH_WRITE };

    for (size_t i = 0; i < session->files.mount_count; i++)
        folders[count++] = session->files.mounts[i];
    for (size_t i = 0; session->files.mount_count == 0 && i < options->mount_count; i++)
        folders[count++] =
            (session_mount){ .path = (char *)(uintptr_t)options->mounts[i].path,
                             .access = options->mounts[i].is_writable ? PATH_WRITE : PATH_READ };

    if (count == 0 && options->kind == SNUG_KIND_RESTRICTED && !session->files.own_packages)
        return SNUG_OK;

    /* What may run machine code writes past the functions that ask. A profile of the caller's is in
     * the folder on the disk. */
    int is_private = options->kind == SNUG_KIND_BASH
                         ? session->files.is_private
                         : options->kind == SNUG_KIND_FULL && !session->files.workdir;
    int is_in_memory = is_private && is_here(session) && count == 0 &&
                       remote_fits_memory(&session->limits) &&
                       !(options->profile && strchr(options->profile, '/'));
    return remote_set_need(&session->remote->need, options->kind, session->files.own_packages,
                           folders, count, is_in_memory ? &session->limits : NULL);
}

static int open_session(snug_session *session, const snug_session_options *options)
{
    packer p = { 0 };
    remote *r = session->remote = calloc(1, sizeof *r);
    if (!r)
        return error_no_memory();

    session->kind = options->kind;
    pthread_mutex_init(&r->lock, NULL);
    r->opened = time(NULL) - 1; /* a file's times may be a tick behind */
    int error = make_workdir(session, options);
    if (!error && !remote_is_whole(&session->files.own_packages, options->packages,
                                   !session->host->remote->command))
        error = error_no_memory();

    if (error || (error = set_need(session, options)) ||
        (error = remote_hand_profile(&r->profile, session->host, options->profile)))
        return error;

    pack_options(&p, session, options);
    r->open = p.text;
    if (p.is_short)
        return error_no_memory();
    error = open_line(session);
    return error == SNUG_EDEAD ? error_set(SNUG_ESYSTEM, "%s", error_message()) : error;
}

/* What may run any machine code gets no mark on a file that the filters let through. */
static void unmark_files(const snug_session *session)
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

/* For what ends the session's interpreter, and tells how many threads the worker has given up. */
static int ask_and_judge(snug_session *session, frame_kind kind)
{
    remote_question q = question(session, kind);

    q.deadline_ns = long_deadline_ns(session);
    int error = remote_ask(session, &q);
    if (error)
        return error;

    uint64_t hung = unpack_number(&q.answer);
    error = remote_checked(session, &q, SNUG_OK);
    if (!error && hung > 0 && remote_ends_with(session))
        link_spoil(session->remote->link);
    return error;
}

/* How it ends is nobody's error: the message stays that of what the caller closes it for. */
static void say_goodbye(snug_session *session)
{
    char message[ERROR_MESSAGE_BYTES];
    strcpy(message, error_message());
    ask_and_judge(session, FRAME_CLOSE);
    error_set(SNUG_OK, "%s", message);
}

static int end_session(snug_session *session)
{
    remote *r = session->remote;
    if (!r)
        return 0;

    if (is_there(r))
        say_goodbye(session);
    disconnect(session);
    remote_disk_end(session);
    unmark_files(session);
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

static int reopen(snug_session *session)
{
    int error;
    disconnect(session);
    if ((error = open_line(session)) || (error = bind_again(session)))
        session->is_lost = 1; /* what there is of it is not what was asked for */
    return error;
}

/* In the worker that it has. */
static int reset(snug_session *session)
{
    remote *r = session->remote;
    if (session->is_lost && link_regain(r->link, &r->line) == SNUG_OK)
        allow(session);
    session->is_lost = 0;
    return ask_and_judge(session, FRAME_RESET);
}

/* One that is lost in its reset was there to be given up. */
static int renew(snug_session *session)
{
    int error = is_there(session->remote) ? reset(session) : SNUG_EDEAD;
    if (error == SNUG_EDEAD && !is_there(session->remote))
        error = reopen(session);
    if (!error)
        session->cells = 0;
    return error;
}

static void interrupt(snug_session *session)
{
    remote *r = session->remote;

    pthread_mutex_lock(&r->lock);
    uint32_t number = atomic_load(&r->running);
    if (number > 0 && r->link) {
        atomic_store(&r->is_interrupted, 1);
        link_send(r->link, FRAME_INTERRUPT, r->line.channel, number, NULL,
                  remote_deadline_ns(session->host, 0));
        link_nudge(r->link, &r->line);
    }
    pthread_mutex_unlock(&r->lock);
}

/* ---- cells ---- */

/* Otherwise the session was lost before the cell, and its worker with it or not. */
static int has_lost_worker(const snug_session *session)
{
    link_end how = link_state(session->remote->link);
    return how != LINK_LIVES && how != LINK_FORSAKEN;
}

static int give_up(snug_session *session, snug_result *result)
{
    remote_gave_up(session);
    if (link_state(session->remote->link) == LINK_FORSAKEN && remote_ends_with(session))
        return str_add(&result->outcome.hint, " What it was doing was ended.") ? error_no_memory()
                                                                               : SNUG_OK;
    return SNUG_OK;
}

static int run_there(snug_result **out, snug_session *session, const char *source, size_t len,
                     const snug_limits *limits, int is_aside)
{
    static const snug_limits own = SNUG_LIMITS_INIT;
    const snug_limits all = session_cell_limits(session, limits);
    uint64_t started_ns = clock_now_ns();
    uint64_t wall_ms = all.wall_ms;
    remote_question q = { .kind = FRAME_RUN,
                          .deadline_ns = remote_deadline_ns(session->host, wall_ms),
                          .is_cell = 1,
                          .most_calls = all.tool_calls,
                          .most_bytes = result_most_bytes(&all),
                          .display_bytes = all.display_bytes };

    pack_number(&q.body, (uint64_t)is_aside);
    limits_pack(&q.body, limits ? limits : &own);
    pack_bytes(&q.body, len > 0 ? source : "", len);
    int error = remote_disk_begin(session, &all);
    if (error) {
        str_free(&q.body.text);
        return error;
    }

    error = remote_ask(session, &q);
    if (!error)
        error = remote_checked(session, &q, result_unpack(out, &q.answer, session->name, &all));
    if (error == SNUG_EDEAD && has_lost_worker(session))
        return remote_lost_result(out, session, wall_ms, started_ns, is_aside);
    if (error)
        return error;

    if (!is_aside)
        session->cells = snug_result_execution_count(*out);
    return snug_result_state(*out) == SNUG_STATE_LOST ? give_up(session, *out) : SNUG_OK;
}

static int run(snug_result **out, snug_session *session, const char *source, size_t len,
               const snug_limits *limits, int is_aside)
{
    remote_bash_begin(session);
    int error = run_there(out, session, source, len, limits, is_aside);
    unmark_files(session);
    if (!error && ((error = remote_bash_judge(*out, session)) ||
                   (error = remote_disk_judge(*out, session)))) {
        snug_result_free(*out);
        *out = NULL;
    }

    return error;
}

static int set(snug_session *session, const char *name, const char *json, size_t len)
{
    remote_question q = question(session, FRAME_SET);
    pack_text(&q.body, name);
    pack_bytes(&q.body, json, len);
    return ask(session, &q);
}

static int checkpoint(snug_session *session, checkpoint_step step)
{
    static const frame_kind kinds[] = {
        [CHECKPOINT_MAKE] = FRAME_CHECKPOINT,
        [CHECKPOINT_ROLL_BACK] = FRAME_ROLLBACK,
        [CHECKPOINT_FORGET] = FRAME_FORGET,
    };
    remote_question q = question(session, kinds[step]);
    return ask(session, &q);
}

/* ---- prompts ---- */

static int is_complete(snug_session *session, const char *source, size_t len)
{
    remote_question q = question(session, FRAME_IS_COMPLETE);

    pack_bytes(&q.body, len > 0 ? source : "", len);
    int error = remote_ask(session, &q);
    if (error)
        return error;

    int answer = (int)unpack_small(&q.answer, 1);
    error = remote_checked(session, &q, SNUG_OK);
    return error ? error : answer;
}

static remote_question question_at(const snug_session *session, frame_kind kind, const char *source,
                                   size_t len, size_t cursor)
{
    remote_question q = question(session, kind);
    pack_number(&q.body, cursor);
    pack_bytes(&q.body, len > 0 ? source : "", len);
    return q;
}

static int complete(snug_completion **out, snug_session *session, const char *source, size_t len,
                    size_t cursor)
{
    remote_question q = question_at(session, FRAME_COMPLETE, source, len, cursor);
    q.most_bytes = session->limits.list_bytes;
    int error = remote_ask(session, &q);
    return error ? error : remote_checked(session, &q, completion_unpack(out, &q.answer));
}

static int variables(snug_description **out, snug_session *session)
{
    remote_question q = question(session, FRAME_VARIABLES);
    q.most_bytes = session->limits.list_bytes;
    int error = remote_ask(session, &q);
    return error ? error : remote_checked(session, &q, description_unpack(out, &q.answer));
}

static int inspect(snug_description **out, snug_session *session, const char *source, size_t len,
                   size_t cursor)
{
    remote_question q = question_at(session, FRAME_INSPECT, source, len, cursor);
    int error = remote_ask(session, &q);
    return error ? error : remote_checked(session, &q, description_unpack(out, &q.answer));
}

/* ---- saved sessions ---- */

static int save(snug_saved **out, snug_session *session, const char *path)
{
    snug_saved *saved = NULL;
    remote_question q = question(session, FRAME_SAVE);

    q.deadline_ns = long_deadline_ns(session);
    q.most_bytes = FRAME_MOST_BYTES;
    int error = remote_ask(session, &q);
    if (error)
        return error;

    size_t len;
    const char *file = unpack_bytes(&q.answer, &len);
    const struct iovec piece = { (void *)(uintptr_t)file, len };
    error = saved_unpack(&saved, &q.answer, session, path);
    int written = error || !unpack_ended(&q.answer) ? SNUG_OK : file_replace(path, &piece, 1);
    error = remote_checked(session, &q, error);
    if (!error && !written)
        *out = saved;
    else
        snug_saved_free(saved);

    return error ? error : written;
}

static int restore(snug_saved **out, snug_session *session, const char *path)
{
    str file = { 0 };
    int error = session_read_saved(&file, path);

    if (!error && !is_there(session->remote))
        error = renew(session);
    if (!error)
        error = remote_disk_begin(session, &session->limits);
    if (error) {
        str_free(&file);
        return error;
    }

    remote_question q = question(session, FRAME_RESTORE);
    q.most_bytes = MOST_REPORT_BYTES;
    q.deadline_ns = long_deadline_ns(session);
    pack_text(&q.body, path);
    pack_str(&q.body, &file);
    str_free(&file);
    if ((error = remote_ask(session, &q)))
        return error;

    uint64_t cells = unpack_number(&q.answer);
    error = remote_checked(session, &q, saved_unpack(out, &q.answer, session, path));
    if (!error) {
        session->cells = cells;
        session->is_lost = 0;
    }

    return error;
}

/* ---- files ---- */

/* Otherwise the worker is asked for them. */
static int has_files_here(const snug_session *session)
{
    return is_here(session) && (!session->remote->need.has_memory || session->files.folder > 0 ||
                                access(session->files.workdir, F_OK) == 0);
}

static int put(snug_session *session, const char *path, const void *data, size_t len)
{
    remote_question q = { .kind = FRAME_PUT, .deadline_ns = long_deadline_ns(session) };
    pack_text(&q.body, path);
    pack_bytes(&q.body, len > 0 ? data : "", len);
    return ask(session, &q);
}

static int get(snug_file **out, snug_session *session, const char *path, size_t most)
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
    return error ? error : remote_checked(session, &q, file_unpack(out, &q.answer, path));
}

static int list(snug_listing **out, snug_session *session)
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
    return error ? error : remote_checked(session, &q, listing_unpack(out, &q.answer));
}

static int remove_file(snug_session *session, const char *path)
{
    if (has_files_here(session))
        return local_remove(session, path);
    int error = session_check_alive(session);
    if (error)
        return error;

    remote_question q = { .kind = FRAME_REMOVE, .deadline_ns = long_deadline_ns(session) };
    pack_text(&q.body, path);
    return ask(session, &q);
}

/* ---- tools ---- */

static int send_tool(snug_session *session, const desk_tool *tool)
{
    remote_question q = question(session, FRAME_BIND);

    pack_text(&q.body, tool->name);
    pack_text(&q.body, tool->signature);
    pack_text(&q.body, tool->doc);
    pack_number(&q.body, tool->is_async != 0);
    pack_number(&q.body, tool->takes_any != 0);
    pack_number(&q.body, tool->timeout_ms);
    return ask(session, &q);
}

static int bind_tool(snug_session *session, const snug_tool *tool)
{
    desk_tool *copy = desk_tool_copy(tool);
    int error = copy ? send_tool(session, copy) : error_no_memory();
    if (!error && desk_put_tool(session->desk, copy) != SNUG_OK)
        error = error_no_memory();
    if (error)
        desk_tool_free(copy);
    return error;
}

static int64_t process(const snug_session *session)
{
    return session->remote->link ? link_process(session->remote->link) : 0;
}

static int has_remote(const snug_session *session)
{
    return session->remote != NULL;
}

const session_form remote_sessions = {
    .open = open_session,
    .end = end_session,
    .is_alive = has_remote,
    .renew = renew,
    .interrupt = interrupt,
    .run = run,
    .set = set,
    .checkpoint = checkpoint,
    .is_complete = is_complete,
    .complete = complete,
    .variables = variables,
    .inspect = inspect,
    .save = save,
    .restore = restore,
    .put = put,
    .get = get,
    .list = list,
    .remove = remove_file,
    .bind = bind_tool,
    .process = process,
};
