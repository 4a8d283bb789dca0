#include "cli/editor/history_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "cli/editor/pasted.h"

static const char old_head[] = "_HiStOrY_V2_";

enum { MOST_FILE_BYTES = 64 << 20 };

/* ---- entries ---- */

static int is_octal(const char *text, size_t len)
{
    for (size_t i = 0; i < 3; i++)
        if (i >= len || text[i] < '0' || text[i] > '7')
            return 0;
    return 1;
}

/* libedit writes \040 for a blank and \^J for a control character. */
static int take_escape(str *out, const char *text, size_t len, int is_old, size_t *used)
{
    char c = len > 1 ? text[1] : '\\';

    *used = len > 1 ? 2 : 1;
    if (is_old && is_octal(text + 1, len - 1)) {
        c = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0'));
        *used = 4;
    } else if (c == 'n') {
        c = '\n';
    } else if (is_old && c == 't') {
        c = '\t';
    }
    return str_append(out, &c, 1);
}

static void add_line(entries *h, const char *line, size_t len, int is_old)
{
    str raw = { 0 }, clean = { 0 };
    int error = 0;

    for (size_t at = 0, used; at < len && !error; at += used) {
        used = 1;
        if (line[at] == '\\')
            error = take_escape(&raw, line + at, len - at, is_old, &used);
        else
            error = str_append(&raw, line + at, 1);
    }

    if (!error && pasted_clean(&clean, str_text(&raw), raw.len) == 0)
        entries_add(h, str_text(&clean), clean.len);
    str_free(&raw);
    str_free(&clean);
}

void history_file_parse(entries *h, const char *text, size_t len, int *is_old)
{
    const char *end = text + len;

    *is_old = len >= sizeof old_head - 1 && memcmp(text, old_head, sizeof old_head - 1) == 0;
    for (int is_first = 1; text < end; is_first = 0) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t line = (size_t)((stop ? stop : end) - text);
        if (!is_first || !*is_old)
            add_line(h, text, line, *is_old);
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

/* A descriptor whose file no other prompt reads or writes, and which is still at path; -1: none. */
static int open_locked(const char *path, int flags)
{
    for (int turn = 0; turn < 10; turn++) {
        struct stat ours, there;
        int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0)
            return -1;
        if (!fstat(fd, &ours) && S_ISREG(ours.st_mode) && !flock(fd, LOCK_EX) &&
            !stat(path, &there) && there.st_ino == ours.st_ino && there.st_dev == ours.st_dev)
            return fd;
        close(fd);
    }
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
    int is_old = 0, fd = open_locked(path, O_RDWR);

    if (fd < 0)
        return;
    if (read_whole(&all, fd) == 0) {
        history_file_parse(h, str_text(&all), all.len, &is_old);
        size_t lines = 0;
        for (size_t i = 0; i < all.len; i++)
            lines += all.data[i] == '\n';
        if (is_old || lines > 2 * (size_t)ENTRIES_MOST || all.len > 2 * (size_t)ENTRIES_MOST_BYTES)
            rewrite(h, path);
    }

    close(fd);
    str_free(&all);
}

void history_file_add(const char *path, const char *text, size_t len)
{
    str line = { 0 };
    int fd = open_locked(path, O_WRONLY | O_APPEND | O_CREAT);

    if (fd < 0)
        return;
    if (put_entry(&line, text, len) == 0)
        file_write_all(fd, line.data, line.len); /* one that cannot be written is not kept */
    close(fd);
    str_free(&line);
}
