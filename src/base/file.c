#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/error.h"

int file_write_all(int fd, const void *data, size_t len)
{
    const char *at = data;

    while (len > 0) {
        ssize_t written = write(fd, at, len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -1;
        at += written;
        len -= (size_t)written;
    }

    return 0;
}

void file_sync_folder(const char *path)
{
    char *folder = strdup(path);
    if (!folder)
        return;

    const char *name = ".";
    char *slash = strrchr(folder, '/');
    if (slash) {
        slash[slash == folder] = '\0'; /* of "/name" the slash stays */
        name = folder;
    }

    int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

/* A part of a file that may be stopped is on the disk before the next one: else the last fsync,
 * which nothing stops, would take as long as all of it. */
#define PART_BYTES ((size_t)8 << 20)

static int write_piece(int fd, const char *at, size_t len, const _Atomic int *is_stopped)
{
    for (size_t part; len > 0; at += part, len -= part) {
        part = is_stopped && len > PART_BYTES ? PART_BYTES : len;
        errno = ECANCELED;
        if ((is_stopped && atomic_load(is_stopped)) || file_write_all(fd, at, part) != 0 ||
            (part < len && fdatasync(fd) != 0))
            return -1;
    }

    return 0;
}

static int write_and_sync(int fd, const struct iovec *pieces, size_t count,
                          const _Atomic int *is_stopped)
{
    for (size_t i = 0; i < count; i++)
        if (write_piece(fd, pieces[i].iov_base, pieces[i].iov_len, is_stopped) != 0)
            return -1;
    return fsync(fd);
}

/* A rename takes the place of a device too, or of a link to one. */
static int check_place(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) != 0 || S_ISREG(facts.st_mode))
        return SNUG_OK;
    return error_set(SNUG_EINVAL, "%s exists and is not a file", path);
}

/* Past the process's own limit of a file a write would raise SIGXFSZ, which ends it. 0, or -1 with
 * errno. */
static int check_file_limit(const struct iovec *pieces, size_t count)
{
    struct rlimit most;
    uint64_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += pieces[i].iov_len;
    if (getrlimit(RLIMIT_FSIZE, &most) || most.rlim_cur == RLIM_INFINITY || bytes <= most.rlim_cur)
        return 0;
    errno = EFBIG;
    return -1;
}

/* Gives the file of that descriptor, which is closed, the pieces and then the other name; -1 with
 * errno. */
static int finish_file(int fd, const char *name, const char *path, const struct iovec *pieces,
                       size_t count, const _Atomic int *is_stopped)
{
    if (write_and_sync(fd, pieces, count, is_stopped) != 0) {
        int why = errno;
        close(fd);
        errno = why;
        return -1;
    }

    if (close(fd) != 0)
        return -1;

    return rename(name, path);
}

int file_replace_unless(const char *path, const struct iovec *pieces, size_t count,
                        const _Atomic int *is_stopped)
{
    str name = { 0 };
    int error = check_place(path);
    if (error)
        return error;

    if (check_file_limit(pieces, count))
        return error_system("%s", path);
    if (str_printf(&name, "%s.XXXXXX", path) != SNUG_OK)
        return error_no_memory();

    int fd = mkostemp(name.data, O_CLOEXEC);
    if (fd < 0) {
        error = error_system("%s", path);
        goto done;
    }

    if (finish_file(fd, name.data, path, pieces, count, is_stopped) != 0) {
        int why = errno;
        error = why == ECANCELED ? error_set(SNUG_ESTOPPED, "writing %s was interrupted", path)
                                 : error_system("%s", path);
        unlink(name.data);
        errno = why;
        goto done;
    }

    file_sync_folder(path);

done:
    str_free(&name);
    return error;
}

int file_replace(const char *path, const struct iovec *pieces, size_t count)
{
    return file_replace_unless(path, pieces, count, NULL);
}

static int read_from(str *out, int fd, const char *path, uint64_t most_bytes, int is_private)
{
    struct stat facts;

    if (fstat(fd, &facts) != 0)
        return error_system("%s", path);
    int error = is_private ? file_check_private(&facts, path) : SNUG_OK;
    if (error)
        return error;
    if (!S_ISREG(facts.st_mode))
        return error_set(SNUG_EINVAL, "%s is not a file", path);
    if ((uint64_t)facts.st_size > most_bytes)
        return error_set(SNUG_EINVAL, "%s has more than %llu bytes", path,
                         (unsigned long long)most_bytes);

    size_t left = (size_t)facts.st_size;
    if (str_reserve(out, left) != SNUG_OK)
        return error_no_memory();

    while (left > 0) {
        ssize_t got = read(fd, out->data + out->len, left);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_system("%s", path);
        if (got == 0)
            break; /* it was made shorter meanwhile */
        out->len += (size_t)got;
        left -= (size_t)got;
    }

    out->data[out->len] = '\0';
    return SNUG_OK;
}

/* O_NOFOLLOW, unless the path is a link that nobody else can have put there. */
static int flag_for_links(const char *path)
{
    struct stat name;
    const int is_link = lstat(path, &name) == 0 && S_ISLNK(name.st_mode);
    return is_link && (name.st_uid == 0 || name.st_uid == geteuid()) ? 0 : O_NOFOLLOW;
}

static int read_path(str *out, const char *path, uint64_t most_bytes, int is_private)
{
    const int flags = is_private ? flag_for_links(path) : 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
    if (fd < 0)
        return error_system("%s", path);
    int error = read_from(out, fd, path, most_bytes, is_private);
    close(fd);
    return error;
}

int file_read(str *out, const char *path, uint64_t most_bytes)
{
    return read_path(out, path, most_bytes, 0);
}

int file_read_private(str *out, const char *path, uint64_t most_bytes)
{
    return read_path(out, path, most_bytes, 1);
}

/* What a link such as /dev/fd/3 leads to was given to this process. */
static int check_opened(int fd, const char *path, struct stat *facts, int follows)
{
    if (fd < 0 && errno == ENXIO)
        return error_set(SNUG_ESYSTEM, "%s: it is a pipe that nobody reads", path);
    if (fd < 0 ? errno != ELOOP || lstat(path, facts) != 0 : fstat(fd, facts) != 0)
        return error_system("%s", path);
    if (S_ISCHR(facts->st_mode) || (S_ISFIFO(facts->st_mode) && follows))
        return SNUG_OK;
    return file_check_private(facts, path);
}

int file_open_private(int *fd, const char *path, struct stat *facts)
{
    int flags = O_APPEND | O_CLOEXEC | O_NOCTTY | flag_for_links(path);

    /* To write alone: opened to read too, a pipe would have a reader that never reads. */
    if (stat(path, facts) != 0 || S_ISREG(facts->st_mode))
        flags |= O_RDWR | O_CREAT | O_NOFOLLOW;
    else
        flags |= S_ISFIFO(facts->st_mode) ? O_WRONLY | O_NONBLOCK : O_WRONLY;

    *fd = open(path, flags, 0600);
    const int error = check_opened(*fd, path, facts, !(flags & O_NOFOLLOW));
    if (error && *fd >= 0) {
        close(*fd);
        *fd = -1;
    }
    return error;
}

int file_open_null(void)
{
    int ends[2];
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (null >= 0 || pipe2(ends, O_CLOEXEC) != 0)
        return null;
    close(ends[1]);
    return ends[0];
}

int file_check_private(const struct stat *facts, const char *path)
{
    if (!S_ISREG(facts->st_mode) && !S_ISFIFO(facts->st_mode))
        return error_set(SNUG_EPOLICY,
                         "%s is a link, or no file: what is private is not written there", path);
    if (facts->st_uid != geteuid() || (facts->st_mode & 077) || facts->st_nlink > 1)
        return error_set(SNUG_EPOLICY,
                         "%s is not private (mode %04o, user %lu, %lu names): it must be your own, "
                         "with one name and no access for others; chmod 600 removes that",
                         path, (unsigned)(facts->st_mode & 07777), (unsigned long)facts->st_uid,
                         (unsigned long)facts->st_nlink);
    return SNUG_OK;
}
