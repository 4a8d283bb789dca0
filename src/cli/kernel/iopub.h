/*
 * iopub.h - what a kernel tells everybody, on iopub: that it is busy or idle, what cells print
 * and show.
 *
 * Text that a cell prints is gathered for a moment, so that a cell that prints much sends few
 * messages; what else there is to tell comes behind it. Any thread.
 */
#ifndef SNUG_CLI_IOPUB_H
#define SNUG_CLI_IOPUB_H

#include <pthread.h>
#include <stdint.h>

#include <snug/snug.h>

#include "cli/kernel/channels.h"
#include "cli/kernel/content.h"

typedef struct publisher {
    pthread_mutex_t lock; /* of all below, and of the socket */
    channels *channels;
    signer *signer;
    int timer_fd;               /* readable when gathered text has waited long enough; -1: closed */
    const kernel_message *cell; /* whose text is gathered; NULL: no cell runs */
    str text;
    snug_stream stream;
    int clears; /* what was shown is to go, and nothing has come since */
    uint64_t told_bytes[2], left_out_bytes[2]; /* of the cell's stdout and stderr */
    uint64_t most_bytes;                       /* of each that go */
    content scratch;
} publisher;

/* SNUG_OK, or an error with a sentence; close in both cases. */
int publisher_open(publisher *p, channels *c, const connection *where);
void publisher_close(publisher *p);

/* "starting", "busy" or "idle"; parent may be NULL. */
void iopub_status(publisher *p, const kernel_message *parent, const char *state);
/* A message of that type. */
void iopub_send(publisher *p, const kernel_message *parent, const char *type, const content *c);

/* From now on text is of that request, which must live until iopub_end. */
void iopub_begin(publisher *p, const kernel_message *cell);
/* No more bytes of each stream of the cell go. */
void iopub_bound(publisher *p, uint64_t most_bytes);
void iopub_text(publisher *p, snug_stream stream, const char *text, size_t len);
/* What the cell has shown so far goes: at once, or when what comes within a moment is there. */
void iopub_clear(publisher *p);
/* How many bytes of each stream were left out so far; what follows has no bound. */
void iopub_left_out(publisher *p, uint64_t left_out[2]);
/* The gathered text goes, and the cell is over. */
void iopub_end(publisher *p);
/* The gathered text goes now. */
void iopub_flush(publisher *p);
/* The timer has fired. */
void iopub_late(publisher *p);

#endif
