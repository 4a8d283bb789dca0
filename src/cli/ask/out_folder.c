#include "cli/ask/out_folder.h"

#include <snug/snug.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "cli/ask/out_name.h"

enum { MOST_FOLDERS = 64, MOST_NUMBER = 10000 };

/* ---- the folder ---- */

/* Of the path that has len bytes, those in front of its last name; of "/a" it is "/". */
static size_t cut_name(const char *path, size_t len)
{
    while (len > 0 && path[len - 1] != '/')
        len--;
    while (len > 1 && path[len - 1] == '/')
        len--;
    return len;
}

/* The longest beginning of the path that is a folder. */
static int open_base(out_folder *f)
{
    size_t len = f->path.len;

    for (; len > 0 && f->base < 0; len = f->base < 0 ? cut_name(f->path.data, len) : len) {
        const char end = f->path.data[len];
        f->path.data[len] = '\0';
        f->base = open(f->path.data, O_PATH | O_DIRECTORY | O_CLOEXEC);
        f->path.data[len] = end;
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

/* Into a folder of that name, which is made if it is not there. *is_made is set if it was not. */
static int enter_made(int folder, const char *name, int *is_made)
{
    if (mkdirat(folder, name, 0777) == 0)
        *is_made = 1;
    else if (errno != EEXIST)
        return -1;
    return openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* The name of path that begins at *at, which moves behind it. 1; 0: there is none. */
static int take_name(char *name, size_t size, const char *path, size_t *at)
{
    const size_t len = strcspn(path + *at, "/");

    if (len == 0 || len >= size) {
        errno = ENAMETOOLONG;
        return 0;
    }
    memcpy(name, path + *at, len);
    name[len] = '\0';
    *at += len + strspn(path + *at + len, "/");
    return 1;
}

/* Keeps the one above, from which it may be removed again. */
static void step_into(out_folder *f, int folder)
{
    const int number = errno;

    if (f->above >= 0)
        close(f->above);
    f->above = f->folder;
    f->folder = folder;
    errno = number;
}

static int open_given(out_folder *f)
{
    size_t at = f->rest;

    f->folder = fcntl(f->base, F_DUPFD_CLOEXEC, 3);
    while (f->folder >= 0 && at < f->path.len) {
        f->is_made = 0;
        if (take_name(f->name, sizeof f->name, f->path.data, &at))
            step_into(f, enter_made(f->folder, f->name, &f->is_made));
        else
            step_into(f, -1);
    }
    return f->folder < 0 ? error_system("%s", f->path.data) : SNUG_OK;
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

    if (!error)
        error = str_add_str(&f->path, &name);
    if (error)
        error = error_no_memory();
    else if (found < 0)
        error = error_system("the folder %s cannot be made", name.data);
    if (error)
        str_free(&f->path);
    str_free(&name);
    return error;
}

static int open_folder(out_folder *f, const char *question)
{
    int is_named = 0;

    if (f->folder >= 0)
        return SNUG_OK;
    if (f->path.len == 0) {
        const int error = make_named(f, question);
        if (error)
            return error;
        is_named = 1;
    }

    const int error = open_given(f);
    f->is_made |= is_named;
    return error;
}

void out_folder_leave(out_folder *f)
{
    if (f->folder >= 0)
        close(f->folder);
    if (f->above >= 0) {
        if (f->is_made)
            unlinkat(f->above, f->name, AT_REMOVEDIR);
        close(f->above);
    }
    f->folder = f->above = -1;
    f->is_made = 0;
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

/* The folders on the way to a file, each with its name, from the top. */
typedef struct way {
    int folders[MOST_FOLDERS + 1];
    char names[MOST_FOLDERS][256];
    int are_made[MOST_FOLDERS];
    size_t count; /* of names */
} way;

/* Backwards: what was made for a file that is not there goes too. */
static void leave_way(way *w, int has_failed)
{
    const int number = errno;

    while (w->count > 0) {
        if (w->folders[w->count] >= 0)
            close(w->folders[w->count]);
        w->count--;
        if (has_failed && w->are_made[w->count])
            unlinkat(w->folders[w->count], w->names[w->count], AT_REMOVEDIR);
    }
    errno = number;
}

/* To the folder of the last name, which is answered; NULL with errno. */
static const char *enter_way(way *w, int folder, const char *path)
{
    size_t at = 0;

    w->count = 0;
    w->folders[0] = folder;
    while (path[at + strcspn(path + at, "/")]) {
        const size_t n = w->count;
        if (n == MOST_FOLDERS) {
            errno = ENAMETOOLONG;
            return NULL;
        }
        if (!take_name(w->names[n], sizeof w->names[n], path, &at))
            return NULL;
        w->are_made[n] = 0;
        w->folders[n + 1] = enter_made(w->folders[n], w->names[n], &w->are_made[n]);
        w->count++;
        if (w->folders[n + 1] < 0)
            return NULL;
    }
    return path + at;
}

/* Past the process's own limit of a file a write would raise SIGXFSZ, which ends it. */
static int is_past_file_limit(size_t len)
{
    struct rlimit most;
    return !getrlimit(RLIMIT_FSIZE, &most) && most.rlim_cur != RLIM_INFINITY && len > most.rlim_cur;
}

/* 0, or -1 with errno; EEXIST: the name is somebody's. */
static int write_new(int folder, const char *name, const void *data, size_t len)
{
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
static int put_at(int folder, const char *path, const void *data, size_t len)
{
    way w;
    const char *name = enter_way(&w, folder, path);
    const int failed = !name || write_new(w.folders[w.count], name, data, len);

    leave_way(&w, failed);
    return failed ? -1 : 0;
}

static int is_root(const out_folder *f)
{
    return f->path.data[f->path.len - 1] == '/';
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
        if (error)
            break;
        errno = EFBIG;
        failed = is_past_file_limit(len) ? -1 : put_at(f->folder, name.data, data, len);
        if (failed == 0 || errno != EEXIST)
            break;
    }

    if (error)
        error = error_no_memory();
    else if (failed)
        error = error_system("%s/%s", f->path.data, name.data);
    else if (str_printf(at, "%s%s%s", f->path.data, is_root(f) ? "" : "/", name.data))
        error = error_no_memory();
    if (!failed)
        f->is_made = 0;
    str_free(&name);
    return error;
}
