#include "cli/ask/stdin_writer.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { MOST_ANCESTORS = 64 };

typedef struct family {
    pid_t pids[MOST_ANCESTORS]; /* from ourselves on */
    size_t count;
} family;

static int is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* 0: nobody can say. */
static pid_t parent_of(pid_t pid)
{
    char path[64], text[512];
    int parent = 0;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;

    size_t len = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[len] = '\0';
    const char *behind_name = strrchr(text, ')'); /* the name may hold anything */
    if (!behind_name || sscanf(behind_name, ") %*c %d", &parent) != 1)
        return 0;
    return parent;
}

static void find_family(family *f)
{
    f->count = 0;
    for (pid_t pid = getpid(); pid > 0 && f->count < MOST_ANCESTORS; pid = parent_of(pid))
        f->pids[f->count++] = pid;
}

static int is_in_family(const family *f, pid_t pid)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->pids[i] == pid)
            return 1;
    return 0;
}

/* What is open for writing has that right in the link of its descriptor. */
static int writes_to(pid_t pid, const struct stat *stream)
{
    char path[64];
    struct stat link, target;
    int writes = 0;

    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *dir = opendir(path);
    if (!dir)
        return 0;

    for (const struct dirent *item; !writes && (item = readdir(dir));)
        writes = *item->d_name != '.' && fstatat(dirfd(dir), item->d_name, &target, 0) == 0 &&
                 is_same(&target, stream) &&
                 fstatat(dirfd(dir), item->d_name, &link, AT_SYMLINK_NOFOLLOW) == 0 &&
                 (link.st_mode & S_IWUSR);
    closedir(dir);
    return writes;
}

/* Besides the family. Where /proc cannot be read, there may be one. */
static int has_writer(const struct stat *stream)
{
    family own;
    int has = 0;
    DIR *dir = opendir("/proc");
    if (!dir)
        return 1;

    find_family(&own);
    for (const struct dirent *item; !has && (item = readdir(dir));) {
        const pid_t pid = (pid_t)strtol(item->d_name, NULL, 10);
        has = pid > 0 && !is_in_family(&own, pid) && writes_to(pid, stream);
    }
    closedir(dir);
    return has;
}

int stdin_is_left_over(void)
{
    char path[64];
    struct stat own, parents;

    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getppid(), STDIN_FILENO);
    return fstat(STDIN_FILENO, &own) == 0 && stat(path, &parents) == 0 && is_same(&own, &parents) &&
           !has_writer(&own);
}
