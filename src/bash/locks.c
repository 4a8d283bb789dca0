#include "bash/locks.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/clock.h"

/* Some 4 MiB of the kernel's. Programs have one, or a few for each database. */
enum { MOST = 16384 };

/* A call makes two at most: in the midst of another it leaves three. */
enum { BY_ONE_CALL = 2 };

/* They are counted again for that many at least, and not more than a tenth of the time. */
enum { LEAST = MOST / 16, REST = 10 };

static struct {
    uint64_t left; /* calls, since they were counted */
    uint64_t look_ns;
} state;

static uint64_t count_file(const char *path)
{
    char line[256];
    uint64_t count = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;

    while (fgets(line, sizeof line, file))
        count += strncmp(line, "lock:", 5) == 0;
    fclose(file);
    return count;
}

/* A lock goes when its process closes the file, so each is at an open one. */
static uint64_t count_process(const char *process)
{
    char path[300];
    uint64_t count = 0;
    const struct dirent *item;

    snprintf(path, sizeof path, "/proc/%.20s/fdinfo", process);
    DIR *dir = opendir(path);
    if (!dir)
        return 0;

    while ((item = readdir(dir))) {
        if (!is_digit(*item->d_name))
            continue;
        snprintf(path, sizeof path, "/proc/%.20s/fdinfo/%.20s", process, item->d_name);
        count += count_file(path);
    }

    closedir(dir);
    return count;
}

static uint64_t count_all(void)
{
    uint64_t count = 0;
    const struct dirent *item;
    DIR *dir = opendir("/proc");
    if (!dir)
        return 0;

    while ((item = readdir(dir)))
        if (is_digit(*item->d_name))
            count += count_process(item->d_name);
    closedir(dir);
    return count;
}

static void look_at_locks(void)
{
    uint64_t began_ns = clock_thread_cpu_ns(), count = count_all();
    state.left = count < MOST ? (MOST - count) / BY_ONE_CALL : 0;
    if (state.left < LEAST)
        state.left = 0;
    state.look_ns = clock_now_ns() + REST * (clock_thread_cpu_ns() - began_ns);
}

int locks_ask(void)
{
    if (state.left == 0 && clock_now_ns() >= state.look_ns)
        look_at_locks();
    if (state.left == 0)
        return ENOLCK;
    state.left--;
    return 0;
}

void locks_forget(void)
{
    state.left = state.look_ns = 0;
}
