/*
 * mailbox.h - hands jobs from callers to one thread and waits for their end.
 *
 * A wake between processors costs some 75 us, a cell often less than five. So both sides spin for a
 * moment before they sleep, and a caller as long as jobs have taken of late, where that is not
 * long; but not if more threads would spin than there are processors, nor if both are on the same
 * one, where the one that spins keeps the other from running. One caller at a time.
 */
#ifndef SNUG_SESSION_MAILBOX_H
#define SNUG_SESSION_MAILBOX_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct mailbox {
    _Atomic uint32_t posted;   /* moves when a job is there */
    _Atomic uint32_t answered; /* moves at the end of a job and at each notice */
    _Atomic int sleepers[2];   /* who sleeps on posted, on answered */
    _Atomic int processors[2]; /* where each last waited, from 1; 0: not yet */
    _Atomic int state;         /* how the job that was posted last ended; mailbox.c */
    uint64_t usual_ns;         /* how long jobs take; the caller's */
} mailbox;

/* The caller: lets the thread do a job, which both know of, and waits. on_notice (may be NULL) is
 * called here after each mailbox_notify, and once at the end. Answers 1 when the job has ended, 0
 * when the wait was given up: the thread still runs it then, or has just ended it, and the mailbox
 * takes no further job. */
int mailbox_run(mailbox *m, void (*on_notice)(void *payload), void *payload);
/* The thread: calls do_job for each job, until that answers nonzero or a job has been given up.
 * Answers whether one has. */
int mailbox_serve(mailbox *m, int (*do_job)(void *arg), void *arg);
/* The thread, in a job: makes the waiting caller look. */
void mailbox_notify(mailbox *m);

/* Any thread, from shortly before mailbox_run until the job has ended: the caller shall
 * not wait for it any longer. Answers whether it was still waiting. */
int mailbox_give_up(mailbox *m);

#endif
