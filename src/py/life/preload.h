/*
 * preload.h - packages imported before there is a session, in a process that forks for each.
 *
 * The caller is the thread that has started Python, the only one there is, and does not hold the
 * interpreter.
 */
#ifndef SNUG_PY_PRELOAD_H
#define SNUG_PY_PRELOAD_H

/* Imports names, NULL-terminated, with packages (or the system's folder, NULL) first on the path.
 * SNUG_ENOTFOUND for one that is not there, SNUG_EPYTHON with the exception of one that fails or
 * the name of one that has left a thread behind. */
int preload_import(const char *const *names, const char *packages);

/* Around fork. Between the first and one of the others the interpreter is held. */
void preload_before_fork(void);
void preload_after_fork_parent(void);
/* Random numbers are seeded again. */
void preload_after_fork_child(void);

#endif
