/*
 * worker.h - be a worker: a process that serves sessions to a host of form SNUG_FORM_WORKER
 * elsewhere.
 *
 * The program snug-worker does nothing else. A program of one's own that links
 * snug::program can too, and then is named by the host's option worker_path.
 */
#ifndef SNUG_WORKER_H
#define SNUG_WORKER_H

#include <snug/snug.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Serves the host whose requests come from descriptor in, and whose answers go to out, until that
 * ends; then the process ends, with status 0. Returns only where it could not begin, with a status
 * for main. The two may be one. They belong to the library from here on, as do signals and all
 * threads: call it first in main. */
SNUG_EXTERN int snug_worker_serve(int in, int out);
/* The same for one session of kind SNUG_KIND_BASH, whose host has started the program within bwrap
 * as the first process of a process namespace: elsewhere it answers 2. */
SNUG_EXTERN int snug_worker_serve_bash(int in, int out);

/* The same program, which a host of root's has started as "PATH --sandbox WORDS...", with the
 * words: becomes the user that they name, and runs what makes the sandbox. The process must have no
 * other thread. Returns only where it could not, with a status for main. */
SNUG_EXTERN int snug_worker_sandbox(char *const *words);

/* Is what forks workers for such a host, whose orders come on descriptor 0: what libsnug starts
 * as "PATH --zygote WORDS...", with the words, which end with NULL. The process must have no
 * other thread and no Python yet. */
SNUG_EXTERN int snug_worker_zygote(char *const *words);

#ifdef __cplusplus
}
#endif

#endif
