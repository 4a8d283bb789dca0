#include "session/files/workdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process/procself.h"
#include "base/tree.h"
#include "session/core/session.h"

/* ---- what others left behind ---- */

static const char prefix[] = "snug-";
enum { RANDOM_DIGITS = 16 };

static int has_name(const char *name)
{
    return strncmp(name, prefix, sizeof prefix - 1) == 0 &&
           strspn(name + sizeof prefix - 1, "0123456789abcdef") == RANDOM_DIGITS &&
           strlen(name) == sizeof prefix - 1 + RANDOM_DIGITS;
}

/* Whose folder is not locked any more has ended. One whose child, made by a plain fork, lives on
 * keeps it until then: the child has the same lock. */
static void remove_left_behind(const char *top, const char *name)
{
    char path[PATH_MAX];
    struct stat facts;

    if (!has_name(name) || snprintf(path, sizeof path, "%s/%s", top, name) >= (int)sizeof path)
        return;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;

    if (fstat(fd, &facts) == 0 && facts.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0)
        tree_remove(path);
    close(fd);
}

static void sweep(const char *top)
{
    DIR *dir = opendir(top);
    for (const struct dirent *item; dir && (item = readdir(dir));)
        remove_left_behind(top, item->d_name);
    if (dir)
        closedir(dir);
}

/* ---- a host's ---- */

static int is_at(int fd, const char *path)
{
    struct stat opened, there;
    return fstat(fd, &opened) == 0 && lstat(path, &there) == 0 && opened.st_ino == there.st_ino &&
           opened.st_dev == there.st_dev;
}

/* Where flock fails otherwise than because of another (a file system without it), it does for
 * those who sweep too. A sweep may come between mkdir and flock: then another one is made. */
static int lock(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;

    int is_swept = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!is_swept && is_at(fd, path))
        return fd;

    close(fd);
    errno = EEXIST;
    return -1;
}

/* Whether that is the number of users who have none in this user namespace, as root often has. */
static int is_unmapped(uid_t uid)
{
    enum { OVERFLOW_UID = 65534 };
    char text[128] = "";
    unsigned inside, outside, count = UINT_MAX;

    const int fd = procself_open("uid_map", O_RDONLY);
    if (fd < 0)
        return 0;
    if (read(fd, text, sizeof text - 1) > 0)
        sscanf(text, "%u %u %u", &inside, &outside, &count);
    close(fd);
    return uid == OVERFLOW_UID && count != UINT_MAX;
}

/* Who may rename there could put another folder in the place of a work directory, or of one that
 * is swept. */
static int check_top(const char *top)
{
    struct stat facts;

    if (stat(top, &facts) != 0)
        return error_system("a work directory in %s", top);
    if (facts.st_uid != 0 && facts.st_uid != geteuid() && !is_unmapped(facts.st_uid))
        return error_set(SNUG_EPOLICY,
                         "TMPDIR, %s, is of another user (%lu), who could move a work directory "
                         "away",
                         top, (unsigned long)facts.st_uid);
    if ((facts.st_mode & (S_IWGRP | S_IWOTH)) && !(facts.st_mode & S_ISVTX))
        return error_set(SNUG_EPOLICY,
                         "TMPDIR, %s, may be written by others and is not sticky (mode %04o): "
                         "they could move a work directory away",
                         top, (unsigned)(facts.st_mode & 07777));
    return SNUG_OK;
}

/* The name tells nothing of the host: sessions see it. */
static int make_host_folder(snug_host *host, const char *top)
{
    char path[PATH_MAX];
    uint64_t number;

    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return error_system("getrandom");
    if (snprintf(path, sizeof path, "%s/%s%016" PRIx64, top, prefix, number) >= (int)sizeof path)
        return error_set(SNUG_EINVAL, "TMPDIR is too long for a path");
    if (mkdir(path, 0700) != 0)
        return error_system("a work directory in %s", top);

    host->folders_made++;
    host->workdirs_fd = -1;
    int error, fd = lock(path);
    if (fd < 0) {
        error = error_system("a work directory in %s", top);
        goto fail;
    }

    host->workdirs = strdup(path);
    if (!host->workdirs) {
        error = error_no_memory();
        goto fail;
    }

    host->workdirs_fd = fd;
    return SNUG_OK;

fail:
    rmdir(path);
    if (fd >= 0)
        close(fd);
    return error;
}

enum { TRIES = 10 };

static void forget_folder(snug_host *host)
{
    if (!host->workdirs)
        return;
    close(host->workdirs_fd);
    free(host->workdirs);
    host->workdirs = NULL;
}

/* At the first private work directory of a host, and when somebody has cleaned TMPDIR. */
static int open_host_folder(snug_host *host)
{
    char top[PATH_MAX];
    int error = SNUG_OK;

    if (host->workdirs && is_at(host->workdirs_fd, host->workdirs))
        return SNUG_OK;
    forget_folder(host);

    /* Paths in it are compared with what they lead to. */
    if (!realpath(tree_top(), top))
        return error_system("a work directory in %s", tree_top());

    if ((error = check_top(top)))
        return error;

    sweep(top);
    for (int i = 0; i < TRIES && !host->workdirs; i++)
        error = make_host_folder(host, top);
    return error;
}

int workdir_open_host(snug_host *host, uint64_t *number)
{
    pthread_mutex_lock(&host->lock);
    int error = open_host_folder(host);
    if (number)
        *number = host->folders_made;
    pthread_mutex_unlock(&host->lock);
    return error;
}

int workdir_borrow(snug_host *host, const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return error_system("folder of work directories %s", path);

    if (!(host->workdirs = strdup(path))) {
        close(fd);
        return error_no_memory();
    }

    host->workdirs_fd = fd;
    host->borrows_workdirs = 1;
    return SNUG_OK;
}

void workdir_close_host(snug_host *host)
{
    if (!host->borrows_workdirs && host->workdirs && is_at(host->workdirs_fd, host->workdirs))
        tree_remove(host->workdirs);
    forget_folder(host);
}

/* ---- a session's ---- */

/* The host's lock is held. */
static int make_locked(snug_session *session)
{
    snug_host *host = session->host;
    char path[PATH_MAX];
    int error = open_host_folder(host);
    if (error)
        return error;

    if (snprintf(path, sizeof path, "%s/session-XXXXXX", host->workdirs) >= (int)sizeof path)
        return error_set(SNUG_EINVAL, "TMPDIR is too long for a path");
    if (!mkdtemp(path))
        return error_system("a work directory in %s", host->workdirs);

    session->files.workdir = strdup(path);
    session->files.owns_workdir = session->files.is_private = session->files.workdir != NULL;
    if (!session->files.workdir) {
        rmdir(path);
        return error_no_memory();
    }

    return SNUG_OK;
}

static int make_private(snug_session *session)
{
    pthread_mutex_lock(&session->host->lock);
    int error = make_locked(session);
    pthread_mutex_unlock(&session->host->lock);
    return error;
}

int workdir_open(snug_session *session, const char *named)
{
    struct stat facts;

    if (!named)
        return make_private(session);
    if (!(session->files.workdir = realpath(named, NULL)))
        return error_system("work directory %s", named);
    if (stat(session->files.workdir, &facts) != 0)
        return error_system("work directory %s", named);
    if (!S_ISDIR(facts.st_mode))
        return error_set(SNUG_EINVAL, "work directory %s: it is not a directory", named);
    return SNUG_OK;
}

/* ---- mounts ---- */

static int check_mount(const snug_mount *mount)
{
    const char *name = mount->name;
    if (!mount->path || !name)
        return error_set(SNUG_EINVAL, "a mount needs a path and a name");

    if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return error_set(
            SNUG_EINVAL,
            "mount \"%s\": a name in the work directory has no slash and is not . or ..", name);
    return SNUG_OK;
}

/* A link that leads where the mount does. */
static int leads_to(const char *link, const session_mount *mount)
{
    char target[PATH_MAX];
    ssize_t len = readlink(link, target, sizeof target - 1);
    return len >= 0 && (target[len] = '\0', strcmp(target, mount->path) == 0);
}

/* By the host of this worker. */
static int is_linked(const snug_session *session, const session_mount *mount, const char *link)
{
    return session->files.has_links && leads_to(link, mount);
}

static int link_mount(snug_session *session, const snug_mount *mount)
{
    char link[PATH_MAX];
    session_mount *own = &session->files.mounts[session->files.mount_count];
    int error = check_mount(mount);
    if (error)
        return error;

    if (snprintf(link, sizeof link, "%s/%s", session->files.workdir, mount->name) >=
        (int)sizeof link)
        return error_set(SNUG_EINVAL, "mount \"%.50s...\": the name is too long", mount->name);

    if (!(own->path = realpath(mount->path, NULL)))
        return error_system("mount %s", mount->path);

    own->name = strdup(mount->name);
    own->access = mount->is_writable ? PATH_WRITE : PATH_READ;
    if (!own->name) {
        error = error_no_memory();
        goto fail;
    }

    if (symlink(own->path, link) != 0 && !is_linked(session, own, link)) {
        error = error_system("mount %s as %s in the work directory", mount->path, mount->name);
        goto fail;
    }

    session->files.mount_count++;
    return SNUG_OK;

fail:
    free(own->path);
    free(own->name);
    return error;
}

int workdir_mount(snug_session *session, const snug_mount *mounts, size_t count)
{
    int error = SNUG_OK;

    if (count > 0 && !mounts)
        return error_set(SNUG_EINVAL, "mounts is NULL, mount_count %zu", count);
    if (count > SESSION_MOUNTS)
        return error_set(SNUG_EINVAL, "%zu mounts: a session has %d at most", count,
                         SESSION_MOUNTS);

    for (size_t i = 0; i < count && !error; i++)
        error = link_mount(session, &mounts[i]);
    return error;
}

/* Only what is still our link: cells may have put something else there. */
void workdir_unmount(snug_session *session)
{
    for (size_t i = 0; i < session->files.mount_count; i++) {
        char link[PATH_MAX];
        session_mount *mount = &session->files.mounts[i];
        snprintf(link, sizeof link, "%s/%s", session->files.workdir, mount->name);
        if (!session->files.is_lent && leads_to(link, mount))
            unlink(link);
        free(mount->name);
        free(mount->path);
    }
    session->files.mount_count = 0;
}

/* ---- successors ---- */

static int copy_mount(session_mount *to, const session_mount *from)
{
    *to = (session_mount){ strdup(from->name), strdup(from->path), from->access };
    if (to->name && to->path)
        return SNUG_OK;
    free(to->name);
    free(to->path);
    return error_no_memory();
}

int workdir_lend(snug_session *to, const snug_session *from)
{
    session_files *files = &to->files;
    int error = SNUG_OK;

    files->is_lent = 1;
    files->is_private = from->files.is_private;
    files->has_links = from->files.has_links;
    if (!(files->workdir = strdup(from->files.workdir)))
        return error_no_memory();

    for (size_t i = 0; i < from->files.mount_count && !error; i++) {
        error = copy_mount(&files->mounts[i], &from->files.mounts[i]);
        if (!error)
            files->mount_count++;
    }

    return error;
}

void workdir_hand_on(snug_session *to, snug_session *from)
{
    to->files.is_lent = 0;
    to->files.owns_workdir = from->files.owns_workdir;
    to->files.folder = from->files.folder;
    to->files.seen = from->files.seen;

    from->files.is_lent = 1;
    from->files.owns_workdir = from->files.folder = 0;
    from->files.seen = (seen_files){ 0 };
}
