#include "worker/client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/cgroup.h"
#include "base/tree.h"
#include "base/u64.h"
#include "session/core/full.h"
#include "session/files/workdir.h"
#include "session/result/result.h"

/* ---- memory folder ---- */

/* Work directories that a worker has in memory, by descriptors of this process:
 * its files are reached, and stay, whatever becomes of the worker. */

/* The folder that process has at that path, which is absolute and has no link on the way: a
 * descriptor, O_PATH. -1: it cannot be reached. */
static int folder_open(pid_t process, const char *path)
{
    const struct open_how how = {
        .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
    };
    char name[64];

    snprintf(name, sizeof name, "/proc/%d/root", (int)process);
    if (*path != '/')
        return -1;

    int root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return -1;

    int fd = (int)syscall(SYS_openat2, root, path + 1, &how, sizeof how);
    close(root);
    return fd;
}

/* The first process that this one has started; 0: none, or the kernel does not tell. */
static pid_t folder_child(pid_t process)
{
    char name[64];
    int child = 0;

    snprintf(name, sizeof name, "/proc/%d/task/%d/children", (int)process, (int)process);
    FILE *children = fopen(name, "re");
    if (children && fscanf(children, "%d", &child) != 1)
        child = 0;
    if (children)
        fclose(children);
    return child;
}

/* ---- copies ---- */

typedef struct copy {
    int to;
    struct stat owner;
} copy;

/* A file system that was mounted in a user namespace has no place for files of root's, not for a
 * moment: they are made as the owner's. It is the calling thread's alone. */
static int make_as(const copy *c, const char *path, int (*make)(int folder, const char *path))
{
    int group = setfsgid(c->owner.st_gid), user = setfsuid(c->owner.st_uid);
    int made = make(c->to, path), why = errno;
    setfsuid((uid_t)user);
    setfsgid((gid_t)group);
    errno = why;
    return made;
}

static int make_file(int folder, const char *path)
{
    return openat(folder, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static int make_folder(int folder, const char *path)
{
    return mkdirat(folder, path, 0700);
}

static int copy_bytes(int to, int from)
{
    ssize_t n;
    while ((n = sendfile(to, from, NULL, 1 << 20)) > 0)
        ;
    if (n < 0)
        return -1;
    return 0;
}

static void copy_file(const copy *c, const tree_entry *entry)
{
    int from = openat(entry->parent, entry->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (from < 0)
        return;

    int to = make_as(c, entry->path, make_file);
    if (to >= 0) {
        if (copy_bytes(to, from) != 0 || fchmod(to, entry->facts->st_mode & 0777) != 0)
            unlinkat(c->to, entry->path, 0); /* half of it would be taken for the whole */
        close(to);
    }

    close(from);
}

static int copy_one(void *payload, const tree_entry *entry)
{
    const copy *c = payload;
    if (S_ISDIR(entry->facts->st_mode))
        make_as(c, entry->path, make_folder);
    else if (S_ISREG(entry->facts->st_mode))
        copy_file(c, entry);
    return 0;
}

enum { MOST_ENTRIES = 1 << 20 };

/* What another user for the files takes from the process, or the thread, it is given back. */
static void copy_all(copy *c, int top)
{
    int death = 0, is_dumpable = prctl(PR_GET_DUMPABLE);
    prctl(PR_GET_PDEATHSIG, &death);
    tree_walk(top, MOST_ENTRIES, copy_one, c);
    if (is_dumpable == 1)
        prctl(PR_SET_DUMPABLE, 1);
    if (death != 0)
        prctl(PR_SET_PDEATHSIG, death);
}

/* Copies all folders and regular files below from into to, as far as there is room; they get its
 * owner. Closes neither. */
static void folder_copy(int to, int from)
{
    copy c = { .to = to };
    int top = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (top >= 0 && fstat(to, &c.owner) == 0)
        copy_all(&c, top);
    if (top >= 0)
        close(top);
}

/* For a request that runs no code of the session's. */
enum { OPEN_MS = 60000 };

/* Threads of the worker that serve a session, and the most stack that one of its cells has. */
enum { HELPERS = 8, MOST_STACK_BYTES = 1 << 30 };

int remote_is_here(const snug_session *session)
{
    return !session->host->remote->command;
}

/* ---- the request ---- */

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
        /* A worker here has another current folder: its paths are whole. */
        pack_text(p, session->files.mount_count > 0 ? session->files.mounts[i].path
                                                    : options->mounts[i].path);
        pack_text(p, options->mounts[i].name);
        pack_number(p, options->mounts[i].is_writable != 0);
    }

    pack_number(p, options->on_output != NULL);
    pack_number(p, options->on_display != NULL);
    pack_number(p, options->on_input != NULL);
    pack_number(p, session->fixed.clock_ms);
    pack_number(p, (uint64_t)session->fixed.has_seed);
    pack_number(p, session->fixed.seed);
    pack_text(p, session->files.own_packages);
}

/* The last of the request, because a worker's private work directory is known when it has opened
 * the session, and is the next worker's too. Elsewhere it is what the options say. */
static void pack_place(packer *p, const snug_session *session)
{
    int is_here = remote_is_here(session);

    pack_text(p, is_here ? session->files.workdir : session->remote->workdir);
    pack_number(p, is_here && session->files.workdir);
    pack_number(p, (uint64_t)session->files.is_private);
}

/* ---- what it may take ---- */

/* The threads of a full session are what packages start; a few more are the session's helpers. */
static uint64_t threads_of(const snug_session *session)
{
    uint64_t threads = session->limits.threads;

    return threads < SNUG_UNLIMITED - HELPERS ? threads + HELPERS : threads;
}

/* With what its limit grants before it refuses. Where a session shares its worker, a deep recursion
 * of its own shall not end the others: its stack, twice its memory, counts too. */
static uint64_t memory_of(const snug_session *session)
{
    uint64_t limit = session->limits.memory_bytes;
    if (limit > SNUG_UNLIMITED / 8)
        return SNUG_UNLIMITED;

    uint64_t bytes = limit + limit / 4;
    if (session->kind != SNUG_KIND_FULL)
        bytes += limit < MOST_STACK_BYTES / 2 ? 2 * limit : MOST_STACK_BYTES;
    return bytes;
}

static bounds_share share_of(const snug_session *session)
{
    bounds_share share = { .memory_bytes = memory_of(session), .threads = threads_of(session) };

    if (session->remote->need.has_memory)
        share.file_bytes = session->limits.disk_bytes;
    return share;
}

void remote_allow(const snug_session *session)
{
    const bounds_share share = share_of(session);
    link_allow(session->remote->link, &share);
}

worker_link *remote_allow_copies(const snug_session *session, bounds_share *out, size_t bytes)
{
    uint64_t limit = session->limits.memory_bytes, most = SNUG_UNLIMITED;

    if (limit <= SNUG_UNLIMITED / 8)
        most = 4 * limit + 3 * (uint64_t)bytes;
    *out = (bounds_share){ .memory_bytes = most };
    if (session->remote->link)
        link_allow(session->remote->link, out);
    return session->remote->link;
}

void remote_disallow_copies(const snug_session *session, const worker_link *link,
                            const bounds_share *share)
{
    if (link && session->remote->link == link)
        link_disallow(session->remote->link, share);
}

/* ---- its worker ---- */

static int link_worker(worker_link **out, snug_session *session)
{
    if (session->kind == SNUG_KIND_BASH)
        return remote_bash_link(out, session);
    return remote_link(out, session->host, &session->remote->need);
}

/* A new channel of a worker that lives. */
static int connect_session(snug_session *session)
{
    remote *r = session->remote;
    worker_link *l;

    r->line = (link_line){ .channel = atomic_fetch_add(&session->host->remote->channels, 1) + 1 };
    for (;;) {
        int error = link_worker(&l, session);
        if (error)
            return error;
        if (link_add(l, &r->line) == SNUG_OK)
            break;
        link_drop(l); /* the last session of that worker was lost meanwhile */
    }

    pthread_mutex_lock(&r->lock);
    r->link = l;
    pthread_mutex_unlock(&r->lock);
    remote_allow(session);
    r->taken = 0;
    return SNUG_OK;
}

int remote_is_connected(const remote *r)
{
    return r->link && r->is_open && link_state(r->link) == LINK_LIVES;
}

void remote_disconnect(snug_session *session)
{
    remote *r = session->remote;
    if (!r->link)
        return;

    remote_disk_leave(session);
    link_remove(r->link, &r->line);
    r->is_open = 0;

    /* A worker keeps what was lost in it. */
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

/* ---- its work directory ---- */

/* Whether the path that a worker names is in the folder of our own, where its work directories are:
 * only there we remove anything. */
static int is_own_workdir(const snug_session *session, const char *path)
{
    const char *top = session->host->workdirs;
    size_t len = strlen(top);

    return strncmp(path, top, len) == 0 && strncmp(path + len, "/session-", 9) == 0 &&
           !strchr(path + len + 1, '/');
}

static int take_workdir(snug_session *session, const char *path)
{
    int is_here = remote_is_here(session);
    if (is_here && !is_own_workdir(session, path))
        return SNUG_EINVAL;

    session->files.workdir = strdup(path);
    if (!session->files.workdir)
        return SNUG_ENOMEM;

    session->files.owns_workdir = is_here;
    session->files.is_private = is_here;
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

/* A worker on this machine has its work directories in a folder of ours, so that files outlive it:
 * a private one it makes itself, unless mounts shall be in it. */
static int make_workdir(snug_session *session, const snug_session_options *options)
{
    if (!remote_is_here(session)) {
        if (session->kind == SNUG_KIND_BASH)
            return remote_bash_link(NULL, session); /* which refuses it, and says why */
        if (!remote_is_copied(&session->remote->workdir, options->workdir))
            return error_no_memory();
        return SNUG_OK;
    }

    if (!options->workdir && options->mount_count == 0 && session->kind != SNUG_KIND_BASH)
        return SNUG_OK;

    int error = workdir_open(session, options->workdir);
    if (!error)
        error = workdir_mount(session, options->mounts, options->mount_count);
    if (error)
        return error;

    capture_spill_to(&session->output, session->files.workdir, NULL);
    return SNUG_OK;
}

/* ---- open ---- */

static int send_open(snug_session *session)
{
    remote *r = session->remote;
    remote_question q = { .kind = FRAME_OPEN,
                          .deadline_ns = remote_deadline_ns(session->host, OPEN_MS) };

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

/* Twice where the worker has ended meanwhile: one that sessions share is ended for what those
 * before this one left in it, just when it is opened. Nothing of this one has run there yet. */
int remote_open_in_worker(snug_session *session)
{
    int error = connect_session(session);

    if (!error)
        error = send_open(session);
    if (error != SNUG_EDEAD || session->kind == SNUG_KIND_BASH ||
        link_state(session->remote->link) != LINK_ENDED)
        return error;

    remote_disconnect(session);
    error = connect_session(session);
    if (error)
        return error;
    return send_open(session);
}

/* The work directory, where the caller has named one. */
static const char *named_workdir(const snug_session *session, const snug_session_options *options)
{
    if (session->files.is_private)
        return NULL;
    return session->files.workdir ? session->files.workdir : options->workdir;
}

/* What cells may use besides the host's work directories. Answers how many. */
static size_t list_folders(session_mount *out, const snug_session *session,
                           const snug_session_options *options)
{
    const char *workdir = named_workdir(session, options);
    size_t count = 0;

    if (workdir)
        out[count++] = (session_mount){ .path = (char *)(uintptr_t)workdir, .access = PATH_WRITE };

    for (size_t i = 0; i < session->files.mount_count; i++)
        out[count++] = session->files.mounts[i];
    if (session->files.mount_count > 0)
        return count;

    for (size_t i = 0; i < options->mount_count; i++) {
        const snug_mount *mount = &options->mounts[i];
        out[count++] = (session_mount){ .path = (char *)(uintptr_t)mount->path,
                                        .access = mount->is_writable ? PATH_WRITE : PATH_READ };
    }

    return count;
}

/* Whether its work directory is to be in memory: what may run machine code writes past the
 * functions that ask. A profile of the caller's is in the folder on the disk. */
static int is_for_memory(const snug_session *session, const snug_session_options *options)
{
    if (!remote_is_here(session) || !remote_fits_memory(&session->limits))
        return 0;
    if (options->profile && strchr(options->profile, '/'))
        return 0;

    if (options->kind == SNUG_KIND_BASH)
        return session->files.is_private;
    /* To the kernel a size of zero does not limit anything. */
    return options->kind == SNUG_KIND_FULL && !session->files.workdir &&
           session->limits.disk_bytes > 0 && session->limits.disk_files > 0;
}

/* A worker is sealed to its folders when it starts: who wants others has one for itself. */
static int set_need(snug_session *session, const snug_session_options *options)
{
    session_mount folders[SESSION_MOUNTS + 1];
    const snug_limits *in_memory = NULL;

    if (options->mount_count > SESSION_MOUNTS || (options->mount_count > 0 && !options->mounts))
        return error_set(SNUG_EINVAL, "%zu mounts%s: a session has %d at most",
                         options->mount_count, options->mounts ? "" : ", and mounts is NULL",
                         SESSION_MOUNTS);

    size_t count = list_folders(folders, session, options);
    if (count == 0 && options->kind == SNUG_KIND_RESTRICTED && !session->files.own_packages)
        return SNUG_OK;

    if (count == 0 && is_for_memory(session, options))
        in_memory = &session->limits;
    return remote_set_need(&session->remote->need, options->kind, session->files.own_packages,
                           folders, count, in_memory);
}

int remote_open_session(snug_session *session, const snug_session_options *options)
{
    packer p = { 0 };
    remote *r = calloc(1, sizeof *r);
    if (!r)
        return error_no_memory();

    session->remote = r;
    session->kind = options->kind;
    pthread_mutex_init(&r->lock, NULL);
    r->opened = time(NULL) - 1; /* a file's times may be a tick behind */

    int error = make_workdir(session, options);
    if (error)
        return error;
    if (!remote_is_whole(&session->files.own_packages, options->packages, remote_is_here(session)))
        return error_no_memory();

    error = set_need(session, options);
    if (!error)
        error = remote_hand_profile(&r->profile, session->host, options->profile);
    if (error)
        return error;

    pack_options(&p, session, options);
    r->open = p.text;
    if (p.is_short)
        return error_no_memory();

    error = remote_open_in_worker(session);
    if (error == SNUG_EDEAD)
        return error_set(SNUG_ESYSTEM, "%s", error_message());
    return error;
}
