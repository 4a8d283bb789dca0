/*
 * zygote_words.h - the messages between a host and its zygote, on a SOCK_SEQPACKET pair that is the
 * zygote's standard input.
 */
#ifndef SNUG_WORKER_ZYGOTE_WORDS_H
#define SNUG_WORKER_ZYGOTE_WORDS_H

#include <stdint.h>
#include <sys/types.h>

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
