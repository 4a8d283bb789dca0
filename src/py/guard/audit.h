/*
 * audit.h - the audit hook: a uniform, clear "no" for what a session must not do.
 *
 * A guard, not a boundary: CPython does not raise an event for everything. The
 * decisions are policy/events.h and policy/paths.h; here the arguments are read.
 */
#ifndef SNUG_PY_AUDIT_H
#define SNUG_PY_AUDIT_H

#include "py/core/state.h"

/* Once, before Python starts, so that nothing can come before it. It judges only
 * threads of sessions. */
void audit_install(void);

/* For what is judged before Python's own function is called. Answers -1 with the policy's
 * exception, and notes the denial. */
int audit_deny(interp *in, const char *event);
/* Whether the session has the file of that path. Without an exception, and without the GIL. */
int audit_has_path(const interp *in, const char *path, path_access access);
/* Whether path, an exact str or bytes, is a folder on the way to one that the session has, and
 * not one itself. None with ".." is: behind a symbolic link that means another folder than the
 * text says. */
int audit_path_leads(interp *in, PyObject *path);
/* An exact str or bytes, or a descriptor as an int. 0 where the session has it. follows:
 * a symbolic link at its end is followed. */
int audit_judge_path(interp *in, const char *event, PyObject *path, path_access access,
                     int follows);
/* For one that will be made if it is not there, or written to. -1 with an OSError where the
 * disk account refuses that. Programs have limits/quota.c for it. */
int audit_judge_disk(interp *in, PyObject *path);

#endif
