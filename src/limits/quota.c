/*
 * quota.c - the functions of the C library that make files and make them longer, as a program
 * of ours defines them itself (see interpose.h): on a session's thread they ask its disk
 * account first. CPython and SQLite call no others.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/settled.h"
#include "limits/disk.h"
#include "limits/guard.h"

#define EXPORT   __attribute__((visibility("default")))
#define CALLER() __builtin_return_address(0)
#define FRAME()  __builtin_frame_address(0)

/* return type, name, parameters */
#define FUNCTIONS(X)                                                      \
    X(int, open, (const char *, int, ...))                                \
    X(int, open64, (const char *, int, ...))                              \
    X(int, mkdir, (const char *, mode_t))                                 \
    X(ssize_t, write, (int, const void *, size_t))                        \
    X(ssize_t, writev, (int, const struct iovec *, int))                  \
    X(ssize_t, pwrite64, (int, const void *, size_t, off_t))              \
    X(ssize_t, pwritev64v2, (int, const struct iovec *, int, off_t, int)) \
    X(int, ftruncate64, (int, off_t))                                     \
    X(int, posix_fallocate64, (int, off_t, off_t))

/* Written once, before main (see interpose.c). */
#define MEMBER(result, name, parameters) result(*name) parameters;
static SETTLED union {
    struct {
        FUNCTIONS(MEMBER)
        int is_whole; /* all were found: it is not written again */
    };
    char room[SETTLED_BYTES];
} libc;

__attribute__((constructor)) static void look_up(void)
{
    static const char *const names[] = {
#define NAME(result, name, parameters) #name,
        FUNCTIONS(NAME)
    };
    void **found = (void **)&libc;
    int is_whole = 1;
    if (libc.is_whole)
        return;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        found[i] = dlsym(RTLD_NEXT, names[i]);
        is_whole &= found[i] != NULL;
    }

    libc.is_whole = is_whole;
    if (is_whole)
        settled_seal(&libc);
}

#define LIBC(name) (__builtin_expect(!libc.name, 0) ? (look_up(), libc.name) : libc.name)

/* ---- asking ---- */

/* NULL on the host's threads. */
static guard *counted(void)
{
    guard *g = guard_here;
    return g && g->disk ? g : NULL;
}

static int set_errno(int error)
{
    errno = error;
    return -1;
}

/* A walk through the folder may come of it, which must not be torn. */
#define ASK(question)                       \
    do {                                    \
        g->no_jump++;                       \
        error = question;                   \
        g->no_jump--;                       \
        guard_settle(g, CALLER(), FRAME()); \
    } while (0)

#define WRITE(call, fd, offset, bytes)                       \
    do {                                                     \
        guard *g = counted();                                \
        int error = 0;                                       \
        if (g)                                               \
            ASK(disk_write(g->disk, (fd), (offset), bytes)); \
        if (error)                                           \
            return set_errno(error);                         \
        return LIBC call;                                    \
    } while (0)

static uint64_t total(const struct iovec *parts, int count)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += parts[i].iov_len;
    return sum;
}

/* ---- longer ---- */

EXPORT ssize_t write(int fd, const void *bytes, size_t len)
{
    WRITE((write)(fd, bytes, len), fd, -1, len);
}

EXPORT ssize_t writev(int fd, const struct iovec *parts, int count)
{
    WRITE((writev)(fd, parts, count), fd, -1, total(parts, count));
}

EXPORT ssize_t pwrite64(int fd, const void *bytes, size_t len, off_t at)
{
    WRITE((pwrite64)(fd, bytes, len, at), fd, at, len);
}

EXPORT ssize_t pwritev64v2(int fd, const struct iovec *parts, int count, off_t at, int flags)
{
    WRITE((pwritev64v2)(fd, parts, count, at, flags), fd, at, total(parts, count));
}

EXPORT int ftruncate64(int fd, off_t len)
{
    WRITE((ftruncate64)(fd, len), fd, 0, len > 0 ? (uint64_t)len : 0);
}

/* Answers its error. */
EXPORT int posix_fallocate64(int fd, off_t at, off_t len)
{
    guard *g = counted();
    int error = 0;
    if (g && at >= 0 && len > 0)
        ASK(disk_write(g->disk, fd, at, (uint64_t)len));
    if (error)
        return error;
    return LIBC(posix_fallocate64)(fd, at, len);
}

/* ---- more ---- */

/* Where no file may be made, one that is there can still be opened. */
#define OPEN(name)                                                                \
    do {                                                                          \
        va_list rest;                                                             \
        guard *g = counted();                                                     \
        int error = 0, wanted = flags;                                            \
        va_start(rest, flags);                                                    \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest);                                                             \
        if (g && (flags & O_CREAT)) {                                             \
            ASK(disk_create(g->disk));                                            \
            if (error && (flags & O_EXCL))                                        \
                return set_errno(error);                                          \
            if (error)                                                            \
                wanted &= ~O_CREAT;                                               \
        }                                                                         \
        int fd = LIBC(name)(path, wanted, mode);                                  \
        if (fd < 0 && error && errno == ENOENT)                                   \
            errno = error;                                                        \
        return fd;                                                                \
    } while (0)

EXPORT int open(const char *path, int flags, ...)
{
    OPEN(open);
}

EXPORT int open64(const char *path, int flags, ...)
{
    OPEN(open64);
}

EXPORT int mkdir(const char *path, mode_t mode)
{
    guard *g = counted();
    int error = 0;
    if (g)
        ASK(disk_create(g->disk));
    if (error)
        return set_errno(error);
    return LIBC(mkdir)(path, mode);
}
