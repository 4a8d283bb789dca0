/*
 * engine.h - where the form of sessions in this process comes from.
 *
 * A program has it within (engine_linked.c). libsnug.so has no Python, and nothing that needs one:
 * it loads an engine, libsnug-python3.X.so, when a local host is opened (engine_loaded.c). An
 * engine is the same source again with the layer py, and exports snug_engine only (engine_entry.c).
 * Hosts and sessions are of both: libsnug makes and frees them, the rows of the engine's form work
 * on them. So both must be of the same sources, which is checked by ENGINE_BUILD: the version, and
 * a sum of the files (cmake/build_id.py).
 *
 * Each has its own copy of what is below, the state of files included. That does no harm where
 * only one of the two uses it, or where both may have their own:
 *
 *     file                             its state                        whose it is
 *     base/error.c                     a thread's message               libsnug's, by engine_links
 *     base/forked.c                    which process this is            libsnug's, by engine_links
 *     base/process/procself.c          a descriptor of /proc/self       each its own
 *     base/process/cgroup.c            where groups can be made         libsnug's: those of workers
 *     base/settled.c                   tables that are read only        each its own
 *     limits/guard.c, fault.c          handlers, a thread's guard       the engine's
 *     limits/memory.c, large.c, room.c accounts                         the engine's
 *     limits/text.c                    where the C library's code is    the engine's
 *     policy/seccomp.c                 filters, made once               the engine's
 *     session/core/mailbox.c           how many threads spin            the engine's
 *     session/core/job.c               a calling thread's stack         the engine's
 *     session/life/local.c             the only local host              the engine's
 *     session/confine, process_seal.c  the held process                 a worker's, which has no
 * engine worker/client                    zygotes, what watches workers    libsnug's
 */
#ifndef SNUG_SESSION_ENGINE_H
#define SNUG_SESSION_ENGINE_H

#include <stdint.h>

#include "session/core/form.h"

/* What an engine is given of libsnug's: functions of base/error.h and base/forked.h. */
typedef struct engine_links {
    void (*keep_error)(const char *text);
    const char *(*error_message)(void);
    uint64_t (*process)(void);
    int (*is_process)(uint64_t process);
    void (*renew)(void (*fn)(void));
} engine_links;

/* The name that an engine exports. Its first two members stay as they are in all versions: they
 * are read before the others are known to be there. */
#define ENGINE_SYMBOL "snug_engine"
typedef struct engine {
    const char *build;  /* ENGINE_BUILD */
    const char *python; /* "3.11" */
    const host_form *form;
    void (*attach)(const engine_links *links);
} engine;

/* The form of hosts in this process. python: the host's option. SNUG_OK, or SNUG_EINVAL or
 * SNUG_EPYTHON with a message. Any thread. */
int engine_find(const host_form **out, const char *python);

#endif
