#include "limits/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/u64.h"

int disk_open(disk_account *d, const char *dir, int has_files)
{
    struct stat facts;

    *d = (disk_account){ .lock = PTHREAD_MUTEX_INITIALIZER,
                         .dir = dir,
                         .limit = { UINT64_MAX, UINT64_MAX } };
    if (stat(dir, &facts) != 0)
        return errno;

    d->device = facts.st_dev;
    d->is_new = !has_files;
    d->is_touched = 1;
    return 0;
}

void disk_begin(disk_account *d, uint64_t bytes, uint64_t files)
{
    d->limit = (tree_usage){ bytes, files };
}

void disk_touch(disk_account *d)
{
    atomic_store_explicit(&d->is_touched, 1, memory_order_relaxed);
}

/* ---- looking ---- */

/* A file that was deleted while it is open takes room until it is closed. */
static uint64_t measure_deleted(const disk_account *d, int fd)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode))
        return 0;
    if (facts.st_nlink > 0 || facts.st_dev != d->device)
        return 0;
    return (uint64_t)facts.st_size;
}

/* poll tells which numbers are of open descriptors, many at a time. The kernel gives the lowest
 * that is free: past MOST_NUMBERS there is none before that many files are open at once. Containers
 * may allow 2^30 of them, and to ask for each would take seconds. */
static uint64_t sum_deleted(const disk_account *d)
{
    enum { AT_ONCE = 512, MOST_NUMBERS = 1 << 20 };
    struct pollfd some[AT_ONCE];
    struct rlimit most;
    uint64_t sum = 0;
    if (getrlimit(RLIMIT_NOFILE, &most) != 0)
        return 0;

    rlim_t end = u64_least(most.rlim_cur, MOST_NUMBERS);
    for (rlim_t first = 0; first < end; first += AT_ONCE) {
        for (int i = 0; i < AT_ONCE; i++)
            some[i] = (struct pollfd){ .fd = (int)first + i };
        rlim_t left = end - first;
        nfds_t count = left < AT_ONCE ? left : AT_ONCE;
        if (poll(some, count, 0) < 0)
            return sum;
        for (nfds_t i = 0; i < count; i++)
            if (!(some[i].revents & POLLNVAL))
                sum += measure_deleted(d, some[i].fd);
    }

    return sum;
}

static void measure_used(disk_account *d)
{
    tree_usage now;
    if (tree_measure(&now, d->dir) != 0)
        now = (tree_usage){ UINT64_MAX, UINT64_MAX };
    else if (d->sees_open_files)
        now.bytes += sum_deleted(d);
    d->used = now;
}

/* ---- asking ---- */

/* 0 where nothing is counted; else the account is ready, and locked until unlock_account. */
static int lock_counted(disk_account *d)
{
    if (!d->dir)
        return 0;
    pthread_mutex_lock(&d->lock);
    if (!d->is_new) {
        tree_measure(&d->before, d->dir); /* what is too deep to see now is too deep later */
        d->used = d->before;
        d->is_new = 1;
    }

    return 1;
}

static void unlock_account(disk_account *d)
{
    pthread_mutex_unlock(&d->lock);
}

static int bytes_fit(const disk_account *d, uint64_t more)
{
    return u64_sum(d->used.bytes, more) <= u64_sum(d->limit.bytes, d->before.bytes);
}

static int files_fit(const disk_account *d, uint64_t more)
{
    return u64_sum(d->used.files, more) <= u64_sum(d->limit.files, d->before.files);
}

static void add_used(disk_account *d, uint64_t bytes, uint64_t files)
{
    d->used.bytes = u64_sum(d->used.bytes, bytes);
    d->used.files = u64_sum(d->used.files, files);
}

/* How much longer the file gets by that, if the write does not begin at its end; as much as is
 * written where that is not known. */
static uint64_t measure_growth(int fd, off_t offset, uint64_t bytes)
{
    struct stat facts;

    if (fstat(fd, &facts) != 0)
        return bytes;
    if (!S_ISREG(facts.st_mode))
        return 0;

    if (offset < 0)
        offset = lseek(fd, 0, SEEK_CUR);
    if (offset < 0)
        return bytes;
    uint64_t end = u64_sum((uint64_t)offset, bytes), size = (uint64_t)facts.st_size;
    return end > size ? end - size : 0;
}

static int is_appending(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags < 0 || (flags & O_APPEND);
}

/* This and its like below hold the lock. 0: it fits, and is counted; or EDQUOT. */
static int count_write(disk_account *d, int fd, off_t offset, uint64_t bytes)
{
    /* More than bytes, where the write leaves a hole. */
    uint64_t longer = measure_growth(fd, offset, bytes);

    if (longer < bytes && is_appending(fd))
        longer = bytes;
    if (longer > 0 && !bytes_fit(d, longer)) {
        measure_used(d);
        if (!bytes_fit(d, longer))
            return EDQUOT;
    }

    add_used(d, longer, 0);
    return 0;
}

int disk_write(disk_account *d, int fd, off_t offset, uint64_t bytes)
{
    disk_touch(d);
    if (bytes == 0 || !lock_counted(d))
        return 0;
    int error = count_write(d, fd, offset, bytes);
    unlock_account(d);
    return error;
}

static int count_file(disk_account *d)
{
    if (!d->is_told || !files_fit(d, 1))
        measure_used(d);
    if (!files_fit(d, 1))
        return EDQUOT;
    add_used(d, 0, 1);
    return 0;
}

int disk_create(disk_account *d)
{
    disk_touch(d);
    if (!lock_counted(d))
        return 0;
    int error = count_file(d);
    unlock_account(d);
    return error;
}

static int count_room(disk_account *d, uint64_t bytes, uint64_t files)
{
    if (!d->is_told || !bytes_fit(d, bytes) || !files_fit(d, files))
        measure_used(d);
    if (!bytes_fit(d, bytes) || !files_fit(d, files))
        return EDQUOT;
    add_used(d, bytes, files);
    return 0;
}

int disk_take(disk_account *d, uint64_t bytes, uint64_t files)
{
    disk_touch(d);
    if (!lock_counted(d))
        return 0;
    int error = count_room(d, bytes, files);
    unlock_account(d);
    return error;
}

int disk_check(disk_account *d)
{
    if (!lock_counted(d))
        return 0;
    if (!d->is_told || !bytes_fit(d, 1))
        measure_used(d);
    int error = bytes_fit(d, 1) ? 0 : EDQUOT;
    unlock_account(d);
    return error;
}

uint64_t disk_left(disk_account *d)
{
    if (!lock_counted(d))
        return 0;
    if (!d->is_told || !bytes_fit(d, d->limit.bytes / 4) || !files_fit(d, 1))
        measure_used(d);

    uint64_t left = 0;
    if (bytes_fit(d, 1) && files_fit(d, 1))
        left = u64_sum(d->limit.bytes, d->before.bytes) - d->used.bytes;
    unlock_account(d);
    return left;
}

/* What a look finds is not noted: it does not see the session's open files that are deleted. */
static int count_put(disk_account *d, uint64_t bytes, uint64_t files, uint64_t freed)
{
    uint64_t longer = bytes > freed ? bytes - freed : 0;

    if (!d->is_told || !bytes_fit(d, bytes) || !files_fit(d, files)) {
        disk_account now = { .limit = d->limit, .before = d->before };
        if (tree_measure(&now.used, d->dir) != 0 || !bytes_fit(&now, longer) ||
            !files_fit(&now, files))
            return EDQUOT;
    }

    add_used(d, bytes, files);
    return 0;
}

int disk_put(disk_account *d, uint64_t bytes, uint64_t files, uint64_t freed)
{
    disk_touch(d);
    if (!lock_counted(d))
        return 0;
    int error = count_put(d, bytes, files, freed);
    unlock_account(d);
    return error;
}
