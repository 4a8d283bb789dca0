#include "measure.h"

#include <dirent.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static uint64_t clock_ns(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000 * NS_PER_MS + (uint64_t)now.tv_nsec;
}

uint64_t measure_now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

uint64_t measure_cpu_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void measure_sleep_ns(uint64_t ns)
{
    struct timespec left = { (time_t)(ns / (1000 * NS_PER_MS)), (long)(ns % (1000 * NS_PER_MS)) };
    while (nanosleep(&left, &left) != 0)
        ;
}

uint64_t measure_rss_kib(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    if (fscanf(file, "%*u %llu", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

/* The listing's own descriptor is not counted. */
static unsigned entries(const char *path, unsigned own)
{
    unsigned count = 0;
    DIR *dir = opendir(path);
    if (!dir)
        return 0;
    for (struct dirent *entry; (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count - own;
}

unsigned measure_descriptors(void)
{
    return entries("/proc/self/fd", 1);
}

unsigned measure_threads(void)
{
    /* One that was joined is listed until the kernel has closed its descriptors. */
    measure_sleep_ns(50 * NS_PER_MS);
    return entries("/proc/self/task", 0);
}

static size_t read_children(int *pids, size_t most, const char *path)
{
    size_t count = 0;
    FILE *file = fopen(path, "re");
    while (file && count < most && fscanf(file, "%d", &pids[count]) == 1)
        count++;
    if (file)
        fclose(file);
    return count;
}

size_t measure_children(int *pids, size_t most)
{
    char path[300];
    size_t count = 0;
    DIR *dir = opendir("/proc/self/task");
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        snprintf(path, sizeof path, "/proc/self/task/%s/children", entry->d_name);
        if (entry->d_name[0] != '.')
            count += read_children(pids + count, most - count, path);
    }
    if (dir)
        closedir(dir);
    return count;
}

size_t measure_workers(int *pids, size_t most)
{
    enum { ZYGOTES = 64 };
    char path[64];
    int zygotes[ZYGOTES];
    size_t count = 0, zygote_count = measure_children(zygotes, ZYGOTES);
    for (size_t i = 0; i < zygote_count; i++) {
        snprintf(path, sizeof path, "/proc/%d/task/%d/children", zygotes[i], zygotes[i]);
        count += read_children(pids + count, most - count, path);
    }
    return count;
}
