#include "capture/spill.h"

#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the place ---- */

void spill_place_init(spill_place *place, const char *dir)
{
    struct stat facts;
    *place = (spill_place){ 0 };
    if (!dir || stat(dir, &facts) != 0)
        return;
    place->dir = dir;
    place->device = facts.st_dev;
    place->inode = facts.st_ino;
}

/* Open only for a moment: a descriptor for each of thousands of sessions would be too many. */
static int open_dir(const spill_place *place)
{
    struct stat facts;

    if (!place->dir)
        return -1;

    int dir = open(place->dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return -1;

    if (fstat(dir, &facts) == 0 && facts.st_dev == place->device && facts.st_ino == place->inode)
        return dir;
    close(dir);
    return -1;
}

static uint64_t place_left(const spill_place *place)
{
    return place->limit_bytes > place->used_bytes ? place->limit_bytes - place->used_bytes : 0;
}

/* ---- the file ---- */

/* A session that is reset counts its cells from one again. */
enum { MOST_TRIES = 100 };

/* The descriptor of a new file, whose name is then s->name, or -1. */
static int make_spill(spill *s, int dir, const char *prefix, uint64_t number)
{
    static const int flags = O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

    for (int i = 1; i <= MOST_TRIES; i++) {
        char suffix[16] = "";
        if (i > 1)
            snprintf(suffix, sizeof suffix, "-%d", i);
        snprintf(s->name, sizeof s->name, "%s-%" PRIu64 "%s.txt", prefix, number, suffix);

        int fd = openat(dir, s->name, flags, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }

    return -1;
}

/* Past the process's own limit of a file a write would raise SIGXFSZ, which ends it. */
static uint64_t find_file_limit(void)
{
    struct rlimit file;
    if (getrlimit(RLIMIT_FSIZE, &file) != 0 || file.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return file.rlim_cur;
}

void spill_begin(spill *s, spill_place *place, const char *prefix, uint64_t number)
{
    if (s->state != SPILL_READY)
        return;

    s->state = SPILL_NONE;
    s->place = place;
    s->bytes = 0;
    s->buffered = 0;
    s->most_bytes = find_file_limit();
    if (place->room && !place->has_asked)
        place->limit_bytes = place->room(place->payload);
    place->has_asked = 1;
    if (!place_left(place) || !s->most_bytes)
        return;

    s->buffer = malloc(SPILL_BUFFER_BYTES);
    if (!s->buffer)
        return;

    int dir = open_dir(place);
    if (dir < 0)
        return;

    s->fd = make_spill(s, dir, prefix, number);
    if (s->fd >= 0)
        s->state = SPILL_OPEN;
    close(dir);
}

/* The guest may have given the name to another file. */
static int is_still_named(const spill *s, int dir)
{
    struct stat ours, named;
    if (fstat(s->fd, &ours) != 0 || fstatat(dir, s->name, &named, AT_SYMLINK_NOFOLLOW) != 0)
        return 0;
    return ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

static void unlink_spill(const spill *s)
{
    int dir = open_dir(s->place);
    if (dir < 0)
        return;

    if (is_still_named(s, dir))
        unlinkat(dir, s->name, 0);
    close(dir);
}

/* It could not be written: there is no file, and its bytes are no longer counted. */
static void give_up_file(spill *s)
{
    unlink_spill(s);
    close(s->fd);
    s->place->used_bytes -= s->bytes;
    s->state = SPILL_NONE;
}

/* The file ends with what is written already: the last bytes of the buffer are left out. */
static void end_at_written(spill *s, size_t unwritten)
{
    s->bytes -= unwritten;
    s->place->used_bytes -= unwritten;
    s->buffered = 0;
    s->state = SPILL_FULL;
}

/* ---- writing ---- */

/* Writes the buffer but for the start of a character at its end. */
static void flush_buffer(spill *s)
{
    size_t whole = utf8_whole(s->buffer, s->buffered), at = 0, most = whole;

    while (at < whole) {
        size_t part = most < whole - at ? most : whole - at;
        ssize_t n = write(s->fd, s->buffer + at, part);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EDQUOT && part > 1) {
            most = part / 2; /* a quota refuses the whole of it: what fits is kept */
            continue;
        }
        if (n < 0 && errno == EDQUOT) {
            end_at_written(s, s->buffered - at);
            return;
        }
        if (n <= 0) {
            give_up_file(s);
            return;
        }
        at += (size_t)n;
    }

    memmove(s->buffer, s->buffer + whole, s->buffered - whole);
    s->buffered -= whole;
}

static uint64_t file_left(const spill *s)
{
    uint64_t of_place = place_left(s->place), of_file = s->most_bytes - s->bytes;
    return of_place < of_file ? of_place : of_file;
}

void spill_write(spill *s, const char *text, size_t len)
{
    while (len > 0 && s->state == SPILL_OPEN) {
        uint64_t most = file_left(s);
        size_t part = SPILL_BUFFER_BYTES - s->buffered;
        part = part < len ? part : len;
        part = part < most ? part : (size_t)most;
        if (part == 0) {
            spill_end(s);
            return;
        }

        memcpy(s->buffer + s->buffered, text, part);
        s->buffered += part;
        s->bytes += part;
        s->place->used_bytes += part;
        text += part;
        len -= part;
        if (s->buffered == SPILL_BUFFER_BYTES)
            flush_buffer(s);
    }
}

void spill_end(spill *s)
{
    if (s->state == SPILL_OPEN)
        s->state = SPILL_FULL;
}

/* Of a file that is open or full. */
static void close_file(spill *s)
{
    flush_buffer(s);
    if (s->state == SPILL_NONE) /* it was given up */
        return;

    /* What is left is the start of a character. */
    s->bytes -= s->buffered;
    s->place->used_bytes -= s->buffered;
    close(s->fd);
    s->state = SPILL_CLOSED;
}

void spill_close(spill *s)
{
    if (s->state == SPILL_OPEN || s->state == SPILL_FULL)
        close_file(s);
    else if (s->state == SPILL_READY)
        s->state = SPILL_NONE;

    free(s->buffer);
    s->buffer = NULL;
}

const char *spill_name(const spill *s)
{
    return s->state == SPILL_CLOSED ? s->name : NULL;
}
