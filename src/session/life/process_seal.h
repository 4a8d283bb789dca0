/*
 * process_seal.h - a worker's process, held by the kernel before any code of a guest's runs in it:
 * files by Landlock, system calls by seccomp. It holds for every thread; those of sessions have
 * filters of their own besides.
 */
#ifndef SNUG_SESSION_PROCESS_SEAL_H
#define SNUG_SESSION_PROCESS_SEAL_H

#include <snug/snug.h>

#include "base/str.h"
#include "policy/paths.h"

/* A worker's folders: what its sessions may be given. */
typedef struct seal {
    const char *workdirs; /* of private work directories, which the caller removes; NULL: the host
                             makes one and removes it */
    const path_root *roots;
    size_t root_count;
    const char *packages; /* of full sessions; NULL: the system's */
    /* workdirs is a folder in memory, with room for so much; 0: it is the one on the disk, as it is
     * where the worker can have no root folder of its own. */
    uint64_t disk_bytes, disk_files;
} seal;

/* For local.c: once, after Python was started. SNUG_ESYSTEM, SNUG_ENOMEM with a message. */
int seal_process(snug_host *host, const seal *wish);
/* The line of the host's report; nothing where the process is not sealed. */
int seal_report(str *out);

#endif
