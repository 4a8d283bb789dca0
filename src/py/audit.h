/*
 * audit.h - the audit hook: a uniform, clear "no" for what a session must not do.
 *
 * A guard, not a boundary: CPython does not raise an event for everything. The
 * decisions are policy/events.h and policy/paths.h; here the arguments are read.
 */
#ifndef SNUG_PY_AUDIT_H
#define SNUG_PY_AUDIT_H

/* Once, before Python starts, so that nothing can come before it. It judges only
 * threads of sessions. */
void audit_install(void);

#endif
