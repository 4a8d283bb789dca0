/*
 * link_stream.h - the stream of a link: whole messages in and out, each in its time.
 *
 * It knows no sessions. One thread reads at a time, and others may write meanwhile; the link says
 * who, and whether the stream may still be used.
 */
#ifndef SNUG_WORKER_LINK_STREAM_H
#define SNUG_WORKER_LINK_STREAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/spin.h"
#include "worker/client/link.h"
#include "worker/protocol/frame.h"

/* After so long without a word whoever reads comes back, and asks whether the worker is there. */
#define LINK_STREAM_QUIET_NS NS_PER_S

/* Whether a message that begins may have a body of that many bytes, more than FRAME_SMALL_BYTES:
 * asked on the thread that reads, before any of it is taken in. */
typedef int link_stream_check(void *payload, const frame *begun, uint64_t body_bytes);

typedef struct link_stream {
    int fd;                  /* the worker_process's, which closes it */
    int nudges;              /* eventfd that wakes the thread which reads */
    uint64_t silent_ns;      /* how long the worker may take nothing of what is written */
    pthread_mutex_t writing; /* held by whoever writes, or closes fd */
    frame_reader reader;     /* of the thread that reads, as spin */
    spin spin;
    _Atomic uint64_t heard_ns; /* when something came last, or a thread began to listen */
    link_stream_check *is_expected;
    void *payload;
} link_stream;

/* s is zero but for is_expected and its payload. SNUG_OK, or SNUG_ESYSTEM with a message: then
 * there is nothing to free. */
int link_stream_init(link_stream *s, int fd, uint64_t silent_ms);
void link_stream_free(link_stream *s);

/* Reads until a message is whole: 1, and the caller frees it. 0: none was by the deadline, before
 * a nudge, or until nothing had come for LINK_STREAM_QUIET_NS. -1: none will be, and *how says
 * why. */
int link_stream_read(frame *out, link_stream *s, uint64_t deadline_ns, link_end *how);
/* Whether part of a message has been read. */
int link_stream_has_begun(const link_stream *s);
/* Wakes the thread that reads. Any thread. */
void link_stream_nudge(const link_stream *s);

/* Locks writing: another thread may be writing much at the moment. 0, or an errno: it was not done
 * by the deadline. */
int link_stream_lock(link_stream *s, uint64_t deadline_ns);
/* Writing is locked. LINK_LIVES, also where the stream has ended, which whoever reads sees;
 * LINK_LATE or LINK_SILENT. */
link_end link_stream_write(const link_stream *s, const frame *f, uint64_t deadline_ns);
/* Writing is locked. A frame without a body, and without a wait: how many bytes of FRAME_HEADER
 * were written, or -1. */
ssize_t link_stream_write_header(const link_stream *s, const frame *f);

#endif
