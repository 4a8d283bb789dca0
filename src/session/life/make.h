/*
 * make.h - the parts of opening a session, for open_session.c and local.c. In that order; each is
 * SNUG_OK or an error with a message, and what a session has by then goes with it.
 */
#ifndef SNUG_SESSION_MAKE_H
#define SNUG_SESSION_MAKE_H

#include <stddef.h>

#include <snug/snug.h>

#include "base/str.h"
#include "policy/paths.h"
#include "session/core/form.h"
#include "wire/pack.h"

/* In a worker: its host has made the work directory, with its mounts. */
typedef struct session_place {
    const char *workdir;
    int is_private;
} session_place;

/* With the usual limits and without all else. */
int session_new(snug_session **out, snug_host *host);
/* What options ask for that is looked at by cells only, with a name. */
int session_hand_over(snug_session *session, const snug_session_options *options);
/* Of one that has its callbacks. */
void session_hear_output(snug_session *session);
/* All that they ask for, but an interpreter that has it. */
int session_furnish(snug_session *session, const snug_session_options *options);
/* Of one that has its work directory and knows its packages: what it may open. */
int session_open_files(snug_session *session);
/* The whole, without a spare. place may be NULL. */
int session_open_cold(snug_session **out, snug_host *host, const snug_session_options *options,
                      const session_place *place, int is_scanner);
/* Of forms that have no spares: a row of host_form. */
int session_open_new(snug_session **out, snug_host *host, const snug_session_options *options,
                     const session_place *place);

/* open and end of local_form. */
int session_open_local(snug_session *session, const snug_session_options *options);
int session_end_local(snug_session *session);

/* Some of what the second and the third do. name NULL: the next number. */
int session_set_name(snug_session *session, const char *name);
int session_open_modules(snug_session *session, const snug_session_options *options);
int session_find_packages(snug_session *session, const snug_session_options *options);

/* What a session has whose options say nothing. */
snug_limits session_default_limits(void);

/* Its user's, who may be gone before a thread that has not ended. */
void session_leave_bell(snug_session *session);
/* Ends it without counting; NULL is fine. */
void session_discard(snug_session *session);
/* Frees a session whose thread has ended or never was. */
void session_free(snug_session *session);

/* Sessions are opened, closed and reset, and counted. */

/* As snug_session_open. place may be NULL. */
int session_open_in(snug_session **out, snug_host *host, const snug_session_options *given,
                    const session_place *place);

/* As snug_session_close, for who has claimed the session. */
void session_close_claimed(snug_session *session);

/* Hosts are opened and closed. */

struct seal;

/* As snug_host_open, of that form; wish: as seal_host_open, or NULL. */
int host_open(snug_host **out, const snug_host_options *options, const host_form *form,
              const struct seal *wish);
/* As snug_host_open, in a process that is for this host alone, whose only thread the caller is.
 * What the kernel does not have is left out, and told in the report. */
int seal_host_open(snug_host **out, const snug_host_options *given, const struct seal *wish);
/* A profile's file, and those that it includes from beside it, under their names into a folder that
 * is made. SNUG_OK, or why not, by its own name. */
int host_copy_profile(const snug_host *host, const char *profile, const char *folder);

/* Sessions that were closed while their threads would not end. */

/* A session whose thread would not end when it was closed. */
void host_adopt_orphan(snug_host *host, snug_session *session);
/* Frees the orphans whose threads have ended meanwhile; answers how many are left. */
size_t host_reap(snug_host *host);

/* A worker's process, held by the kernel before any code of a guest's runs in it:
 * files by Landlock, system calls by seccomp. It holds for every thread; those of sessions have
 * filters of their own besides. */

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

/* Snug_host_scan: source judged by the scanner, a session of the host's own in which no
 * cell ever runs. So nothing can have changed what it judges by, and a scan has a session's limits
 * and stop ladder. A part of local_form, and its report as bytes.
 *
 * What is unpacked is checked as packed.h says. */

int local_scan(snug_scan **out, snug_host *host, const char *source, size_t len,
               const snug_scan_options *options);

void scan_pack(packer *p, const snug_scan *report);
int scan_unpack(snug_scan **out, unpacker *u);

#endif
