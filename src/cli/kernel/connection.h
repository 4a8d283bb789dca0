/*
 * connection.h - the connection file of a kernel: where its sockets are, and the key of its
 * messages. https://jupyter-client.readthedocs.io/en/stable/kernels.html#connection-files
 */
#ifndef SNUG_CLI_CONNECTION_H
#define SNUG_CLI_CONNECTION_H

#include <stddef.h>

#include "base/str.h"

typedef enum kernel_channel {
    CHANNEL_SHELL,
    CHANNEL_CONTROL,
    CHANNEL_STDIN,
    CHANNEL_IOPUB,
    CHANNEL_HEARTBEAT,
    CHANNELS
} kernel_channel;

typedef struct connection {
    str addresses[CHANNELS]; /* as zmq_bind takes them */
    str key;                 /* empty: messages are not signed */
    str digest;              /* "sha256" */
} connection;

/* Of the text of a file called name. SNUG_OK, or an error with a sentence. Free in both cases. */
int connection_parse(connection *out, const char *name, const char *text, size_t len);
/* The same of the file. */
int connection_read(connection *out, const char *path);
/* With the key wiped. */
void connection_free(connection *c);
/* "shell", for sentences. */
const char *channel_name(kernel_channel channel);

#endif
