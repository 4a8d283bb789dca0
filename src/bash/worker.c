#include <snug/worker.h>

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/error.h"
#include "bash/bash.h"
#include "bash/grants.h"
#include "bash/sockets.h"
#include "policy/denylist.h"
#include "serve/serve.h"

int snug_worker_serve_bash(int in, int out)
{
    /* Elsewhere "all processes" are more than a session's. */
    if (getpid() != PROCS_WORKER) {
        fputs("snug-worker: --bash is for a process namespace that bwrap has made\n", stderr);
        return 2;
    }
    /* Cells have the same user, and shall not look into this process. */
    prctl(PR_SET_DUMPABLE, 0);
    sockets_open();
    if (denylist_load() != SNUG_OK) {
        fprintf(stderr, "snug-worker: %s\n", error_message());
        return 1;
    }
    grants_begin();
    return serve(in, out, &bash_form);
}
