/*
 * run_cell.h - runs a cell: its caller's half, cell_job.h being the thread's.
 */
#ifndef SNUG_SESSION_RUN_CELL_H
#define SNUG_SESSION_RUN_CELL_H

#include <snug/snug.h>

/* Of local_form. */
int local_start(snug_session *session, const char *source, size_t len, const snug_limits *limits,
                int is_aside);
int local_attend(snug_session *session, uint64_t until_ns);
int local_finish(snug_result **out, snug_session *session);
int local_listen(snug_session *session, int is_on);

/* As finish of the session's form. */
int session_finish(snug_result **out, snug_session *session);

/* The limits of a cell that was asked for with these, which may be NULL: all are set. */
snug_limits session_cell_limits(const snug_session *session, const snug_limits *limits);

#endif
