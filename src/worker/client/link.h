/*
 * link.h - the stream to one worker, shared by the threads whose sessions are there.
 *
 * Whoever waits reads: one of the waiting threads at a time takes what comes and hands on what is
 * for the others. So a turn wakes nobody in between, and a message for a slow reader does not hold
 * up the rest.
 *
 * A link dies once: the worker ends, breaks the protocol, does not answer in time, or is not heard
 * of at all. Then it is killed, and everybody gets SNUG_EDEAD. A worker in which code was given up
 * goes on for its other sessions, and no longer: that code may still use a processor.
 */
#ifndef SNUG_WORKER_LINK_H
#define SNUG_WORKER_LINK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/str.h"
#include "worker/client/launch.h"
#include "worker/protocol/frame.h"

typedef enum link_end {
    LINK_LIVES,
    LINK_ENDED,    /* the worker has ended, or its stream */
    LINK_LATE,     /* no answer by the deadline */
    LINK_SILENT,   /* nothing was heard of it for too long */
    LINK_LIED,     /* what came is not an answer */
    LINK_FORSAKEN, /* all of its sessions were lost */
    LINK_FULL      /* it has written more than it may */
} link_end;

typedef struct link_frame {
    frame frame;
    struct link_frame *next;
} link_frame;

/* One end of a channel. One thread at a time asks and waits at it. */
typedef struct link_line {
    uint32_t channel;
    uint32_t number;     /* of its last request */
    int is_asking;       /* that has no reply yet; otherwise nothing may come */
    int is_lost;         /* its session: link_lose */
    uint64_t most_bytes; /* of a message of it, if that is more than FRAME_SMALL_BYTES */
    link_frame *first, *last;
    uint64_t bytes; /* that wait in it */
    pthread_cond_t has_come;
    int is_waiting, is_nudged;
    void (*ring)(void *payload); /* link_set_ring */
    void *payload;
    struct link_line *next;
} link_line;

typedef struct worker_link worker_link;

/* Takes over the worker that was launched, on failure too. silent_ms: how long nothing may be heard
 * of it. SNUG_OK or SNUG_ENOMEM. */
int link_open(worker_link **out, worker_process *process, uint64_t silent_ms);
/* Two hold it: host and session. */
worker_link *link_hold(worker_link *l);
/* The last one to let go ends the worker. NULL is fine. */
void link_drop(worker_link *l);

/* SNUG_EDEAD where the worker was forsaken before: then the line is not there. */
int link_add(worker_link *l, link_line *line);
void link_remove(worker_link *l, link_line *line);
/* The session of that line is lost, and what it does may go on. The worker is ended once all of its
 * lines are lost. */
void link_lose(worker_link *l, link_line *line);
/* The line has a session again. SNUG_EDEAD where the worker was ended. */
int link_regain(worker_link *l, link_line *line);
/* Code was given up in the worker, and its session has no line any more. */
void link_spoil(worker_link *l);

/* Any thread. SNUG_OK; SNUG_EDEAD, also where the worker has not taken all of it by the deadline
 * (CLOCK_MONOTONIC), or none of it for silent_ms. */
int link_send(worker_link *l, frame_kind kind, uint32_t channel, uint32_t number, const str *body,
              uint64_t deadline_ns);
/* The same without a body, if nobody has to wait for it. 0: it was not sent. */
int link_send_at_once(worker_link *l, frame_kind kind, uint32_t channel, uint32_t number);
/* As link_send for the next request of the line, which gets its number. most_bytes is what the
 * worker may answer: a message that announces more ends it. */
int link_ask(worker_link *l, link_line *line, frame_kind kind, const str *body, uint64_t most_bytes,
             uint64_t deadline_ns);
/* The next message of the line, which the caller frees: SNUG_OK. 1: after link_nudge, or at
 * wake_ns, there is none. SNUG_EDEAD, also after the deadline: then the worker is ended, but for
 * what has come before, which this thread may have been kept from reading. */
int link_wait(worker_link *l, link_line *line, frame *out, uint64_t deadline_ns, uint64_t wake_ns);
/* Who waits at that line shall look. Any thread. */
void link_nudge(worker_link *l, link_line *line);
/* From now on ring(payload) is called, under the link's lock, when the line has something to look
 * at; NULL: no longer. */
void link_set_ring(worker_link *l, link_line *line, void (*ring)(void *payload), void *payload);
/* Reads what has come, for lines that ring, and asks a worker that is silent whether it is there.
 * 0: another thread reads. */
int link_attend(worker_link *l);
/* Whether a message of the line was read, and not taken yet. */
int link_has_read(worker_link *l, const link_line *line);
/* For poll. */
int link_descriptor(const worker_link *l);
/* Ends the worker. The first reason stays. */
void link_kill(worker_link *l, link_end how);
/* The same at once, by a signal: nothing that it is doing goes on. */
void link_end_now(worker_link *l, link_end how);
link_end link_state(worker_link *l);
/* Whether it lives and has sent nothing, when nobody asks it anything. */
int link_is_quiet(const worker_link *l);
/* The worker was greeted: the memory that it has now does not count as a session's. */
void link_begin_bounds(worker_link *l);
/* For the greeting: bounds_place. */
const char *link_bounds_place(const worker_link *l);
/* What a session may take is added to the worker's bounds, or taken away again. */
void link_allow(worker_link *l, const bounds_share *share);
void link_disallow(worker_link *l, const bounds_share *share);
/* bounds_tell. */
int link_tell_bounds(worker_link *l, str *out);
/* Whether it was ended because it had more memory than it may have. */
int link_ran_out(worker_link *l);
/* 0 for one that is gone. */
pid_t link_process(worker_link *l);
/* The last line that a worker wrote to its stderr before it ended, or nothing. */
void link_last_words(worker_link *l, str *out);
/* What became of it, "its worker was killed by signal 9 (Killed)". */
void link_explain(worker_link *l, str *out);

#endif
