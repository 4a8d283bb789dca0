/*
 * control.h - what is asked on a kernel's control channel: its end, an interrupt, what it is.
 */
#ifndef SNUG_CLI_CONTROL_H
#define SNUG_CLI_CONTROL_H

#include "cli/kernel/attendant.h"
#include "cli/kernel/channels.h"

struct kernel;

/* Answers what has come, on the attendant's thread. */
void control_serve(attendant *a);
/* Ends the cell that runs. */
void control_interrupt(attendant *a);
/* Answers a shutdown_request on its channel, tells everybody, and begins the end. */
void control_shut_down(struct kernel *k, kernel_channel channel, signer *s,
                       const kernel_message *request);

#endif
