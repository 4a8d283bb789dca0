/*
 * disk.h - the account of a session's work directory: bytes and number of files.
 *
 * Counted from above: what makes files longer and more is added, and what was deleted
 * meanwhile is found by looking at the folder, when the sum has reached the limit. So a
 * write costs two system calls, and a full folder a walk through it. The callers are the
 * session's threads; what a walk cannot see is taken for full. Several that write while
 * one of them walks may together go beyond the limit by what they are writing.
 */
#ifndef SNUG_LIMITS_DISK_H
#define SNUG_LIMITS_DISK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/tree.h"

typedef struct disk_account {
    pthread_mutex_t lock; /* guards is_new, before and used */
    const char *dir;      /* stays the caller's; NULL: nothing is counted */
    int sees_open_files;  /* the thread's descriptors are its own: deleted files among them count */
    int is_told;          /* of each write: else all questions look at the folder */
    _Atomic int is_touched; /* something there may have been made, changed or removed since
                               somebody cleared this */
    dev_t device;
    tree_usage limit;
    int is_new;        /* the folder was empty; else it is measured before the first write */
    tree_usage before; /* what it had then, which is not counted */
    tree_usage used;   /* at most that much is there now, with what was before */
} disk_account;

/* dir is empty unless has_files, and then not looked at yet. 0, or the errno of dir. */
int disk_open(disk_account *d, const char *dir, int has_files);
/* What holds from now on. */
void disk_begin(disk_account *d, uint64_t bytes, uint64_t files);

/* Says that something there is about to be made, changed or removed. Any thread. */
void disk_touch(disk_account *d);

/* 0: that many bytes more may be written to fd, at offset or, if that is negative, where its
 * next write goes; and they are counted. Else EDQUOT. */
int disk_write(disk_account *d, int fd, off_t offset, uint64_t bytes);
/* 0 or EDQUOT: one more file may be made. */
int disk_create(disk_account *d);
/* 0: that many may be made by somebody who does not ask again; they are counted. Else EDQUOT. */
int disk_take(disk_account *d, uint64_t bytes, uint64_t files);
/* 0 or EDQUOT: one more byte may be written. */
int disk_check(disk_account *d);
/* How many bytes a new file may have now: 0 where there is no account, or no file may be made. */
uint64_t disk_left(disk_account *d);
/* 0 or EDQUOT: the host may put a file of that many bytes there, and new ones and folders with it,
 * files together, in place of one of `freed` bytes; and they are counted. Any thread, and no
 * descriptor of it counts. */
int disk_put(disk_account *d, uint64_t bytes, uint64_t files, uint64_t freed);

#endif
