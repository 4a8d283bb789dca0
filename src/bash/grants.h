/*
 * grants.h - how many files and folders a session may still make. Each one asks
 * (bash/creations.h), and the work directory is gone through when what was granted at the last
 * look is used up.
 */
#ifndef SNUG_BASH_GRANTS_H
#define SNUG_BASH_GRANTS_H

struct snug_session;

/* In the worker, on its only thread: from here on each new file has to be granted. */
void grants_begin(void);
/* The session whose files are counted; NULL: none, and everything is granted. */
void grants_set(struct snug_session *session);
/* Somebody else has made some, or some have gone. */
void grants_forget(void);
/* Around a look at the work directory: in between no file is made there, and none moves from where
 * it was not looked at yet to where it was. */
void grants_hold(void);
void grants_release(void);

#endif
