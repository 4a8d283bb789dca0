/*
 * approve.h - calls of tools that a rule asks about, on a terminal.
 */
#ifndef SNUG_CLI_APPROVE_H
#define SNUG_CLI_APPROVE_H

#include <snug/snug.h>

/* For on_approval; payload is the show. Shows the call and answers as somebody types; refuses where
 * nobody does. */
void approve_call(void *payload, snug_call *call);

/* What is asked behind the call, and what a line says to it: anything but a clear yes is none. */
#define APPROVE_CHOICES "? [y]es, [a]lways, [n]o: "
snug_approval approve_answer(const char *line);

#endif
