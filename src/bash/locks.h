/*
 * locks.h - how many locks of records in files the processes of a session may have. The kernel
 * keeps each in memory that no account counts, and does not bound them.
 */
#ifndef SNUG_BASH_LOCKS_H
#define SNUG_BASH_LOCKS_H

/* Both with grants_hold. One process sets a lock or takes one off: 0, or ENOLCK. */
int locks_ask(void);
/* There may be fewer now. */
void locks_forget(void);

#endif
