/*
 * sandbox.c - starts the worker of one session of bash, in the sandbox that bubblewrap makes.
 * Nothing here falls back to a worker without one. Of this folder the client has this file alone.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/process/cgroup.h"
#include "base/u64.h"
#include "session/confine/namespaces.h"
#include "session/confine/privileges.h"
#include "session/core/session.h"
#include "session/result/result.h"
#include "worker/client/client.h"

static const char needs[] = "a bash session needs bubblewrap";

static const char *find_bwrap(void)
{
    static const char *const places[] = { "/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap" };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (access(places[i], X_OK) == 0)
            return places[i];
    return NULL;
}

/* ---- its arguments ---- */

enum { MOST_WORDS = 400 };

/* The worker, the library, the work directory and the mounts. */
enum { MOST_STAGED = SESSION_MOUNTS + 3, PLACE_BYTES = 32 };

typedef struct words {
    const char *items[MOST_WORDS + 1]; /* NULL-terminated */
    size_t count;
    str size;
    str room;   /* of a work directory in memory */
    str hidden; /* paths that end in NUL */
    str tops;   /* the same */
    str groups; /* the same */
    /* Where bubblewrap is to run as another user: which one, and what it cannot reach by its path.
     */
    uid_t user;
    const char *staged[MOST_STAGED];
    char places[MOST_STAGED][PLACE_BYTES];
    size_t staged_count, own_count;
    char numbers[2][PLACE_BYTES];
} words;

static void free_words(words *w)
{
    str_free(&w->size);
    str_free(&w->room);
    str_free(&w->hidden);
    str_free(&w->tops);
    str_free(&w->groups);
}

static void add_bwrap_word(words *w, const char *word)
{
    if (w->count < MOST_WORDS)
        w->items[w->count++] = word;
}

static void add_all(words *w, const char *const *list)
{
    while (*list)
        add_bwrap_word(w, *list++);
}

static void add_bind(words *w, const char *how, const char *from, const char *to)
{
    const char *const list[] = { how, from, to, NULL };
    add_all(w, list);
}

/* Where bubblewrap finds it. */
static const char *source_of(const words *w, const char *path)
{
    for (size_t i = 0; w->user != 0 && i < w->staged_count; i++)
        if (strcmp(w->staged[i], path) == 0)
            return w->places[i];
    return path;
}

static void add_staged_bind(words *w, const char *how, const char *path)
{
    add_bind(w, how, source_of(w, path), path);
}

/* Namespaces of its own, a user without privileges, and nothing of the host's environment. */
static const char *const sandbox_options[] = {
    "--unshare-all",
    "--as-pid-1",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
    "--uid",
    "65534",
    "--gid",
    "65534",
    "--hostname",
    "snug",
    "--clearenv",
    "--setenv",
    "PATH",
    "/usr/local/bin:/usr/bin:/bin",
    "--setenv",
    "LANG",
    "C.UTF-8",
    "--setenv",
    "TERM",
    "dumb",
    NULL,
};

/* All that cells see of the machine, and it is read-only. */
static const char *const system_paths[] = {
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/lib32",
    "/libx32",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/mime.types",
    "/etc/magic",
    "/etc/inputrc",
    "/etc/perl",
    "/etc/python3",
    "/etc/python3.11",
    "/etc/python3.13",
};

/* ---- what /proc tells of the machine ---- */

/* Of what is not about processes, this stays: programs look up numbers and sizes there that system
 * calls tell as well. The rest is the machine's own: its command line, its kernel's symbols, its
 * devices. */
static int is_kept(const char *name)
{
    static const char *const kept[] = { "cpuinfo", "filesystems", "loadavg", "meminfo",
                                        "mounts",  "net",         "self",    "stat",
                                        "sys",     "thread-self", "uptime" };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (strcmp(kept[i], name) == 0)
            return 1;
    return 0;
}

/* These names come before those of the processes, and are the same in every /proc of the machine.
 */
static int find_hidden(words *w)
{
    static const char boot_id[] = "/proc/sys/kernel/random/boot_id";
    DIR *dir = opendir("/proc");
    int failed = str_append(&w->hidden, boot_id, sizeof boot_id);

    while (dir && !failed) {
        const struct dirent *item = readdir(dir);
        if (!item || is_digit(*item->d_name))
            break;
        if (*item->d_name == '.' || is_kept(item->d_name))
            continue;
        failed = str_printf(&w->hidden, "/proc/%s", item->d_name);
        if (!failed)
            failed = str_append(&w->hidden, "", 1);
    }

    if (dir)
        closedir(dir);
    if (failed)
        return error_no_memory();
    return SNUG_OK;
}

/* A file is replaced by a device that cannot be opened there, a folder by an empty one. */
static void hide_paths(words *w)
{
    const char *end = w->hidden.data + w->hidden.len;
    for (const char *path = w->hidden.data; path < end; path += strlen(path) + 1) {
        struct stat facts;
        if (stat(path, &facts) != 0)
            continue;
        if (!S_ISDIR(facts.st_mode)) {
            add_bind(w, "--ro-bind", "/dev/null", path);
            continue;
        }
        const char *const list[] = { "--tmpfs", path, "--remount-ro", path, NULL };
        add_all(w, list);
    }
}

/* ---- folders in folders that cells write to ---- */

static int is_mounted(const snug_session *session, const char *path)
{
    size_t i = 0;
    while (i < session->files.mount_count && strcmp(session->files.mounts[i].path, path) != 0)
        i++;
    return i < session->files.mount_count || strcmp(session->files.workdir, path) == 0;
}

static int has_top(const words *w, const char *top)
{
    const char *at = w->tops.data, *end = at + w->tops.len;
    while (at < end && strcmp(at, top) != 0)
        at += strlen(at) + 1;
    return at < end;
}

/* The first folder below /tmp or /dev/shm on the way to one that is mounted. */
static int find_top(words *w, const snug_session *session, const char *path)
{
    static const char *const places[] = { "/tmp/", "/dev/shm/" };
    char top[PATH_MAX];
    size_t len = 0;

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strncmp(path, places[i], strlen(places[i])) == 0)
            len = strlen(places[i]) + strcspn(path + strlen(places[i]), "/");

    if (len == 0 || !path[len] || len >= sizeof top)
        return 0;
    snprintf(top, sizeof top, "%.*s", (int)len, path);
    if (is_mounted(session, top) || has_top(w, top))
        return 0;
    return str_append(&w->tops, top, len + 1);
}

/* These are mounts, empty and at last read only: a cell that could give such a folder another name
 * would have the worker look at one that it has put there instead. */
static int find_tops(words *w, const snug_session *session)
{
    int failed = find_top(w, session, session->files.workdir);
    for (size_t i = 0; !failed && i < session->files.mount_count; i++)
        failed = find_top(w, session, session->files.mounts[i].path);
    if (failed)
        return error_no_memory();
    return SNUG_OK;
}

static void add_tops(words *w, const char *how)
{
    const char *end = w->tops.data + w->tops.len;
    for (const char *top = w->tops.data; top < end; top += strlen(top) + 1) {
        add_bwrap_word(w, how);
        add_bwrap_word(w, top);
    }
}

static void add_programs(words *w, const char *worker)
{
    const char *library = launch_library();

    add_staged_bind(w, "--ro-bind", worker);
    if (library)
        add_staged_bind(w, "--ro-bind-try", library);
}

static void add_mounts(words *w, const snug_session *session)
{
    for (size_t i = 0; i < session->files.mount_count; i++) {
        const session_mount *mount = &session->files.mounts[i];
        add_staged_bind(w, mount->access == PATH_WRITE ? "--bind" : "--ro-bind", mount->path);
    }
}

/* A work directory that nobody has named is a file system in memory, with room for what the session
 * may have: no rate of writing gets past that. */
static int add_workdir(words *w, const snug_session *session)
{
    enum { LEAST = 4096 };
    unsigned long long bytes = session->limits.disk_bytes;
    if (!session->remote->need.has_memory) {
        add_staged_bind(w, "--bind", session->files.workdir);
        return SNUG_OK;
    }

    if (str_printf(&w->room, "%llu", bytes > LEAST ? bytes : LEAST))
        return error_no_memory();
    const char *const list[] = {
        "--perms", "0700", "--size", str_text(&w->room), "--tmpfs", session->files.workdir, NULL
    };
    add_all(w, list);
    return SNUG_OK;
}

/* The work directory is the only folder that can be written to, but for /tmp and /dev/shm, which
 * are memory and bounded by it. */
static int fill_sandbox(words *w, const snug_session *session, const char *bwrap,
                        const char *worker)
{
    static const char *const places[] = { "--proc", "/proc", "--dev", "/dev", NULL };

    /* Both folders together have no more than the limit. */
    unsigned long long memory = u64_least(session->limits.memory_bytes, UINT64_C(1) << 40);
    if (str_printf(&w->size, "%llu", memory / 2))
        return error_no_memory();

    const char *size = str_text(&w->size);
    const char *const memories[] = { "--size", size, "--tmpfs", "/tmp",     "--perms", "1777",
                                     "--size", size, "--tmpfs", "/dev/shm", NULL };
    add_bwrap_word(w, bwrap);
    add_all(w, sandbox_options);
    const char *const zone[] = { "--setenv", "TZ", session->host->fixed.zone, NULL };
    if (*session->host->fixed.zone)
        add_all(w, zone);
    for (size_t i = 0; i < sizeof system_paths / sizeof *system_paths; i++)
        add_bind(w, "--ro-bind-try", system_paths[i], system_paths[i]);
    add_all(w, places);
    int error = find_hidden(w);
    if (!error)
        error = find_tops(w, session);
    if (error)
        return error;

    hide_paths(w);
    add_all(w, memories);
    add_tops(w, "--tmpfs");
    add_bind(w, "--setenv", "HOME", session->files.workdir);
    add_programs(w, worker);
    add_mounts(w, session);
    error = add_workdir(w, session);
    if (error)
        return error;

    add_tops(w, "--remount-ro");
    const char *const end[] = { "--remount-ro", "/dev", "--remount-ro", "/proc",
                                "--remount-ro", "/",    "--chdir",      session->files.workdir,
                                "--",           worker, "--bash",       NULL };
    add_all(w, end);
    if (w->count == MOST_WORDS)
        return error_set(SNUG_EINVAL, "session %s has too many mounts", session->name);
    return SNUG_OK;
}

/* ---- its user ---- */

static void stage_path(words *w, const char *path)
{
    if (w->staged_count == MOST_STAGED)
        return;
    snprintf(w->places[w->staged_count], PLACE_BYTES, STAGE_PLACE_FORMAT, w->staged_count);
    w->staged[w->staged_count++] = path;
}

/* The kernel bounds the processes of every user but root. So root has bubblewrap run as a user that
 * is nobody else on the machine, and that owns what the session may use. */
static void add_user(words *w, const snug_session *session, const char *worker)
{
    const char *library = launch_library();

    if (w->user == 0)
        return;
    if (!session->remote->need.has_memory)
        stage_path(w, session->files.workdir);
    for (size_t i = 0; i < session->files.mount_count; i++)
        stage_path(w, session->files.mounts[i].path);
    w->own_count = w->staged_count;
    stage_path(w, worker);
    if (library && access(library, F_OK) == 0)
        stage_path(w, library);
    snprintf(w->numbers[0], PLACE_BYTES, "%u", (unsigned)w->user);
    snprintf(w->numbers[1], PLACE_BYTES, "%zu", w->own_count);
    const char *const begin[] = { worker, "--sandbox", w->numbers[0], w->numbers[1], NULL };
    add_all(w, begin);
    for (size_t i = 0; i < w->staged_count; i++)
        add_bwrap_word(w, w->staged[i]);
    add_bwrap_word(w, "--");
}

/* ---- its group ---- */

/* The first process enters the group by itself, so that bubblewrap and all within are in it from
 * the start: one that is moved afterwards may have children that are not. Where the kernel is short
 * of memory it takes these before their host. */
static const char enter[] = "echo 1000 >/proc/self/oom_score_adj\n"
                            "while [ \"$1\" != -- ]; do echo 0 >\"$1\" || exit 1; shift; done\n"
                            "shift; exec \"$@\"";

static int fill_words(words *w, const snug_session *session, const char *bwrap, const char *worker,
                      const char *place)
{
    const char *const begin[] = { "/bin/sh", "-c", enter, "snug", NULL };

    add_all(w, begin);
    if (str_add(&w->groups, place))
        return error_no_memory();

    for (char *line = w->groups.data, *end; line && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        add_bwrap_word(w, line);
    }

    add_bwrap_word(w, "--");
    add_user(w, session, worker);
    return fill_sandbox(w, session, bwrap, worker);
}

enum { TASKS_BESIDE = 24 }; /* threads of the worker, and bubblewrap */

/* Beyond the limit at which the worker stops a cell, so that the kernel is the second to act: room
 * for the worker, and for what comes between two looks. Files of a work directory that is in memory
 * are counted too, and have a limit of their own. */
static uint64_t group_bytes(const snug_session *session)
{
    enum { TMPFS = 0x01021994, ROOM = 16 << 20 };
    struct statfs facts;
    uint64_t limit = session->limits.memory_bytes, disk = session->limits.disk_bytes;
    if (limit >= SNUG_UNLIMITED / 4)
        return CGROUP_UNLIMITED;

    limit += limit / 8 + ROOM;
    if (session->remote->need.has_memory ||
        (statfs(session->files.workdir, &facts) == 0 && facts.f_type == TMPFS))
        limit = disk < SNUG_UNLIMITED / 4 ? limit + disk : CGROUP_UNLIMITED;
    return limit;
}

static int open_group(cgroup **out, const snug_session *session)
{
    uint64_t threads = session->limits.threads, tasks = CGROUP_UNLIMITED;

    if (threads < SNUG_UNLIMITED / 2)
        tasks = BASH_PROCESSES + threads + TASKS_BESIDE;
    return cgroup_open(out, group_bytes(session), tasks);
}

void remote_group_begin(snug_session *session)
{
    cgroup_facts facts;
    cgroup_look(&facts, session->remote->group);
    session->remote->kills = facts.kills;
}

int remote_group_judge(snug_result *result, const snug_session *session)
{
    cgroup_facts facts;
    outcome *o = &result->outcome;

    cgroup_look(&facts, session->remote->group);
    if (facts.kills <= session->remote->kills || o->status == SNUG_STATUS_MEMORY)
        return SNUG_OK;

    o->status = SNUG_STATUS_MEMORY;
    o->category = "memory";
    o->error_class = "environment";
    str_clear(&o->error_name);
    str_clear(&o->error_value);
    str_clear(&o->hint);
    int error = str_add(&o->error_name, "MemoryError");
    if (!error)
        error = str_printf(&o->error_value,
                           "the session's processes had more than %llu bytes in memory, and the "
                           "kernel has ended some",
                           (unsigned long long)session->limits.memory_bytes);

    if (!error)
        error =
            str_add(&o->hint, "Work in pieces: read lines and not files, and keep data in files.");

    if (!error)
        error = str_printf(&o->traceback, "MemoryError: %s\n", str_text(&o->error_value));

    if (error)
        return error_no_memory();
    return SNUG_OK;
}

/* ---- its start ---- */

/* Why it did not say hello. What bwrap was refused, its own words tell. */
static int explain_failure(worker_link *l, int error)
{
    str last = { 0 };
    int has_ended = error == SNUG_EDEAD;

    error = remote_refuse_worker(l, "the worker of a bash session", error);
    link_last_words(l, &last);
    if (has_ended && strncmp(str_text(&last), "bwrap: ", 7) == 0)
        error = error_set(SNUG_EPOLICY,
                          "%s, which this machine refuses (%s): permit user namespaces, or use a "
                          "machine that does",
                          needs, str_text(&last));

    str_free(&last);
    return error;
}

enum { START_MS = 20000, SILENT_MS = 10000 };

static int greet_sandbox(worker_link *l)
{
    remote_question q = { .kind = FRAME_HELLO,
                          .deadline_ns = clock_deadline_ns(clock_now_ns(), START_MS) };

    pack_text(&q.body, FRAME_PROTOCOL);
    /* Nothing of Python's: no home, allowlist, spares, folders or packages. */
    pack_text(&q.body, NULL);
    pack_text(&q.body, NULL);
    pack_number(&q.body, 0);
    pack_number(&q.body, 0);
    pack_number(&q.body, 0);
    pack_number(&q.body, 0);
    pack_text(&q.body, NULL); /* its zone is in its environment */
    pack_number(&q.body, 0);
    pack_text(&q.body, NULL);
    remote_pack_need(&q.body, SNUG_KIND_BASH, NULL, NULL, 0, NULL);
    pack_text(&q.body, ""); /* nor a group to enter, which would be too late now */
    int error = remote_ask_host(l, 0, &q);
    if (error)
        return explain_failure(l, error);
    remote_answered(&q);
    return SNUG_OK;
}

static int check_host(const snug_session *session, const char *bwrap)
{
    if (session->host->remote->command)
        return error_set(SNUG_EINVAL, "a bash session has a worker of its own on this machine: "
                                      "worker_command cannot be given");

    if (strcmp(session->files.workdir, "/") == 0)
        return error_set(SNUG_EINVAL, "the work directory of a bash session cannot be /");
    if (!bwrap)
        return error_set(SNUG_EPOLICY,
                         "%s, and the program bwrap is not there: install the package bubblewrap",
                         needs);

    return SNUG_OK;
}

typedef struct programs {
    const char *bwrap, *worker;
    uid_t user; /* of bubblewrap; 0: the host's own */
} programs;

static int start_sandbox(worker_link **out, snug_session *session, const programs *p)
{
    static const char *const environment[] = { "PATH=/usr/bin:/bin", NULL };
    words w = { .user = p->user };
    worker_process process;
    worker_link *l;
    int error = fill_words(&w, session, p->bwrap, p->worker, cgroup_place(session->remote->group));

    if (!error)
        error = launch_program(&process, w.items, environment);
    free_words(&w);
    if (!error)
        error = link_open(&l, &process, SILENT_MS);
    if (error)
        return error;

    error = greet_sandbox(l);
    if (error) {
        link_drop(l);
        return error;
    }

    *out = l;
    return SNUG_OK;
}

static int start_in_group(worker_link **out, snug_session *session, const programs *p)
{
    cgroup_facts facts;
    remote *r = session->remote;
    int error = open_group(&r->group, session);
    if (error)
        return error;

    error = start_sandbox(out, session, p);
    cgroup_look(&facts, r->group);
    if (!r->group || (!error && facts.tasks > 0))
        return error;

    /* It may be that only the group is refused. */
    cgroup_close(r->group);
    r->group = NULL;
    if (!error)
        link_drop(*out);
    return start_sandbox(out, session, p);
}

int remote_bash_link(worker_link **out, snug_session *session)
{
    char worker[PATH_MAX], found[PATH_MAX];
    programs p = { .bwrap = find_bwrap(), .worker = worker };
    const char *path = session->host->remote->path;
    int error = check_host(session, p.bwrap);
    if (error)
        return error;

    if (!path) {
        error = launch_find(found, sizeof found);
        if (error)
            return error;
        path = found;
    }

    if (!realpath(path, worker))
        return error_system("%s", path);

    if (privileges_see_strangers())
        p.user = privileges_stranger();
    error = start_in_group(out, session, &p);
    if (!error || p.user == 0)
        return error;

    /* The machine may permit namespaces to root alone, or a file system knows no other owners. */
    p.user = 0;
    cgroup_close(session->remote->group);
    session->remote->group = NULL;
    return start_in_group(out, session, &p);
}
