#include "base/unmark.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tree.h"

#define MARKS (S_ISUID | S_ISGID | S_ISVTX)

typedef struct walk {
    dev_t device;
    time_t since;
    unsigned met;
} walk;

static int is_marked(const walk *w, const struct stat *facts)
{
    return (facts->st_mode & MARKS) != 0 && !S_ISLNK(facts->st_mode) && facts->st_ctime >= w->since;
}

/* Of what a descriptor stands for that was opened for nothing: fchmod refuses such a one, and a
 * path might be another file by now. */
static int set_mode(int fd, mode_t mode)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return chmod(path, mode & ~(mode_t)(MARKS | S_IFMT)) == 0 ? 0 : errno;
}

static int clear_marks(const walk *w, int parent, const char *name)
{
    struct stat facts;
    int fd = openat(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : errno;

    int error = fstat(fd, &facts) != 0 ? errno : 0;
    if (!error && is_marked(w, &facts))
        error = set_mode(fd, facts.st_mode);
    close(fd);
    return error;
}

/* One that its owner may not read is made readable for the moment. *mode: what it had; 0 where it
 * is left alone. */
static int open_readable(int parent, const char *name, mode_t *mode)
{
    static const int how = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    struct stat facts;
    int fd = openat(parent, name, how);

    *mode = 0;
    if (fd >= 0 || errno != EACCES)
        return fd;

    int place = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (place >= 0 && fstat(place, &facts) == 0 && set_mode(place, S_IRWXU) == 0) {
        *mode = facts.st_mode;
        fd = openat(place, ".", how);
    }

    if (place >= 0)
        close(place);
    return fd;
}

static int look_through(walk *w, int fd, int depth);

static int unmark_entry(walk *w, int parent, const char *name, int depth)
{
    struct stat facts;
    mode_t mode;

    if (++w->met > UNMARK_MOST)
        return EOVERFLOW;
    if (fstatat(parent, name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? 0 : errno;

    int error = 0;
    if (is_marked(w, &facts))
        error = clear_marks(w, parent, name);
    if (!S_ISDIR(facts.st_mode) || facts.st_dev != w->device)
        return error;
    if (depth == TREE_DEPTH)
        return ELOOP;

    int fd = open_readable(parent, name, &mode);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? error : errno;

    int failed = look_through(w, fd, depth + 1);
    if (mode)
        fchmod(fd, mode & ~(mode_t)(MARKS | S_IFMT));
    close(fd);
    return error ? error : failed;
}

/* Leaves fd open. */
static int look_through(walk *w, int fd, int depth)
{
    int error = 0;
    int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (own < 0)
        return errno;

    DIR *dir = fdopendir(own);
    if (!dir) {
        error = errno;
        close(own);
        return error;
    }

    for (const struct dirent *item; error != EOVERFLOW && (item = readdir(dir));) {
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0)
            continue;
        int failed = unmark_entry(w, fd, item->d_name, depth);
        if (!error || failed == EOVERFLOW)
            error = failed;
    }

    closedir(dir);
    return error;
}

int unmark(const char *path, time_t since)
{
    struct stat facts;
    walk w = { .since = since };
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno;

    int error = 0;
    if (fstat(fd, &facts) != 0)
        error = errno;
    else if (is_marked(&w, &facts) && fchmod(fd, facts.st_mode & ~(mode_t)(MARKS | S_IFMT)) != 0)
        error = errno;

    if (!error) {
        w.device = facts.st_dev;
        error = look_through(&w, fd, 0);
    }

    close(fd);
    return error;
}
