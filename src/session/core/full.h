/*
 * full.h - full sessions: Python's main interpreter, in a process that is for nothing else.
 *
 * For snug-worker and for session/. full_allow is called first, before snug_host_open; then, in a
 * process that forks for each session, full_preload. A child calls snug_host_open after
 * warm_after_fork, and opens its session before it takes the right to read /proc/self/statm and to
 * lower its own RLIMIT_DATA from itself: what cannot be read is not limited.
 *
 * The process is the boundary. Its environment is emptied when Python starts, but for PATH, LANG,
 * LC_ALL, LC_CTYPE, TZ and TMPDIR; a fault, or an exit of a package's, ends it.
 */
#ifndef SNUG_SESSION_FULL_H
#define SNUG_SESSION_FULL_H

#include <stdint.h>

#include <snug/snug.h>

#include "policy/paths.h"

/* From now on SNUG_KIND_FULL sessions can be opened in this process, one at a time, and no others,
 * nor scans. Before anything else of snug's. SNUG_EPYTHON: Python runs here already. */
int full_allow(void);
/* Starts Python and imports names, NULL-terminated, from packages (NULL: the system's folder) on
 * the calling thread, which must be the only one and is the only one afterwards. SNUG_ENOTFOUND
 * with what is there instead, SNUG_EPYTHON with why one failed, or which has started a thread. */
int full_preload(const char *const *names, const char *packages);

/* ---- for session/ ---- */

/* Packages start some: what the limit threads is where the options leave it. */
enum { FULL_THREADS = 16 };
/* Open at a time in its process, those of the worker among them. */
enum { FULL_DESCRIPTORS = 256 };

/* Of a full session: what the process had, and limits to be put back. */
typedef struct session_full {
    int has_place;
    int is_copied; /* saved or restored: then its data is there several times */
    uint64_t data_base, data_before, file_before;
} session_full;

/* Whether sessions of that kind are opened in this process: SNUG_EINVAL with a message. */
int full_check_kind(snug_kind kind);
/* The one place for a full session; others need none. SNUG_EBUSY or SNUG_EDEAD. */
int full_claim(snug_session *session);
void full_release(snug_session *session);
/* The packages that allow names are there: SNUG_ENOTFOUND with what is. */
int full_check_packages(const char *const *allow, const char *folder);
/* What the cells of a full session may open, besides what all may. */
const path_root *full_roots(size_t *count);
void full_add_roots(snug_session *session);
/* The process has what it has now; what comes from here on is the session's. */
void full_limit_begin(snug_session *session);
/* On the caller's thread, around each job: how much the process may have while that runs, and how
 * long a file may get. */
void full_limit_job(snug_session *session);
void full_limit_rest(snug_session *session);
void full_limit_end(snug_session *session);

#endif
