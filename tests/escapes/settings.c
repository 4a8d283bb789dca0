#include "settings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static atomic_int signals;
static int worker; /* 0: none */
static const char *worker_program;

void settings_are_of_worker(int pid, const char *program)
{
    worker = pid;
    worker_program = program;
}

static void count_signal(int number)
{
    atomic_fetch_add(&signals, 1);
}

void settings_count_signals(void)
{
    struct sigaction action = { .sa_handler = count_signal, .sa_flags = SA_RESTART };
    sigaction(SIGUSR1, &action, NULL);
}

/* ---- parts ---- */

static void tell_link(FILE *out, const char *name, const char *path)
{
    char target[4096];
    ssize_t len = readlink(path, target, sizeof target);
    fprintf(out, "%s: %.*s\n", name, len < 0 ? 1 : (int)len, len < 0 ? "?" : target);
}

/* What leads to workers, which come and go. */
static int is_of_worker(const char *path)
{
    static const char *const kinds[] = { "socket:", "pipe:", "anon_inode:" };
    char target[100] = "";
    ssize_t len = readlink(path, target, sizeof target - 1);
    for (size_t i = 0; worker && len > 0 && i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(target, kinds[i], strlen(kinds[i])) == 0)
            return 1;
    return 0;
}

static int compare_numbers(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void tell_descriptors(FILE *out)
{
    int numbers[1024];
    size_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    for (struct dirent *entry; dir && (entry = readdir(dir)) && count < 1024;)
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(dir))
            numbers[count++] = atoi(entry->d_name);
    if (dir)
        closedir(dir);
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    for (size_t i = 0; i < count; i++) {
        char name[40], path[40];
        snprintf(path, sizeof path, "/proc/self/fd/%d", numbers[i]);
        snprintf(name, sizeof name, "descriptor %d (flags %o, %o)", numbers[i],
                 (unsigned)fcntl(numbers[i], F_GETFD), (unsigned)fcntl(numbers[i], F_GETFL));
        if (!is_of_worker(path))
            tell_link(out, name, path);
    }
}

/* The lines of a file of /proc that begin with one of the words, or all without words; behind the
 * name. */
static void tell_lines(FILE *out, const char *name, const char *path, const char *const *words)
{
    char line[1024];
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        const char *const *word = words;
        while (word && *word && strncmp(line, *word, strlen(*word)) != 0)
            word++;
        if (!words || *word)
            fprintf(out, "%s%s%s", name, line, strchr(line, '\n') ? "" : "\n");
    }
    if (file)
        fclose(file);
}

static void tell_children(FILE *out)
{
    char path[300];
    DIR *dir = opendir("/proc/self/task");
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        snprintf(path, sizeof path, "/proc/self/task/%s/children", entry->d_name);
        if (entry->d_name[0] != '.' && !worker)
            tell_lines(out, "children: ", path, NULL);
    }
    if (dir)
        closedir(dir);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* By name and not by number: a session's thread may be another than that of the session before. */
static void tell_threads(FILE *out)
{
    char names[200][20], path[300];
    size_t count = 0;
    DIR *dir = opendir("/proc/self/task");
    for (struct dirent *entry; dir && (entry = readdir(dir)) && count < 200;) {
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "re");
        if (file && fgets(names[count], sizeof *names, file))
            count++;
        if (file)
            fclose(file);
    }
    if (dir)
        closedir(dir);
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "thread: %s", names[i]);
}

static void tell_signals(FILE *out)
{
    struct sigaction action;
    struct itimerval timer;
    for (int i = 1; i < 65; i++)
        if (sigaction(i, NULL, &action) == 0)
            fprintf(out, "signal %d: %p, flags %x\n", i, (void *)(uintptr_t)action.sa_handler,
                    (unsigned)action.sa_flags);
    for (int i = 0; i < 3; i++)
        if (getitimer((__itimer_which_t)i, &timer) == 0)
            fprintf(out, "timer %d: %s\n", i,
                    timer.it_value.tv_sec || timer.it_value.tv_usec ? "runs" : "stands");
    fprintf(out, "signals that came: %d\n", atomic_load(&signals));
}

static void tell_limits(FILE *out)
{
    struct rlimit limit;
    for (int i = 0; i < 16; i++)
        if (getrlimit((__rlimit_resource_t)i, &limit) == 0)
            fprintf(out, "limit %d: %llx %llx\n", i, (unsigned long long)limit.rlim_cur,
                    (unsigned long long)limit.rlim_max);
    errno = 0;
    fprintf(out, "nice: %d\n", getpriority(PRIO_PROCESS, 0));
    fprintf(out, "scheduler: %d\n", sched_getscheduler(0));
    fprintf(out, "dumpable: %d\n", prctl(PR_GET_DUMPABLE));
    fprintf(out, "group: %d, session: %d\n", getpgrp(), getsid(0));
}

/* ---- all ---- */

char *settings_now(void)
{
    static const char *const status[] = {
        "Name:",   "Umask:",  "Uid:",     "Gid:",        "Groups:",       "SigBlk:", "SigIgn:",
        "SigCgt:", "CapEff:", "Seccomp:", "NoNewPrivs:", "Cpus_allowed:", NULL
    };
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort();
    tell_descriptors(out);
    tell_lines(out, "", "/proc/self/status", status);
    tell_lines(out, "oom score: ", "/proc/self/oom_score_adj", NULL);
    tell_lines(out, "core filter: ", "/proc/self/coredump_filter", NULL);
    tell_children(out);
    tell_threads(out);
    tell_link(out, "cwd", "/proc/self/cwd");
    tell_link(out, "root", "/proc/self/root");
    tell_signals(out);
    tell_limits(out);
    fprintf(out, "locale: %s\n", setlocale(LC_ALL, NULL));
    fprintf(out, "time zone: %s %s %ld\n", tzname[0], tzname[1], timezone);
    for (char **entry = environ; *entry; entry++)
        fprintf(out, "environment %s\n", *entry);
    fclose(out);
    return text;
}

static size_t line_length(const char *text)
{
    return strcspn(text, "\n");
}

static int has_line(const char *text, const char *line, size_t len)
{
    for (; *text; text += line_length(text) + (text[line_length(text)] != '\0'))
        if (line_length(text) == len && memcmp(text, line, len) == 0)
            return 1;
    return 0;
}

int settings_differ(char *out, size_t size, const char *before, const char *now)
{
    size_t old_len, new_len;
    for (;; before += old_len + 1, now += new_len + 1) {
        old_len = line_length(before);
        new_len = line_length(now);
        if (old_len != new_len || memcmp(before, now, old_len) != 0)
            break;
        if (!before[old_len])
            return 0;
    }
    int is_new = !has_line(before, now, new_len), is_gone = !has_line(now, before, old_len);
    int old_shown = old_len > 120 ? 120 : (int)old_len,
        new_shown = new_len > 120 ? 120 : (int)new_len;
    if (is_new && is_gone)
        snprintf(out, size, "%.*s, now %.*s", old_shown, before, new_shown, now);
    else if (is_new)
        snprintf(out, size, "%.*s, new", new_shown, now);
    else
        snprintf(out, size, "%.*s, gone", old_shown, before);
    return 1;
}

static void read_line(char *out, size_t size, const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file || !fgets(out, (int)size, file))
        out[0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    if (file)
        fclose(file);
}

static void read_outside(char *out, size_t size, const char *name, const char *folder)
{
    char path[300], large[300];
    struct stat facts;
    struct statvfs file_system;
    snprintf(path, sizeof path, "%s/secret.txt", folder);
    snprintf(large, sizeof large, "%s/large.bin", folder);
    if (strcmp(name, "inode") == 0 && stat(path, &facts) == 0)
        snprintf(out, size, "%llu", (unsigned long long)facts.st_ino);
    else if (strcmp(name, "blocks") == 0 && statvfs(path, &file_system) == 0)
        snprintf(out, size, "%llu", (unsigned long long)file_system.f_blocks);
    else if (strcmp(name, "folder") == 0 && stat(folder, &facts) == 0)
        snprintf(out, size, "%llu", (unsigned long long)facts.st_ino);
    else if (strcmp(name, "size") == 0 && stat(large, &facts) == 0)
        snprintf(out, size, "%lld", (long long)facts.st_size);
    else if (strcmp(name, "existence") == 0)
        snprintf(out, size, "(True, False)");
}

void settings_read(char *out, size_t size, const char *name, const char *folder)
{
    struct utsname system;
    const char *program = worker && worker_program ? worker_program : "/proc/self/exe";
    char path[PATH_MAX];
    out[0] = '\0';
    read_outside(out, size, name, folder);
    if (strcmp(name, "pid") == 0)
        snprintf(out, size, "%d", worker ? worker : getpid());
    else if (strcmp(name, "parent") == 0)
        snprintf(out, size, "%d", worker ? getpid() : getppid());
    else if (strcmp(name, "hostname") == 0 && uname(&system) == 0)
        snprintf(out, size, "%s", system.nodename);
    else if (strcmp(name, "kernel") == 0 && uname(&system) == 0)
        snprintf(out, size, "%s", system.version);
    else if (strcmp(name, "accounts") == 0)
        read_line(out, size, "/etc/passwd");
    else if (strcmp(name, "groups") == 0)
        read_line(out, size, "/etc/group");
    else if (strcmp(name, "executable") == 0 && realpath(program, path))
        snprintf(out, size, "%s", path);
}
