/*
 * home.h - where Python and its library are, and the main interpreter. Without Python.h, for
 * session/.
 */
#ifndef SNUG_PY_HOME_H
#define SNUG_PY_HOME_H

#include <stddef.h>

/* Finds them, before Python starts; given as runtime_start's home. SNUG_EPYTHON or SNUG_EINVAL with
 * a message. */
int home_find(const char *given);
/* Whether that is the home which was found. */
int home_is(const char *given);
/* The names of the library's modules and the main interpreter, once it has started. */
int home_remember(void);
/* The directories of the standard library (lib and lib-dynload), absolute. Valid
 * after runtime_start. */
const char *home_stdlib(void);
const char *home_dynload(void);
/* Where further packages of this Python are installed: Debian's dist-packages, else
 * site-packages; NULL if there is no such folder. */
const char *home_packages(void);
/* Whether the standard library has a top-level module of that name. */
int home_has_module(const char *name, size_t len);
/* The calling thread takes the main interpreter and leaves it again; for scans.
 * One thread at a time. */
int home_enter_main(void **saved);
/* Only the state, not entered yet; asks for no GIL. NULL: no memory. */
void *home_new_state(void);
void home_leave_main(void *saved);

#endif
