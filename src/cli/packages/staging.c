#include "cli/packages/staging.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/tree.h"
#include "cli/packages/installed.h"
#include "cli/program/command.h"

enum { MOST_NAMES = 2000000, MOST_MARK_BYTES = 4096, RANDOM_LETTERS = 6 };

static int fail_no_memory(void)
{
    return command_fail_memory();
}

static int fail_errno(const char *path)
{
    return command_fail(EXIT_USAGE, "%s: %s", path, strerror(errno));
}

/* ---- which folder ---- */

/* The private work directories of sessions are in folders snug-0123456789abcdef. */
static int is_of_session(const char *path)
{
    for (const char *at = path; (at = strstr(at, "/snug-")); at++)
        if (strspn(at + 6, "0123456789abcdef") == 16 && (at[22] == '/' || !at[22]))
            return 1;
    return 0;
}

/* What is not there: its name, in the folder that it would be in. path is changed. */
static int resolve_missing(char *resolved, char *path, const char *into)
{
    char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path, *parent = ".";
    struct stat facts;

    if (!lstat(path, &facts) || !strcmp(name, "..") || !strcmp(name, "."))
        return command_fail(EXIT_USAGE, "%s: it leads nowhere", path);
    if (slash) {
        *slash = '\0';
        parent = *path ? path : "/";
    }

    if (!realpath(parent, resolved))
        return command_fail(EXIT_USAGE, "%s: the folder that it is in is not there", into);

    size_t end = strcmp(resolved, "/") != 0 ? strlen(resolved) : 0;
    if (snprintf(resolved + end, PATH_MAX - end, "/%s", name) >= (int)(PATH_MAX - end))
        return command_fail(EXIT_USAGE, "--into: the path is too long");
    return EXIT_FINE;
}

/* The folder itself may be missing, the one that it is in may not. */
static int resolve_target(staging *s, const char *into)
{
    char path[PATH_MAX], resolved[PATH_MAX];
    size_t len = strlen(into);

    while (len > 1 && into[len - 1] == '/')
        len--;
    if (snprintf(path, sizeof path, "%.*s", (int)len, into) >= (int)sizeof path)
        return command_fail(EXIT_USAGE, "--into: the path is too long");

    if (realpath(path, resolved)) {
        s->is_there = 1;
    } else if (errno != ENOENT) {
        return fail_errno(path);
    } else {
        int status = resolve_missing(resolved, path, into);
        if (status)
            return status;
    }

    if (!strcmp(resolved, "/"))
        return command_fail(EXIT_USAGE, "/ cannot be a folder of packages");
    if (str_add(&s->folder, resolved))
        return fail_no_memory();
    return EXIT_FINE;
}

static int name_others(staging *s)
{
    const char *folder = s->folder.data, *name = strrchr(folder, '/') + 1;
    int len = (int)(name - folder - 1); /* of the parent; of "/" nothing */
    int failed = len > 0 ? str_append(&s->parent, folder, (size_t)len) : str_add(&s->parent, "/");

    failed |= str_printf(&s->lock, "%.*s/.%s.snug-lock", len, folder, name);
    failed |= str_printf(&s->aside, "%.*s/.%s.snug-old", len, folder, name);
    failed |= str_printf(&s->scratch, "%.*s/.%s.snug-XXXXXX", len, folder, name);
    if (failed)
        return fail_no_memory();
    return EXIT_FINE;
}

static int is_empty(const char *path)
{
    DIR *dir = opendir(path);
    int found = 0;
    for (const struct dirent *item; dir && !found && (item = readdir(dir));)
        found = strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0;
    if (dir)
        closedir(dir);
    return dir && !found;
}

/* The line that says for which Python the folder is. */
static int read_python_mark(str *mark, const staging *s)
{
    str path = { 0 };
    int status = EXIT_FINE;

    if (str_printf(&path, "%s/%s", s->folder.data, STAGING_MARK))
        status = fail_no_memory();
    else if (access(path.data, F_OK) != 0)
        status = command_fail(EXIT_USAGE,
                              "%s is not empty and was not filled by snug packages: name a new "
                              "folder",
                              s->folder.data);
    else if (file_read(mark, path.data, MOST_MARK_BYTES))
        status = command_fail(EXIT_USAGE, "%s", error_message());

    str_free(&path);
    return status;
}

static int check_mark(staging *s, const char *python)
{
    char wanted[64];
    str mark = { 0 };
    int status = read_python_mark(&mark, s);
    if (status)
        goto done;

    const char *said = str_text(&mark);
    size_t len = strcspn(said, "\n");
    snprintf(wanted, sizeof wanted, "python %s", python);
    if (len != strlen(wanted) || strncmp(said, wanted, len) != 0)
        status = command_fail(EXIT_USAGE, "%s is for %.*s, and this snug for Python %s",
                              s->folder.data, len < 40 ? (int)len : 40, said, python);

done:
    str_free(&mark);
    return status;
}

static int check_target_folder(staging *s, const char *python)
{
    struct stat facts;

    if (is_of_session(s->folder.data))
        return command_fail(EXIT_USAGE,
                            "%s is in the work directory of a session, whose cells could change it",
                            s->folder.data);

    if (!s->is_there)
        return EXIT_FINE;
    if (stat(s->folder.data, &facts))
        return fail_errno(s->folder.data);
    if (!S_ISDIR(facts.st_mode))
        return command_fail(EXIT_USAGE, "%s is not a folder", s->folder.data);
    if (access(s->folder.data, R_OK | W_OK | X_OK) != 0)
        return fail_errno(s->folder.data);

    s->is_filled = !is_empty(s->folder.data);
    if (s->is_filled)
        return check_mark(s, python);
    return EXIT_FINE;
}

/* ---- the lock ---- */

/* The one who had it may have removed the file meanwhile: then it is no longer the lock. */
static int take_lock(staging *s)
{
    for (;;) {
        struct stat opened, there;
        int fd = open(s->lock.data, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0)
            return command_fail(EXIT_USAGE,
                                "%s: nothing can be made in the folder that it is in: %s",
                                s->folder.data, strerror(errno));

        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            int error = errno;
            close(fd);
            if (error == EWOULDBLOCK)
                return command_fail(EXIT_USAGE, "%s: another snug packages install is changing it",
                                    s->folder.data);
            return command_fail(EXIT_USAGE, "%s: %s", s->folder.data, strerror(error));
        }

        if (!fstat(fd, &opened) && !stat(s->lock.data, &there) && opened.st_ino == there.st_ino &&
            opened.st_dev == there.st_dev) {
            s->lock_fd = fd;
            return EXIT_FINE;
        }
        close(fd);
    }
}

/* While the lock is held, all that is there was left behind. */
static void remove_killed_install(const staging *s)
{
    const char *pattern = strrchr(s->scratch.data, '/') + 1;
    const size_t len = strlen(pattern) - RANDOM_LETTERS;
    DIR *dir = opendir(s->parent.data);

    for (const struct dirent *item; dir && (item = readdir(dir));)
        if (!strncmp(item->d_name, pattern, len) && strlen(item->d_name) == len + RANDOM_LETTERS)
            tree_remove_at(dirfd(dir), item->d_name);

    if (dir)
        closedir(dir);
}

/* One that ended between the two steps of swap_by_steps has left the folder aside. */
static int put_old_back(staging *s)
{
    if (access(s->aside.data, F_OK) != 0)
        return EXIT_FINE;
    if (access(s->folder.data, F_OK) == 0) {
        tree_remove(s->aside.data);
        return EXIT_FINE;
    }

    s->is_there = 1;
    if (rename(s->aside.data, s->folder.data))
        return fail_errno(s->folder.data);
    return EXIT_FINE;
}

int staging_open(staging *s, const char *into, const char *python)
{
    int status;

    *s = (staging){ .lock_fd = -1 };
    if ((status = resolve_target(s, into)) || (status = name_others(s)) ||
        (status = check_target_folder(s, python)) || (status = take_lock(s)))
        return status;

    remove_killed_install(s);
    /* Once more: it may have changed before the lock was ours. */
    if ((status = put_old_back(s)) || (status = check_target_folder(s, python)))
        return status;
    if (!mkdtemp(s->scratch.data))
        return fail_errno(s->parent.data);
    if (str_printf(&s->fresh, "%s/fresh", s->scratch.data) ||
        str_printf(&s->whole, "%s/whole", s->scratch.data))
        return fail_no_memory();

    return EXIT_FINE;
}

/* ---- a copy by links ---- */

typedef struct merge {
    int to;          /* the open folder that all goes to */
    const char *odd; /* what is neither file nor folder was met: not moved */
    str path;        /* of it */
} merge;

/* Where there are no hard links. Times too: Python's bytecode goes by them. */
static int copy_package_file(const tree_entry *entry, int to)
{
    const struct timespec times[] = { entry->facts->st_atim, entry->facts->st_mtim };
    int error = 0;
    ssize_t sent;

    int from = openat(entry->parent, entry->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (from < 0)
        return errno;

    int fd = openat(to, entry->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                    entry->facts->st_mode & 0777);
    if (fd < 0) {
        error = errno;
        close(from);
        return error;
    }

    do
        sent = sendfile(fd, from, NULL, 1 << 20);
    while (sent > 0);

    if (sent < 0 || futimens(fd, times))
        error = errno;

    close(from);
    if (close(fd) && !error)
        error = errno;
    return error;
}

static int refuse_odd(merge *m, const tree_entry *entry)
{
    m->odd = str_add(&m->path, entry->path) ? "?" : m->path.data;
    return EINVAL;
}

static int link_one(void *payload, const tree_entry *entry)
{
    merge *m = payload;

    if (S_ISDIR(entry->facts->st_mode))
        return mkdirat(m->to, entry->path, entry->facts->st_mode & 0777) ? errno : 0;
    if (!S_ISREG(entry->facts->st_mode))
        return refuse_odd(m, entry);
    if (linkat(entry->parent, entry->name, m->to, entry->path, 0))
        return copy_package_file(entry, m->to);
    return 0;
}

static int move_one(void *payload, const tree_entry *entry)
{
    merge *m = payload;
    struct stat there;

    if (!S_ISDIR(entry->facts->st_mode) && !S_ISREG(entry->facts->st_mode))
        return refuse_odd(m, entry);
    const int is_taken = !fstatat(m->to, entry->path, &there, AT_SYMLINK_NOFOLLOW);
    if (is_taken && S_ISDIR(there.st_mode) != S_ISDIR(entry->facts->st_mode))
        tree_remove_at(m->to, entry->path);
    else if (is_taken && S_ISDIR(there.st_mode))
        return 0;

    if (S_ISDIR(entry->facts->st_mode))
        return mkdirat(m->to, entry->path, entry->facts->st_mode & 0777) ? errno : 0;
    return renameat(entry->parent, entry->name, m->to, entry->path) ? errno : 0;
}

static int walk_packages(const char *from, int to,
                         int (*meet)(void *payload, const tree_entry *entry))
{
    merge m = { .to = to };
    int status = EXIT_FINE, error;
    int fd = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0)
        error = tree_walk(fd, MOST_NAMES, meet, &m);
    else
        error = errno;

    if (m.odd)
        status = command_fail(EXIT_FAILED, "%s has %s, which is neither a file nor a folder", from,
                              m.odd);
    else if (error)
        status =
            command_fail(EXIT_FAILED, "the packages cannot be put together: %s", strerror(error));

    if (fd >= 0)
        close(fd);
    str_free(&m.path);
    return status;
}

/* ---- old versions ---- */

static void remove_package_file(int whole, char *path)
{
    unlinkat(whole, path, 0);
    for (char *slash; (slash = strrchr(path, '/'));) {
        *slash = '\0';
        if (unlinkat(whole, path, AT_REMOVEDIR) != 0)
            return;
    }
}

/* The files of one package. */
static int remove_package_files(int whole, const char *folder, const char *info)
{
    str files = { 0 };
    int error = installed_files(&files, folder, info);

    if (!error && files.len > 0)
        for (char *at = files.data, *next; at < files.data + files.len; at = next) {
            next = at + strlen(at) + 1;
            remove_package_file(whole, at);
        }

    tree_remove_at(whole, info);
    str_free(&files);
    return error;
}

/* Of each package that fresh has too. */
static int remove_replaced(const staging *s, int whole)
{
    installed old, fresh = { 0 };
    int error = installed_read(&old, s->whole.data);

    if (!error)
        error = installed_read(&fresh, s->fresh.data);
    for (size_t i = 0; i < old.count && !error; i++)
        if (installed_find(&fresh, old.items[i].name))
            error = remove_package_files(whole, s->whole.data, old.items[i].info);

    installed_free(&old);
    installed_free(&fresh);
    if (error)
        return command_fail(EXIT_USAGE, "%s", error_message());
    return EXIT_FINE;
}

static int write_mark(const staging *s, const char *python)
{
    str path = { 0 }, text = { 0 };
    int status = EXIT_FINE;

    if (str_printf(&path, "%s/%s", s->whole.data, STAGING_MARK) ||
        str_printf(&text, "python %s\n", python)) {
        status = fail_no_memory();
        goto done;
    }

    const struct iovec piece = { text.data, text.len };
    if (file_replace(path.data, &piece, 1))
        status = command_fail(EXIT_USAGE, "%s", error_message());
    else
        (void)chmod(path.data, 0644);

done:
    str_free(&path);
    str_free(&text);
    return status;
}

int staging_merge(staging *s, const char *python)
{
    struct stat facts;

    if (mkdir(s->whole.data, 0777))
        return fail_errno(s->whole.data);
    if (s->is_there && !stat(s->folder.data, &facts) && chmod(s->whole.data, facts.st_mode & 0777))
        return fail_errno(s->whole.data);

    int whole = open(s->whole.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (whole < 0)
        return fail_errno(s->whole.data);

    int status = EXIT_FINE;
    if (s->is_filled)
        status = walk_packages(s->folder.data, whole, link_one);
    if (!status && s->is_filled)
        status = remove_replaced(s, whole);
    if (!status)
        status = walk_packages(s->fresh.data, whole, move_one);
    if (!status)
        status = write_mark(s, python);
    close(whole);
    return status;
}

/* ---- the change of places ---- */

/* Network file systems do not exchange. What a death between the two leaves is put right by
 * put_old_back. */
static int swap_by_steps(const staging *s)
{
    if (rename(s->folder.data, s->aside.data))
        return -1;
    if (!rename(s->whole.data, s->folder.data)) {
        tree_remove(s->aside.data);
        return 0;
    }

    int error = errno;
    (void)rename(s->aside.data, s->folder.data);
    errno = error;
    return -1;
}

int staging_commit(staging *s)
{
    int failed;

    if (!s->is_filled) { /* rename takes the place of an empty folder */
        failed = rename(s->whole.data, s->folder.data);
    } else {
        failed = renameat2(AT_FDCWD, s->whole.data, AT_FDCWD, s->folder.data, RENAME_EXCHANGE);
        if (failed && (errno == EINVAL || errno == ENOSYS))
            failed = swap_by_steps(s);
    }

    if (failed)
        return command_fail(EXIT_USAGE, "%s: the new folder cannot take its place: %s",
                            s->folder.data, strerror(errno));
    return EXIT_FINE;
}

void staging_close(staging *s)
{
    if (s->fresh.len > 0)
        tree_remove(s->scratch.data);
    if (s->lock_fd >= 0) {
        unlink(s->lock.data);
        close(s->lock_fd);
    }

    str *const texts[] = { &s->folder,  &s->parent, &s->lock, &s->aside,
                           &s->scratch, &s->fresh,  &s->whole };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        str_free(texts[i]);
    *s = (staging){ .lock_fd = -1 };
}
