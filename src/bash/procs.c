#include "bash/procs.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/clock.h"

static size_t read_file(const char *path, char *out, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    *out = '\0';
    if (fd < 0)
        return 0;

    ssize_t got = read(fd, out, size - 1);
    close(fd);
    if (got <= 0)
        return 0;

    out[got] = '\0';
    return (size_t)got;
}

/* Fields of proc(5), stat, counted behind the name: utime is the 12th, and so on. */
enum {
    FIELD_STATE = 1,
    FIELD_PARENT = 2,
    FIELD_FLAGS = 7,
    FIELD_UTIME = 12,
    FIELD_CSTIME = 15,
    FIELD_THREADS = 18,
    FIELD_START = 20,
    FIELD_MAPPED = 21,
    FIELD_RSS = 22
};

/* The kernel's PF_EXITING, among the flags: set before a thread gives up its memory and files. */
enum { IS_EXITING = 0x4 };

static void take_field(proc *out, uint64_t *ticks, int *is_over, int field, const char *word)
{
    uint64_t value = strtoull(word, NULL, 10);

    if (field == FIELD_STATE) {
        *is_over = *word == 'Z';
    } else if (field == FIELD_PARENT) {
        out->parent = (pid_t)value;
    } else if (field == FIELD_FLAGS) {
        out->is_ending = (value & IS_EXITING) != 0;
    } else if (field >= FIELD_UTIME && field <= FIELD_CSTIME) {
        *ticks += value;
    } else if (field == FIELD_THREADS) {
        out->threads = value;
    } else if (field == FIELD_START) {
        out->started = value;
    } else if (field == FIELD_MAPPED) {
        out->mapped = value;
    } else if (field == FIELD_RSS) {
        out->bytes = value * (uint64_t)sysconf(_SC_PAGESIZE);
    }
}

/* *is_over: it has ended, and only its times are left. */
static int read_stat(proc *out, uint64_t *ticks, int *is_over, pid_t pid)
{
    char path[64], text[1024];

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (read_file(path, text, sizeof text) == 0)
        return -1;

    char *name_end = strrchr(text, ')');
    if (!name_end)
        return -1;

    *out = (proc){ .pid = pid, .thread = pid };
    *ticks = 0;
    *is_over = 0;
    char *saved = NULL;
    char *word = strtok_r(name_end + 1, " ", &saved);
    for (int field = 1; word; field++) {
        take_field(out, ticks, is_over, field, word);
        if (field == FIELD_RSS)
            return 0;
        word = strtok_r(NULL, " ", &saved);
    }

    return -1;
}

pid_t procs_thread(pid_t pid)
{
    char path[64];
    pid_t found = 0;
    const struct dirent *item;

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    if (!dir)
        return 0;

    while ((item = readdir(dir))) {
        proc one;
        uint64_t ticks;
        int is_over;
        pid_t id = (pid_t)atoi(item->d_name);
        if (id <= 0 || read_stat(&one, &ticks, &is_over, id) != 0 || is_over)
            continue;
        found = id;
        if (!one.is_ending)
            break;
    }

    closedir(dir);
    return found;
}

int procs_is_ending(pid_t thread)
{
    proc one;
    uint64_t ticks;
    int is_over;
    return read_stat(&one, &ticks, &is_over, thread) != 0 || one.is_ending;
}

/* As read_stat. A process whose first thread has ended or is about to, and another goes on, looks
 * as if it were over, without memory and files: the other one tells what it has. */
static int read_process(proc *out, uint64_t *ticks, int *is_over, pid_t pid)
{
    if (read_stat(out, ticks, is_over, pid) != 0)
        return -1;
    if (!out->is_ending || out->threads <= 1)
        return 0;

    pid_t other = procs_thread(pid);
    if (other && read_stat(out, ticks, is_over, other) == 0)
        out->pid = pid;
    return 0;
}

static int add_proc(procs *p, const proc *item)
{
    if (p->count == PROCS_MOST)
        return 0; /* they are counted, and then ended */
    if (array_reserve(&p->items, &p->cap, p->count + 1, sizeof *p->items))
        return -1;

    p->items[p->count++] = *item;
    return 0;
}

/* Adds that process, if it is there and has not ended. 0, or -1 where memory ran out. */
static int look_at_process(procs *p, uint64_t *ticks, pid_t pid, pid_t shell)
{
    proc one;
    uint64_t own = 0;
    int is_over = 0;
    if (read_process(&one, &own, &is_over, pid) != 0)
        return 0;

    *ticks += own;
    if (is_over && one.parent == getpid() && one.pid != shell)
        waitpid(one.pid, NULL, WNOHANG);
    if (is_over || one.pid == getpid())
        return 0;

    p->threads += one.threads;
    p->bytes += one.bytes;
    return add_proc(p, &one);
}

int procs_look(procs *p, pid_t shell)
{
    const struct dirent *item;
    int error = 0;
    uint64_t ticks = 0;
    DIR *dir = opendir("/proc");

    p->count = 0;
    p->threads = p->bytes = p->cpu_ns = 0;
    if (!dir)
        return -1;

    while (!error && (item = readdir(dir)))
        if (is_digit(*item->d_name))
            error = look_at_process(p, &ticks, (pid_t)atoi(item->d_name), shell);
    closedir(dir);
    p->cpu_ns = ticks * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
    return error;
}

void procs_free(procs *p)
{
    free(p->items);
    *p = (procs){ 0 };
}

/* p: NULL has none. */
static int is_in(const procs *p, const proc *item)
{
    for (size_t i = 0; p && i < p->count; i++)
        if (p->items[i].pid == item->pid)
            return p->items[i].started == item->started;
    return 0;
}

static size_t signal_each(const procs *p, const procs *before, pid_t spared, int signal)
{
    size_t count = 0;
    for (size_t i = 0; i < p->count; i++)
        if (p->items[i].pid != spared && !is_in(before, &p->items[i]))
            count += kill(p->items[i].pid, signal) == 0;
    return count;
}

void procs_signal(const procs *p, const procs *before, pid_t spared, int signal)
{
    signal_each(p, before, spared, signal);
}

/* All of them are stopped at once, and a fork that is under way fails on the signal: from then on
 * there are no new ones, however fast they were made. */
int procs_end(const procs *before, pid_t spared)
{
    enum { ROUNDS = 50 };
    procs now = { 0 };
    size_t left = 1;
    if (getpid() != PROCS_WORKER)
        return -1;

    for (int round = 0; left > 0 && round < ROUNDS; round++) {
        kill(-1, SIGSTOP);
        if (procs_look(&now, spared) != 0)
            break;
        left = signal_each(&now, before, spared, SIGKILL);
        const struct timespec rest = { 0, (long)NS_PER_MS };
        if (left > 0)
            nanosleep(&rest, NULL);
    }

    kill(-1, SIGCONT);
    procs_free(&now);
    return left == 0 ? 0 : -1;
}

/* All but this process, at once: no fork of theirs comes between. */
void procs_end_all(void)
{
    if (getpid() == PROCS_WORKER)
        kill(-1, SIGKILL);
}
