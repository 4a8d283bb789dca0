/*
 * channels.h - the sockets of a kernel, and its messages on their way in and out.
 *
 * A socket is used by one thread at a time: shell by the one that runs cells, control, stdin and
 * the heartbeat by the attendant, iopub by whoever holds its lock (iopub.h).
 */
#ifndef SNUG_CLI_CHANNELS_H
#define SNUG_CLI_CHANNELS_H

#include <stdint.h>

#include "cli/kernel/connection.h"
#include "cli/kernel/message.h"
#include "cli/kernel/zmq_library.h"

typedef struct channels {
    void *context;
    void *sockets[CHANNELS];
    char session[33];            /* that the kernel's messages are of */
    _Atomic uint64_t sent_count; /* of messages */
} channels;

/* A message with the frames that it is made of. */
typedef struct packet {
    zmq_msg_t *frames;
    kernel_part *parts;
    size_t frame_count;
    kernel_message message;
} packet;

/* What is sent. */
typedef struct outgoing {
    const char *type;
    const char *topic;            /* on iopub; NULL: its type */
    const kernel_message *parent; /* that it is an answer to; NULL: none */
    const char *metadata;         /* an object; NULL: an empty one */
    const char *content;          /* an object */
    size_t content_len;
} outgoing;

/* Binds all sockets. SNUG_OK, or an error with a sentence that names the address; close in both
 * cases. */
int channels_open(channels *c, const connection *where);
/* Waits a second at most until what was sent has gone. */
void channels_close(channels *c);

/* Of that socket: readable when there may be something to take; -1: there is none. libzmq tells of
 * a message once, to whatever uses the socket next: who waits has taken all that there is. */
int channels_fd(const channels *c, kernel_channel channel);

/* Takes the next message of a socket, if there is one: 1, and it must be freed; 0: there is none.
 * One that is not right costs a line on stderr, and the one after it is taken. */
int packet_receive(packet *out, channels *c, kernel_channel from, signer *s);
void packet_free(packet *p);

/* Sends to whoever the parent came from. What cannot be sent costs a line on stderr. Answers the
 * number of the message. */
uint64_t channels_reply(channels *c, kernel_channel to, signer *s, const outgoing *o);
/* Whether that is the id of the message of a number. */
int channels_is_number(const channels *c, const char *id, uint64_t number);
/* Sends on iopub; its lock is held. */
void channels_publish(channels *c, signer *s, const outgoing *o);

/* "snug: kernel: SENTENCE" on stderr. */
__attribute__((format(printf, 1, 2))) void kernel_log(const char *format, ...);

#endif
