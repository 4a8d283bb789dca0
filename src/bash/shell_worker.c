#include <snug/worker.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/error.h"
#include "bash/bash.h"
#include "bash/denylist.h"
#include "bash/grants.h"
#include "bash/usage.h"
#include "session/confine/namespaces.h"
#include "worker/server/serve.h"

int snug_worker_serve_bash(int in, int out)
{
    /* Elsewhere "all processes" are more than a session's. */
    if (getpid() != PROCS_WORKER) {
        fputs("snug-worker: --bash is for a process namespace that bwrap has made\n", stderr);
        return 2;
    }

    /* Cells have the same user, and shall not look into this process. */
    prctl(PR_SET_DUMPABLE, 0);
    usage_open_sockets();
    if (denylist_load() != SNUG_OK) {
        fprintf(stderr, "snug-worker: %s\n", error_message());
        return 1;
    }

    grants_begin();
    return serve(in, out, &bash_form);
}

/* USER OWN_COUNT PATH... -- PROGRAM ARGUMENT... */
int snug_worker_sandbox(char *const *words)
{
    size_t count = 0;

    while (count < 3 && words[count])
        count++;
    if (count < 3) {
        fputs("snug-worker: --sandbox is for a host that makes one\n", stderr);
        return 2;
    }

    const uid_t user = (uid_t)strtoul(words[0], NULL, 10);
    const size_t own_count = strtoul(words[1], NULL, 10);
    char *const *paths = words + 2;
    for (count = 0; paths[count] && strcmp(paths[count], "--") != 0;)
        count++;
    if (user == 0 || own_count > count || !paths[count] || !paths[count + 1])
        return 2;

    if (stage_enter(user, (const char *const *)paths, count, own_count) == 0)
        execv(paths[count + 1], paths + count + 1);
    fprintf(stderr, "snug-worker: the sandbox of another user: %s\n", strerror(errno));
    return 1;
}
