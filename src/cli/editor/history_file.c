#include "cli/editor/history_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "cli/editor/pasted.h"

enum { MOST_FILE_BYTES = 64 << 20, LOCK_MS = 1000, LOOK_MS = 2 };

/* ---- entries ---- */

static void add_line(entries *h, const char *line, size_t len)
{
    str raw = { 0 }, clean = { 0 };
    int error = 0;

    for (size_t at = 0; at < len && !error; at++) {
        const size_t is_escaped = line[at] == '\\' && at + 1 < len;
        at += is_escaped;
        error = str_append(&raw, is_escaped && line[at] == 'n' ? "\n" : line + at, 1);
    }

    if (!error && pasted_clean(&clean, str_text(&raw), raw.len) == 0)
        entries_add(h, str_text(&clean), clean.len);
    str_free(&raw);
    str_free(&clean);
}

void history_file_parse(entries *h, const char *text, size_t len)
{
    const char *end = text + len;

    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t line = (size_t)((stop ? stop : end) - text);
        add_line(h, text, line);
        text += line + 1;
    }
}

static int put_entry(str *out, const char *text, size_t len)
{
    int error = 0;

    for (size_t i = 0; i < len && !error; i++) {
        if (text[i] == '\n')
            error = str_add(out, "\\n");
        else if (text[i] == '\\')
            error = str_add(out, "\\\\");
        else
            error = str_append(out, text + i, 1);
    }
    return error ? error : str_add(out, "\n");
}

/* ---- files ---- */

/* For as long as it takes to add a line; who holds it for longer does not do that. */
static int lock_file(int fd)
{
    uint64_t until = clock_deadline_ns(clock_now_ns(), LOCK_MS);

    while (flock(fd, LOCK_EX | LOCK_NB)) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return -1;
        if (clock_now_ns() >= until) {
            errno = EWOULDBLOCK;
            return -1;
        }
        poll(NULL, 0, LOOK_MS);
    }
    return 0;
}

/* A descriptor whose file no other prompt reads or writes, and which is still at path; -1: none,
 * with errno, which is 0 where the file is not private: there is a message then. */
static int open_locked(const char *path, int flags)
{
    for (int turn = 0; turn < 10; turn++) {
        struct stat ours, there;
        int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
        if (fd < 0)
            return -1;
        errno = 0; /* where it is not private */
        int failed = fstat(fd, &ours) || file_check_private(&ours, path) || lock_file(fd);
        if (!failed && !stat(path, &there) && there.st_ino == ours.st_ino &&
            there.st_dev == ours.st_dev)
            return fd;
        int why = errno;
        close(fd);
        errno = why;
        if (failed)
            return -1;
    }
    errno = EBUSY;
    return -1;
}

static int read_whole(str *out, int fd)
{
    struct stat found;
    ssize_t got = 1;

    if (fstat(fd, &found) || found.st_size > MOST_FILE_BYTES ||
        str_reserve(out, (size_t)found.st_size))
        return -1;
    while (got > 0 && out->len < (size_t)found.st_size) {
        got = read(fd, out->data + out->len, (size_t)found.st_size - out->len);
        out->len += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

/* The lock is held: the others wait for it, and find another file afterwards. */
static void rewrite(const entries *h, const char *path)
{
    str all = { 0 };
    int error = 0;

    for (size_t i = 0; i < h->count && !error; i++)
        error = put_entry(&all, h->items[i], strlen(h->items[i]));
    struct iovec piece = { all.data, all.len };
    if (!error)
        file_replace(path, &piece, all.len > 0 ? 1 : 0);
    str_free(&all);
}

void history_file_load(entries *h, const char *path)
{
    str all = { 0 };
    int fd = open_locked(path, O_RDWR), is_locked = fd >= 0;

    if (fd < 0)
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return;
    if (read_whole(&all, fd) == 0) {
        history_file_parse(h, str_text(&all), all.len);
        size_t lines = 0;
        for (size_t i = 0; i < all.len; i++)
            lines += all.data[i] == '\n';
        if (is_locked &&
            (lines > 2 * (size_t)ENTRIES_MOST || all.len > 2 * (size_t)ENTRIES_MOST_BYTES))
            rewrite(h, path);
    }

    close(fd);
    str_free(&all);
}

/* Whether the last line has an end: somebody else may have written it, or been killed. */
static int is_line_open(int fd, off_t size)
{
    char last = '\n';
    return size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

/* The lock is held. 0, or an errno: then nothing of the line is there. */
static int append_line(int fd, const char *text, size_t len)
{
    str line = { 0 };
    struct stat found;
    int error = 0;

    if (fstat(fd, &found))
        return errno;
    if ((is_line_open(fd, found.st_size) && str_add(&line, "\n")) || put_entry(&line, text, len)) {
        error = ENOMEM;
    } else if (file_write_all(fd, line.data, line.len)) {
        error = errno;
        if (ftruncate(fd, found.st_size))
            error = errno;
    }
    str_free(&line);
    return error;
}

const char *history_file_add(const char *path, const char *text, size_t len)
{
    int fd = open_locked(path, O_RDWR | O_APPEND | O_CREAT);

    if (fd < 0 && errno == 0)
        return error_message();
    if (fd < 0)
        return errno == EWOULDBLOCK ? "another process holds it" : strerror(errno);
    int error = append_line(fd, text, len);
    close(fd);
    return error ? strerror(error) : NULL;
}
