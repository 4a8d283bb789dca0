#include "measure.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

void die(const char *format, ...)
{
    va_list args;
    fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void samples_add(samples *s, uint64_t ns)
{
    if (s->count == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 4096;
        s->items = realloc(s->items, s->cap * sizeof *s->items);
        if (!s->items)
            die("out of memory");
    }
    s->items[s->count++] = ns;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

uint64_t samples_quantile(samples *s, double part)
{
    if (!s->count)
        return 0;
    qsort(s->items, s->count, sizeof *s->items, by_size);
    size_t at = (size_t)(part * (double)s->count);
    return s->items[at < s->count ? at : s->count - 1];
}

void samples_free(samples *s)
{
    free(s->items);
    *s = (samples){ 0 };
}

long rss_kib(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file || fscanf(file, "%*s %ld", &pages) != 1)
        die("/proc/self/statm is not readable");
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

long pss_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/smaps_rollup", "re");
    while (file && kib < 0 && fgets(line, sizeof line, file))
        sscanf(line, "Pss: %ld kB", &kib);
    if (kib < 0)
        die("/proc/self/smaps_rollup is not readable");
    fclose(file);
    return kib;
}

static int count_entries(const char *path)
{
    DIR *directory = opendir(path);
    int count = 0;
    if (!directory)
        die("%s is not readable", path);
    for (const struct dirent *entry; (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

int count_descriptors(void)
{
    return count_entries("/proc/self/fd") - 1; /* without the one that reads */
}

int count_threads(void)
{
    return count_entries("/proc/self/task");
}
