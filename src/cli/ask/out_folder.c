#include "cli/ask/out_folder.h"

#include <snug/snug.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "cli/ask/out_name.h"

enum { MOST_NUMBER = 10000 };

/* ---- the folder ---- */

/* The longest beginning of the path that is a folder. */
static int open_base(out_folder *f)
{
    char path[PATH_MAX] = "";
    size_t len = f->path.len < sizeof path ? f->path.len : 0;

    memcpy(path, str_text(&f->path), len);
    while (len > 0 && (f->base = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0) {
        while (len > 0 && path[len - 1] != '/')
            len--;
        while (len > 1 && path[len - 1] == '/')
            len--;
        path[len] = '\0';
    }

    if (f->base < 0)
        f->base = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    f->rest = len + strspn(str_text(&f->path) + len, "/");
    return f->base < 0 ? error_system("the current folder") : SNUG_OK;
}

int out_folder_open(out_folder *f, const char *given)
{
    *f = (out_folder)OUT_FOLDER_INIT;
    if (given && str_add(&f->path, given))
        return error_no_memory();
    while (f->path.len > 1 && f->path.data[f->path.len - 1] == '/')
        f->path.data[--f->path.len] = '\0';
    return open_base(f);
}

/* Into the folders of a path, which are made where they are not there: of its first len bytes. The
 * last one's descriptor, or -1 with errno; *made: where the name begins of the first that was. */
static int enter_made(int from, const char *path, size_t len, const char **made)
{
    int folder = fcntl(from, F_DUPFD_CLOEXEC, 3);

    *made = NULL;
    for (size_t at = 0; folder >= 0 && at < len;) {
        char name[NAME_MAX + 1];
        const size_t width = strcspn(path + at, "/");
        int inner = -1;
        errno = ENAMETOOLONG;
        if (width < sizeof name) {
            memcpy(name, path + at, width);
            name[width] = '\0';
            const int is_made = mkdirat(folder, name, 0777) == 0;
            if (is_made && !*made)
                *made = path + at;
            if (is_made || errno == EEXIST)
                inner = openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        }
        const int number = errno;
        close(folder);
        errno = number;
        folder = inner;
        at += width + strspn(path + at + width, "/");
    }
    return folder;
}

/* Those of a path that are empty, from the last one back to the one that begins at made. */
static void remove_made(int from, const char *path, size_t len, const char *made)
{
    char whole[PATH_MAX];
    const int number = errno;

    while (made && len > (size_t)(made - path) && len < sizeof whole) {
        memcpy(whole, path, len);
        whole[len] = '\0';
        if (unlinkat(from, whole, AT_REMOVEDIR))
            break;
        while (len > 0 && path[len - 1] != '/')
            len--;
        while (len > 0 && path[len - 1] == '/')
            len--;
    }
    errno = number;
}

/* Where the name is somebody's, the next one that is free. */
static int make_named(out_folder *f, const char *question)
{
    str name = { 0 };
    int error = out_name_of_question(&name, question), found = -1;
    const size_t len = name.len;

    for (unsigned number = 2; !error; number++) {
        found = mkdirat(f->base, name.data, 0777);
        if (found == 0 || errno != EEXIST || number == MOST_NUMBER)
            break;
        name.data[name.len = len] = '\0';
        error = str_printf(&name, "-%u", number);
    }

    if (error)
        error = error_no_memory();
    else if (found < 0)
        error = error_system("the folder %s cannot be made", name.data);
    if (!error) {
        f->path = name;
        f->made = f->path.data;
        return SNUG_OK;
    }
    str_free(&name);
    return error;
}

static int open_folder(out_folder *f, const char *question)
{
    const char *made;

    if (f->folder >= 0)
        return SNUG_OK;
    if (f->path.len == 0) {
        const int error = make_named(f, question);
        if (error)
            return error;
    }

    const char *rest = f->path.data + f->rest;
    f->folder = enter_made(f->base, rest, strlen(rest), &made);
    f->made = made ? made : f->made;
    return f->folder < 0 ? error_system("%s", f->path.data) : SNUG_OK;
}

void out_folder_leave(out_folder *f)
{
    if (f->folder >= 0)
        close(f->folder);
    f->folder = -1;
    if (f->made && !f->is_used)
        remove_made(f->base, f->path.data + f->rest, strlen(f->path.data + f->rest), f->made);
}

void out_folder_close(out_folder *f)
{
    out_folder_leave(f);
    if (f->base >= 0)
        close(f->base);
    str_free(&f->path);
    f->base = -1;
}

/* ---- files ---- */

/* 0, or -1 with errno; EEXIST: the name is somebody's. Past the process's own limit of a file a
 * write would raise SIGXFSZ, which ends it. */
static int write_new(int folder, const char *name, const void *data, size_t len)
{
    struct rlimit most;
    if (!getrlimit(RLIMIT_FSIZE, &most) && most.rlim_cur != RLIM_INFINITY && len > most.rlim_cur) {
        errno = EFBIG;
        return -1;
    }

    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;

    int failed = file_write_all(fd, data, len);
    int number = errno;
    if (close(fd) && !failed) {
        failed = -1;
        number = errno;
    }
    if (failed)
        unlinkat(folder, name, 0);
    errno = number;
    return failed;
}

/* 0, or -1 with errno. */
static int put_at(int from, const char *path, const void *data, size_t len)
{
    const char *slash = strrchr(path, '/'), *made;
    const size_t width = slash ? (size_t)(slash - path) : 0;
    const int folder = enter_made(from, path, width, &made);
    const int failed = folder < 0 || write_new(folder, slash ? slash + 1 : path, data, len);
    const int number = errno;

    if (folder >= 0)
        close(folder);
    if (failed)
        remove_made(from, path, width, made);
    errno = number;
    return failed ? -1 : 0;
}

int out_folder_put(str *at, out_folder *f, const char *question, const char *path, unsigned number,
                   const void *data, size_t len)
{
    str name = { 0 };
    int error = open_folder(f, question), failed = -1;

    if (error)
        return error;
    for (; number < MOST_NUMBER; number = number ? number + 1 : 2) {
        str_clear(&name);
        error = number ? out_name_numbered(&name, path, number) : str_add(&name, path);
        if (!error)
            failed = put_at(f->folder, name.data, data, len);
        if (error || failed == 0 || errno != EEXIST)
            break;
    }

    const int is_root = f->path.data[f->path.len - 1] == '/';
    f->is_used |= !failed;
    if (error)
        error = error_no_memory();
    else if (failed)
        error = error_system("%s/%s", f->path.data, name.data);
    else if (str_printf(at, "%s%s%s", f->path.data, is_root ? "" : "/", name.data))
        error = error_no_memory();
    str_free(&name);
    return error;
}
