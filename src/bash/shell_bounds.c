#include "bash/shell_bounds.h"

#include <signal.h>
#include <time.h>

#include "base/clock.h"
#include "base/u64.h"
#include "bash/bash.h"
#include "bash/grants.h"
#include "bash/usage.h"

/* So much is always left to a shell and a command that tidies up /tmp and /dev/shm: these two
 * together have no more than the limit, by their own size. */
#define SPARE_BYTES (UINT64_C(16) << 20)

uint64_t bounds_of_processes(const snug_session *session)
{
    return BASH_PROCESSES + session->limits.threads;
}

static int is_over_bytes(const snug_session *session, uint64_t all)
{
    uint64_t most = session->limits.memory_bytes, files = usage_of_memory_files();
    return all > most && (files > most || all - files > SPARE_BYTES);
}

/* The exact figure takes longer, and is asked for only where it may matter. */
static int is_over_memory(const snug_session *session, uint64_t *bytes)
{
    const procs *now = &session->shell->now;
    *bytes = usage_at_most(now);
    if (!is_over_bytes(session, *bytes))
        return 0;
    *bytes = usage_of_memory(now);
    return is_over_bytes(session, *bytes);
}

bash_reason bounds_look(snug_session *session, uint64_t *bytes)
{
    bash_session *b = session->shell;

    *bytes = 0;
    if (procs_look(&b->now, b->shell.pid) != 0)
        return BASH_RUNS;
    if (b->now.threads > bounds_of_processes(session))
        return BASH_PROCESS_COUNT;
    if (is_over_memory(session, bytes))
        return BASH_MEMORY;
    return BASH_RUNS;
}

/* The kernel stops a file at the limit, and not past it; of no bytes at all one is too many. */
static int are_bytes_used(const disk_account *disk, uint64_t bytes)
{
    if (disk->limit.bytes == 0)
        return bytes > disk->before.bytes;
    return bytes >= u64_sum(disk->limit.bytes, disk->before.bytes);
}

/* A folder with as many files as there may be is full and not over: who wants one more is refused
 * it (grants.h). */
bash_reason bounds_look_at_files(snug_session *session)
{
    bash_session *b = session->shell;
    disk_account *disk = &session->files.disk;

    grants_hold();
    disk_left(disk); /* looks */
    grants_release();
    tree_usage nameless = usage_of_nameless(&b->now, session->files.workdir);
    b->found = disk->used;
    b->found.bytes = u64_sum(b->found.bytes, nameless.bytes);
    b->is_full = are_bytes_used(disk, b->found.bytes) ||
                 b->found.files > u64_sum(disk->limit.files, disk->before.files) ||
                 nameless.files > disk->limit.files;
    return b->is_full ? BASH_DISK : BASH_RUNS;
}

/* Whether the shell itself has more than all may have. */
static int is_shell_over(const bash_session *b, uint64_t most)
{
    for (size_t i = 0; i < b->now.count; i++)
        if (b->now.items[i].pid == b->shell.pid)
            return b->now.items[i].bytes > most;
    return 0;
}

/* What a process had goes a while after it, on a busy machine, and what lay in its sockets later
 * still. So what is left is the shell's only where it stays. */
static int stays_over(snug_session *session)
{
    enum { LOOKS = 40 };
    uint64_t bytes;

    for (int i = 0; i < LOOKS; i++) {
        if (bounds_look(session, &bytes) != BASH_MEMORY)
            return 0;
        if (is_shell_over(session->shell, session->limits.memory_bytes))
            return 1;
        const struct timespec rest = { 0, (long)(5 * NS_PER_MS) };
        nanosleep(&rest, NULL);
    }

    return 1;
}

void bounds_end(snug_session *session, bash_reason reason)
{
    bash_session *b = session->shell;
    int failed = procs_end(NULL, b->shell.pid);

    if (reason != BASH_MEMORY)
        return;
    if (usage_of_memory_files() > session->limits.memory_bytes)
        usage_empty_memory_files();

    /* Where some are still on their way out, the next step comes back. */
    if (!failed && b->shell.pid > 0 && stays_over(session))
        kill(b->shell.pid, SIGKILL);
}
