/*
 * frame.h - messages of a host and its worker on a stream of bytes.
 *
 * Each has a header of FRAME_HEADER bytes, little-endian: length of what follows (4), kind (1),
 * nothing (3, zero), channel (4), number (4). A channel is a session, or one question to the
 * host; number counts the requests of a channel, and a message that belongs to one has its
 * number.
 */
#ifndef SNUG_WORKER_FRAME_H
#define SNUG_WORKER_FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/str.h"

/* Both sides say it first; a worker of another version is refused. */
#define FRAME_PROTOCOL "snug-worker/7"

enum { FRAME_HEADER = 16 };
/* Any message. A saved session has 1 GiB at most, and its report some MiB; what else is larger than
 * the second of these is refused by what was asked for. */
#define FRAME_MOST_BYTES  ((UINT64_C(1) << 30) + (UINT64_C(64) << 20))
#define FRAME_SMALL_BYTES (UINT64_C(4) << 20)

typedef enum frame_kind {
    /* From the host; each is answered by one FRAME_REPLY. */
    FRAME_HELLO,
    FRAME_OPEN,
    FRAME_CLOSE,
    FRAME_RESET,
    FRAME_RUN,
    FRAME_SET,
    FRAME_CHECKPOINT,
    FRAME_ROLLBACK,
    FRAME_FORGET,
    FRAME_IS_COMPLETE,
    FRAME_COMPLETE,
    FRAME_VARIABLES,
    FRAME_INSPECT,
    FRAME_SAVE,
    FRAME_RESTORE,
    FRAME_PUT,
    FRAME_GET,
    FRAME_LIST,
    FRAME_REMOVE,
    FRAME_BIND,
    FRAME_COMPUTE, /* a program is called, or mapped */
    FRAME_SCAN,
    FRAME_HEALTH,
    FRAME_REQUESTS, /* how many there are */
    /* From the host, without a reply: */
    FRAME_INTERRUPT = FRAME_REQUESTS,
    FRAME_ANSWER, /* of a call */
    FRAME_TAKEN,  /* that many bytes of output were taken */
    FRAME_PING,   /* of a channel: whether the request of that number is being stopped */
    /* From the worker: */
    FRAME_REPLY,
    FRAME_OUTPUT,
    FRAME_DISPLAY,
    FRAME_CALL,    /* of a tool, or input() */
    FRAME_GAVE_UP, /* the cell does not wait for a call any more */
    FRAME_PONG,    /* of no channel, or it is being stopped */
    FRAME_KINDS
} frame_kind;

/* What FRAME_ANSWER says of a call. */
typedef enum frame_answer {
    FRAME_ANSWER_OK,
    FRAME_ANSWER_ERROR,
    FRAME_ANSWER_NONE,    /* no line for input() */
    FRAME_ANSWER_REFUSED, /* it was not approved */
    FRAME_ANSWER_TIMEOUT, /* as it had in the run that is replayed */
    FRAME_ANSWER_HELD,    /* not one yet: it waits for an approval */
    FRAME_ANSWER_GOES_ON  /* no more */
} frame_answer;

typedef struct frame {
    frame_kind kind;
    uint32_t channel, number;
    str body; /* with a NUL behind it */
} frame;

void frame_free(frame *f);
void frame_header(char out[FRAME_HEADER], const frame *f);
/* The first len bytes of the pieces have been written: steps to what is left of them. */
void frame_wrote(struct iovec **pieces, size_t *count, size_t len);

/* What was read of a stream so far. Zeroed is new. */
typedef struct frame_reader {
    char header[FRAME_HEADER];
    size_t header_len;
    frame next;
    uint64_t body_bytes; /* of next */
} frame_reader;

/* Where further bytes go, and how many at most. NULL if memory ran out. Memory grows with what
 * has come, and not with what a header announces. */
char *frame_room(frame_reader *r, size_t *len);
/* That many have come. 1: out is a message, which the caller frees; 0: not yet; -1: this is not
 * a message of this protocol. */
int frame_took(frame *out, frame_reader *r, size_t len);
void frame_reader_free(frame_reader *r);

/* The messages between a host and its zygote, on a SOCK_SEQPACKET pair that is the
 * zygote's standard input. */

typedef enum zygote_order {
    ZYGOTE_FORK,  /* with a descriptor, the worker's stream; answered by pid and its pidfd */
    ZYGOTE_STATUS /* of pid, which has ended or is about to; answered by pid and status */
} zygote_order;

/* Both ways. The first answer, without an order, has pid 0; status is 0 or a snug_error, and text
 * its message. */
typedef struct zygote_message {
    int32_t order, pid, status;
    char text[1024];
} zygote_message;

/* With fd, unless that is negative. 0, or -1 with errno: the other side is gone. */
int zygote_message_send(int control, const zygote_message *message, int fd);
/* Waits for a message. *fd: what came with it, close-on-exec, which the caller closes; -1: nothing.
 * 0, or -1: the other side is gone. */
int zygote_message_receive(zygote_message *out, int *fd, int control);

#endif
