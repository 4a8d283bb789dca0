/*
 * callbacks.h - the callbacks that a worker's sessions have: each is a frame to the host. payload
 * is the session's channel.
 */
#ifndef SNUG_WORKER_CALLBACKS_H
#define SNUG_WORKER_CALLBACKS_H

#include <stddef.h>

#include <snug/snug.h>

void serve_on_output(void *payload, snug_stream which, const char *text, size_t len);
void serve_on_display(void *payload, snug_display_event event, const snug_display *d);
/* The call is answered by serve_answer, or given up. */
void serve_on_call(void *payload, snug_call *call, const char *arguments);
void serve_on_input(void *payload, snug_call *call, const char *prompt);
/* Tells the host of calls that the cell has given up. */
void serve_on_call_over(void *payload, const snug_tool_call *over);

#endif
