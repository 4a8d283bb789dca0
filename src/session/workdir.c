#include "session/workdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/tree.h"
#include "session/session.h"

static const char *top_dir(void)
{
    const char *top = getenv("TMPDIR");
    return top && *top == '/' ? top : "/tmp";
}

/* A process id means something in its namespace only: containers may share a TMPDIR.
 * 0 where there is no /proc. */
static unsigned long long pid_namespace(void)
{
    struct stat facts;
    return stat("/proc/self/ns/pid", &facts) == 0 ? (unsigned long long)facts.st_ino : 0;
}

/* ---- what others left behind --------------------------------------------- */

/* Of a process of this namespace that is gone. A number that is in use again only
 * puts the removal off. */
static int is_left_behind(int dir, const char *name)
{
    long long pid;
    unsigned long long space;
    int at = 0;
    struct stat facts;
    if (sscanf(name, "snug-%18lld-%18llu-%n", &pid, &space, &at) != 2 || at == 0 ||
        strlen(name + at) != 6 || space != pid_namespace() || pid <= 0 || pid > INT_MAX)
        return 0;
    if (kill((pid_t)pid, 0) == 0 || errno != ESRCH)
        return 0;
    return fstatat(dir, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(facts.st_mode) &&
           facts.st_uid == geteuid();
}

static void sweep(const char *top)
{
    char path[PATH_MAX];
    DIR *dir = opendir(top);
    for (const struct dirent *item; dir && (item = readdir(dir));)
        if (is_left_behind(dirfd(dir), item->d_name) &&
            snprintf(path, sizeof path, "%s/%s", top, item->d_name) < (int)sizeof path)
            tree_remove(path);
    if (dir)
        closedir(dir);
}

static int is_first_of(snug_host *host)
{
    pthread_mutex_lock(&host->lock);
    int is_first = !host->has_swept;
    host->has_swept = 1;
    pthread_mutex_unlock(&host->lock);
    return is_first;
}

/* ---- a session's --------------------------------------------------------- */

static int make(snug_session *session)
{
    const char *top = top_dir();
    char path[PATH_MAX];
    if (is_first_of(session->host))
        sweep(top);
    if (snprintf(path, sizeof path, "%s/snug-%ld-%llu-XXXXXX", top, (long)getpid(),
                 pid_namespace()) >= (int)sizeof path)
        return error_set(SNUG_EINVAL, "TMPDIR is too long for a path");
    if (!mkdtemp(path))
        return error_system("a work directory in %s", top);
    session->workdir = strdup(path);
    session->owns_workdir = session->workdir != NULL;
    if (!session->workdir)
        rmdir(path);
    return session->workdir ? SNUG_OK : error_no_memory();
}

int workdir_open(snug_session *session, const char *named)
{
    struct stat facts;
    if (!named)
        return make(session);
    if (!(session->workdir = realpath(named, NULL)))
        return error_system("work directory %s", named);
    if (stat(session->workdir, &facts) != 0)
        return error_system("work directory %s", named);
    if (!S_ISDIR(facts.st_mode))
        return error_set(SNUG_EINVAL, "work directory %s: it is no directory", named);
    return SNUG_OK;
}

/* ---- mounts -------------------------------------------------------------- */

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

static int add_mount(snug_session *session, const snug_mount *mount)
{
    char link[PATH_MAX];
    session_mount *own = &session->mounts[session->mount_count];
    int error = check_mount(mount);
    if (error)
        return error;
    if (snprintf(link, sizeof link, "%s/%s", session->workdir, mount->name) >= (int)sizeof link)
        return error_set(SNUG_EINVAL, "mount \"%.50s...\": the name is too long", mount->name);
    if (!(own->path = realpath(mount->path, NULL)))
        return error_system("mount %s", mount->path);
    own->name = strdup(mount->name);
    own->access = mount->is_writable ? PATH_WRITE : PATH_READ;
    if (!own->name || symlink(own->path, link) != 0) {
        error = own->name
                    ? error_system("mount %s as %s in the work directory", mount->path, mount->name)
                    : error_no_memory();
        free(own->path);
        free(own->name);
        return error;
    }
    session->mount_count++;
    return SNUG_OK;
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
        error = add_mount(session, &mounts[i]);
    return error;
}

/* Only what is still our link: cells may have put something else there. */
void workdir_unmount(snug_session *session)
{
    for (size_t i = 0; i < session->mount_count; i++) {
        char link[PATH_MAX], target[PATH_MAX];
        session_mount *mount = &session->mounts[i];
        snprintf(link, sizeof link, "%s/%s", session->workdir, mount->name);
        ssize_t len = readlink(link, target, sizeof target - 1);
        if (len >= 0 && (target[len] = '\0', strcmp(target, mount->path) == 0))
            unlink(link);
        free(mount->name);
        free(mount->path);
    }
    session->mount_count = 0;
}
