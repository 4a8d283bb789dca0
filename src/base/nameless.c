#include "base/nameless.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_new(nameless *n, ino_t inode)
{
    for (size_t i = 0; i < n->count; i++)
        if (n->seen[i] == inode)
            return 0;
    if (n->count < NAMELESS_SEEN)
        n->seen[n->count++] = inode;
    return 1;
}

/* 0, or the errno of one that cannot be looked at. */
static int add_open(nameless *n, DIR *dir)
{
    int error = 0;

    for (const struct dirent *item; (item = readdir(dir));) {
        struct stat facts;
        if (!isdigit((unsigned char)*item->d_name))
            continue;
        if (fstatat(dirfd(dir), item->d_name, &facts, 0) != 0)
            error = errno;
        else if (facts.st_nlink == 0 && S_ISREG(facts.st_mode) && facts.st_dev == n->device &&
                 is_new(n, facts.st_ino)) {
            n->sum.files++;
            n->sum.bytes += (uint64_t)facts.st_size;
        }
    }

    return error;
}

static DIR *open_of(pid_t process, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)process, name);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (fd >= 0 && !dir)
        close(fd);
    return dir;
}

int nameless_add(nameless *n, pid_t thread)
{
    DIR *dir = open_of(thread, "fd");
    if (!dir)
        return errno;
    int error = add_open(n, dir);
    closedir(dir);
    return error;
}

/* Most threads share a table, which is gone through once. */
enum { TABLES = 8 };

typedef struct tables {
    pid_t threads[TABLES]; /* one of each table */
    size_t count;
} tables;

static int is_new_table(tables *t, pid_t thread)
{
    for (size_t i = 0; i < t->count; i++)
        if (syscall(SYS_kcmp, t->threads[i], thread, KCMP_FILES, 0, 0) == 0)
            return 0;
    if (t->count < TABLES)
        t->threads[t->count++] = thread;
    return 1;
}

int nameless_add_process(nameless *n, pid_t process)
{
    tables found = { .count = 0 };
    int error = 0;
    DIR *dir = open_of(process, "task");
    if (!dir)
        return errno;

    for (const struct dirent *item; (item = readdir(dir));) {
        pid_t thread = (pid_t)atoi(item->d_name);
        int failed = thread > 0 && is_new_table(&found, thread) ? nameless_add(n, thread) : 0;
        error = error ? error : failed;
    }

    closedir(dir);
    return error;
}
