#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/error.h"

static int write_all(int fd, const char *at, size_t len)
{
    while (len > 0) {
        ssize_t written = write(fd, at, len);
        if (written < 0 && errno != EINTR)
            return -1;
        at += written > 0 ? written : 0;
        len -= written > 0 ? (size_t)written : 0;
    }
    return 0;
}

void file_sync_folder(const char *path)
{
    char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;

    if (slash)
        slash[slash == folder] = '\0';
    int fd = folder ? open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

static int fill(int fd, const struct iovec *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (write_all(fd, pieces[i].iov_base, pieces[i].iov_len) != 0)
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

int file_replace(const char *path, const struct iovec *pieces, size_t count)
{
    str name = { 0 };
    int refused = check_place(path);
    if (refused)
        return refused;

    if (str_printf(&name, "%s.XXXXXX", path) != SNUG_OK)
        return error_no_memory();
    int fd = mkostemp(name.data, O_CLOEXEC), error = SNUG_OK;
    if (fd < 0) {
        error = error_system("%s", path);
    } else {
        int failed = fill(fd, pieces, count) != 0;
        int why = errno;
        if (close(fd) != 0 && !failed)
            failed = 1, why = errno;
        if (!failed && rename(name.data, path) != 0)
            failed = 1, why = errno;
        if (failed) {
            unlink(name.data);
            errno = why;
            error = error_system("%s", path);
        } else {
            file_sync_folder(path);
        }
    }

    str_free(&name);
    return error;
}

static int read_from(str *out, int fd, const char *path, uint64_t most_bytes)
{
    struct stat facts;

    if (fstat(fd, &facts) != 0)
        return error_system("%s", path);
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
        if (got < 0 && errno != EINTR)
            return error_system("%s", path);
        if (got == 0)
            break; /* it was made shorter meanwhile */
        out->len += got > 0 ? (size_t)got : 0;
        left -= got > 0 ? (size_t)got : 0;
    }

    out->data[out->len] = '\0';
    return SNUG_OK;
}

int file_read(str *out, const char *path, uint64_t most_bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_system("%s", path);
    int error = read_from(out, fd, path, most_bytes);
    close(fd);
    return error;
}
