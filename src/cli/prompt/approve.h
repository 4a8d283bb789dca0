/*
 * approve.h - calls of tools that a rule asks about, on a terminal.
 */
#ifndef SNUG_CLI_APPROVE_H
#define SNUG_CLI_APPROVE_H

#include <snug/snug.h>

/* For on_approval; payload is the show. Shows the call and answers as somebody types; refuses where
 * nobody does. */
void approve_call(void *payload, snug_call *call);

#endif
