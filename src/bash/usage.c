#include "bash/usage.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/nameless.h"
#include "bash/sockets.h"

/* Where files are in memory. */
static const char *const places[] = { "/tmp", "/dev/shm" };
enum { PLACES = sizeof places / sizeof *places };

/* What the kernel keeps of a file in memory, as a slab: inode, name and their tables. */
enum { INODE_BYTES = 1280 };

uint64_t usage_of_memory_files(void)
{
    uint64_t sum = 0;

    for (int i = 0; i < PLACES; i++) {
        struct statvfs facts;
        if (statvfs(places[i], &facts) != 0)
            continue;
        sum += (facts.f_blocks - facts.f_bfree) * facts.f_frsize;
        sum += (facts.f_files - facts.f_ffree) * INODE_BYTES;
    }

    return sum;
}

static int is_own_entry(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static void empty_folder(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *item;
    if (!dir)
        return;

    while ((item = readdir(dir)))
        if (!is_own_entry(item->d_name))
            tree_remove_at(dirfd(dir), item->d_name);
    closedir(dir);
}

void usage_empty_memory_files(void)
{
    for (int i = 0; i < PLACES; i++)
        empty_folder(places[i]);
}

/* ---- processes ---- */

static FILE *open_proc_file(pid_t pid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    return fopen(path, "re");
}

/* Below that, a process's tables are too small to matter. */
#define LARGE_MAPS (UINT64_C(1) << 30)

/* Page tables, which are nobody's resident pages. */
static uint64_t read_table_bytes(const proc *p)
{
    char line[256];
    unsigned long long kib = 0;
    if (p->mapped < LARGE_MAPS)
        return 0;

    FILE *status = open_proc_file(p->thread, "status");
    if (!status)
        return 0;

    while (fgets(line, sizeof line, status))
        if (sscanf(line, "VmPTE: %llu", &kib) == 1)
            break;
    fclose(status);
    return kib * 1024;
}

static uint64_t beside_pages(const procs *p)
{
    uint64_t sum = usage_of_memory_files() + sockets_bytes();
    for (size_t i = 0; i < p->count; i++)
        sum += read_table_bytes(&p->items[i]);
    return sum;
}

uint64_t usage_at_most(const procs *p)
{
    return p->bytes + beside_pages(p);
}

/* The head of a mapping in smaps: "7f..-7f.. r--p 00000000 08:01 1234   /path". */
static int is_mapping_head(const char *line)
{
    size_t len = strspn(line, "0123456789abcdef");
    return len > 0 && line[len] == '-';
}

/* Files in memory have been counted where they are. */
static int is_memory_file(const char *line)
{
    const char *path = strchr(line, '/');
    for (int i = 0; path && i < PLACES; i++) {
        size_t len = strlen(places[i]);
        if (strncmp(path, places[i], len) == 0 && path[len] == '/')
            return 1;
    }
    return 0;
}

/* Its share of the pages that it has with others; all that are resident where it cannot be looked
 * into. */
static uint64_t read_share_bytes(const proc *p)
{
    char line[512];
    uint64_t kib = 0;
    int is_counted = 1, is_told = 0;
    FILE *maps = open_proc_file(p->thread, "smaps");
    if (!maps)
        return p->bytes;

    while (fgets(line, sizeof line, maps)) {
        unsigned long long value;
        if (is_mapping_head(line)) {
            is_counted = !is_memory_file(line);
        } else if (sscanf(line, "Pss: %llu", &value) == 1) {
            is_told = 1;
            if (is_counted)
                kib += value;
        }
    }

    fclose(maps);
    return is_told ? kib * 1024 : p->bytes;
}

uint64_t usage_of_memory(const procs *p)
{
    uint64_t sum = beside_pages(p);
    for (size_t i = 0; i < p->count; i++)
        sum += read_share_bytes(&p->items[i]);
    return sum;
}

/* ---- files without a name ---- */

static int is_hidden(int error)
{
    return error == EACCES || error == EPERM;
}

/* What cannot be looked into may hide files, and is ended. A thread that has given up its memory
 * on its way out is root's, however, as that of a process that hides: another one is asked then.
 * Where one after the other ends, the next look comes back. */
static void add_process(nameless *n, const proc *p)
{
    enum { TRIES = 8 };
    pid_t thread = p->thread;
    for (int i = 0; i < TRIES && thread; i++) {
        int error = nameless_add(n, thread);
        int is_ending = error && procs_is_ending(thread);
        if (is_hidden(error) && !is_ending)
            kill(p->pid, SIGKILL);
        if (!is_ending)
            return;
        thread = procs_thread(p->pid);
    }
}

tree_usage usage_of_nameless(const procs *p, const char *workdir)
{
    struct stat facts;
    nameless n = { .count = 0 };

    if (stat(workdir, &facts) != 0)
        return n.sum;
    n.device = facts.st_dev;
    for (size_t i = 0; i < p->count; i++)
        add_process(&n, &p->items[i]);
    return n.sum;
}
