#include "base/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where nothing is, nothing can be looked at either. All other errors mean that nobody knows. */
static int is_nothing(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EACCES || error == ENAMETOOLONG;
}

/* ---- without openat2 ---- */

/* A path on its way: what is behind it has no link and no "..", so that one back is another walk
 * from the folder at the top. */
typedef struct walk {
    int top, at;
    char done[PATH_MAX], todo[PATH_MAX];
    int links;
} walk;

/* As the kernel's. */
enum { MOST_LINKS = 40 };

/* What is to come, and what is known by now. */
typedef enum step { GOES_ON, IS_BENEATH, IS_NOT } step;

/* The next part of *path into name, which has NAME_MAX + 1 bytes; 0: there is none, or it is too
 * long. */
static int next_part(char *name, const char **path)
{
    const char *start = *path + strspn(*path, "/");
    size_t len = strcspn(start, "/");
    if (len == 0 || len > NAME_MAX)
        return 0;

    memcpy(name, start, len);
    name[len] = '\0';
    *path = start + len;
    return 1;
}

static int open_part(int directory, const char *name)
{
    return openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

static int may_be_link(int fd)
{
    struct stat facts;
    return fstat(fd, &facts) != 0 || S_ISLNK(facts.st_mode);
}

/* To where done leads. Somebody may have moved what is on the way, or put a link there. */
static step walk_again(walk *w)
{
    char name[NAME_MAX + 1];
    const char *path = w->done;
    int at = dup(w->top);

    while (at >= 0 && next_part(name, &path)) {
        int next = open_part(at, name);
        close(at);
        at = next;
        if (at >= 0 && may_be_link(at)) {
            close(at);
            at = -1;
        }
    }

    close(w->at);
    w->at = at;
    return at >= 0 ? GOES_ON : IS_NOT;
}

static step climb(walk *w)
{
    char *last = strrchr(w->done, '/');
    if (!last)
        return IS_NOT;
    *last = '\0';
    return walk_again(w);
}

/* Where it leads comes before the rest. */
static step follow_link(walk *w, int link, const char *rest)
{
    char target[PATH_MAX], joined[PATH_MAX];
    ssize_t len = readlinkat(link, "", target, sizeof target - 1);
    if (len <= 0 || target[0] == '/' || ++w->links > MOST_LINKS)
        return IS_NOT;

    target[len] = '\0';
    if (snprintf(joined, sizeof joined, "%s%s", target, rest) >= (int)sizeof joined)
        return IS_NOT;
    memcpy(w->todo, joined, strlen(joined) + 1);
    return GOES_ON;
}

static step enter_part(walk *w, int next, const char *name, const char *rest)
{
    size_t done = strlen(w->done), more = strlen(name);
    if (done + 1 + more >= sizeof w->done) {
        close(next);
        return IS_NOT;
    }

    w->done[done] = '/';
    memcpy(w->done + done + 1, name, more + 1);
    close(w->at);
    w->at = next;
    memmove(w->todo, rest, strlen(rest) + 1);
    return GOES_ON;
}

static step take_step(walk *w, int follows)
{
    char name[NAME_MAX + 1];
    const char *rest = w->todo;
    if (!next_part(name, &rest))
        return IS_BENEATH;

    int goes_back = strcmp(name, "..") == 0;
    if (goes_back || strcmp(name, ".") == 0) {
        memmove(w->todo, rest, strlen(rest) + 1);
        return goes_back ? climb(w) : GOES_ON;
    }

    int next = open_part(w->at, name);
    if (next < 0)
        return is_nothing(errno) ? IS_BENEATH : IS_NOT;
    if (!may_be_link(next) || (!follows && !*rest))
        return enter_part(w, next, name, rest);

    step taken = follow_link(w, next, rest);
    close(next);
    return taken;
}

/* Part by part: no part leads anywhere but into the folder before it, whatever is swapped
 * meanwhile. */
int beneath_by_parts(int directory, const char *path, int follows)
{
    walk w; /* not cleared: of its eight kilobytes a path uses a few dozen bytes */
    step taken = GOES_ON;

    if (strlen(path) >= sizeof w.todo)
        return 1; /* the kernel opens nothing by it */
    w.top = directory;
    w.at = dup(directory);
    if (w.at < 0)
        return 0;

    w.links = 0;
    w.done[0] = '\0';
    memcpy(w.todo, path, strlen(path) + 1);
    while (taken == GOES_ON)
        taken = take_step(&w, follows);

    if (w.at >= 0)
        close(w.at);
    return taken == IS_BENEATH;
}

/* ---- with it ---- */

static int is_beneath(int directory, const char *path, int follows)
{
    const struct open_how how = {
        .flags = O_PATH | O_CLOEXEC | (follows ? 0u : (unsigned)O_NOFOLLOW),
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    long fd = syscall(SYS_openat2, directory, *path ? path : ".", &how, sizeof how);
    if (fd >= 0) {
        close((int)fd);
        return 1;
    }

    if (errno == ENOSYS || errno == EPERM)
        return beneath_by_parts(directory, path, follows);
    return is_nothing(errno);
}

int beneath(const char *root, const char *path, int follows)
{
    int directory = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return is_nothing(errno);
    int answer = is_beneath(directory, path, follows);
    close(directory);
    return answer;
}
