#include "session/files/workdir.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/mime.h"
#include "base/tree.h"
#include "base/utf8.h"
#include "policy/paths.h"
#include "session/core/claim.h"
#include "session/core/session.h"

/* ---- paths ---- */

enum { SHOWN_BYTES = 200 };

/* How much of a path a message shows. */
static int shown_bytes(const char *path)
{
    size_t len = strlen(path);
    return (int)utf8_floor(path, len, len < SHOWN_BYTES ? len : SHOWN_BYTES);
}

__attribute__((format(printf, 2, 3))) static int refuse_path(const char *path, const char *format,
                                                             ...)
{
    char why[256];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return error_set(SNUG_EINVAL, "path \"%.*s\": %s", shown_bytes(path), path, why);
}

static int check_part(const char *path, const char *name, size_t len)
{
    if (len == 0)
        return refuse_path(path, "a name in it is empty");
    if (len > NAME_MAX)
        return refuse_path(path, "a name in it has %zu bytes, and may have %d", len, NAME_MAX);
    if (name[0] == '.' && (len == 1 || (len == 2 && name[1] == '.')))
        return refuse_path(path, "\"%.*s\" is not the name of a file", (int)len, name);
    return SNUG_OK;
}

static int check_path(const char *what, const char *path)
{
    size_t fault, len = path ? strlen(path) : 0;
    int error = SNUG_OK;

    if (len == 0)
        return error_set(SNUG_EINVAL, "%s: the path is %s", what, path ? "empty" : "NULL");
    if (utf8_check(path, len, &fault) != UTF8_FINE)
        return error_set(SNUG_EINVAL, "%s: the path must be UTF-8, and is not at byte %zu", what,
                         fault + 1);

    if (len >= PATH_MAX)
        return refuse_path(path, "it has %zu bytes, and may have %d", len, PATH_MAX - 1);
    if (*path == '/')
        return refuse_path(path, "it must be relative to the work directory");

    for (size_t at = 0, part; !error && at <= len; at += part + 1) {
        part = strcspn(path + at, "/");
        error = check_part(path, path + at, part);
    }
    return error;
}

static const session_mount *mount_of(const snug_session *session, const char *path)
{
    size_t len = strcspn(path, "/");
    for (size_t i = 0; i < session->files.mount_count; i++)
        if (strncmp(session->files.mounts[i].name, path, len) == 0 &&
            !session->files.mounts[i].name[len])
            return &session->files.mounts[i];
    return NULL;
}

/* len: of the part of the path that is a link. */
static int refuse_link(const snug_session *session, const char *path, size_t len)
{
    int is_first = !memchr(path, '/', len);
    if (is_first && mount_of(session, path))
        return refuse_path(path, "%.*s is a mount, and what is in it is the host's own", (int)len,
                           path);
    return refuse_path(path, "%.*s is a symbolic link, and none is followed",
                       (int)utf8_floor(path, len, len < SHOWN_BYTES ? len : SHOWN_BYTES), path);
}

static int refuse_missing(const snug_session *session, const char *path)
{
    return error_set(SNUG_ENOTFOUND, "session %s has no file \"%.*s\" in its work directory",
                     session->name, shown_bytes(path), path);
}

static int report_failure(const char *path)
{
    return error_system("path \"%.*s\"", shown_bytes(path), path);
}

/* ---- folders ---- */

int files_open_root(const snug_session *session)
{
    struct stat facts;
    const spill_place *known = &session->output.place;

    if (session->files.folder > 0)
        return fcntl(session->files.folder, F_DUPFD_CLOEXEC, 3);
    int fd = open(session->files.workdir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 ||
        (fstat(fd, &facts) == 0 && facts.st_dev == known->device && facts.st_ino == known->inode))
        return fd;

    close(fd);
    errno = ENOENT; /* another one has its name */
    return -1;
}

/* Where a path leads: an open folder, and what is left of the path from there on. */
typedef struct place {
    int folder;
    const char *rest; /* in the path: the last name, or more where folders are missing */
} place;

static size_t first_len(const char *rest)
{
    return strcspn(rest, "/");
}

/* Into the folder that rest begins with. 1: it is not there; an error with its message. */
static int enter_folder(place *p, const snug_session *session, const char *path)
{
    char name[NAME_MAX + 1];
    struct stat facts;
    size_t len = first_len(p->rest);

    snprintf(name, sizeof name, "%.*s", (int)len, p->rest);
    int fd = openat(p->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 1 : report_failure(path);

    int error = SNUG_OK;
    size_t so_far = (size_t)(p->rest - path) + len;
    if (fstat(fd, &facts) != 0)
        error = report_failure(path);
    else if (S_ISLNK(facts.st_mode))
        error = refuse_link(session, path, so_far);
    else if (!S_ISDIR(facts.st_mode))
        error = refuse_path(path, "%.*s is not a folder", shown_bytes(name), name);

    if (error) {
        close(fd);
        return error;
    }

    close(p->folder);
    *p = (place){ fd, p->rest + len + 1 };
    return SNUG_OK;
}

/* The folder that is closed by the caller, also where an error is answered: -1 then. Where
 * folders on the way are missing, rest has slashes. */
static int walk_to(place *out, const snug_session *session, const char *path)
{
    int error = SNUG_OK;

    *out = (place){ files_open_root(session), path };
    if (out->folder < 0)
        return error_system("work directory of session %s", session->name);

    while (!error && out->rest[first_len(out->rest)])
        error = enter_folder(out, session, path);
    if (error >= 0)
        return SNUG_OK;

    close(out->folder);
    out->folder = -1;
    return error;
}

static int is_missing_folder(const place *p)
{
    return strchr(p->rest, '/') != NULL;
}

/* Makes the folders of rest but for its last name. */
static int make_missing_folders(place *p, const snug_session *session, const char *path)
{
    int error = SNUG_OK;

    while (!error && p->rest[first_len(p->rest)]) {
        char name[NAME_MAX + 1];
        snprintf(name, sizeof name, "%.*s", (int)first_len(p->rest), p->rest);
        if (mkdirat(p->folder, name, 0777) != 0 && errno != EEXIST)
            return report_failure(path);
        error = enter_folder(p, session, path);
    }

    if (error > 0)
        return refuse_missing(session, path);
    return error;
}

/* ---- put ---- */

/* Beside the file, under a name that nobody guesses; then it takes the other's place. What a
 * cell's thread that was given up may put there meanwhile is not followed. */
static int put_bytes(const place *p, const char *path, const void *data, size_t len)
{
    char name[40];
    uint64_t number;

    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return error_system("getrandom");
    snprintf(name, sizeof name, ".snug-put-%016" PRIx64, number);
    int fd = openat(p->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return report_failure(path);

    int is_written = file_write_all(fd, data, len) == 0;
    if (close(fd) != 0)
        is_written = 0;
    if (is_written && renameat(p->folder, name, p->folder, p->rest) == 0)
        return SNUG_OK;

    int error = report_failure(path);
    unlinkat(p->folder, name, 0);
    return error;
}

/* Past the process's own limit of a file a write would raise SIGXFSZ, which ends it. */
static int check_file_size(const char *path, size_t len)
{
    struct rlimit file;
    if (getrlimit(RLIMIT_FSIZE, &file) != 0 || file.rlim_cur == RLIM_INFINITY ||
        len <= file.rlim_cur)
        return SNUG_OK;
    errno = EFBIG;
    return error_system("path \"%.*s\": %zu bytes", shown_bytes(path), path, len);
}

/* What stands in the file's place. */
static int check_target(uint64_t *freed, uint64_t *files, const place *p,
                        const snug_session *session, const char *path)
{
    struct stat facts;

    *freed = 0;
    *files = 1;
    for (const char *at = p->rest; (at = strchr(at, '/')); at++)
        ++*files;
    if (*files > 1 || fstatat(p->folder, p->rest, &facts, AT_SYMLINK_NOFOLLOW) != 0)
        return SNUG_OK;
    if (S_ISDIR(facts.st_mode))
        return refuse_path(path, "it is a folder");
    if (S_ISLNK(facts.st_mode) && p->rest == path && mount_of(session, path))
        return refuse_link(session, path, strlen(path));

    *files = 0;
    if (S_ISREG(facts.st_mode) && facts.st_nlink == 1)
        *freed = (uint64_t)facts.st_size;
    return SNUG_OK;
}

static int check_room(snug_session *session, const char *path, size_t len, uint64_t files,
                      uint64_t freed)
{
    const snug_limits *limits = &session->limits;
    disk_begin(&session->files.disk, limits->disk_bytes, limits->disk_files);
    if ((errno = disk_put(&session->files.disk, len, files, freed)) == 0)
        return SNUG_OK;
    return error_system("path \"%.*s\": with %zu bytes more the work directory would be over "
                        "disk_bytes, %" PRIu64 ", or disk_files, %" PRIu64,
                        shown_bytes(path), path, len, limits->disk_bytes, limits->disk_files);
}

int local_put(snug_session *session, const char *path, const void *data, size_t len)
{
    place p;
    uint64_t freed, files;
    int error = walk_to(&p, session, path);
    if (error)
        return error;

    error = check_target(&freed, &files, &p, session, path);
    if (!error)
        error = check_file_size(path, len);
    if (!error)
        error = check_room(session, path, len, files, freed);
    if (!error)
        error = make_missing_folders(&p, session, path);
    if (!error)
        error = put_bytes(&p, path, data, len);

    close(p.folder);
    return error;
}

int snug_session_put_file(snug_session *session, const char *path, const void *data, size_t len)
{
    int error = check_path("snug_session_put_file", path);

    if (!error && !data && len > 0)
        error = error_set(SNUG_EINVAL, "snug_session_put_file: data is NULL");
    if (!error)
        error = session_claim_alive(&session, "snug_session_put_file");
    if (error)
        return session_fail(session, error);
    return session_return(session, session->form->put(session, path, data, len));
}

/* ---- get ---- */

struct snug_file {
    str data;
    const char *mime; /* static */
};

enum { DEFAULT_BYTES = 64 << 20 };

/* A pipe is opened without waiting for who writes to it. */
static int open_entry(int folder, const char *name)
{
    return openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
}

/* By errno. */
static int refuse_open(const snug_session *session, const char *path)
{
    switch (errno) {
    case ENOENT:
        return refuse_missing(session, path);
    case ELOOP:
        return refuse_link(session, path, strlen(path));
    case ENXIO:
        return refuse_path(path, "it is not a file");
    default:
        return report_failure(path);
    }
}

static int open_to_read(int *out, const place *p, const snug_session *session, const char *path)
{
    struct stat facts;
    int fd = open_entry(p->folder, p->rest);
    if (fd < 0)
        return refuse_open(session, path);

    int error = SNUG_OK;
    if (fstat(fd, &facts) != 0)
        error = report_failure(path);
    else if (S_ISDIR(facts.st_mode))
        error = refuse_path(path, "it is a folder");
    else if (!S_ISREG(facts.st_mode))
        error = refuse_path(path, "it is not a file");

    if (error)
        close(fd);
    else
        *out = fd;

    return error;
}

static int refuse_size(const char *path, uint64_t bytes, size_t most)
{
    return refuse_path(path, "it has %" PRIu64 " bytes, and %zu are the most that was asked for",
                       bytes, most);
}

/* It may get longer and shorter meanwhile. */
static int read_bytes(str *out, int fd, const char *path, size_t most)
{
    struct stat facts;

    if (fstat(fd, &facts) != 0)
        return report_failure(path);
    if ((uint64_t)facts.st_size > most)
        return refuse_size(path, (uint64_t)facts.st_size, most);

    for (size_t room = (size_t)facts.st_size + 1;; room = 65536) {
        if (str_reserve(out, room) != SNUG_OK)
            return error_no_memory();
        ssize_t n = read(fd, out->data + out->len, room);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return report_failure(path);
        out->len += (size_t)n;
        out->data[out->len] = '\0';
        if (n == 0)
            return SNUG_OK;
        if (out->len > most)
            return refuse_size(path, out->len, most);
    }
}

static int get_file(snug_file *file, const snug_session *session, const char *path, size_t most)
{
    place p;
    int fd, error = walk_to(&p, session, path);
    if (error)
        return error;

    if (is_missing_folder(&p))
        error = refuse_missing(session, path);
    else
        error = open_to_read(&fd, &p, session, path);

    close(p.folder);
    if (error)
        return error;

    error = read_bytes(&file->data, fd, path, most);
    close(fd);
    file->mime = mime_of_name(path);
    if (!file->mime)
        file->mime = mime_of_bytes(str_text(&file->data), file->data.len);
    return error;
}

int local_get(snug_file **out, snug_session *session, const char *path, size_t most)
{
    snug_file *file = calloc(1, sizeof *file);
    if (!file)
        return error_no_memory();

    int error = get_file(file, session, path, most);
    if (error)
        snug_file_free(file);
    else
        *out = file;

    return error;
}

int snug_session_get_file(snug_file **out, snug_session *session, const char *path,
                          size_t max_bytes)
{
    int error = check_path("snug_session_get_file", path);

    if (!out)
        error = error_set(SNUG_EINVAL, "snug_session_get_file: out is NULL");
    if (error || (error = session_claim(&session, "snug_session_get_file")))
        return session_fail(session, error);

    return session_return(
        session, session->form->get(out, session, path, max_bytes ? max_bytes : DEFAULT_BYTES));
}

const char *snug_file_data(const snug_file *file, size_t *len)
{
    if (len)
        *len = file->data.len;
    return str_text(&file->data);
}

const char *snug_file_mime(const snug_file *file)
{
    return file->mime;
}

void snug_file_free(snug_file *file)
{
    if (file)
        str_free(&file->data);
    free(file);
}

void file_pack(packer *p, const snug_file *file)
{
    pack_bytes(p, str_text(&file->data), file->data.len);
}

int file_unpack(snug_file **out, unpacker *u, const char *path)
{
    size_t len;
    const char *data = unpack_bytes(u, &len);

    u->is_bad |= u->left > 0;
    snug_file *file = u->is_bad ? NULL : calloc(1, sizeof *file);
    if (!file || str_append(&file->data, data, len)) {
        snug_file_free(file);
        return u->is_bad ? SNUG_EINVAL : SNUG_ENOMEM;
    }

    file->mime = mime_of_name(path);
    if (!file->mime)
        file->mime = mime_of_bytes(data, len);
    *out = file;
    return SNUG_OK;
}

const char *files_mime(int folder, const char *name)
{
    char bytes[MIME_BYTES];
    struct stat facts;
    const char *mime = mime_of_name(name);
    if (mime)
        return mime;

    ssize_t len = -1;
    int fd = open_entry(folder, name);
    if (fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode))
        len = read(fd, bytes, sizeof bytes);
    if (fd >= 0)
        close(fd);
    if (len < 0)
        return "application/octet-stream";
    return mime_of_bytes(bytes, (size_t)len);
}

/* ---- remove ---- */

static int remove_at(const place *p, const snug_session *session, const char *path)
{
    struct stat facts;

    if (is_missing_folder(p))
        return refuse_missing(session, path);
    if (fstatat(p->folder, p->rest, &facts, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? refuse_missing(session, path) : report_failure(path);
    if (S_ISLNK(facts.st_mode) && p->rest == path && mount_of(session, path))
        return refuse_link(session, path, strlen(path));

    errno = tree_remove_at(p->folder, p->rest);
    if (errno)
        return report_failure(path);
    return SNUG_OK;
}

int local_remove(snug_session *session, const char *path)
{
    place p;
    int error = walk_to(&p, session, path);
    if (!error) {
        error = remove_at(&p, session, path);
        close(p.folder);
    }
    return error;
}

int snug_session_remove_file(snug_session *session, const char *path)
{
    int error = check_path("snug_session_remove_file", path);
    if (error || (error = session_claim(&session, "snug_session_remove_file")))
        return session_fail(session, error);
    return session_return(session, session->form->remove(session, path));
}
