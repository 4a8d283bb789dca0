/*
 * kernel.h - a kernel of Jupyter's: one session, behind five sockets.
 *
 * The thread that has started it runs cells, and answers what is asked on shell, one request at a
 * time. The attendant (attendant.h) is a second thread, which a running cell does not hold up.
 */
#ifndef SNUG_CLI_KERNEL_H
#define SNUG_CLI_KERNEL_H

#include <stdatomic.h>

#include <snug/snug.h>

#include "base/spin.h"
#include "cli/kernel/attendant.h"
#include "cli/kernel/channels.h"
#include "cli/kernel/history.h"
#include "cli/kernel/iopub.h"
#include "cli/program/options.h"
#include "cli/tools/user_tools.h"

typedef struct kernel {
    const options *options;
    connection where;
    channels channels;
    publisher publisher;
    attendant attendant;
    signer *signer; /* of shell */
    tools tools;
    snug_host *host;
    snug_session *session;
    snug_limits limits; /* of the cells that follow: %limit */
    history history;
    _Atomic(const char *) python; /* version of the sessions' Python */
    char python_text[32];

    /* Requests that have come and are not answered yet, with those that are not to run. */
    struct waiting *first, **last;
    uint64_t waited_ns; /* for the last one, with none there */
    spin spin;          /* for the next one */

    /* The cell that runs. */
    const kernel_message *cell;
    int is_quiet; /* what it prints and shows is nobody's */
    int takes_input;
    int is_renewed; /* the session is a new one, and no cell has said so */
} kernel;

/* Answers a request; c is its whole content. The number of the message; 0: none was sent. */
uint64_t kernel_reply(kernel *k, kernel_channel to, signer *s, const kernel_message *request,
                      const char *type, const content *c);

/* Content of a reply to kernel_info_request. Any thread. */
void kernel_describe(content *out, kernel *k);

/* ---- on the shell's thread ---- */

/* Answers requests until the kernel is to end. */
void kernel_serve(kernel *k);
/* A cell has failed: requests to run others that have been sent already are refused. Before its own
 * reply is sent. */
void kernel_stop_waiting(kernel *k);
/* Answers an execute_request. */
void kernel_execute(kernel *k, const kernel_message *request);
/* The same without running it. */
void kernel_abort(kernel *k, const kernel_message *request);
void kernel_complete(kernel *k, const kernel_message *request);
void kernel_inspect(kernel *k, const kernel_message *request);
void kernel_is_complete(kernel *k, const kernel_message *request);
/* "status":"error" with the message of this thread's last error, as the whole content. */
void content_error(content *c, const char *name, const char *value);

/* Session callbacks; the payload is the kernel. */
void kernel_on_output(void *payload, snug_stream stream, const char *text, size_t len);
void kernel_on_display(void *payload, snug_display_event event, const snug_display *display);
void kernel_on_input(void *payload, snug_call *call, const char *prompt);
void kernel_on_approval(void *payload, snug_call *call);

#endif
