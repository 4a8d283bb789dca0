#include "worker/client/signs.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

uint64_t signs_cpu_ns(pid_t process)
{
    clockid_t clock;
    struct timespec t;
    if (process <= 0 || clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return 0;
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static int thread_runs(const char *folder, const char *number)
{
    char path[PATH_MAX], text[512];

    if (snprintf(path, sizeof path, "%s/%.20s/stat", folder, number) >= (int)sizeof path)
        return 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;

    size_t len = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[len] = '\0';
    const char *state = strrchr(text, ')'); /* the name before it may hold anything */
    return state && state[1] == ' ' && (state[2] == 'R' || state[2] == 'D');
}

int signs_any_runs(const char *folder)
{
    int any_runs = 0;
    DIR *dir = opendir(folder);
    if (!dir)
        return -1;

    for (const struct dirent *item; !any_runs && (item = readdir(dir));)
        any_runs = *item->d_name != '.' && thread_runs(folder, item->d_name);
    closedir(dir);
    return any_runs;
}

int signs_is_running(pid_t process)
{
    char folder[64];

    snprintf(folder, sizeof folder, "/proc/%d/task", (int)process);
    return signs_any_runs(folder);
}
