#include "bash/leads.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

/* As many as the kernel follows. */
enum { MOST_LINKS = 40, TEXT_BYTES = 2 * PATH_MAX };

/* The inode of the top of every /proc. */
enum { PROC_TOP = 1 };

typedef struct walk {
    pid_t thread;
    int at; /* a folder; O_PATH */
    int links;
    char rest[TEXT_BYTES]; /* of the path, from there on */
} walk;

static int open_path(int folder, const char *name, int flags)
{
    return openat(folder, name, O_PATH | O_CLOEXEC | flags);
}

static void move_to(walk *w, int fd)
{
    close(w->at);
    w->at = fd;
}

static int open_start(pid_t thread, int start, const char *path)
{
    char name[64];

    if (*path == '/')
        return open_path(AT_FDCWD, "/", O_DIRECTORY);
    if (start == AT_FDCWD)
        snprintf(name, sizeof name, "/proc/%d/cwd", (int)thread);
    else
        snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)thread, start);

    return open_path(AT_FDCWD, name, O_DIRECTORY);
}

/* ---- links ---- */

typedef enum link_kind {
    LINK_OF_TEXT,
    LINK_OF_CALLER, /* its text is another one for each who reads it */
    LINK_OF_KERNEL, /* to a thing and not to a path: what it says may be something else's name */
} link_kind;

/* Deeper in /proc than its top, links are taken for the kernel's own. */
static link_kind judge_link(int folder, const char *name)
{
    struct statfs system;
    struct stat facts;

    if (fstatfs(folder, &system) != 0 || system.f_type != PROC_SUPER_MAGIC ||
        fstat(folder, &facts) != 0)
        return LINK_OF_TEXT;

    if (facts.st_ino != PROC_TOP)
        return LINK_OF_KERNEL;
    if (strcmp(name, "self") == 0 || strcmp(name, "thread-self") == 0)
        return LINK_OF_CALLER;
    return LINK_OF_TEXT;
}

/* 0: it is not told. */
static pid_t read_process_of(pid_t thread)
{
    char path[64], line[128];
    int process = 0;

    snprintf(path, sizeof path, "/proc/%d/status", (int)thread);
    FILE *status = fopen(path, "re");
    while (status && fgets(line, sizeof line, status) && sscanf(line, "Tgid: %d", &process) != 1)
        ;
    if (status)
        fclose(status);
    return process;
}

/* How much of it; -1. */
static ssize_t text_for(char *out, size_t size, const walk *w, const char *name)
{
    pid_t process = read_process_of(w->thread);
    if (process == 0)
        return -1;
    if (strcmp(name, "self") == 0)
        return snprintf(out, size, "%d", (int)process);
    return snprintf(out, size, "%d/task/%d", (int)process, (int)w->thread);
}

/* Puts its text before the rest. */
static int follow_text(walk *w, const char *name, link_kind kind)
{
    char text[TEXT_BYTES];
    size_t rest = strlen(w->rest) + 1;
    ssize_t len;

    if (kind == LINK_OF_CALLER)
        len = text_for(text, sizeof text, w, name);
    else
        len = readlinkat(w->at, name, text, sizeof text);

    if (len < 0 || (size_t)len + 1 + rest > sizeof w->rest)
        return -1;
    memmove(w->rest + len + 1, w->rest, rest);
    memcpy(w->rest, text, (size_t)len);
    w->rest[len] = '/';
    if (*w->rest != '/')
        return 0;

    int root = open_path(AT_FDCWD, "/", O_DIRECTORY);
    if (root < 0)
        return -1;
    move_to(w, root);
    return 0;
}

/* ---- names ---- */

/* The next name, off the rest. 0: there is none; -1: no file has such a name. */
static int take_name(char name[NAME_MAX + 1], walk *w)
{
    size_t slashes = strspn(w->rest, "/"), len = strcspn(w->rest + slashes, "/");
    if (len > NAME_MAX)
        return -1;
    memcpy(name, w->rest + slashes, len);
    name[len] = '\0';
    memmove(w->rest, w->rest + slashes + len, strlen(w->rest + slashes + len) + 1);
    return len > 0;
}

static int is_at_end(const walk *w)
{
    return w->rest[strspn(w->rest, "/")] == '\0';
}

static lead judge_missing(struct stat *folder, const walk *w)
{
    if (errno == ENOTDIR || (errno == ENOENT && !is_at_end(w)))
        return LEAD_NOWHERE;
    if (errno == ENOENT && fstat(w->at, folder) == 0)
        return LEAD_NEW;
    return LEAD_UNKNOWN;
}

/* 1: on with the rest; 0: *end is where it leads. */
static int follow_name(walk *w, const char *name, lead *end, struct stat *folder)
{
    struct stat facts;
    int fd = open_path(w->at, name, O_NOFOLLOW);
    if (fd < 0) {
        *end = judge_missing(folder, w);
        return 0;
    }

    *end = LEAD_UNKNOWN;
    if (fstat(fd, &facts) != 0) {
        close(fd);
        return 0;
    }

    if (S_ISLNK(facts.st_mode)) {
        link_kind kind = judge_link(w->at, name);
        close(fd);
        if (w->links++ == MOST_LINKS)
            return 0;
        if (kind != LINK_OF_KERNEL)
            return follow_text(w, name, kind) == 0;
        fd = open_path(w->at, name, 0);
        if (fd < 0)
            return 0;
    }

    move_to(w, fd);
    return 1;
}

lead leads_to(struct stat *folder, pid_t thread, int start, const char *path)
{
    char name[NAME_MAX + 1];
    walk w = { .thread = thread, .at = open_start(thread, start, path) };
    lead end = LEAD_UNKNOWN;

    if (w.at < 0 && (errno == ENOENT || errno == ENOTDIR))
        return LEAD_NOWHERE;
    if (w.at < 0)
        return LEAD_UNKNOWN;

    int has_more = snprintf(w.rest, sizeof w.rest, "%s", path) < (int)sizeof w.rest;
    while (has_more) {
        int taken = take_name(name, &w);
        if (taken == 0)
            end = LEAD_THERE;
        has_more = taken > 0 && follow_name(&w, name, &end, folder);
    }

    close(w.at);
    return end;
}
