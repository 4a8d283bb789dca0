/*
 * mailbox.h - hands jobs from callers to one thread and waits for their end.
 *
 * A wake between processors costs some 75 us, a cell often less than five. So both sides spin for a
 * moment before they sleep: a caller as long as jobs have taken of late, where that is not long;
 * the thread where the last job came as soon. But not if more threads would spin than there are
 * processors, nor if both are on the same one, where the one that spins keeps the other from
 * running. One caller at a time.
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
    uint64_t usual_ns;         /* how long jobs take; the caller's, as are the next two */
    uint64_t start_ns;         /* when the job was posted; the thread reads it, in the job */
    uint64_t idle_ns;          /* how long the thread last waited for a job; the thread's */
    uint32_t seen;             /* answered, when the caller last looked */
    _Atomic int rings;         /* whether the bell is rung when answered moves */
    void (*ring)(void *bell);
    void *bell;
} mailbox;

/* What has become of a job. */
typedef enum mailbox_end {
    MAILBOX_PENDING,  /* it goes on */
    MAILBOX_DONE,     /* it has ended, and the mailbox takes the next one */
    MAILBOX_GIVEN_UP, /* the thread still runs it, or has just ended it; the mailbox takes no
                         further job */
    MAILBOX_LEFT      /* the caller shall not wait, and the thread comes back to the mailbox when it
                         has ended it */
} mailbox_end;

/* The caller: lets the thread do a job, which both know of. */
void mailbox_post(mailbox *m);
/* The caller, until its job is no longer pending: waits for a notice or an end until until_ns
 * (CLOCK_MONOTONIC; 0: does not wait; UINT64_MAX: for the end). on_notice (may be NULL) is called
 * here after each mailbox_notify, and once more at the end. */
mailbox_end mailbox_attend(mailbox *m, void (*on_notice)(void *payload), void *payload,
                           uint64_t until_ns);
/* From now on, for who does not wait: ring(bell) is called at each notice and end, on the thread or
 * on the one that gives the job up, and must not block. NULL: no longer, but for the job before.
 * One bell a mailbox. Between jobs. */
void mailbox_set_bell(mailbox *m, void (*ring)(void *bell), void *bell);
/* After MAILBOX_LEFT: waits until the thread is back (MAILBOX_DONE) or was given up; MAILBOX_LEFT
 * at until_ns. */
mailbox_end mailbox_await_return(mailbox *m, uint64_t until_ns);

/* The thread: calls do_job for each job, until that answers nonzero or a job has been given up.
 * Answers whether one has. */
int mailbox_serve(mailbox *m, int (*do_job)(void *arg), void *arg);
/* The thread, in a job: makes the waiting caller look. */
void mailbox_notify(mailbox *m);

/* Any thread, from shortly before mailbox_post until the job has ended: the caller shall not wait
 * for it any longer, and the thread not come back. Answers whether it was still at it. */
int mailbox_give_up(mailbox *m);
/* The same, but the thread shall come back. */
int mailbox_leave(mailbox *m);
/* Whether a job was left and the thread is not back yet. Any thread. */
int mailbox_is_left(const mailbox *m);

#endif
